"""The exact text of every page of an interview, in both languages and widths."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text as Styled

from grader.interview.postmortem import PostMortem, post_mortem
from grader.interview.state import Interview, runs_in
from grader.marking.records import CheckResult, ExerciseResult
from grader.reports.interview import (
    answer_lines,
    clock,
    clock_line,
    post_mortem_lines,
    start_lines,
    verdict_lines,
)
from grader.reports.output import make_console
from grader.reports.paper import Paper
from grader.reports.terminal import print_lines
from grader.text import Text
from tests.interview.test_state import RUNS
from tests.support import ROOT
from tests.workspace.support import run

SNAPSHOTS = ROOT / "tests" / "snapshots" / "interview"
GOING = Interview("attention", 100.0, 30.0)
CORE = [CheckResult(f"c{n}", Text.same("secret"), "core", "failed", 0.0, 1.0) for n in range(5)]


def result(status: str, passed: int, note: Text | None = None, **more: object) -> ExerciseResult:
    checks = (*(replace(c, outcome="passed", points=1.0) for c in CORE[:passed]), *CORE[passed:])
    score = float(passed)
    made = ExerciseResult("attention", Text("T", "题"), status, score, 6.0, 0.1, checks, note=note)
    return replace(made, **more)  # type: ignore[arg-type]


def of(reason: str, ended: float, *extra: object) -> PostMortem:
    over = Interview("attention", 100.0, 10.0, ended, reason)
    return post_mortem(over, runs_in(over, [*RUNS, *extra]))  # type: ignore[list-item]


SYNTAX = Text("syntax error at attention.py:3: invalid syntax", "attention.py:3 处有语法错误：invalid syntax")
PAGES: dict[str, Callable[[Paper], list[Styled]]] = {
    "start": lambda p: start_lines(GOING, "attention.py", 100.0, p, resumed=False, keys=True),
    "resumed": lambda p: start_lines(GOING, "work.ipynb", 400.5, p, resumed=True, keys=False),
    "clock": lambda p: [Styled(clock_line(GOING, n, 500.0, p)) for n in (0, 1, 12)],
    "verdicts": lambda p: [
        *verdict_lines(result("failed", 3, printed="shape (2, 3)\n"), p),
        *verdict_lines(result("error", 0, SYNTAX), p),
        *verdict_lines(result("passed", 5), p),
        *verdict_lines(result("passed", 5, score=6.0), p),
    ],
    "over": lambda p: post_mortem_lines(of("ended", 500.0), p),
    "passed": lambda p: post_mortem_lines(of("passed", 600.0, run(600.0, "attention", "passed")), p),
    "time": lambda p: post_mortem_lines(post_mortem(Interview("masks", 0.0, 45.0, 2700.0, "time"), []), p),
    "answers": lambda p: answer_lines(of("ended", 500.0).questions, p),
}


def printed(page: list[Styled], width: int) -> str:
    stream = io.StringIO()
    lines: list[RenderableType] = [*page]
    print_lines(lines, make_console(stream, color=False, width=width))
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", PAGES)
def test_exact_text(name: str, language: str, width: int) -> None:
    text = printed(PAGES[name](Paper(language, width)), width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    path = SNAPSHOTS / f"{name}.{language}.{width}.txt"
    if os.environ.get("GRADE_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8")


def test_a_verdict_gives_nothing_away() -> None:
    text = printed(verdict_lines(result("failed", 3), Paper()), 80)
    assert "3 of 5 core checks" in text
    assert "secret" not in text


def test_what_the_code_prints_is_cleaned() -> None:
    text = printed(verdict_lines(result("failed", 3, printed="\x1b[2J[red]boo\x07\n" * 50), Paper()), 80)
    assert "\x1b" not in text
    assert text.count("[red]boo") == 10


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "00:00"), (0.2, "00:01"), (59.5, "01:00"), (3600, "60:00")]
)
def test_the_clock_rounds_up(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown
