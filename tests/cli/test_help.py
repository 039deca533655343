"""`grade --help` is quick, and what is imported lazily stays lazy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import Result

import grader
from grader.cli.language import asked_language
from grader.cli.main import cli

HEAVY = ("torch", "numpy", "pytest", "hypothesis", "rich", "grader.marking.run", "grader.submission.client")
FOR_FEW = ("email", "importlib.metadata", "hmac", "secrets", "tempfile", "sqlite3", "json", "nbformat")
SECONDS = 0.150


def imported(*words: str, heavy: tuple[str, ...] = HEAVY) -> set[str]:
    """Which heavy modules `grade WORDS` has imported when it is done."""
    script = (
        "import sys\nfrom grader.cli.main import cli\n"
        f"try:\n    cli({list(words)!r})\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        f"print('IMPORTED', *(m for m in {heavy!r} if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
    return set(done.stdout.rsplit("IMPORTED", 1)[1].split())


def test_help_imports_nothing_heavy() -> None:
    assert imported("--help") == set()
    assert imported("--help", heavy=FOR_FEW) == set()  # what only some commands need


def test_help_of_a_command_imports_nothing_heavy() -> None:
    assert imported("run", "--help") == set()


def test_list_and_init_import_no_torch(tmp_path: Path) -> None:
    assert imported("init", str(tmp_path)) == {"rich"}
    assert imported("list", "--path", str(tmp_path)) == {"rich"}


def test_the_import_test_can_fail() -> None:
    assert imported("--help", heavy=("click",)) == {"click"}


@pytest.mark.skipif(sys.platform == "win32", reason="no processor time of children there")
def test_help_is_quick() -> None:
    """In processor time, the best of five: a busy machine must not fail this."""
    import resource

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    times = []
    for _ in range(5):
        before = spent()
        subprocess.run([sys.executable, "-m", "grader.cli", "--help"], capture_output=True, check=True)
        times.append(spent() - before)
    assert min(times) < SECONDS


def test_help_lists_the_commands_in_the_order_of_work(call: Callable[..., Result]) -> None:
    output = call("--help").output
    places = [output.index(f"\n  {name} ") for name in ("init", "run", "list", "doctor")]
    assert places == sorted(places)
    assert "..." not in output.split("Commands:")[1]


def test_every_command_has_help_and_a_language() -> None:
    below = [c for g in cli.commands.values() if isinstance(g, click.Group) for c in g.commands.values()]
    for command in [*cli.commands.values(), *below]:
        assert command.help
        if not isinstance(command, click.Group):
            assert {"lang", "no_color"} <= {p.name for p in command.params}


def test_version(call: Callable[..., Result]) -> None:
    assert call("--version").output == f"grade, version {grader.__version__}\n"


@pytest.mark.parametrize(
    ("words", "language"),
    [
        (["run", "--lang", "zh"], "zh"),
        (["--lang=en"], "en"),
        (["--lang", "fr"], None),
        (["--lang"], None),
        (["run"], None),
    ],
)
def test_asked_language(words: list[str], language: str | None) -> None:
    assert asked_language(words) == language
