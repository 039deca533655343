"""The JSON interface: keys, their order, types, and what must not change with the language."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from grader.marking.records import Report
from grader.reports.json_report import as_json, report_object

NUMBER = {"type": "number", "minimum": 0}
STRING = {"type": "string"}
ORDER: dict[str, list[str]] = {
    "report": [
        "schema",
        "kit",
        "torch",
        "python",
        "isolation",
        "submission",
        "score",
        "max_score",
        "exercises",
    ],
    "exercise": [
        "id",
        "status",
        "score",
        "max_score",
        "seconds",
        "carried_forward_from",
        "checks",
        "diagnoses",
    ],
    "check": ["id", "title", "tier", "outcome", "points", "max_points", "message"],
    "diagnosis": ["faults", "tier", "confidence", "evidence"],
    "fault": ["id", "file", "line", "title", "explanation"],
}


def closed(kind: str, **properties: Any) -> dict[str, Any]:
    assert list(properties) == ORDER[kind]
    return {
        "type": "object",
        "properties": properties,
        "required": ORDER[kind],
        "additionalProperties": False,
    }


TIER = {"enum": ["core", "edge"]}
FAULT = closed(
    "fault",
    id=STRING,
    file={"type": ["string", "null"]},
    line={"type": ["integer", "null"], "minimum": 1},
    title=STRING,
    explanation=STRING,
)
DIAGNOSIS = closed(
    "diagnosis",
    faults={"type": "array", "items": FAULT},
    tier=TIER,
    confidence={"enum": ["confirmed", "likely", "unrecognised"]},
    evidence=STRING,
)
CHECK = closed(
    "check",
    id=STRING,
    title=STRING,
    tier=TIER,
    outcome={"enum": ["passed", "failed", "skipped"]},
    points=NUMBER,
    max_points=NUMBER,
    message={"type": ["string", "null"]},
)
EXERCISE = closed(
    "exercise",
    id=STRING,
    status={"enum": ["passed", "failed", "incomplete", "error", "stopped", "blocked"]},
    score=NUMBER,
    max_score=NUMBER,
    seconds=NUMBER,
    carried_forward_from={"type": "array", "items": STRING},
    checks={"type": "array", "items": CHECK},
    diagnoses={"type": "array", "items": DIAGNOSIS},
)
SCHEMA = closed(
    "report",
    schema={"const": 1},
    kit=STRING,
    torch=STRING,
    python=STRING,
    isolation=STRING,
    submission=STRING,
    score=NUMBER,
    max_score=NUMBER,
    exercises={"type": "array", "items": EXERCISE},
)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_schema(reports: dict[str, Report], hostile: Report, language: str) -> None:
    for report in (*reports.values(), hostile):
        jsonschema.validate(json.loads(as_json(report, language)), SCHEMA)


def test_the_schema_test_can_fail(reports: dict[str, Report]) -> None:
    data = report_object(reports["workspace"], "en") | {"extra": 1}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, SCHEMA)


def test_keys_keep_their_order(reports: dict[str, Report]) -> None:
    data = json.loads(as_json(reports["two_mistakes"], "en"))
    exercise = data["exercises"][0]
    diagnosis = exercise["diagnoses"][0]
    found = {
        "report": list(data),
        "exercise": list(exercise),
        "check": list(exercise["checks"][0]),
        "diagnosis": list(diagnosis),
        "fault": list(diagnosis["faults"][0]),
    }
    assert found == ORDER


def test_only_text_changes_with_the_language(reports: dict[str, Report]) -> None:
    def without_text(value: Any) -> Any:
        if isinstance(value, dict):
            text = ("title", "message", "explanation", "evidence")
            return {k: without_text(v) for k, v in value.items() if k not in text}
        return [without_text(v) for v in value] if isinstance(value, list) else value

    for report in reports.values():
        english, chinese = report_object(report, "en"), report_object(report, "zh")
        assert without_text(english) == without_text(chinese)
    assert (
        report_object(reports["one_mistake"], "zh")["exercises"][0]["checks"][1]["title"]
        == "分数除以键宽度的平方根"
    )


def test_an_unknown_place_is_null(reports: dict[str, Report]) -> None:
    passed = report_object(reports["perfect"], "en")["exercises"][0]
    assert passed["checks"][0]["message"] is None
    assert passed["score"] == 7.0


def test_one_line_for_batches(reports: dict[str, Report]) -> None:
    assert "\n" not in as_json(reports["stopped"], "zh", indent=None)


def test_what_a_learner_wrote_is_cleaned(hostile: Report) -> None:
    text = as_json(hostile, "en")
    text.encode()  # no lone surrogate
    assert "\\u001b" not in text
    assert "\u202e" not in text
