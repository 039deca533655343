"""The small map of the terminal: what it shows, in which signs, and where it is not shown."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from grader.marking.picture import Picture
from grader.marking.records import Report
from grader.reports.leak import leak_map
from grader.reports.output import ASCII, make_console
from grader.reports.paper import Paper
from grader.reports.terminal import print_report
from tests.reports.pictured import INFLUENCE, LEAKING, SUMS


def plain(picture: Picture | None, paper: Paper) -> str:
    return "".join(f"{line.plain.rstrip()}\n" for line in leak_map(picture, paper))


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("name", "picture"), [("leak", LEAKING), ("sums", SUMS), ("influence", INFLUENCE)])
def test_exact_text(
    name: str, picture: Picture, language: str, width: int, same_as_stored: Callable[[str, str], None]
) -> None:
    text = plain(picture, Paper(language, width))
    assert all(cell_len(line) <= width for line in text.splitlines())
    same_as_stored(f"{name}.{language}.{width}", text)


def test_every_forbidden_cell_that_holds_something_is_crossed_and_no_other() -> None:
    text = plain(LEAKING, Paper())
    rows = [line for line in text.splitlines() if line.strip()[:1].isdigit()][1:]
    assert [row.count("✗") for row in rows] == [2, 0, 1]
    assert "up to 0.5" in text


def test_ascii() -> None:
    text = plain(LEAKING, Paper(glyphs=ASCII))
    assert text.isascii()
    assert "x is forbidden" in text


def test_rounding_is_no_leak_and_nan_is_one() -> None:
    assert INFLUENCE.leaking() == {(1, 1)}
    assert "?✗" in plain(INFLUENCE, Paper())


def test_nothing_without_a_picture_or_without_the_learners_numbers() -> None:
    assert leak_map(None, Paper()) == []
    assert leak_map(dataclasses.replace(LEAKING, yours=None), Paper()) == []


def test_it_stands_in_the_section_of_its_exercise(reports: dict[str, Report]) -> None:
    report = reports["one_mistake"]
    exercise = dataclasses.replace(report.exercises[0], leak=LEAKING)
    stream = io.StringIO()
    console = make_console(stream, color=False, width=80)
    print_report(dataclasses.replace(report, exercises=(exercise,)), console, "en", Path("/home/ada"))
    text = stream.getvalue()
    assert text.index("Certain:") < text.index("Weights with a causal mask") < text.index("Next step:")
