"""The page in a browser, as its reader uses it.  Needs playwright and Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.course.similar.find import find_similar, with_sides
from grader.course.similar.page import render_similar_page
from grader.course.similar.records import Work
from grader.marking.records import Report
from grader.reports.html import render_report_page
from tests.reports.conftest import reports  # noqa: F401  (a fixture)
from tests.reports.pictured import PICTURES
from tests.reports.test_html_page import XSS, everywhere

CHROMIUM = next(
    (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None
)
if CHROMIUM is None:
    pytest.skip("there is no Chromium on this machine", allow_module_level=True)
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield found
        found.close()


class Reader:
    """Opens a page, and remembers what it said to the console and asked of the network."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self.browser = browser
        self.folder = folder
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page: Any = None

    def open(self, text: str, width: int = 1100, scheme: str = "light", **options: Any) -> Any:
        file = self.folder / "a page.html"
        file.write_text(text, encoding="utf-8")
        size = {"width": width, "height": 800}
        self.page = self.browser.new_page(viewport=size, color_scheme=scheme, **options)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())
        return self.page

    def quiet(self) -> bool:
        return self.said == [] and all(url.startswith("file:") or url == "data:," for url in self.asked)


@pytest.fixture
def reader(browser: Any, tmp_path: Path) -> Iterator[Reader]:
    found = Reader(browser, tmp_path)
    yield found
    if found.page is not None:
        found.page.close()


@pytest.fixture
def text(reports: dict[str, Report]) -> str:  # noqa: F811
    return render_report_page(reports["two_mistakes"], PICTURES, "en")


def background(page: Any) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def overflow(page: Any) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def test_a_reader_walks_through_it(reader: Reader, text: str) -> None:
    page = reader.open(text)
    # a diagnosis: closed and opened
    diagnosis = page.locator("details.diagnosis").first
    assert diagnosis.evaluate("d => d.open")
    diagnosis.locator("summary").click()
    assert not diagnosis.locator(".source").is_visible()
    diagnosis.locator("summary").click()
    assert diagnosis.locator("tr.here").first.is_visible()
    # a cell: its value in all three maps, and why it is forbidden
    figure = page.locator(".picture").first
    figure.locator(".map").first.locator("td.leak").first.hover()
    readout = figure.locator(".readout").inner_text()
    assert "query 1, key 2" in readout
    assert "Yours 0.1" in readout
    assert "Expected 0" in readout
    assert "Difference 0.1" in readout
    assert "sees the future" in readout
    assert figure.locator("td.on").count() == 3
    # the theme
    light = background(page)
    page.locator('[data-do="theme"]').click()
    assert background(page) != light
    assert page.locator('[data-do="theme"]').inner_text() == "Light"
    page.reload()
    assert background(page) != light  # it was remembered
    page.locator('[data-do="theme"]').click()
    assert background(page) == light
    # everything at once
    page.locator('[data-do="fold"]').click()
    assert page.locator("details:not([open])").count() == 0
    assert page.locator(".checks td").first.is_visible()
    page.locator('[data-do="fold"]').click()
    assert page.locator("details[open]").count() == 0
    assert reader.quiet(), (reader.said, reader.asked)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_fits_a_phone(reader: Reader, reports: dict[str, Report], language: str, scheme: str) -> None:  # noqa: F811
    names = ("two_mistakes", "workspace", "stopped", "unrecognised")
    for name in names:
        page = reader.open(render_report_page(reports[name], PICTURES, language), 360, scheme, has_touch=True)
        assert overflow(page) <= 0
        page.locator('[data-do="fold"]').tap()
        assert overflow(page) <= 0, name
        page.close()
    assert reader.quiet(), (reader.said, reader.asked)
    reader.page = None


def test_a_finger_reads_a_cell(reader: Reader, text: str) -> None:
    page = reader.open(text, 360, has_touch=True)
    page.locator(".picture").first.locator(".map").nth(1).locator("td[role]").first.tap()
    assert "Expected 1" in page.locator(".readout").first.inner_text()


def test_the_system_decides_on_dark(reader: Reader, text: str) -> None:
    page = reader.open(text, scheme="dark")
    dark = background(page)
    page.emulate_media(color_scheme="light")
    assert background(page) != dark
    assert page.locator('[data-do="theme"]').inner_text() == "Dark"


def test_the_keyboard_is_enough(reader: Reader, text: str) -> None:
    page = reader.open(text)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.locator(".map").first.locator("td[role]").first.focus()
    for key in ("ArrowRight", "ArrowDown", "End"):
        page.keyboard.press(key)
    assert "query 2, key 3" in page.locator(".readout").first.inner_text()
    page.keyboard.press("ArrowRight")  # the edge: nothing happens
    assert "query 2, key 3" in page.locator(".readout").first.inner_text()
    assert page.locator('.map >> nth=0 >> td[tabindex="0"]').count() == 1
    page.locator(".checks summary").focus()
    page.keyboard.press("Enter")
    assert page.locator(".checks td").first.is_visible()


def test_on_paper_everything_is_open_and_light(reader: Reader, text: str) -> None:
    page = reader.open(text, scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("details:not([open])").count() == 0
    assert not page.locator(".tools").is_visible()
    assert background(page) == "rgb(255, 255, 255)"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 0


def test_a_link_opens_what_it_leads_to(reader: Reader, text: str) -> None:
    page = reader.open(text)
    page.locator("nav a").first.click()
    assert page.evaluate("location.hash") == "#attention"


def test_without_scripts_all_is_there(reader: Reader, text: str) -> None:
    page = reader.open(text, java_script_enabled=False)
    assert page.locator(".map").first.is_visible()
    assert not page.locator(".tools").is_visible()
    page.locator(".checks summary").click()
    assert page.locator(".checks td").first.is_visible()


def test_nothing_of_a_learners_runs(reader: Reader, reports: dict[str, Report]) -> None:  # noqa: F811
    for words in XSS:
        page = reader.open(render_report_page(*everywhere(reports["one_mistake"], words), "en"), 360)
        page.locator('[data-do="fold"]').click()
        page.locator("td[role]").first.hover()
        assert overflow(page) <= 0, words
        page.close()
    assert reader.quiet(), (reader.said, reader.asked)
    reader.page = None


@pytest.mark.parametrize("width", [360, 800, 1200])
def test_only_the_panes_of_code_scroll(reader: Reader, width: int) -> None:
    """Two copies with long lines, side by side: each is read to its end in its own pane."""
    long = " + ".join(f"query_{n}" for n in range(40))
    text = "".join(f"a{n} = {long} + {n}\n" for n in range(60))
    works = [Work(student, "masks", "masks.py", text) for student in ("ada", "bob")]
    page = reader.open(render_similar_page(with_sides(find_similar(works), works), "en"), width)
    assert page.locator(".source").count() == 2
    assert page.locator(".away").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    pane = page.locator(".source").first
    assert pane.evaluate("p => p.scrollWidth > p.clientWidth")
    assert pane.evaluate("p => (p.scrollLeft = 500, p.scrollLeft)") == 500
    assert reader.quiet(), (reader.said, reader.asked)


def test_a_script_that_got_in_would_not_run(reader: Reader, text: str) -> None:
    """The policy of the page, which stands behind the escaping."""
    broken = text.replace("</main>", "<script>document.title = 'owned'</script></main>")
    page = reader.open(broken)
    assert page.title() != "owned"
    assert any("Content Security Policy" in words for words in reader.said)
