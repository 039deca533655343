"""Cleaning of hostile words, and line breaking in two scripts."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.text import Text as Styled

from grader.reports.cleaning import clean, clean_line, excerpt
from grader.reports.wrapping import wrap


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("plain √ 中文\ttab\nline", "plain √ 中文\ttab\nline"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b2Jx", "x"),
        ("a\x1b", "a"),
        ("\x1bP1;2qabc\x1b\\z", "z"),
        ("over\rwritten", "over\nwritten"),
        ("dos\r\nline", "dos\nline"),
        ("\u202eevil\u2066\u200b", "evil"),
        ("\ud800", "\ufffd"),
        ("\x00\x07\x08\x7f\x85", ""),
    ],
)
def test_clean(words: str, left: str) -> None:
    assert clean(words) == left


def test_an_unended_sequence_takes_no_more_than_its_line() -> None:
    assert clean("\x1b]0;never ended\nnext line") == "\nnext line"


def test_clean_line_is_short_and_on_one_line() -> None:
    assert clean_line("a\n  b\tc") == "a b c"
    assert clean_line("x" * 700, 10) == "xxxxxxx..."


def test_excerpt_counts_what_it_leaves_out() -> None:
    assert excerpt("\n1\n2\n3\n\n", 2) == (["1", "2"], 1)
    assert excerpt("1\n2", 5) == (["1", "2"], 0)


@pytest.mark.parametrize(
    ("words", "width", "lines"),
    [
        ("one two three", 8, ["one two", "three"]),
        ("需要 masks.py，但没有这个文件", 15, ["需要 masks.py，", "但没有这个文件"]),
        ("一二三四五，六七八", 10, ["一二三四", "五，六七八"]),
        ("一二三（四五）六", 8, ["一二三", "（四五）", "六"]),
        ("abcdefghijkl", 8, ["abcdefgh", "ijkl"]),
        ("first\n\nsecond", 20, ["first", "", "second"]),
    ],
)
def test_wrap(words: str, width: int, lines: list[str]) -> None:
    assert [line.plain for line in wrap(Styled(words), width)] == lines


def test_wrap_indents_and_keeps_to_the_width() -> None:
    words = "在“没有掩码的三维输入”中，你的 weights[1, 1, 2] 是 0.9217，应为 0.5315。 A word and more."
    for width in range(12, 60):
        found = wrap(Styled(words), width, "1. ", "   ")
        assert all(cell_len(line.plain) <= width for line in found)
        joined = "".join(line.plain[3:] for line in found)
        assert joined.replace(" ", "") == words.replace(" ", "")
