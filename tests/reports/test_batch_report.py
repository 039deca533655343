"""What `grade batch` prints at the end, and the feedback of one student, as exact text."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.cells import cell_len

from grader.course.marks import mark
from grader.course.records import ClassStatistics, Graded, Mark
from grader.course.rules import Course, Late, parse_course
from grader.course.statistics import class_statistics
from grader.exercises.registry import all_exercises
from grader.reports.batch import batch_lines
from grader.reports.feedback import feedback_markdown
from grader.reports.html.feedback import render_feedback_page
from grader.reports.output import glyphs_for, make_console
from grader.reports.paper import Paper
from grader.reports.terminal import print_lines
from grader.text import Text
from tests.course.making import a_graded, a_row, result_of

ATTENTION = Course(exercises=("attention",))
LATE = parse_course(
    'exercises = ["attention", "masks"]\n[late]\ndeadline = 2027-03-01T10:00:00Z\npenalty_per_day = 10\n'
)


def printed(stats: ClassStatistics, language: str, width: int, encoding: str = "utf-8", new: int = 11) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    console = make_console(stream, color=False, width=width)
    paper = Paper(language, width, glyphs_for(stream))
    print_lines([*batch_lines(stats, new, ["grades.csv", "\x1b[2Jx"], "class-marks", paper)], console)
    stream.flush()
    return "".join(f"{line.rstrip()}\n" for line in raw.getvalue().decode(encoding).splitlines())


def a_small_class() -> list[Mark]:
    """Eleven students: five and three with a mistake, one that the kit failed, one with nothing."""
    faults = [["missing-scale"]] * 5 + [["mask-inverted"]] * 3 + [[]]
    graded = [a_graded(result_of("attention", some)) for some in faults]
    graded.append(Graded(None, Text("a fault of the kit: it broke", "评分工具自身的错误"), True, 0.1))
    graded.append(Graded(None, Text("nothing is in it", "其中什么都没有"), False, 0.1))
    return [mark(a_row(f"{number}", one), ATTENTION) for number, one in enumerate(graded, 10)]


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_end_of_a_batch(language: str, width: int, same_as_stored: Callable[[str, str], None]) -> None:
    stats = class_statistics(a_small_class(), ATTENTION)
    text = printed(stats, language, width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    assert "\x1b" not in text
    same_as_stored(f"batch.{language}.{width}", text)


def test_without_marks_and_under_weak_isolation() -> None:
    weak = mark(a_row("a", a_graded(result_of("attention"), layers=("limits",))), Course())
    text = printed(class_statistics([weak], Course()), "en", 80, new=1)
    assert "1 submission, 1 graded now" in text
    assert "marks could be forged" in text
    text = printed(class_statistics([mark(a_row("a", None), Course())], Course()), "en", 80, "ascii", 0)
    assert "Marks:" not in text


def late_mark() -> tuple[Mark, Graded]:
    assert isinstance(LATE.late, Late)
    graded = a_graded(result_of("attention", ["missing-scale"]), result_of("masks"))
    at = LATE.late.deadline.replace(day=3, hour=9)
    return mark(a_row("12345", graded, "A *Name* <b>", at), LATE), graded


@pytest.mark.parametrize("language", ["en", "zh"])
def test_feedback_says_the_mark_and_the_report(
    language: str, same_as_stored: Callable[[str, str], None]
) -> None:
    found, graded = late_mark()
    same_as_stored(f"feedback.{language}.md", feedback_markdown(found, graded.report, language))


def test_feedback_as_a_page() -> None:
    found, graded = late_mark()
    source = "\n".join(["#"] * 6 + ["the_seventh_line = '</script>'"])
    page = render_feedback_page(found, graded.report, {"attention.py": source}, "en")
    assert "A *Name* &lt;b&gt; (12345)" in page
    assert "<strong>24 / 32</strong>" in page
    assert "2 days late: 6 taken off." in page
    assert "the_seventh_line = &#39;&lt;/script&gt;&#39;" in page


def test_feedback_says_the_points_of_the_course_where_they_are_others() -> None:
    graded = a_graded(result_of("attention", ["missing-scale"]))
    found = mark(a_row("1", graded), Course(exercises=("attention",), points={"attention": 10}))
    assert "By the rules of the course: attention 9/10" in feedback_markdown(found, graded.report, "en")


def test_feedback_without_a_report() -> None:
    ours = mark(a_row("1", Graded(None, Text("it broke", "坏了"), True, 0.0)), Course())
    for page in (render_feedback_page(ours, None, {}, "en"), feedback_markdown(ours, None, "en")):
        assert "no points are lost" in page
        assert "It broke." in page
    empty = mark(a_row("1", Graded(None, Text("nothing is in it", "其中什么都没有"), False, 0.0)), Course())
    text = feedback_markdown(replace(empty), None, "zh")
    assert f"成绩：0 / {sum(e.max_score for e in all_exercises()):g}" in text
    assert "其中什么都没有。" in text
