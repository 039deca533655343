"""The page: complete in itself, in both languages, and made of nothing that a learner wrote."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from grader.marking.picture import Picture
from grader.marking.records import CheckResult, Diagnosis, NamedFault, Report
from grader.pictures.records import Pictures, RangeLine
from grader.reports.html import page_environment, render_report_page
from grader.reports.html.heat import heat
from grader.reports.html.ranges import bars
from grader.reports.html.source import around
from grader.text import Text
from tests.reports.pictured import INFLUENCE, LEAKING, PICTURES, TABLE

XSS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><svg onload=alert(1)>",
    "</pre></td></table><iframe src=javascript:alert(1)>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}${7*7}",
    "&lt;script&gt; \x1b[31m \u202e \x00 \ud800",
    "]]><!--",
)
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """What a browser would make of it: elements, attributes, text, and whether they are nested."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.crossed: list[str] = []
        self.words: list[str] = []
        self.script = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID and not (self.get_starttag_text() or "").endswith("/>"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.script += data
        elif not self.open or self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}


def page_of(report: Report, pictures: Pictures | None = PICTURES, language: str = "en") -> Page:
    return Page(render_report_page(report, pictures, language))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_report_is_a_well_formed_page_without_a_network(
    reports: dict[str, Report], language: str
) -> None:
    for report in reports.values():
        for pictures in (PICTURES, None):
            text = render_report_page(report, pictures, language)
            page = Page(text)
            assert page.crossed == []
            assert page.open == []
            assert not re.search(r"https?://", text)
            assert "@import" not in text
            assert "url(" not in text
            links = [a.get("href") or "" for tag, a in page.elements if tag in ("a", "link")]
            assert all(link.startswith("#") or link == "data:," for link in links)
            identities = [a["id"] for _, a in page.elements if "id" in a]
            assert len(set(identities)) == len(identities)
            assert {link[1:] for link in links if link.startswith("#")} <= set(identities)
            assert [a.get("lang") for tag, a in page.elements if tag == "html"] == [
                "zh-Hans" if language == "zh" else "en"
            ]


def test_only_our_script_may_run(reports: dict[str, Report]) -> None:
    page = page_of(reports["one_mistake"])
    policy = next(a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    digest = base64.b64encode(hashlib.sha256(page.script.encode()).digest()).decode()
    assert policy is not None
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "connect-src" not in policy


@pytest.mark.parametrize("language", ["en", "zh"])
def test_text(reports: dict[str, Report], language: str, same_as_stored: Callable[[str, str], None]) -> None:
    page = page_of(reports["two_mistakes"], language=language)
    lines = "".join(f"{word.strip()}\n" for word in page.words if word.strip())
    same_as_stored(f"page.two_mistakes.{language}", lines)


def everywhere(report: Report, words: str) -> tuple[Report, Pictures]:
    """A report and pictures with these words wherever a learner can put some."""
    both = Text.same(words)
    fault = NamedFault("raises-exception", both, both, (both, both), words, 2)
    check = CheckResult("c", both, "core", "failed", 0.0, 1.0, both, None, words, 2)
    exercise = dataclasses.replace(
        report.exercises[0],
        title=both,
        note=both,
        printed=words * 3,
        checks=(check,),
        diagnoses=(
            Diagnosis((fault,), "core", "confirmed", both),
            Diagnosis((), "core", "unrecognised", both),
            Diagnosis((fault, fault), "edge", "likely", Text.same(words + " ")),
        ),
        carried_forward_from=(words,),
    )
    picture = dataclasses.replace(LEAKING, scene=both, part=both, why_not=both, yours=None)
    line = RangeLine(words, 2, words, words, words, 0.0, 1.0, note=both)
    pictures = Pictures(
        {"attention": (picture, LEAKING)}, {"attention": (line,)}, {words: "\n".join([words] * 5)}
    )
    return dataclasses.replace(report, submission=words, exercises=(exercise,)), pictures


@pytest.mark.parametrize("words", XSS)
def test_nothing_of_a_learners_is_markup(reports: dict[str, Report], words: str) -> None:
    harmless = page_of(*everywhere(reports["one_mistake"], "words"))
    page = page_of(*everywhere(reports["one_mistake"], words))
    assert page.crossed == []
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in harmless.elements]
    assert [sorted(a) for _, a in page.elements] == [sorted(a) for _, a in harmless.elements]
    assert page.script == harmless.script
    assert not any(name.startswith("on") for _, a in page.elements for name in a)
    assert not {"iframe", "img", "object", "embed", "form"} & page.tags()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", page.text)
    assert "{{" not in words or words in page.text  # nothing of a learner's is a template


def test_what_a_learner_wrote_is_shown_as_it_is(reports: dict[str, Report]) -> None:
    page = page_of(*everywhere(reports["one_mistake"], "<b>&amp;</b>"))
    assert page.text.count("<b>&amp;</b>") > 10


def test_the_lines_of_a_diagnosis_are_marked(reports: dict[str, Report]) -> None:
    page = page_of(reports["two_mistakes"])
    marked = [a for tag, a in page.elements if tag == "tr" and a.get("class") == "here"]
    assert len(marked) == 3
    assert "line_13 = 13 # <b>&amp;" in page.text


# -- the parts of a page ----------------------------------------------------------------------------


def test_leaks_are_outlined_in_the_learners_map_alone() -> None:
    drawn = heat(LEAKING)
    assert [panel.name for panel in drawn.panels] == ["yours", "expected", "difference"]
    leaking = {
        panel.name: sum("leak" in cell.style for row in panel.cells for cell in row) for panel in drawn.panels
    }
    assert leaking == {"yours": 3, "expected": 0, "difference": 0}
    assert (drawn.leaks, drawn.differs, drawn.reasons) == (3, True, ("future", "padding"))
    outlined = [["future" in c.style for c in row] for row in drawn.panels[1].cells]
    assert outlined == [[False, True, True], [False, False, True], [False, False, False]]


def test_rounding_is_no_difference() -> None:
    drawn = heat(TABLE)
    assert not drawn.differs
    assert {cell.shown for row in drawn.panels[2].cells for cell in row} == {"0"}
    assert not drawn.numbers


def test_what_is_no_number_is_hatched_and_differs() -> None:
    drawn = heat(INFLUENCE)
    assert drawn.differs
    assert "nan" in drawn.panels[0].cells[1][1].style
    assert drawn.panels[0].cells[1][1].value == "NaN"


@pytest.mark.parametrize(
    ("value", "style"),
    [(0.0, "q0"), (1e-9, "q0"), (0.01, "q1"), (0.5, "q5"), (1.0, "q10"), (7.0, "q10"), (-1.0, "q0")],
)
def test_steps_of_one_hue(value: float, style: str) -> None:
    picture = dataclasses.replace(LEAKING, yours=((value,) * 3,) * 3, forbidden=())
    assert heat(picture).panels[0].cells[0][0].style == style


@pytest.mark.parametrize(
    ("value", "style"), [(0.0, "d5"), (0.01, "d6"), (-0.01, "d4"), (1.0, "d10"), (-1.0, "d0"), (-9.0, "d0")]
)
def test_steps_of_two_hues(value: float, style: str) -> None:
    picture = Picture(
        Text.same("x"), "values", ("1",), ("1",), Text.same("r"), Text.same("c"), ((1.0,),), ((value,),)
    )
    assert heat(picture).panels[0].cells[0][0].style == style


def test_bars_are_within_their_scale() -> None:
    inf = float("inf")
    ranges = [(-inf, inf), (0.0, 0.0), (-3.0, 4.0), (1e-9, 1e9), (float("nan"), 1.0)]
    for bar in bars([RangeLine("a.py", 1, "x", "x", "", low, high) for low, high in ranges]):
        assert 0 <= float(bar.left) <= 100
        assert 0 < float(bar.width) <= 100 - float(bar.left) + 0.1
    assert bars([]) == []
    assert bars([RangeLine("a.py", 1, "x", "x", "", None, None)])[0].words == ""


def test_lines_around_a_place() -> None:
    source = "\n".join(f"line {n}" for n in range(1, 31))
    found = around(source, {3, 20}, context=1)
    assert [line.number for line in found] == ["2", "3", "4", "", "19", "20", "21"]
    assert [line.number for line in found if line.marked] == ["3", "20"]
    assert around(source, {0, 31}) == []
    assert around("", {1}) == []
    assert len(around("x" * 10_000, {1})[0].text) <= 300


# -- colours ----------------------------------------------------------------------------------------


def themes() -> dict[str, dict[str, str]]:
    """The variables of both themes, as the sheets set them."""
    environment = page_environment()
    assert environment.loader is not None
    found: dict[str, dict[str, str]] = {"light": {}, "dark": {}}
    for sheet in ("base.css", "maps.css"):
        text = environment.loader.get_source(environment, sheet)[0].split("@media print")[0]
        for selector, body in re.findall(r"(:root[^{]*)\{([^}]*)\}", text):
            theme = "light" if selector.strip() == ":root" else "dark"
            found[theme] |= dict(re.findall(r"--([a-z0-9]+):\s*(#[0-9a-f]{3,6})", body))
    return found


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(c * 2 for c in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_and_numbers_can_be_read(theme: str) -> None:
    colours = themes()[theme]
    for name in ("ink", "soft", "link", "good", "bad", "warn", "stop", "still"):
        assert contrast(colours[name], colours["card"]) >= 4.5, name
        assert contrast(colours[name], colours["paper"]) >= 4.5, name
    for scale, high in (("q", (7, 8, 9, 10)), ("d", (0, 1, 9, 10))):
        for step in range(11):
            words = colours["high" if step in high else "low"]
            assert contrast(words, colours[f"{scale}{step}"]) >= 4.5, f"{scale}{step}"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_steps_are_told_apart_by_lightness_alone(theme: str) -> None:
    colours = themes()[theme]
    steps = [luminance(colours[f"q{n}"]) for n in range(11)]
    middle = [luminance(colours[f"d{n}"]) for n in range(11)]
    for scale in (steps, middle[5:], middle[:6][::-1]):
        assert scale == sorted(scale, reverse=theme == "light")
