"""JUnit XML, which most continuous-integration servers read: a suite an exercise, a case a check.

Ids, and the names of attributes, never change with the language.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from grader.marking.records import CheckResult, ExerciseResult, Report
from grader.reports.cleaning import clean, clean_line
from grader.reports.places import for_tools, place_of_check, place_of_exercise
from grader.reports.words import STATUS, points
from grader.text import Text

__all__ = ["as_junit"]

NOT_XML = re.compile("[\ufffe\uffff]")  # what XML 1.0 forbids beside what `clean` removes
LONGEST = 4000


def as_junit(report: Report, language: str, prefix: str = "") -> str:
    """The report as XML text; `prefix`: the folder of the learner's files, as seen from here."""
    suites = [_suite(result, language, prefix) for result in report.exercises]
    root = ET.Element("testsuites", {"name": "grade", **_totals(suites), "time": f"{report.seconds:.3f}"})
    root.extend(suites)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False).join(
        ('<?xml version="1.0" encoding="UTF-8"?>\n', "\n")
    )


def _suite(result: ExerciseResult, language: str, prefix: str) -> ET.Element:
    cases = [_case(check, result, language, prefix) for check in result.checks]
    if not result.passed and not any(c.outcome == "failed" for c in result.checks):
        cases.append(_not_graded(result, language, prefix))
    suite = ET.Element("testsuite", {"name": result.id, **_counts(cases), "time": f"{result.seconds:.3f}"})
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(result, language):
        ET.SubElement(properties, "property", {"name": name, "value": value})
    suite.extend(cases)
    if result.printed.strip():
        ET.SubElement(suite, "system-out").text = _words(result.printed)
    return suite


def _case(check: CheckResult, result: ExerciseResult, language: str, prefix: str) -> ET.Element:
    case = ET.Element("testcase", {"classname": result.id, "name": check.id})
    title = check.title.in_(language)
    said = check.message.in_(language) if check.message is not None else ""
    if check.outcome == "failed":
        file, line = place_of_check(check, result)
        _place(case, file, line, prefix)
        failure = ET.SubElement(
            case, "failure", {"type": check.tier, "message": _line(f"{title}: {said}" if said else title)}
        )
        path = f"{prefix}/{file}" if prefix else file
        spot = f"{_line(path)}:{line}" if path and line else ""
        failure.text = _words("\n".join(filter(None, (title, said, spot))))
    elif check.outcome == "skipped":
        ET.SubElement(case, "skipped", {"message": _line(said or title)})
    return case


def _not_graded(result: ExerciseResult, language: str, prefix: str) -> ET.Element:
    """What keeps an exercise from being right although no check failed must not look green."""
    case = ET.Element("testcase", {"classname": result.id, "name": result.status})
    _place(case, *place_of_exercise(result), prefix)
    status = STATUS.get(result.status, Text.same(result.status)).in_(language)
    words = result.note.in_(language) if result.note is not None else status
    error = ET.SubElement(case, "error", {"type": result.status, "message": _line(words)})
    error.text = _words(words)
    return case


def _properties(result: ExerciseResult, language: str) -> list[tuple[str, str]]:
    found = [
        ("status", result.status),
        ("score", points(result.score)),
        ("max_score", points(result.max_score)),
    ]
    if result.carried_forward_from:
        found.append(("carried_forward_from", " ".join(result.carried_forward_from)))
    for diagnosis in result.diagnoses:
        for fault in diagnosis.faults:
            found.append((f"diagnosis.{diagnosis.tier}.{diagnosis.confidence}", _line(fault.id)))
            found.append((f"title.{_line(fault.id)}", _line(fault.title.in_(language))))
    return found


def _place(case: ET.Element, file: str | None, line: int | None, prefix: str) -> None:
    path, number = for_tools(file, line, prefix)
    if path is not None:
        case.set("file", _line(path))
        if number is not None:
            case.set("line", str(number))


def _counts(cases: list[ET.Element]) -> dict[str, str]:
    def how_many(kind: str) -> str:
        return str(sum(case.find(kind) is not None for case in cases))

    return {
        "tests": str(len(cases)),
        "failures": how_many("failure"),
        "errors": how_many("error"),
        "skipped": how_many("skipped"),
    }


def _totals(suites: list[ET.Element]) -> dict[str, str]:
    names = ("tests", "failures", "errors", "skipped")
    return {name: str(sum(int(suite.get(name, "0")) for suite in suites)) for name in names}


def _words(words: str) -> str:
    found = NOT_XML.sub("\ufffd", clean(words))
    return found if len(found) <= LONGEST else found[:LONGEST] + "…"


def _line(words: str) -> str:
    return NOT_XML.sub("\ufffd", clean_line(words))
