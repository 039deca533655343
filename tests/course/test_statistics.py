"""What the class report says, and that an anonymous one names nobody."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from grader.course.anonymous import pseudonyms
from grader.course.general import GENERAL, general_title
from grader.course.marks import mark
from grader.course.records import Graded, Mark
from grader.course.rules import Course
from grader.course.statistics import class_statistics, histogram, pairs, spread
from grader.exercises.registry import module_names
from grader.exercises.texts import fault_text, fault_texts
from grader.marking.records import Diagnosis, NamedFault
from grader.reports.class_csv import class_csv, mark_sheet
from grader.reports.html.class_page import render_class_page
from grader.text import Text
from tests.course.making import a_graded, a_row, class_of, result_of

COURSE = Course(exercises=("attention", "multi_head_attention"), title="A <b>course</b>")
CHROMIUM = Path("/usr/bin/chromium")
CALLER = "mask-inverted"


def marks_of(*students: tuple[str, list[str], list[str]]) -> list[Mark]:
    """Student, mistakes in attention, mistakes in multi-head attention."""
    return [
        mark(
            a_row(s, a_graded(result_of("attention", a), result_of("multi_head_attention", b)), f"N {s}"),
            COURSE,
        )
        for s, a, b in students
    ]


def test_faults_are_counted_once_a_student_and_those_that_come_back_are_told() -> None:
    found = class_statistics(
        marks_of(
            ("a", ["missing-scale", CALLER], [CALLER]),
            ("b", [CALLER], []),
            ("c", [], [CALLER]),
            ("d", [], []),
        ),
        COURSE,
    )
    first, second = found.faults
    assert (first.id, first.students, first.came_back, first.who) == (CALLER, 3, 1, ("a", "b", "c"))
    assert first.by_exercise == {"attention": 2, "multi_head_attention": 2}
    assert (second.id, second.students, second.came_back) == ("missing-scale", 1, 0)
    assert found.exercises[0].statuses == {"failed": 2, "passed": 2}


def test_which_go_together() -> None:
    people = {str(n): {"x", "y"} if n < 4 else {"z"} if n < 8 else set() for n in range(10)}
    (row,) = pairs(people)
    assert (row.first, row.second, row.together, row.with_first, row.with_second) == ("x", "y", 4, 4, 4)
    assert row.lift == pytest.approx(2.5)
    assert pairs({str(n): {"x", "y"} for n in range(10)}) == ()  # everyone has both: it says nothing
    assert pairs({"1": {"x", "y"}, "2": {"x", "y"}, "3": set()}) == ()  # too few


def test_the_check_that_nobody_passes() -> None:
    found = class_statistics(marks_of(("a", ["missing-scale"], []), ("b", ["missing-scale"], [])), COURSE)
    (nobody,) = [c for c in found.checks if c.nobody]
    assert (nobody.exercise, nobody.id, nobody.ran) == ("attention", "scales_by_sqrt_d_k", 2)


def test_numbers() -> None:
    found = spread([1, 2, 3, 4, 10])
    assert found is not None
    assert (found.mean, found.low, found.quarter, found.median, found.three_quarters, found.high) == (
        4, 1, 2, 3, 4, 10,
    )  # fmt: skip
    assert spread([]) is None
    assert spread([7.0]) is not None
    bars = histogram([0, 9.99, 10, 99.9, 100], 100)
    assert bars is not None
    assert bars.counts == (2, 1, 0, 0, 0, 0, 0, 0, 0, 2)
    assert histogram([], 100) is None


def test_pseudonyms_are_the_same_with_the_same_secret() -> None:
    people = [str(n) for n in range(5000)]
    some = pseudonyms(people, "secret")
    assert len(set(some.values())) == 5000
    assert some == pseudonyms(reversed(people), "secret")
    other = pseudonyms(people, "other")
    assert not [student for student in people if some[student] == other[student]]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_anonymous_page_and_table_hold_no_name(language: str) -> None:
    marks = class_of(80)
    marks.append(
        mark(
            a_row("the-id", Graded(None, Text("the-file.zip", "the-file.zip"), False, 0), "The Name"),
            Course(),
        )
    )
    odd = result_of("attention", ["raises-the-secret"])
    marks.append(mark(a_row("odd", a_graded(odd)), Course(), [Text.same("the-file.py")]))
    names = pseudonyms([m.row.student for m in marks], "secret")
    found = class_statistics(marks, Course(), key=names.__getitem__, page=lambda s: f"feedback/{s}.html")
    text = render_class_page(found, language) + class_csv(found, language)
    for word in ("Student Number", "The Name", "the-id", "the-file", "feedback/", "/somewhere"):
        assert word not in text
    assert not re.search(r"\b100[0-7]\d\b", text)
    assert names["10000"] in text


def test_everyone_is_on_a_page_that_is_not_anonymous() -> None:
    marks = class_of(30)
    found = class_statistics(marks, COURSE, page=lambda s: f"feedback/{s}.html")
    text = render_class_page(found, "en")
    assert all(str(m.row.name) in text for m in marks)
    assert "A &lt;b&gt;course&lt;/b&gt;" in text
    assert 'href="feedback/10003.html"' in text
    assert "http" not in text.replace("http-equiv", "")


def test_an_empty_class_has_a_page() -> None:
    found = class_statistics([mark(a_row("a", None), COURSE)], COURSE)
    assert "There are no marks yet" in render_class_page(found, "en")
    assert class_csv(found, "zh").startswith("kind,")


HOSTILE = '=HYPERLINK("x")\x1b[2J<script>alert(1)</script>\u202e'


def test_what_students_are_called_can_do_nothing() -> None:
    row = a_row(HOSTILE, a_graded(result_of("attention", ["missing-scale"])), HOSTILE)
    marks = [mark(row, COURSE)]
    found = class_statistics(marks, COURSE)
    page = render_class_page(found, "en")
    assert "<script>alert" not in page
    for table in (mark_sheet(marks, COURSE.exercises, "en"), class_csv(found, "en")):
        assert "\x1b" not in table
        cells = [cell for line in csv.reader(io.StringIO(table)) for cell in line]
        assert not [cell for cell in cells if cell.startswith("=")]


def test_the_mark_sheet() -> None:
    marks = class_of(70)
    rows = list(csv.DictReader(io.StringIO(mark_sheet(marks, Course().exercises, "en"))))
    assert len(rows) == 70
    assert rows[66]["final"] == ""
    assert rows[66]["status"] == "could not be graded"
    assert (rows[40]["final"], rows[40]["status"]) == ("0", "nothing to grade")
    assert float(rows[0]["final"]) == marks[0].final


def test_what_most_have_stands_first() -> None:
    """Also where it costs only edge points: the page shows the first ones, and folds the rest."""
    number = Text("rounded to multiples of 0.125", "舍入到 0.125 的倍数")
    fault = NamedFault("weights-rounded", number, Text("Why.", "原因。"), (), "attention.py", 7)
    some = Diagnosis((fault,), "edge", "confirmed", Text("all", "全部"))
    edge = replace(result_of("attention"), diagnoses=(some,))
    marks = marks_of(("a", ["missing-scale"], []))
    marks += [mark(a_row(student, a_graded(edge)), COURSE) for student in "bc"]
    found = class_statistics(marks, COURSE)
    assert [(f.id, f.tier, f.students) for f in found.faults] == [
        ("weights-rounded", "edge", 2),
        ("missing-scale", "core", 1),
    ]
    assert "0.125" not in class_csv(found, "en").partition("student fault")[0]
    assert "0.125" in class_csv(found, "en")  # of each student it is true


def test_titles_with_a_number_of_one_submission_have_a_general_form() -> None:
    numbers = {
        (name, fault)
        for name in (*module_names(), "common")
        for fault, text in fault_texts(name).items()
        if re.search(r"\{\w+\}", text.title.en + text.title.zh)
    }
    assert numbers == GENERAL.keys()
    for title in GENERAL.values():
        assert not re.search("[{}…]", title.en + title.zh)
        assert re.search("[\u4e00-\u9fff]", title.zh)
    assert general_title("positional_encoding", "position-shifted").zh == "位置不是从 0 开始"
    assert general_title("attention", "missing-scale") == fault_text("attention", "missing-scale").title


# -- in a browser -----------------------------------------------------------------------------------


@pytest.fixture
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM.exists():
        pytest.skip("there is no Chromium")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=str(CHROMIUM), args=arguments)
        yield found
        found.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens the page of a class; what the console says, or a request to elsewhere, fails the test."""
    said: list[str] = []

    def open_page(width: int, language: str = "en", course: Course | None = None) -> Any:
        course = course or Course()
        marks = [mark(m.row, course) for m in class_of(200)]
        found = class_statistics(marks, course, page=lambda s: f"feedback/{s}.html")
        path = tmp_path / "class.html"
        path.write_text(render_class_page(found, language), encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on(
            "request", lambda request: said.append(request.url) if "class.html" not in request.url else None
        )
        page.goto(path.as_uri())
        return page

    yield open_page
    assert said == []


@pytest.mark.parametrize("total", [66, 100, 12345.67])
def test_the_numbers_below_the_bars_keep_apart(opened: Callable[..., Any], total: float) -> None:
    page = opened(1100, "en", Course(total=total))
    boxes = page.locator(".marks .edge").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(b => [b.left, b.right])"
    )
    frame = page.locator("svg.marks").bounding_box()
    assert len(boxes) == 11
    assert all(right < left for (_, right), (left, _) in pairwise(boxes))
    assert boxes[0][0] >= frame["x"] - 1
    assert boxes[-1][1] <= frame["x"] + frame["width"] + 1


def test_students_are_found_and_a_mistake_leads_to_them(opened: Callable[..., Any]) -> None:
    page = opened(1100)
    assert page.locator(".student:visible").count() == 200
    page.fill(".find input", "number17")
    assert page.locator(".student:visible").count() == 11  # 17, 170 to 179
    page.fill(".find input", "")
    fault = page.locator(".find option").nth(1).get_attribute("value")
    page.select_option(".find select", fault)
    shown = page.locator(".student:visible").count()
    assert 0 < shown < 200
    assert page.locator("[data-count]").inner_text() == f"{shown} / 200"
    page.fill(".find input", "nobody at all")
    page.locator("#mistakes summary").first.click()
    page.locator("#mistakes .who a").first.click()
    target = page.locator(page.evaluate("location.hash"))
    assert target.get_attribute("open") is not None
    assert target.is_visible()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_narrow_screen_shows_everything(opened: Callable[..., Any], language: str) -> None:
    page = opened(360, language)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
