"""Programs that run code, programs that call programs, and how they receive it: a list that cannot be complete."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Interpreter:
    """An interpreter, which gets its code after an option that `code` matches, else as a script, its first argument.

    `settings` are options with a value that data must not choose, `values` those with one that it may. `script` are
    those that name a file or a module with the code. With `repeats` the option may come several times, with `rest` all
    that follows it is code; with `operands` other words may stand before it, and are not a script.
    """

    code: str
    settings: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    script: tuple[str, ...] = ()
    repeats: bool = False
    rest: bool = False
    operands: bool = False


SHELL = Interpreter(r"-[A-Za-z]*c[A-Za-z]*|--command(=.*)?", ("-o", "+o", "-O", "+O", "--rcfile", "--init-file"))
_BY_E = Interpreter(r"-[A-Za-z0-9]*[eE].*", ("-I", "-M", "-m", "-r", "-C"), repeats=True)
_NODE = Interpreter(r"-[a-z]*[ep][a-z]*|--eval(=.*)?|--print(=.*)?", ("-r", "--require", "--import"))
_AWK = Interpreter(
    r"-e|--source(=.*)?",
    ("-i", "--include", "-l", "--load"),
    values=("-v", "-F", "--assign", "--field-separator"),
    script=("-f", "--file", "-E", "--exec"),
    repeats=True,
)
_SED = Interpreter(r"-[A-Za-z]*e|--expression(=.*)?", values=("-l",), script=("-f", "--file"), repeats=True)
_PSQL = Interpreter(r"-c.*|--command(=.*)?", values=("-d", "-h", "-U", "-p", "-v"), script=("-f",), operands=True)
_BY_C = Interpreter(r"-[A-Za-z]{0,2}c|-c.*|--(session-)?command(=.*)?", operands=True)
_RSYNC = Interpreter(r"-[A-Za-z0-9]*e.*|--rsh(=.*)?|--rsync-path(=.*)?", operands=True)
_ALL = Interpreter(r".*", rest=True)
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "mksh", "pdksh", "yash", "ash", "hush", "fish", "csh", "tcsh", "rbash")
INTERPRETERS = {
    **dict.fromkeys(SHELLS, SHELL),
    **dict.fromkeys(("su", "runuser", "script", "flock"), _BY_C),
    "git": Interpreter(r"-c.*|--(config-env|exec|exec-path|upload-pack|receive-pack)(=.*)?", operands=True),
    **dict.fromkeys(("python", "pypy"), Interpreter(r"-[A-Za-z]*c.*", ("-W", "-X"), script=("-m",))),
    **dict.fromkeys(("perl", "ruby", "lua", "luajit", "osascript", "rscript", "julia", "groovy", "elixir"), _BY_E),
    "rsync": _RSYNC,
    **dict.fromkeys(("node", "nodejs", "bun", "deno"), _NODE),
    "php": Interpreter(r"-[rBRE].*|--run(=.*)?", ("-d", "-c"), script=("-f",)),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _AWK),
    "sed": _SED,
    "psql": _PSQL,
    "cmd": Interpreter(r"/[cCkKrR].*", rest=True),
    **dict.fromkeys(("powershell", "pwsh"), Interpreter(r"[-/][cCeE].*", rest=True)),
    **dict.fromkeys(
        ("ssh", "scp", "sftp", "rsh", "mosh", "socat", "eval", "watch", "parallel", "tmux", "screen"), _ALL
    ),
    **dict.fromkeys(("sqlite", "duckdb", "mysql", "mariadb", "sqlplus", "isql", "make", "gmake", "gdb"), _ALL),
    **dict.fromkeys(("vi", "vim", "nvim", "ex", "ed", "emacs", "expect", "tclsh", "m4", "dc", "gnuplot"), _ALL),
}
#: Programs that call the program named in their arguments.
CALLING = frozenset(
    {
        *("env", "sudo", "doas", "nohup", "nice", "ionice", "time", "timeout", "setsid", "stdbuf", "xargs", "find"),
        *("busybox", "toybox", "command", "exec", "chroot", "unshare", "nsenter", "docker", "podman", "kubectl"),
        *("strace", "ltrace", "valgrind", "perf", "systemd-run", "start-stop-daemon", "flock", "su", "runuser"),
        *("taskset", "chrt", "setarch", "prlimit", "gosu", "tini", "chpst", "setpriv", "firejail", "bwrap", "unbuffer"),
    }
)
#: Options after which most programs take code, where a value stands in the next word among other text.
SHORT_CODE = re.compile(r"-[a-z]?[ceE]|-i?ex|-cmd|-exec(dir)?|-ok(dir)?")
#: The same with the code in the option's own word.
JOINED_CODE = re.compile(r"-[ceE].*[\s;|&()`$\"'].*", re.DOTALL)
#: Long options that take code, in the next word or behind `=`.
LONG_CODE = re.compile(
    r"--?((session-|init-|to-|rcpt-)?commands?|cmd|eval(uate)?|eval-command|expression|execute|exec|shell"
    r"|rsh|checkpoint-action|use-compress-program|(info|new-volume)-script)(=.*)?",
    re.DOTALL,
)
#: Programs whose short options never take code: they count, search, or name a place.
WITHOUT_CODE = frozenset(
    {
        *("grep", "egrep", "fgrep", "zgrep", "rg", "head", "tail", "wc", "sort", "cut", "echo", "printf", "ping"),
        *("mail", "mailx", "curl", "logger", "notify-send", "wall"),
    }
)
#: How clients of databases and editors write their own commands: `.shell ls`, `\! ls`, `:!ls`.
CLIENT_COMMAND = re.compile(r"\s*(\.[a-z]+\s|\\!|:!).*", re.DOTALL)
SHELL_IN_WORD = re.compile(rf"(.*[\s;|&/(])?({'|'.join(SHELLS)})\s+(-\S+\s+)*-[A-Za-z]*c\s.*", re.DOTALL)
#: Code of a shell that takes its arguments for code.
RUNS_ARGUMENTS = re.compile(rf"(.*\W)?(eval|source|({'|'.join(SHELLS)})\s.*-[A-Za-z]*c)\s.*", re.DOTALL)
ASSIGNED_OR_NUMBER = re.compile(r"\w+=.*|[0-9.]+[smhd]?", re.DOTALL)
SPLITTING = re.compile(r"-[A-Za-z]*S.*|--split-string.*", re.DOTALL)
