"""Which calls would run a value as code."""

from __future__ import annotations

import pytest

from cera.model.interpreters import code_from_data

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
""".strip().splitlines()

DATA = """
sh -c 'echo "$1"' sh %s
bash -ec 'echo "$1"' x %s
sh -c 'echo hi'
sh script.sh %s
echo %s
echo sh -c %s
grep -c %s file
logger -t sh %s
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
""".strip().splitlines()


@pytest.mark.parametrize("command", CODE)
def test_a_value_in_code_is_found(command: str) -> None:
    assert code_from_data(command) is not None


@pytest.mark.parametrize("command", DATA)
def test_a_value_that_stays_data_is_fine(command: str) -> None:
    assert code_from_data(command) is None


def test_the_interpreter_is_named() -> None:
    assert code_from_data("env -i /usr/local/bin/python3.12 -c 'f(%s)'") == "python"
