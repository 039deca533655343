"""``results.json``: valid whatever happens, with the right things visible, and no zero without a reason."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import grader.course.grading as grading_module
import grader.export.harness as harness
import grader.submission.trial as trial_module
from grader.data import solution_folder
from grader.export.harness import SETTINGS, Settings, closed_container, grade_into, main
from grader.marking.records import CheckResult, Diagnosis, ExerciseResult, NamedFault, Report
from grader.reports.gradescope import as_gradescope, not_graded, not_readable
from grader.text import Text

VISIBILITY = {"enum": ["visible", "hidden", "after_due_date", "after_published"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
# what Gradescope's documentation of the autograder says of results.json
SCHEMA = {
    "type": "object",
    "required": ["score", "output", "tests"],
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number", "minimum": 0},
        "execution_time": {"type": "integer", "minimum": 0},
        "output": {"type": "string", "minLength": 1},
        "output_format": FORMAT,
        "test_output_format": FORMAT,
        "test_name_format": FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": {"type": "object"},
        "leaderboard": {"type": "array", "maxItems": 0},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "score", "max_score", "visibility"],
                "additionalProperties": False,
                "properties": {
                    "score": {"type": "number", "minimum": 0},
                    "max_score": {"type": "number", "minimum": 0},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"},
                    "number": {"type": "string"},
                    "output": {"type": "string"},
                    "tags": {"type": "array"},
                    "visibility": VISIBILITY,
                    "extra_data": {"type": "object"},
                },
            },
        },
    },
}
BAD = "\x1b[31m<script>alert(1)</script>\u202e"


def valid(found: dict[str, Any]) -> dict[str, Any]:
    jsonschema.validate(found, SCHEMA)
    return found


def a_report() -> Report:
    checks = (
        CheckResult(
            "scaled", Text("It scales", "缩放"), "core", "failed", 0.0, 2.0, Text(BAD, BAD), "no-scale"
        ),
        CheckResult("sums", Text("It sums", "求和"), "core", "passed", 1.0, 1.0),
        CheckResult("rows", Text("Masked rows", "全掩码行"), "edge", "failed", 0.0, 1.5, Text("NaN", "NaN")),
    )
    core = NamedFault(
        "no-scale", Text("Not scaled", "没有缩放"), Text("Why", "原因"), (Text("?", "？"),), "a.py", 3
    )
    edge = NamedFault("nan-rows", Text("NaN in rows", "行中有 NaN"), Text("Because", "因为"))
    result = ExerciseResult(
        "attention",
        Text("Attention", "注意力"),
        "failed",
        1.0,
        4.5,
        0.1,
        checks,
        (
            Diagnosis((core,), "core", "confirmed", Text("reproduces 3 of 3", "重现 3/3")),
            Diagnosis((edge,), "edge", "confirmed", Text("reproduces 1 of 1", "重现 1/1")),
        ),
        printed=BAD,
    )
    return Report("0.1.0", "2.13.0", "3.12.1", "landlock", "x", (result,), ("limits",), 1.6)


def test_a_test_per_check_with_the_visibility_of_its_tier() -> None:
    found = valid(as_gradescope(a_report(), "en"))
    assert found["score"] == 1.0
    assert [(t["score"], t["max_score"], t["visibility"]) for t in found["tests"]] == [
        (0.0, 2.0, "visible"),
        (1.0, 1.0, "visible"),
        (0.0, 1.5, "after_published"),
    ]
    assert sum(t["score"] for t in found["tests"]) == found["score"]
    assert found["stdout_visibility"] == "hidden"
    faults = found["extra_data"]["exercises"]["attention"]["faults"]
    assert [(f["id"], f["tier"]) for f in faults] == [("no-scale", "core"), ("nan-rows", "edge")]


def test_what_is_hidden_is_not_told_above_the_tests() -> None:
    hidden = as_gradescope(a_report(), "en")["output"]
    assert "Not scaled" in hidden
    assert "NaN in rows" not in hidden
    assert "edge" not in hidden
    shown = as_gradescope(a_report(), "zh", edges="visible")
    assert "行中有 NaN" in valid(shown)["output"]


def test_what_the_submission_says_is_plain_text() -> None:
    found = as_gradescope(a_report(), "en")
    assert {found[f"{what}_format"] for what in ("output", "test_output", "test_name")} == {"text"}
    assert "\x1b" not in json.dumps(found)
    assert "\\u202e" not in json.dumps(found)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_not_graded_is_no_zero_without_a_reason(language: str) -> None:
    why = Text("out of memory", "内存不足")
    without = valid(not_graded(why, language))
    assert why.in_(language) in without["output"]
    assert ("no mark" if language == "en" else "不是成绩") in without["output"]
    assert without["extra_data"]["graded"] is False
    kept = valid(not_graded(why, language, score=71.5))
    assert kept["score"] == 71.5
    assert "71.5" in kept["output"]
    assert valid(not_readable(why, language))["score"] == 0


# -- the harness ------------------------------------------------------------------------------------


@pytest.fixture
def platform(tmp_path: Path) -> Path:
    for name in ("submission", "results", "source"):
        (tmp_path / name).mkdir()
    return tmp_path


Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(platform: Path) -> Run:
    def grade(**chosen: Any) -> dict[str, Any]:
        place = platform / "results" / "results.json"
        place.write_text("not graded")
        grade_into(place, platform, Settings(**{"exercises": ("attention",), **chosen}))
        assert place.stat().st_mode & 0o077 == 0
        return valid(json.loads(place.read_text(encoding="utf-8")))

    return grade


def test_a_repository_with_folders_is_graded(platform: Path, run: Run) -> None:
    deep = platform / "submission" / "hw1-main" / "src"
    deep.mkdir(parents=True)
    shutil.copy(solution_folder() / "attention.py", deep)
    found = run(weak=True)
    assert found["score"] == found["extra_data"]["max_score"]
    assert all(t["status"] == "passed" for t in found["tests"])


def test_nothing_that_could_be_graded_has_a_reason(platform: Path, run: Run) -> None:
    (platform / "submission" / "essay.pdf").write_bytes(b"%PDF")
    found = run(weak=True)
    assert found["score"] == 0
    assert "essay.pdf" in found["output"]
    assert found["extra_data"]["graded"] is True


def test_a_container_that_confines_too_little_is_refused(
    platform: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial_module, "attempt", lambda launcher: (("limits",), {"read": False}))
    shutil.copy(solution_folder() / "attention.py", platform / "submission")
    found = run()
    assert found["extra_data"]["graded"] is False
    assert "--allow-weak-isolation" in found["output"]


def test_a_fault_of_the_kit_leaves_the_last_score(
    platform: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(grading_module, "grade_one", broken)
    before = [
        {"results": {"score": 12.5, "extra_data": {"graded": True}}},
        {"results": {"score": 0.0, "extra_data": {"graded": False}}},
        {"results": {}},
    ]
    metadata = platform / "submission_metadata.json"
    metadata.write_text(json.dumps({"previous_submissions": before}))
    assert run(weak=True)["score"] == 12.5
    metadata.write_text("[")
    found = run(weak=True)
    assert "boom" in found["output"]
    assert found["extra_data"]["graded"] is False


GRADED = {"results": {"score": 17.5, "extra_data": {"graded": True}}}


@pytest.mark.parametrize(
    ("before", "score"),
    [
        ([GRADED], 17.5),
        ([GRADED, {"results": None}, {}, "?"], 17.5),
        ([GRADED, {"results": {"score": float("nan"), "extra_data": {"graded": True}}}], 17.5),
        ([{"results": {"score": 9.0}}], 0.0),
        ({}, 0.0),
        (None, 0.0),
    ],
)
def test_what_stands_when_grading_is_killed(platform: Path, before: object, score: float) -> None:
    settings = Settings(("attention",), "zh", seconds=77)
    (platform / "source" / SETTINGS).write_text(settings.as_json())
    (platform / "submission_metadata.json").write_text(json.dumps({"previous_submissions": before}))
    place = platform / "results" / "results.json"
    assert main(["--before"], platform) == 0
    found = valid(json.loads(place.read_text(encoding="utf-8")))
    assert found["score"] == score
    assert found["extra_data"]["graded"] is False
    assert "77 秒" in found["output"]
    assert place.stat().st_mode & 0o077 == 0


def test_it_stands_before_anything_slow_begins() -> None:
    """Neither torch nor pytest is loaded for it, and the script asks for it before it grades."""
    imports = "import sys, grader.export.harness, grader.reports.gradescope"
    code = f"{imports}; print({{'torch', 'pytest'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
    script = (Path(harness.__file__).parent / "platform" / "run_autograder").read_text()
    assert script.index("harness --before") < script.index("timeout ")


REFUSED = dict.fromkeys(("read", "write", "process", "network", "signal", "memory"), True)


@pytest.mark.parametrize(
    ("layers", "refused", "good"),
    [
        (("limits", "landlock", "seccomp"), REFUSED, True),
        (("limits", "landlock", "seccomp"), {**REFUSED, "read": False}, False),
        (("limits", "unprivileged", "seccomp"), {**REFUSED, "write": False}, True),
        (("limits", "unprivileged", "seccomp"), {**REFUSED, "read": False}, False),
        (("limits", "unprivileged", "seccomp"), {}, False),
        (("limits", "unprivileged"), REFUSED, False),
        (("limits", "no-capabilities", "seccomp"), REFUSED, False),
    ],
)
def test_which_containers_will_do(layers: tuple[str, ...], refused: dict[str, bool], good: bool) -> None:
    assert closed_container(layers, refused) is good
