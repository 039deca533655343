"""The table of commands, and the way out: every error becomes one sentence and an exit code.

0: all passed · 1: not all · 2: could not grade · 130: stopped with Ctrl-C
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

import grader
from grader.cli.batch import batch
from grader.cli.doctor import doctor
from grader.cli.explain import explain
from grader.cli.export import export
from grader.cli.gate import BLOCKED, held_back
from grader.cli.hint import hint
from grader.cli.init import init
from grader.cli.interview import interview
from grader.cli.listing import listing
from grader.cli.precision import precision
from grader.cli.repro import repro
from grader.cli.reset import reset
from grader.cli.run import run
from grader.cli.similar import similar
from grader.cli.solution import solution
from grader.cli.status import status
from grader.cli.trace import trace
from grader.cli.train import train
from grader.cli.verify import verify
from grader.cli.watch import watch
from grader.errors import GraderError, Interrupted
from grader.text import Text, language_of_environment

__all__ = ["cli", "main"]


class _Kit(click.Group):
    """A group that lets no traceback of ours reach a user."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        words = sys.argv[1:] if args is None else list(args)
        try:
            if _held_back(words):
                sys.exit(0)
            code = super().main(words, prog_name, complete_var, standalone_mode=False, **extra)
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            _leave(Interrupted(Text("stopped", "已中止")), words)
        except GraderError as error:
            _leave(error, words)
        except OSError as error:
            _leave(_no_room(error) or _crashed(error), words)
        except Exception as error:  # noqa: BLE001 (the last gate before the user)
            _leave(_crashed(error), words)
        sys.exit(code if isinstance(code, int) else 0)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order of work, not of the alphabet


def _held_back(words: Sequence[str]) -> bool:
    """Whether an interview's post-mortem takes the place of a command; one that has to wait is an error."""
    command = next((word for word in words if not word.startswith("-")), "" if words else "watch")
    if command not in BLOCKED or {"-h", "--help"} & set(words):
        return False
    return held_back(command, words)


def _crashed(error: Exception) -> GraderError:
    from grader.cli.crash import crash

    return crash(error)


def _no_room(error: OSError) -> GraderError | None:
    """A disk that is full is no fault of ours."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return None
    why = error.strerror
    return GraderError(Text(f"the output cannot be written: {why}", f"无法写出结果：{why}"))


def _leave(error: GraderError, arguments: Sequence[str]) -> NoReturn:
    """Prints the sentence, in the language of the command where one was chosen, and exits."""
    from grader.cli.language import asked_language
    from grader.reports.cleaning import clean
    from grader.reports.output import make_console, usable_language

    language = usable_language(asked_language(arguments) or language_of_environment(), False, sys.stderr)
    words = clean(error.text.in_(language))
    make_console(sys.stderr).print(f"grade: {words}", soft_wrap=True)
    sys.exit(error.exit_code)


@click.group(
    cls=_Kit,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(grader.__version__, "--version", prog_name="grade")
@click.pass_context
def cli(context: click.Context) -> None:
    """Grades hand-written Transformers, and says which mistake was made, where, and why it matters.

    Start with `grade init`, then `grade watch` there and write the first exercise. Without a command,
    `grade` watches the workspace that it is called in.
    """
    if context.invoked_subcommand is not None:
        return
    if Path(".grade").is_dir():  # the name in `grader.workspace.place`, which `--help` need not import
        context.invoke(watch)
    click.echo(context.get_help(), err=True)
    context.exit(2)


for _command in (
    init,
    watch,
    run,
    hint,
    explain,
    trace,
    repro,
    train,
    precision,
    listing,
    status,
    solution,
    reset,
    interview,
    batch,
    similar,
    export,
    verify,
    doctor,
):
    cli.add_command(_command)


def main() -> None:
    """The console command."""
    try:
        cli(prog_name="grade")
    except SystemExit as leaving:
        if "torch" in sys.modules and isinstance(leaving.code, int):
            _leave_at_once(leaving.code)
        raise


def _leave_at_once(code: int) -> None:
    """Ends the process without taking torch apart, which takes 0.15 s; all is written and closed."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # a closed pipe: Python's own way out knows what to do
        return
    os._exit(code)
