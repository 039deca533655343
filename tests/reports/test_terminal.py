"""The exact text of the terminal report, in both languages and widths, and on poor terminals."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.marking.records import Report
from grader.reports.output import make_console
from grader.reports.terminal import print_report
from grader.text import Text

NAMES = (
    "perfect",
    "one_mistake",
    "two_mistakes",
    "likely",
    "unrecognised",
    "edge_only",
    "stopped",
    "workspace",
)


def printed(report: Report, language: str, width: int, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    print_report(report, make_console(stream, color=False, width=width), language, Path("/home/ada"))
    stream.flush()
    return "".join(f"{line.rstrip()}\n" for line in raw.getvalue().decode(encoding).splitlines())


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_exact_text(
    name: str,
    language: str,
    width: int,
    reports: dict[str, Report],
    same_as_stored: Callable[[str, str], None],
) -> None:
    same_as_stored(f"{name}.{language}.{width}", printed(reports[name], language, width))


@pytest.mark.parametrize("width", [20, 40, 80, 120, 200])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_line_is_wider_than_the_terminal(reports: dict[str, Report], language: str, width: int) -> None:
    for report in reports.values():
        for line in printed(report, language, width).splitlines():
            assert cell_len(line) <= width, line


def test_a_wide_terminal_has_titles_in_its_table_and_short_lines_of_text(
    reports: dict[str, Report], same_as_stored: Callable[[str, str], None]
) -> None:
    same_as_stored("workspace.en.120", printed(reports["workspace"], "en", 120))


def test_each_status_has_its_word_and_symbol(reports: dict[str, Report]) -> None:
    text = printed(reports["workspace"], "en", 80)
    for row in ("✗  attention", "☐  masks", "-  multi_head_attention", "!  layer_norm"):
        assert row in text
    for word in ("failed", "to do", "blocked", "error"):
        assert f"  {word}  " in text


def test_the_heaviest_checks_come_first_and_the_rest_are_counted(reports: dict[str, Report]) -> None:
    text = printed(reports["one_mistake"], "en", 80)
    assert text.index("square root of the key's width") < text.index("A forbidden key")
    assert "leading dimensions" not in text
    assert "and 1 more" in text


def test_the_first_hint_only(reports: dict[str, Report]) -> None:
    text = printed(reports["one_mistake"], "en", 80)
    assert "Next step:  How large is a sum" in " ".join(text.split("\n")) or "Next step: How large" in text
    assert "footnote" not in text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437", "gbk"])
def test_no_encoding_makes_it_fail(
    reports: dict[str, Report], hostile: Report, language: str, encoding: str
) -> None:
    for report in (*reports.values(), hostile):
        assert "attention" in printed(report, language, 80, encoding)


def test_ascii_symbols_on_a_legacy_windows_encoding(
    reports: dict[str, Report], same_as_stored: Callable[[str, str], None]
) -> None:
    same_as_stored("two_mistakes.en.80.cp1252", printed(reports["two_mistakes"], "en", 80, "cp1252"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_of_the_learners_controls_the_terminal(hostile: Report, language: str) -> None:
    stream = io.StringIO()
    console = Console(
        file=stream, force_terminal=True, color_system="truecolor", width=80, markup=False, emoji=False
    )
    print_report(hostile, console, language, Path("/home/ada"))
    text = stream.getvalue()
    ours = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b\x07]*\x1b\\")
    assert not re.search(
        r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", ours.sub("", text)
    )
    assert "owned" not in text
    assert "http://x" not in text
    assert "[red]" in text
    assert ":smile:" in text
    assert len(text) < 20_000


def test_places_are_links_where_the_terminal_knows_them(reports: dict[str, Report]) -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system="truecolor", width=80)
    print_report(reports["one_mistake"], console, "en", Path("/home/ada"))
    assert f"{Path('/home/ada/attention.py').absolute().as_uri()}#13" in stream.getvalue()
    assert "file://" not in printed(reports["one_mistake"], "en", 80)


def test_the_same_exception_at_the_same_line_is_told_once(reports: dict[str, Report]) -> None:
    report = reports["likely"]
    checks = tuple(
        dataclasses.replace(
            c, file="attention.py", line=13, message=Text.same("RuntimeError at attention.py:13")
        )
        if c.outcome == "failed"
        else c
        for c in report.exercises[0].checks
    )
    exercise = dataclasses.replace(report.exercises[0], checks=checks)
    text = printed(dataclasses.replace(report, exercises=(exercise,)), "en", 80)
    assert text.count("RuntimeError") == 1
    assert "and 2 more" in text


def test_what_is_being_worked_on_comes_next(reports: dict[str, Report]) -> None:
    report = reports["workspace"]
    turned = dataclasses.replace(report, exercises=report.exercises[::-1])
    assert "Next: change layer_norm.py:10" in printed(turned, "en", 80)
    waiting = dataclasses.replace(report, exercises=report.exercises[1:3])
    assert "Next: write masks.py:21" in printed(waiting, "en", 80)
    blocked = dataclasses.replace(report, exercises=report.exercises[2:3])
    assert "Next: write the earlier exercise" in printed(blocked, "en", 80)


def test_no_links_in_a_log_that_is_only_made_to_look_coloured(
    reports: dict[str, Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = io.StringIO()
    print_report(reports["one_mistake"], make_console(stream, width=80), "en", Path("/home/ada"))
    assert "\x1b[1m" in stream.getvalue()
    assert "file://" not in stream.getvalue()


def test_no_links_on_the_linux_console(reports: dict[str, Report], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "linux")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system="standard", width=80)
    print_report(reports["one_mistake"], console, "en", Path("/home/ada"))
    assert "file://" not in stream.getvalue()


def test_no_color_is_no_colour(reports: dict[str, Report], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    stream = io.StringIO()
    print_report(reports["one_mistake"], make_console(stream, width=80), "en", Path("/home/ada"))
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", stream.getvalue())
