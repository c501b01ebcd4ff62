"""Which calls would run a value as code."""

from __future__ import annotations

import pytest

from cera.connectors.actions.texts.interpreters import code_from_data

CODE = """
sh -c 'echo %s'
/bin/bash -ec 'echo %s'
dash -c "echo %s"
zsh -lc %s
ksh -c 'exit %d'
fish --command 'x %s'
fish --command=%s
csh -c 'a %s'
bash -c -x 'a %s'
bash -o pipefail -c 'a %s'
bash --rcfile %s
cmd /c dir %s
cmd.exe /C dir a %s
powershell -Command ls %s
pwsh -c ls %s
env sh -c 'echo %s'
env X=1 sh -c 'echo %s'
/usr/bin/env bash -c %s
env -S 'sh -c %s'
busybox sh -c 'echo %s'
xargs -I{} sh -c 'echo %s'
sudo -u x sh -c 'echo %s'
timeout 5 bash -c 'echo %s'
nohup python3 -c 'print(%s)'
find . -exec sh -c 'rm %s' ;
su -c 'echo %s' me
python -c 'print(%s)'
python -c'print(%s)'
python3.11 -Ic 'print(%s)'
perl -e 'print %s'
perl -ne 'print %s' file
ruby -e 'p %s'
node -e 'x(%s)'
node --eval=%s
node -pe %s
php -r 'echo %s;'
awk '{print %s}' f
awk -F, '/%s/' f
gawk -v x=1 '{%s}' f
sed 's/a/%s/' f
sed -e p -e 's/%s/b/' f
psql -c 'select %s'
ssh host ls %s
sh %s
bash -x scripts/%s.sh
python %s
python -m %s
awk -f %s
flock /tmp/l sh -c 'echo %s'
flock /tmp/l -c 'echo %s'
flock /tmp/l -c %s
su root -c 'echo %s'
su root -c %s
su - root --session-command='echo %s'
anything at all /bin/bash -c 'echo %s'
anything busybox sh -c %s
echo sh -c %s
logger -t sh %s
sh -c 'eval "$1"' sh %s
sh -c 'exec "$@"' x sh -c %s
env sh -c 'bash -c "$1"' x %s
sqlite3 x.db '.shell echo %s'
sqlite3 x.db "insert into t values ('%s')"
/usr/bin/sqlite3 x.db %s
client x.db '.shell echo %s'
client '\\! echo %s'
make -f /dev/null --eval 'x:;echo %s'
make X=%s
mysql -e 'select %s'
psql bank -c %s
psql bank --command='select %s'
git -c 'alias.x=!echo %s' x
git -c %s x
tar --checkpoint-action=exec=%s -cf x y
tar --to-command 'echo %s' -xf x
rsync -e 'sh %s' a b
vim '+!echo %s'
emacs --eval '(x "%s")'
xterm -e 'echo %s'
unknown -c 'echo %s'
unknown -e 'print %s'
unknown --expression='a%sb'
unknown -c'echo %s'
unknown "sh -c 'echo %s'"
gawk -i inplace '{print %s}' f
find . -exec %s ;
find . -exec python -c 'x(%s)' ;
env X=1 %s
timeout 5 %s
xargs %s
scp report host:/tmp/%s
""".strip().splitlines()

DATA = """
sh -c 'echo "$1"' sh %s
bash -ec 'echo "$1"' x %s
sh -c 'echo hi'
sh script.sh %s
echo %s
grep -c %s file
grep -e 'a%sb' file
mail -s '%s' me
python script.py %s
python -m mod %s
python -u script.py --x=%s
perl script.pl -e %s
ruby script.rb %s
node app.js %s
awk -v x=%s '{print x}' f
awk -f prog.awk %s
sed -n p %s
find . -name %s
env X=%s prog %s
xargs echo %s
sudo prog %s
timeout 5 prog %s
psql -f x.sql -v a=%s
notify-send 'Alarm in %s'
notify-send -u critical 'Alarm in %s: %d'
mail -s 'Alarm in %s' boss
mail -s 'Alarm in %s' -c 'boss-%s@example.org' boss
logger --tag=%s
logger -t cera 'in %s'
curl https://x/%s
curl -d 'area=%s' -e https://x/%s https://x/
curl --data '{"area": "%s"}' https://x/
env sh -c 'echo "$1"' sh %s
flock /tmp/l sh -c 'echo "$1"' sh %s
flock /tmp/l sh script.sh %s
flock /tmp/l notify %s
su me -c 'notify' %s
find . -exec grep %s {} ;
unknown -c %s
touch 'alarms/%s.txt'
beep -f %d
notify-send -e '!Alarm in %s'
alert --source=%s --code %d
git commit -m 'Alarm in %s'
./notify.sh %s
""".strip().splitlines()


@pytest.mark.parametrize("command", CODE)
def test_a_value_in_code_is_found(command: str) -> None:
    assert code_from_data(command) is not None


@pytest.mark.parametrize("command", DATA)
def test_a_value_that_stays_data_is_fine(command: str) -> None:
    assert code_from_data(command) is None


def test_the_interpreter_is_named() -> None:
    assert code_from_data("env -i /usr/local/bin/python3.12 -c 'f(%s)'") == "python"
    assert code_from_data("su root -c 'echo %s'") == "su"
    assert code_from_data("unknown --eval 'f(%s)'") == "unknown --eval"
