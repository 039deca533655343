"""Pictures of real submissions: right ones are as expected, wrong ones show it, broken ones say why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.exercises.registry import all_exercises, load_scenes
from grader.marking.carrying import carry_forward
from grader.marking.records import CheckResult, ExerciseResult, Report
from grader.marking.run import grade
from grader.pictures.drawing import draw, sources_of
from grader.pictures.records import Pictures
from grader.reports.html.heat import heat
from grader.submission.source import Submission, parse_source
from grader.text import Text
from tests.support import SUBMISSIONS, Grader

NAMES = [e.id for e in all_exercises() if load_scenes(e.id)]


def drawn(grader: Grader, exercise: str, text: bytes | str, status: str = "failed") -> Pictures:
    """The pictures of one file; the report is made by hand, for grading is not what is tested here."""
    raw = text.encode() if isinstance(text, str) else text
    source = replace(parse_source(exercise, f"{exercise}.py", raw), module=exercise)
    submission = Submission("x", {**grader.solutions, exercise: source}, (exercise,))
    check = CheckResult("c", Text.same("c"), "core", "failed" if status == "failed" else "passed", 0.0, 1.0)
    result = ExerciseResult(exercise, Text.same(exercise), status, 0.0, 1.0, 0.0, (check,))
    return draw(submission, grader.launcher, Report("0", "0", "0", "none", "x", (result,)))


def chaff(exercise: str, name: str) -> bytes:
    return (SUBMISSIONS / exercise / "chaffs" / f"{name}.py").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_the_solutions_look_as_expected(grader: Grader, name: str) -> None:
    pictures = drawn(grader, name, grader.solutions[name].text, "passed")
    assert pictures.maps[name]
    for picture in pictures.maps[name]:
        assert picture.why_not is None, picture
        assert not picture.leaking()
        assert not heat(picture).differs
        assert len(picture.expected) == len(picture.rows)
        assert {len(row) for row in picture.expected} == {len(picture.columns)}
        if picture.forbidden:
            for r, row in enumerate(picture.expected):
                assert [
                    v for c, v in enumerate(row) if picture.reason(r, c) and picture.is_something(v)
                ] == []
    assert pictures.ranges[name]
    assert f"{name}.py" in pictures.sources


@pytest.mark.parametrize(
    ("exercise", "name"),
    [
        ("attention", "mask_filled_with_zero_where"),
        ("attention", "mask_ignored_unused"),
        ("encoder_block", "mask_not_passed"),
        ("layer_norm", "seq_axis_minus2"),
    ],
)
def test_what_is_forbidden_is_seen_in_the_map_and_in_the_report(
    grader: Grader, exercise: str, name: str
) -> None:
    pictures = drawn(grader, exercise, chaff(exercise, name))
    assert any(p.leaking() for p in pictures.maps[exercise])
    leak = grader.file(exercise, SUBMISSIONS / exercise / "chaffs" / f"{name}.py").leak
    assert leak is not None
    assert leak.leaking()


def test_a_softmax_over_queries_shows_the_sums_of_its_rows(grader: Grader) -> None:
    leak = grader.file("attention", SUBMISSIONS / "attention/chaffs/softmax_over_queries.py").leak
    assert leak is not None
    sums = [sum(row) for row in leak.yours or ()]
    assert leak.leaking() or any(abs(total - 1) > 1e-3 for total in sums)


@pytest.mark.parametrize("name", ["missing_scale", "value_not_used"])
def test_no_map_where_nothing_forbidden_is_seen(grader: Grader, name: str) -> None:
    scores = "query @ key.transpose(-2, -1)" + (" / 2" if name == "value_not_used" else "")
    text = f"""
import torch
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = {scores}
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = scores.softmax(-1).nan_to_num()
    return weights @ value, weights
"""
    result = grader.text("attention", text)
    assert result.status == "failed"
    assert result.leak is None
    assert grader.file("attention", SUBMISSIONS.parent.parent / "solutions/attention.py").leak is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return value, value[..., 0]", "has the shape (1, 1, 5), expected (1, 1, 5, 5)"),
        ("return value, None", "no tensor"),
        ("return value, 'weights'", "no tensor"),
        ("return value", "expected (output, weights)"),
        ("raise ValueError('<b>no</b>')", "ValueError"),
        ("return value, object()", "no tensor but a object"),
    ],
)
def test_what_cannot_be_drawn_says_why(grader: Grader, body: str, words: str) -> None:
    head = "def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):"
    text = f"import torch\n{head}\n    {body}\n"
    for picture in drawn(grader, "attention", text).maps["attention"]:
        assert picture.yours is None
        assert picture.why_not is not None
        assert words in picture.why_not.en


def test_what_does_not_end_is_tried_once(grader: Grader) -> None:
    text = """
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    if query.shape == (1, 1, 5, 4):
        import os
        os._exit(3)
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return weights @ value, weights
"""
    maps = drawn(grader, "attention", text).maps["attention"]
    assert len(maps) == 1
    assert maps[0].why_not is not None


def test_numbers_that_are_none(grader: Grader) -> None:
    text = """
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    weights = (query @ key.mT).softmax(-1) * float("nan")
    return weights @ value, weights
"""
    for picture in drawn(grader, "attention", text).maps["attention"]:
        assert heat(picture).differs


def test_sources_by_the_names_that_reports_use(grader: Grader) -> None:
    found = sources_of(Submission("x", dict(grader.solutions), ("attention",)))
    assert found["attention.py"].rstrip() == grader.solutions["attention"].text.rstrip()


@pytest.mark.slow
def test_a_leak_is_looked_for_also_on_top_of_parts_that_raise(grader: Grader) -> None:
    """What is expected does not come from the learner's own earlier parts."""
    broken = """
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    raise ValueError("no")
"""
    files = dict(grader.solutions)
    files["attention"] = parse_source("attention", "attention.py", broken.encode())
    submission = Submission("x", files, ("attention", "multi_head_attention"))
    report = grade(submission, grader.launcher)
    results = carry_forward(submission, grader.launcher, report.exercises, {})
    assert [r.leak for r in results] == [None, None]
