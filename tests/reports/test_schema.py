"""The JSON of a graded submission has the shape that ``report-schema.md`` gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.reports.json_report import as_json
from tests.support import ROOT, Grader


def record(**properties: Any) -> dict[str, Any]:
    """An object with exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


TEXT = {"type": "string"}
WORD = {"type": "string", "minLength": 1}
NUMBER = {"type": "number", "minimum": 0}
TIER = {"enum": ["core", "edge"]}


def array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


FAULT = record(
    id=WORD,
    file={"type": ["string", "null"]},
    line={"type": ["integer", "null"], "minimum": 1},
    title=WORD,
    explanation=TEXT,
)
DIAGNOSIS = record(
    faults=array(FAULT),
    tier=TIER,
    confidence={"enum": ["confirmed", "likely", "unrecognised"]},
    evidence=WORD,
)
CHECK = record(
    id=WORD,
    title=WORD,
    tier=TIER,
    outcome={"enum": ["passed", "failed", "skipped"]},
    points=NUMBER,
    max_points=NUMBER,
    message={"type": ["string", "null"]},
)
EXERCISE = record(
    id=WORD,
    status={"enum": ["passed", "failed", "incomplete", "error", "stopped", "blocked"]},
    score=NUMBER,
    max_score=NUMBER,
    seconds=NUMBER,
    carried_forward_from=array(WORD),
    checks={**array(CHECK), "minItems": 1},
    diagnoses=array(DIAGNOSIS),
)
REPORT = record(
    schema={"const": 1},
    kit=WORD,
    torch=WORD,
    python=WORD,
    isolation=WORD,
    submission=WORD,
    score=NUMBER,
    max_score=NUMBER,
    exercises={**array(EXERCISE), "minItems": 1},
)


@pytest.fixture(scope="module")
def graded(grader: Grader, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A submission with every status but `stopped`: right, wrong, not written, broken, waiting."""
    folder = tmp_path_factory.mktemp("schema")
    chaff = ROOT / "tests" / "submissions" / "masks" / "chaffs"
    (folder / "attention.py").write_text("def f(:\n", encoding="utf-8")
    (folder / "masks.py").write_bytes(sorted(chaff.glob("*.py"))[0].read_bytes())
    (folder / "layer_norm.py").write_bytes((ROOT / "solutions" / "layer_norm.py").read_bytes())
    skeleton = ROOT / "skeletons" / "positional_encoding.py"
    (folder / skeleton.name).write_bytes(skeleton.read_bytes())
    heads = ROOT / "solutions" / "multi_head_attention.py"
    (folder / heads.name).write_bytes(heads.read_bytes())
    return grader.folder(folder)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_shape(graded: Any, language: str) -> None:
    data = json.loads(as_json(graded, language))
    jsonschema.validate(data, REPORT)
    assert "\n" not in as_json(graded, language, indent=None)
    found = {e["id"]: e for e in data["exercises"]}
    assert {name: e["status"] for name, e in found.items()} == {
        "attention": "error",
        "masks": "failed",
        "positional_encoding": "incomplete",
        "multi_head_attention": "blocked",
        "layer_norm": "passed",
    }
    assert found["masks"]["diagnoses"][0]["confidence"] == "confirmed"
    for exercise in found.values():
        assert exercise["score"] == pytest.approx(sum(c["points"] for c in exercise["checks"]))
        assert exercise["max_score"] == pytest.approx(sum(c["max_points"] for c in exercise["checks"]))
    assert data["score"] == pytest.approx(sum(e["score"] for e in found.values()))


def test_the_reason_of_a_blocked_exercise_is_in_the_json(graded: Any) -> None:
    heads = next(e for e in json.loads(as_json(graded, "en"))["exercises"] if e["status"] == "blocked")
    assert {c["outcome"] for c in heads["checks"]} == {"skipped"}
    assert {c["message"] for c in heads["checks"]} == {
        "needs attention.py, which cannot be used: syntax error at attention.py:1: invalid syntax"
    }


def test_ids_do_not_change_with_the_language(graded: Any) -> None:
    def ids(language: str) -> Any:
        exercises = json.loads(as_json(graded, language))["exercises"]
        checks = [[c["id"] for c in e["checks"]] for e in exercises]
        faults = [[f["id"] for d in e["diagnoses"] for f in d["faults"]] for e in exercises]
        return [(e["id"], e["status"]) for e in exercises], checks, faults

    assert ids("en") == ids("zh")


def test_the_shape_can_fail(graded: Any) -> None:
    data = json.loads(as_json(graded, "en"))
    data["exercises"][0]["note"] = "not in the interface"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, REPORT)


def test_the_schema_page_names_every_key() -> None:
    page = Path(ROOT.parent / "shared" / "report-schema.md")
    if not page.exists():
        pytest.skip("the page travels beside the repository, not in it")
    text = page.read_text(encoding="utf-8")
    for part in (REPORT, EXERCISE, CHECK, DIAGNOSIS, FAULT):
        for key in part["properties"]:
            assert f'"{key}"' in text
