"""The command `cera`: its subcommands, and the exit status of each error.

Exit status: 0 done; 1 the program is wrong; 2 the command line is wrong; 3 the data is wrong (`--strict`); 4 the
engine failed; 5 done, but for actions that failed; 6 `verify` found violations; 7 no record could be used.
"""

from __future__ import annotations

import gc
import io
import logging
import os
import sys
import time
import traceback
from importlib import import_module
from typing import Any

import click

import cera
from cera.cli import report
from cera.cli.completion import SHELLS, install_completion
from cera.cli.termination import Termination, termination_raised
from cera.connectors.line_writer import abandon_output
from cera.errors import CeraError, EngineError, ProgramError, UnusableInputError, UsageError

#: The status that a shell gives a command that SIGINT, SIGPIPE or SIGTERM ended.
INTERRUPTED = 130
READER_GONE = 141
TERMINATED = 143

#: When to look for objects that keep each other alive: very many are made, and hardly any are such.
SELDOM = (100_000, 50, 100)


#: The module and the name of each command; it is imported when it is asked for.
_COMMANDS = {
    "capture": ("cera.cli.capture", "capture"),
    "check": ("cera.cli.check", "check"),
    "compare": ("cera.cli.compare", "compare_types"),
    "derive": ("cera.cli.derive", "derive"),
    "draw": ("cera.cli.draw", "draw"),
    "explain": ("cera.cli.explain", "explain"),
    "fmt": ("cera.cli.fmt", "fmt"),
    "optimize": ("cera.cli.optimize", "optimize"),
    "run": ("cera.cli.run", "run"),
    "sample": ("cera.cli.sample", "sample"),
    "schema": ("cera.cli.schema", "schema"),
    "stream": ("cera.cli.stream", "stream"),
    "translate": ("cera.cli.translate", "translate"),
    "verify": ("cera.cli.verify", "verify"),
    "why": ("cera.cli.why", "why"),
}


class Commands(click.Group):
    """A group whose commands fail with a message and a status, never with a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, name = _COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from cera.languages.registry import LANGUAGES  # as the commands, when it is asked for

        endings = ", ".join(f"{language.ending} {language.name}" for language in LANGUAGES)
        self.help = (self.help or "").replace("LANGUAGES", endings)
        super().format_help_text(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        _prepare_streams()
        gc.set_threshold(*SELDOM)
        started = time.monotonic()
        try:
            with termination_raised():
                done = super().invoke(ctx)
            report.say_more(f"done in {time.monotonic() - started:.1f} s")
            return done
        except click.BadParameter as error:
            from cera.cli.config_file import with_file_name  # a command has imported it by now

            raise with_file_name(error) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except ProgramError as error:
            report.show_diagnostics(error.findings)
            ctx.exit(error.exit_status)
        except UnusableInputError as error:
            ctx.exit(error.exit_status)  # the summary began with it
        except CeraError as error:
            for message in error.messages if isinstance(error, UsageError) else [error.message]:
                report.fail(message)
            ctx.exit(error.exit_status)
        except Termination:
            report.say("terminated")
            ctx.exit(TERMINATED)
        except KeyboardInterrupt:
            report.say("interrupted")
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            abandon_output()
            ctx.exit(READER_GONE)
        except Exception as error:
            if os.environ.get("CERA_DEBUG"):
                traceback.print_exc()
            report.fail(
                f"internal error: {type(error).__name__}: {error}; this is a bug in cera "
                "(CERA_DEBUG=1 shows where it happened)"
            )
            ctx.exit(EngineError.exit_status)
        finally:
            report.set_level("normal")


def _prepare_streams() -> None:
    """Replaces closed streams by ones that take anything, and lets characters that an encoding lacks be escaped."""
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115  # for as long as the command runs
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    if not os.environ.get("CERA_DEBUG") and not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())  # what libraries log, tracebacks among it, is for us
    for text in (sys.stdout, sys.stderr):
        if isinstance(text, io.TextIOWrapper):
            text.reconfigure(errors="backslashreplace")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(cera.__version__, prog_name="cera")
@click.option(
    "--install-completion",
    metavar="[bash|zsh|fish]",
    is_flag=False,
    flag_value="auto",
    type=click.Choice(["auto", *SHELLS]),
    is_eager=True,
    expose_value=False,
    callback=install_completion,
    help="Let the shell complete commands, options and files; of the shell that you have, or of this one.",
)
def main() -> None:
    """Complex event processing: rules that derive events from events.

    \b
    A first program, fire.xceq:
      DETECT fire{ area{ var A } }
      ON and { event s: smoke{{ area{{ var A }} }},
               event t: temp{{ area{{ var A }}, value{{ var T }} }}
      } where { s before t, {s, t} within 1 min, var T > 40 }
      END

    \b
    Check it and run it:
      cera check fire.xceq
      cera run fire.xceq --events events.jsonl

    The language follows from a file's ending (LANGUAGES). Several files make one program.

    Exit status: 0 done; 1 the program is wrong; 2 the command line is wrong; 3 the data is wrong (--strict);
    4 the engine failed; 5 done, but for actions of rules that failed; 6 verify found violations; 7 no record could be
    used.
    """
