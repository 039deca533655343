"""Annotations and Markdown: nothing that a learner controls becomes a command, a link or markup."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from grader.marking.records import NamedFault, Report
from grader.reports.github import annotation_lines, resume_commands, stop_commands
from grader.reports.markdown import as_markdown, escape
from grader.text import Text

COMMAND = re.compile(r"::(error|warning) (?:file=[^,:]+,)?(?:line=\d+,)?title=[^,:\r\n]*::[^\r\n]*\Z")
EVIL = (
    "x\n::error::forged",
    "x\r\n::set-env name=A::b",
    "a,line=1::b",
    "100%0A::error::x",
    "##[error]forged",
    "::stop-commands::t",
)
MARKUP = (
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![x](http://evil.example/p.png)",
    "# heading",
    "- item",
    "1. item",
    "> quote",
    "===",
    "|a|b|",
    "**bold** _it_ ~~no~~ `",
    "http://evil.example www.evil.example",
    "$x^2$ &lt;b&gt; <http://evil.example>",
    "--- \n***",
    "\\[x](y)",
)


def saying(report: Report, words: str) -> Report:
    """The report with these words wherever a learner can put some."""
    both = Text.same(words)
    exercise = report.exercises[0]
    fault = NamedFault("raises-exception", both, both, (both,), words, 3)
    faults = (fault,) if any(d.faults for d in exercise.diagnoses) else ()
    diagnosis = dataclasses.replace(exercise.diagnoses[0], faults=faults, evidence=both)
    checks = tuple(
        dataclasses.replace(c, title=both, message=both, file=words, tier=tier, outcome="failed")
        for c, tier in zip(exercise.checks, ("core", "edge"))
    )
    exercise = dataclasses.replace(exercise, diagnoses=(diagnosis,), checks=checks, note=both, title=both)
    return dataclasses.replace(report, exercises=(exercise,), submission=words)


def tokens(text: str) -> Iterator[Token]:
    for token in MarkdownIt("gfm-like", {"html": True}).disable("linkify").parse(text):
        yield token
        yield from token.children or ()


# -- annotations ------------------------------------------------------------------------------------


def test_each_mistake_is_an_annotation_of_its_line(reports: dict[str, Report]) -> None:
    lines = annotation_lines(reports["two_mistakes"], "en", "homework/ada")
    assert [line.split("::")[1].split(",")[:2] for line in lines] == [
        ["error file=homework/ada/attention.py", "line=13"],
        ["error file=homework/ada/attention.py", "line=15"],
        ["warning file=homework/ada/attention.py", "line=16"],
    ]
    assert "title=The scores are not divided by √d_k" in lines[0]
    assert all(COMMAND.match(line) for line in lines)


def test_what_only_costs_points_is_a_warning_and_what_is_right_is_nothing(reports: dict[str, Report]) -> None:
    assert [x[:9] for x in annotation_lines(reports["edge_only"], "en")] == ["::warning"]
    assert annotation_lines(reports["perfect"], "en") == []


def test_what_could_not_be_graded_is_an_error(reports: dict[str, Report]) -> None:
    lines = annotation_lines(reports["workspace"], "zh")
    assert sum("multi_head_attention.py" in line for line in lines) == 1
    assert all(line.startswith("::error ") for line in lines)


@pytest.mark.parametrize("words", EVIL)
def test_no_words_of_a_learner_make_a_command(reports: dict[str, Report], words: str) -> None:
    for name in ("one_mistake", "edge_only", "unrecognised"):
        lines = annotation_lines(saying(reports[name], words), "en")
        assert lines
        assert all(COMMAND.match(line) for line in lines), lines


def test_a_cell_of_a_notebook_is_named_in_the_message(reports: dict[str, Report]) -> None:
    report = saying(reports["one_mistake"], "work.ipynb[cell 3]")
    line = annotation_lines(report, "en", "week1")[0]
    assert line.startswith("::error file=week1/work.ipynb,title=")
    assert "::work.ipynb[cell 3]:3: " in line


def test_commands_stop_and_go_on() -> None:
    assert stop_commands("abc") == "::stop-commands::abc"
    assert resume_commands("abc") == "::abc::"


# -- Markdown ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["two_mistakes", "workspace", "edge_only"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_exact_text(
    name: str, language: str, reports: dict[str, Report], same_as_stored: Callable[[str, str], None]
) -> None:
    same_as_stored(f"markdown.{name}.{language}", as_markdown(reports[name], language))


@pytest.mark.parametrize("words", MARKUP)
def test_no_words_of_a_learner_are_markup(reports: dict[str, Report], words: str) -> None:
    report = reports["one_mistake"]
    kinds = {"link_open", "image", "html_inline", "html_block", "s_open", "blockquote_open", "hr"}
    found = list(tokens(as_markdown(saying(report, words), "en")))
    assert not [t for t in found if t.type in kinds]
    plain = [t.type for t in tokens(as_markdown(saying(report, "words"), "en"))]
    count = {
        kind: sum(t.type == kind for t in found) for kind in ("heading_open", "list_item_open", "tr_open")
    }
    assert count == {kind: plain.count(kind) for kind in count}


def test_links_and_mentions_are_broken() -> None:
    assert "http://" not in escape("see http://evil.example")
    assert "www.e" not in escape("www.evil.example")
    assert "@ada" not in escape("@ada")


def test_escaped_words_read_as_they_were() -> None:
    words = "weights[0, 1] is -2.5e-08 * 3 | `a_b` <c> 1. #2 \\ $x"
    shown = [t.content for t in tokens(escape(words)) if t.type == "text"]
    assert "".join(shown) == words
