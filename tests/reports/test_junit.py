"""JUnit XML: what continuous-integration servers read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from grader.marking.records import Report
from grader.reports.junit import as_junit
from grader.text import Text

# the structure that consumers agree on: an element, its attributes, its children
ALLOWED: dict[str, tuple[set[str], set[str], set[str]]] = {  # required, optional, children
    "testsuites": ({"name", "tests", "failures", "errors", "skipped", "time"}, set(), {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time"},
        set(),
        {"properties", "testcase", "system-out"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": ({"classname", "name"}, {"file", "line"}, {"failure", "error", "skipped"}),
    "failure": ({"type", "message"}, set(), set()),
    "error": ({"type", "message"}, set(), set()),
    "skipped": ({"message"}, set(), set()),
    "system-out": (set(), set(), set()),
}


def problems(element: ET.Element) -> list[str]:
    """Where a document is not of that structure."""
    required, optional, children = ALLOWED[element.tag]
    keys = set(element.keys())
    found = [f"{element.tag}: {sorted(keys)}"] if not required <= keys <= required | optional else []
    for child in element:
        if child.tag not in children:
            found.append(f"{child.tag} in {element.tag}")
        else:
            found += problems(child)
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_structure_and_counts(reports: dict[str, Report], language: str) -> None:
    for report in reports.values():
        root = ET.fromstring(as_junit(report, language))
        assert problems(root) == []
        assert [s.get("name") for s in root] == [e.id for e in report.exercises]
        for suite, exercise in zip(root, report.exercises):
            cases = suite.findall("testcase")
            assert [c.get("name") for c in cases][: len(exercise.checks)] == [c.id for c in exercise.checks]
            assert suite.get("tests") == str(len(cases))
            for kind, name in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                assert suite.get(kind) == str(sum(c.find(name) is not None for c in cases))
            red = suite.get("failures") != "0" or suite.get("errors") != "0"
            assert red or exercise.passed


def test_a_breach_of_the_structure_is_seen() -> None:
    assert problems(ET.Element("property"))
    assert problems(ET.fromstring("<properties><b/></properties>"))


def test_a_failure_has_its_message_and_place(
    reports: dict[str, Report], same_as_stored: Callable[[str, str], None]
) -> None:
    text = as_junit(reports["one_mistake"], "en", "homework/ada")
    root = ET.fromstring(text)
    case = next(c for c in root.iter("testcase") if c.get("name") == "scales_by_sqrt_d_k")
    assert (case.get("file"), case.get("line")) == ("homework/ada/attention.py", "13")
    failure = case.find("failure")
    assert failure is not None
    assert "expected 0.01196" in (failure.get("message") or "")
    assert (failure.text or "").endswith("homework/ada/attention.py:13")
    named = {p.get("name"): p.get("value") for p in root.iter("property")}
    assert named["diagnosis.core.confirmed"] == "missing-scale"
    assert named["score"] == "1"
    same_as_stored("junit.en", text)
    same_as_stored("junit.zh", as_junit(reports["workspace"], "zh"))


def test_what_could_not_be_graded_is_not_green(reports: dict[str, Report]) -> None:
    root = ET.fromstring(as_junit(reports["workspace"], "en"))
    kinds = {s.get("name"): [e.get("type") for e in s.iter("error")] for s in root}
    assert kinds == {
        "attention": [],
        "masks": ["incomplete"],
        "multi_head_attention": ["blocked"],
        "layer_norm": ["error"],
    }


def test_nothing_of_the_learners_breaks_the_document(hostile: Report) -> None:
    text = as_junit(hostile, "en")
    assert problems(ET.fromstring(text)) == []
    assert "\x1b" not in text
    assert "owned" not in text
    for bad in ("</failure><x>", "]]>", "\ufffe", "\x00", '" onload="'):
        assert problems(ET.fromstring(as_junit(_saying(hostile, bad), "en"))) == []


def _saying(report: Report, words: str) -> Report:
    exercise = report.exercises[0]
    check = replace(exercise.checks[0], message=Text.same(words), file=words, line=3)
    return replace(report, exercises=(replace(exercise, checks=(check,), printed=words),))


def test_a_well_known_reader_reads_it(reports: dict[str, Report]) -> None:
    reader = pytest.importorskip("junitparser")
    for report in reports.values():
        xml = reader.JUnitXml.fromstring(as_junit(report, "en").encode())
        assert [suite.name for suite in xml] == [e.id for e in report.exercises]
        for suite, exercise in zip(xml, report.exercises):
            failed = [c.name for c in suite if any(isinstance(r, reader.Failure) for r in c.result)]
            assert failed == [c.id for c in exercise.checks if c.outcome == "failed"]
            assert {p.name: p.value for p in suite.properties()}["status"] == exercise.status
