"""course.toml, and the marks that follow from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from grader.course.marks import days_late, mark
from grader.course.records import Graded
from grader.course.rules import Course, Late, parse_course, read_course, template
from grader.errors import UsageError
from grader.exercises.registry import all_exercises, module_names
from grader.text import Text
from tests.course.making import a_graded, a_row, result_of

DEADLINE = datetime(2027, 3, 1, 23, 59, tzinfo=timezone.utc)
LATE = Late(DEADLINE, penalty_per_day=10, grace_minutes=15, at_most=50, none_after=7)


def test_the_template_is_the_default_and_everything_in_it_can_be_used() -> None:
    assert parse_course(template()) == parse_course(template("zh")) == Course()
    lines = template().splitlines()
    used = [
        line.removeprefix("# ") if " = " in line or line.startswith("# [") else line for line in lines[3:]
    ]
    course = parse_course("\n".join(used))
    assert course.total == 100
    assert course.late is not None
    assert course.late.deadline.utcoffset() == timedelta(hours=1)
    assert course.points["attention"] == 20


def test_all_that_may_be_said() -> None:
    course = parse_course(
        'title = "T"\nexercises = ["masks", "attention"]\nedge_checks = false\ntotal = 50\nround_to = 0.5\n'
        "[points]\nattention = 30\n[weights]\nmasks = 2\n"
        '[late]\ndeadline = 2027-03-01T23:59:00\ntime_zone = "Asia/Shanghai"\npenalty_per_day = 5\n'
        '[anonymous]\nsalt = "s"\n'
    )
    assert course.exercises == ("attention", "masks")
    assert course.late is not None
    assert course.late.deadline.astimezone(timezone.utc) == datetime(2027, 3, 1, 15, 59, tzinfo=timezone.utc)
    assert (course.salt, course.total, course.round_to, course.edge_checks) == ("s", 50, 0.5, False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = [", "is not valid TOML"),
        ("\nexercizes = []", "course.toml:2: exercizes is not known; did you mean exercises?"),
        ("zzz = 1", "the keys here are title, exercises"),
        ('exercises = ["atention"]', "holds 'atention', which is no exercise; did you mean attention?"),
        ('exercises = ["masks", "masks"]', "holds masks twice"),
        ("exercises = []", "exercises is empty"),
        ("exercises = [1]", "holds 1, which is no exercise; the exercises are"),
        ("edge_checks = 1", "edge_checks must be true or false, not 1"),
        ("round_to = true", "round_to must be a number, not True"),
        ("round_to = -1", "round_to is -1, but must be >= 0, <= 1e+06"),
        ("total = 0", "total is 0, but must be > 0, <= 1e+06"),
        ("total = nan", "total is nan"),
        (f"total = 1{'0' * 400}", "total is too large: it must be > 0, <= 1e+06"),
        ("total = 1e308", "total is 1e+308, but must be > 0, <= 1e+06"),
        ("round_to = inf", "round_to is inf, but must be >= 0, <= 1e+06"),
        ("round_to = 1e-300", "round_to is 1e-300, but must be 0 or >= 1e-06"),
        ("[points]\nmasks = 1e300", "points.masks is 1e+300"),
        ('exercises = ["masks"]\n[points]\nmasks = 0', "points are 0 for all that counts"),
        ('[anonymous]\nsalt = " "', "salt is empty"),
        ("[points]\nattention = 'x'", "course.toml:2: points.attention must be a number"),
        ("[points]\nattension = 1", "points.attension is not known; did you mean attention?"),
        ("points = 1", "points must be a table"),
        ("[late]\npenalty_per_day = 1", "course.toml:1: late needs a deadline"),
        ("[late]\ndeadline = '2027-03-01'", "must be a time, without quotes"),
        ("[late]\ndeadline = 2027-03-01", "a day alone has no hour"),
        ("[late]\ndeadline = 2027-03-01T10:00:00", "late.deadline has no time zone"),
        ("[late]\ndeadline = 2027-03-01T10:00:00\ntime_zone = 'X/Y'", "course.toml:3: late.time_zone 'X/Y'"),
        ("[late]\ndeadline = 2027-03-01T10:00:00Z\ntime_zone = 'UTC'", "late.time_zone is not needed"),
        ("[late]\ndeadline = 2027-03-01T10:00:00Z\nat_most = 101", "at_most is 101, but must be 0 – 100"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_course(text)
    assert words in caught.value.text.en
    assert caught.value.text.zh


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_course(tmp_path / "none.toml")
    (tmp_path / "x.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_course(tmp_path / "x.toml")


# -- marks ------------------------------------------------------------------------------------------


def whole(*faulty: str) -> Graded:
    return a_graded(*(result_of(n, ["missing-scale"] if n in faulty else ()) for n in module_names()))


def test_the_marks_of_the_kit_are_the_default() -> None:
    found = mark(a_row("a", whole("attention")), Course())
    most = sum(e.max_score for e in all_exercises())
    assert (found.status, found.total, found.final, found.max_total) == ("graded", most - 2, most - 2, most)
    assert [p.points for p in found.parts][:2] == [18, 12]
    assert found.flags == ()


def test_points_weights_exercises_and_a_total() -> None:
    course = Course(
        exercises=("attention", "masks"), points={"attention": 10}, weights={"masks": 0.5}, total=100
    )
    found = mark(a_row("a", whole("attention")), course)
    assert [p.max_points for p in found.parts] == [62.5, 37.5]
    assert found.total == pytest.approx(62.5 * 0.9 + 37.5)
    assert found.max_total == 100


def test_without_edge_checks_only_the_core_counts() -> None:
    course = Course(exercises=("attention",), edge_checks=False)
    found = mark(a_row("a", whole("attention")), course)
    assert (found.total, found.max_total) == (15, 17)


@pytest.mark.parametrize(
    ("after", "days", "share"),
    [
        (timedelta(hours=-1), 0, 0),
        (timedelta(minutes=15), 0, 0),
        (timedelta(minutes=16), 1, 0.1),
        (timedelta(days=1), 1, 0.1),
        (timedelta(days=1, seconds=1), 2, 0.2),
        (timedelta(days=6, hours=1), 7, 0.5),
        (timedelta(days=7, hours=1), 8, 1),
    ],
)
def test_late_work(after: timedelta, days: int, share: float) -> None:
    course = Course(exercises=("attention",), late=LATE)
    found = mark(a_row("a", whole(), at=DEADLINE + after), course)
    assert found.days_late == days
    assert found.penalty == pytest.approx(20 * share)
    assert found.final == pytest.approx(20 * (1 - share))
    assert ("late" in found.flags) == (days > 0)
    assert ("too-late" in found.flags) == (days > 7)


def test_lateness_that_is_not_known_is_told_and_costs_nothing() -> None:
    course = Course(exercises=("attention",), late=LATE)
    assert mark(a_row("a", whole()), course).flags == ("time-unknown",)
    marked = mark(replace(a_row("a", whole()), marked_late=True), course)
    assert (marked.flags, marked.final, marked.days_late) == (("marked-late",), 20, None)
    assert days_late(datetime(2027, 3, 2, 0, 30), LATE) == 1  # a time without a zone is in the deadline's


def test_a_fault_of_the_kit_is_no_zero_and_nothing_to_grade_is_one() -> None:
    ours = mark(a_row("a", Graded(None, Text("x", "x"), True, 0.0)), Course())
    theirs = mark(a_row("a", Graded(None, Text("x", "x"), False, 0.0)), Course())
    waiting = mark(a_row("a", None), Course())
    assert (ours.status, ours.final, ours.problem) == ("not graded", None, Text("x", "x"))
    assert (theirs.status, theirs.final) == ("unreadable", 0.0)
    assert (waiting.status, waiting.final) == ("waiting", None)


@pytest.mark.parametrize(
    ("step", "final"), [(0.01, 18.33), (0.5, 18.5), (1, 18), (5, 20), (0, 18.3333333333), (0.1, 18.3)]
)
def test_rounding(step: float, final: float) -> None:
    course = Course(exercises=("attention",), points={"attention": 20.3703703703703}, round_to=step)
    assert mark(a_row("a", whole("attention")), course).final == pytest.approx(final, abs=1e-9)


def test_half_a_step_goes_up() -> None:
    course = Course(exercises=("attention",), points={"attention": 20.5}, round_to=1)
    assert mark(a_row("a", whole()), course).final == 21


def test_what_is_no_wrong_solution_is_remarked() -> None:
    course = Course(exercises=("attention", "masks", "layer_norm", "encoder"))
    note = Text("masks.py:3 is not UTF-8 text: save the file as UTF-8", "masks.py:3 不是 UTF-8 文本")
    crash = Text("a plain call: the process ended itself\nwith exit code 3", "一次调用：进程退出，退出码 3")
    norm = result_of("layer_norm", ["wrong-axis"])
    first, *rest = norm.checks
    norm = replace(norm, checks=(replace(first, outcome="failed", fault="crash", message=crash), *rest))
    graded = a_graded(
        result_of("attention", ["missing-scale"]),
        replace(result_of("masks", status="error"), note=note),
        norm,
        replace(result_of("encoder", status="stopped"), note=Text("x" * 500, "长" * 500)),
        replace(result_of("training", status="error"), note=note),  # does not count
    )
    aside = Text("attention (1).py is graded as attention.py", "按 attention.py 评分")
    found = mark(a_row("a", graded), course, [aside]).remarks
    assert found[:2] == (aside, note)
    assert found[2].en == "layer_norm: a plain call: the process ended itself with exit code 3"
    assert found[2].zh.startswith("layer_norm：一次调用")
    assert [len(found[3].en), len(found[3].zh)] == [160, 160]
    assert len(found) == 4
