"""The exact text of `grade status`, `hint`, `solution`, `reset`, and of the pictures of the watch."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from grader.marking.records import Diagnosis, ExerciseResult, NamedFault, Report
from grader.reports.hints import again_lines, hint_lines
from grader.reports.output import make_console
from grader.reports.paper import Paper
from grader.reports.solution import parts, solution_page, without_docstrings
from grader.reports.status import status_page
from grader.reports.status_json import status_json
from grader.reports.terminal import print_lines
from grader.reports.times import ago, duration
from grader.reports.watch import picture
from grader.submission.decoding import parse_source
from grader.text import Text
from grader.watch.view import View
from grader.workspace.hints import Answer, Ladder
from grader.workspace.place import Event
from grader.workspace.progress import Progress, Seen, progress_of
from tests.workspace.support import hint, run

Stored = Callable[[str, str], None]
both = pytest.mark.parametrize("language", ["en", "zh"])
widths = pytest.mark.parametrize("width", [40, 80])

EXERCISES = ("attention", "masks", "multi_head_attention")
NOW = 1_800_000_000.0
DAY = 86400.0


def printed(page: Iterable[RenderableType], width: int) -> str:
    stream = io.StringIO()
    print_lines([*page], make_console(stream, color=False, width=width))
    text = stream.getvalue()
    assert all(len(line) <= width for line in text.splitlines())
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def progress() -> Progress:
    before = NOW - 7 * DAY
    events = [
        Event("init", before, {}),
        run(before + 300, "attention", "failed", "mask-inverted", "missing-scale", source="a"),
        hint(before + 400, "attention", "mask-inverted", 2),
        run(before + 1000, "attention", "failed", "missing-scale", source="b"),
        run(before + 1600, "attention", "passed", source="c"),
        run(NOW - 7200, "masks", "failed", "padding-mask-inverted", source="m"),
        run(NOW - 7000, "masks", "failed", "padding-mask-inverted", source="n"),
    ]
    return progress_of(events, EXERCISES)


@widths
@both
def test_status(language: str, width: int, same_as_stored: Stored) -> None:
    page = status_page(progress(), Paper(language, width), NOW, ("masks",))
    same_as_stored(f"status.{language}.{width}", printed(page, width))


def test_status_of_nothing() -> None:
    text = printed(status_page(progress_of([], EXERCISES), Paper("en", 80), NOW), 80)
    assert "not graded" in text
    assert "0 attempts, 0 s at work, 0 hints." in text
    assert "No mistake has been diagnosed yet." in text


def test_status_as_json() -> None:
    found = json.loads(status_json(progress(), "en", ("masks",)))
    assert [e["id"] for e in found["exercises"]] == list(EXERCISES)
    assert found["exercises"][0] == {
        "id": "attention",
        "status": "passed",
        "score": 20.0,
        "max_score": 20.0,
        "changed": False,
        "passed_at": "2027-01-08T08:26:40+00:00",
        "attempts": 3,
        "seconds": 1600.0,
        "hints": 1,
    }
    assert found["mistakes"][0]["came_back_in"] == ["masks"]
    assert found["exercises"][2]["passed_at"] is None
    broken = progress_of([run(1e300, "masks", "passed")], EXERCISES)
    assert json.loads(status_json(broken, "en"))["exercises"][1]["passed_at"] is None


LADDER = Ladder(
    "missing-scale",
    "missing-scale",
    Text("The scores are not divided by sqrt(d_k)", "分数没有除以 sqrt(d_k)"),
    (
        Text(
            "What happens to the size of a dot product when its vectors get longer?",
            "向量变长时，点积会怎样？",
        ),
        Text("Which part of the formula has no counterpart?", "公式的哪一部分没有对应的代码？"),
    ),
    "attention.py",
    10,
)
START = Ladder(
    "not-implemented:padding_mask",
    "not-implemented",
    Text("`padding_mask` is not written yet", "`padding_mask` 尚未完成"),
    (Text.same("Which tokens are real?"),),
    "masks.py",
    21,
)
ANSWERS = {
    "first": Answer("hint", "attention", LADDER, 1),
    "last": Answer("hint", "attention", LADDER, 2, edge=True),
    "start": Answer("hint", "masks", START, 1),
    "exhausted": Answer("exhausted", "attention", LADDER, given=((LADDER, 2),)),
    "start_exhausted": Answer("exhausted", "masks", START, given=((START, 1),)),
    "passed": Answer("passed", "attention"),
    "unrecognised": Answer(
        "unrecognised",
        "attention",
        evidence=Text(
            "attention.py:10 gives the right `scaled`;\nthe next value is wrong",
            "attention.py:10 的 `scaled` 正确；\n下一个值不对",
        ),
    ),
    "none": Answer("none", "attention", note=Text("needs masks.py", "需要 masks.py")),
}


@widths
@both
def test_hints(language: str, width: int, same_as_stored: Stored) -> None:
    paper = Paper(language, width)
    pages = [f"--- {name}\n" + printed(hint_lines(found, paper), width) for name, found in ANSWERS.items()]
    pages.append("--- again\n" + printed(again_lines(ANSWERS["exhausted"], paper), width))
    pages.append("--- again, none\n" + printed(again_lines(ANSWERS["first"], paper), width))
    same_as_stored(f"hints.{language}.{width}", "".join(pages))


REFERENCE = '''"""Masks."""

import torch


def padding_mask(ids: torch.Tensor, pad_id: int = 0) -> torch.Tensor:
    """True at real tokens."""
    return (ids != pad_id)[:, None, None, :]  # (B, 1, 1, S)


class Mask:
    """A class."""

    size: int = 3

    def forward(self, x):
        """Its
        docstring."""

        return x
'''
MINE = """import torch
def padding_mask(ids, pad_id=0):
    # TODO: mine \x1b[31m
    mask = ids.ne(pad_id)
    return mask.unsqueeze(1).unsqueeze(2)

@staticmethod
def helper(): "only a docstring"
"""


@pytest.mark.parametrize("width", [40, 80, 120])
@both
def test_solution(language: str, width: int, same_as_stored: Stored) -> None:
    mine, reference = (parse_source("masks", "masks.py", text.encode()) for text in (MINE, REFERENCE))
    text = printed(solution_page("masks", mine, reference, Paper(language, width)), width)
    assert "\x1b" not in text
    same_as_stored(f"solution.{language}.{width}", text)


def test_solution_beside_nothing() -> None:
    reference = parse_source("masks", "masks.py", REFERENCE.encode())
    broken = parse_source("masks", "masks.py", b"def (")
    assert "you have no masks.py" in printed(solution_page("masks", None, reference, Paper()), 80)
    assert "cannot be read" in printed(solution_page("masks", broken, reference, Paper()), 80)


def test_docstrings_are_left_out() -> None:
    found = parts(parse_source("m", "m.py", REFERENCE.encode()))
    assert list(found) == ["padding_mask", "Mask"]
    assert "docstring" not in found["Mask"]
    assert found["Mask"].splitlines()[:2] == ["class Mask:", "    size: int = 3"]
    tree = parse_source("m", "m.py", MINE.encode()).tree
    assert tree is not None
    assert without_docstrings(MINE, tree.body[-1]).startswith("@staticmethod\ndef helper()")  # type: ignore[arg-type]


STATUSES = (("attention", "failed"), ("masks", "passed"), ("multi_head_attention", None))


@pytest.fixture
def views(reports: dict[str, Report]) -> dict[str, View]:
    """One picture for each thing that the watch says."""

    def of(name: str) -> ExerciseResult:
        return reports[name].exercises[0]

    met = Seen("mask-inverted", Text.same("t"), "masks", NOW - 6 * DAY, NOW, 1, False)
    broken = replace(reports["workspace"].exercises[-1], readable=False)
    done = tuple((name, "passed") for name, _ in STATUSES)
    to_write = reports["workspace"].exercises[1]
    edge = Diagnosis(
        (NamedFault("e", Text("NaN for an empty row", "空行给出 NaN"), Text("", ""), (), "attention.py", 9),),
        "edge",
        "confirmed",
        Text("e", "e"),
    )
    short = ExerciseResult("attention", Text("A", "甲"), "passed", 18.0, 20.0, 0.1, (), (edge,))
    return {
        "greeting": View("attention", STATUSES),
        "one_mistake": View("attention", STATUSES, of("one_mistake"), met=met, now=NOW),
        "two_mistakes": View("attention", STATUSES, of("two_mistakes")),
        "likely": View("attention", STATUSES, of("likely")),
        "unrecognised": View("attention", STATUSES, of("unrecognised")),
        "stopped": View("attention", STATUSES, of("stopped")),
        "broken": View("layer_norm", STATUSES, broken),
        "to_do": View("masks", STATUSES, to_write),
        "celebration": View(
            "masks", STATUSES, to_write, celebrated=of("perfect"), also=(("multi_head_attention", "failed"),)
        ),
        "edge_missing": View("masks", STATUSES, celebrated=short),
        "still": View("masks", STATUSES, to_write, still="attention"),
        "hint": View("attention", STATUSES, of("one_mistake"), hint=ANSWERS["first"]),
        "question": View("attention", STATUSES, of("likely"), question=Text("Really?", "确定？")),
        "message": View("attention", STATUSES, message=Text("a message", "消息"), lost=True),
        "list": View("attention", STATUSES, listed=True),
        "done": View(None, done, celebrated=of("perfect"), whole=True),
        "some_done": View(None, done[:1], still="attention"),
    }


@widths
@both
def test_watch(language: str, width: int, views: dict[str, View], same_as_stored: Stored) -> None:
    paper = Paper(language, width)
    pages = [f"--- {name}\n" + printed(picture(view, paper), width) for name, view in views.items()]
    same_as_stored(f"watch.{language}.{width}", "".join(pages))


@both
@pytest.mark.parametrize("height", [10, 24])
def test_the_foot_is_always_in_sight(language: str, height: int, views: dict[str, View]) -> None:
    for view in views.values():
        lines = printed(picture(view, Paper(language, 40), height=height), 40).splitlines()
        assert len(lines) < height
        assert f"/{view.total}" in "".join(lines[-4:])


def test_without_keys_there_is_no_line_of_them(views: dict[str, View]) -> None:
    assert "quit" not in printed(picture(views["likely"], Paper(), keys=False), 80)


def test_nothing_of_a_learner_reaches_the_terminal(hostile: Report) -> None:
    view = View("attention", STATUSES, hostile.exercises[0])
    text = printed(picture(view, Paper()), 80)
    assert not set(text) & {"\x1b", "\x9b", "\u202e", "\x07"}


@pytest.mark.parametrize(
    ("seconds", "en", "zh"),
    [
        (0.4, "0 s", "0 秒"),
        (59.4, "59 s", "59 秒"),
        (60, "1 min", "1 分钟"),
        (3599, "1 h 00 min", "1 小时 00 分"),
        (3900, "1 h 05 min", "1 小时 05 分"),
    ],
)
def test_duration(seconds: float, en: str, zh: str) -> None:
    assert duration(seconds) == Text(en, zh)


@pytest.mark.parametrize(
    ("seconds", "en"),
    [
        (-5, "just now"),
        (119, "just now"),
        (180, "3 minutes ago"),
        (3700, "1 hour ago"),
        (2 * DAY, "2 days ago"),
    ],
)
def test_ago(seconds: float, en: str) -> None:
    assert ago(seconds).en == en


@pytest.mark.parametrize(("term", "links"), [("xterm-256color", True), ("linux", False)])
def test_places_are_links_where_the_terminal_knows_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, term: str, links: bool
) -> None:
    monkeypatch.setenv("TERM", term)
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    paper = Paper.on(console, "en", tmp_path)
    assert (paper.links, paper.width, paper.folder) == (links, 80, tmp_path)
    console.print(paper.spot("attention.py", 3))
    written = console.file.getvalue()  # type: ignore[attr-defined]
    assert ("file://" in written) == links
