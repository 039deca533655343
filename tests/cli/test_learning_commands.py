"""`grade hint`, `status`, `reset`, `solution`, and the bare `grade`: on progress that is there already."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import grader.cli.hint as hint_module
import grader.cli.main as main_module
import grader.cli.solution as solution_module
from grader.data import skeleton_folder, solution_folder
from grader.exercises.registry import all_exercises
from grader.marking.records import Diagnosis, ExerciseResult, NamedFault
from grader.submission.source import read_submission
from grader.text import Text
from grader.workspace.place import Workspace
from grader.workspace.runs import run_data

Call = Callable[..., Result]

FAULT = NamedFault(
    "missing-scale",
    Text("The scores are not divided", "分数没有除"),
    Text("", ""),
    tuple(Text(f"rung {n}", f"第 {n} 级") for n in (1, 2)),
    "attention.py",
    10,
)


def result(status: str, *faults: NamedFault) -> ExerciseResult:
    diagnoses = (Diagnosis(faults, "core", "confirmed", Text("e", "e")),) if faults else ()
    score = 20.0 if status == "passed" else 2.0
    return ExerciseResult("attention", Text("A", "甲"), status, score, 20.0, 0.1, (), diagnoses)


@pytest.fixture
def work(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace, and in it."""
    folder = tmp_path / "my work"
    assert call("init", folder).exit_code == 0
    (folder / "attention.py").write_text("def scaled_dot_product_attention(): return 1\n")
    monkeypatch.chdir(folder)
    return folder


def record(folder: Path, found: ExerciseResult, by: str = "hint") -> None:
    workspace = Workspace.find(folder)
    assert workspace is not None
    workspace.record("run", **run_data(read_submission(folder), found, by))


def test_hint_climbs_the_ladder_of_the_last_diagnosis(
    call: Call, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(work, result("failed", FAULT))
    monkeypatch.setattr(hint_module, "graded_now", lambda *_: pytest.fail("nothing changed"))
    assert "Hint 1 of 2: rung 1" in call("hint").output
    assert "提示 2/2：第 2 级" in call("hint", "attention.py", "--lang", "zh").output
    last = call("hint", "attention")
    assert "All hints for this were given" in last.output
    assert "grade explain missing-scale" in last.output
    assert "1. rung 1" in call("hint", "--again").output
    assert last.exit_code == 0


def test_hint_grades_what_has_changed(call: Call, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(work, result("failed", FAULT))
    (work / "attention.py").write_text("x = 1")
    monkeypatch.setattr(hint_module, "graded_now", lambda *_: result("passed"))
    assert "attention is passed" in call("hint", "attention").output
    monkeypatch.setattr(hint_module, "graded_now", lambda *_: pytest.fail("nothing changed"))
    assert "attention is passed" in call("hint", "attention").output


def test_hint_says_where_to_start(call: Call, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unwritten = NamedFault("not-implemented", Text("t", "t"), Text("", ""), (Text("x", "x"),))
    monkeypatch.setattr(hint_module, "graded_now", lambda *_: result("incomplete", unwritten))
    (work / "attention.py").write_bytes((skeleton_folder() / "attention.py").read_bytes())
    said = call("hint").output
    assert "`scaled_dot_product_attention` is not written yet (attention.py:56)" in said
    assert "How similar is each query to each key?" in said


def test_hint_outside_a_workspace(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bare = call("hint")
    assert (bare.exit_code, "which exercise?" in bare.output) == (2, True)
    assert call("hint", "attention").exit_code == 2  # no file
    assert call("hint", "atention").output.startswith("grade: there is no exercise or file 'atention'")
    (tmp_path / "attention.py").write_text("x = 1")
    monkeypatch.setattr(hint_module, "graded_now", lambda *_: result("failed", FAULT))
    said = call("hint", "attention").output
    assert "rung 1" in said
    assert "does not remember" in said
    assert [p.name for p in tmp_path.iterdir()] == ["attention.py"]


def test_status_of_a_workspace(call: Call, work: Path) -> None:
    record(work, result("failed", FAULT))
    said = call("status")
    assert said.exit_code == 0
    assert f"0/{len(all_exercises())}" in said.output
    assert "missing-scale" in said.output
    (work / "attention.py").write_text("y = 2")
    assert "Changed since the last run: attention" in call("status").output
    found = json.loads(call("status", "--json", "-").output)
    assert found["schema"] == 1
    assert found["exercises"][0]["status"] == "failed"
    assert found["exercises"][0]["changed"] is True
    assert found["mistakes"][0]["seen"][0]["fault"] == "missing-scale"
    assert call("status", "--json", "s.json").exit_code == 0
    assert json.loads((work / "s.json").read_text(encoding="utf-8"))["passed"] == 0


@pytest.mark.parametrize("words", [("status",), ("reset", "attention")])
def test_where_there_is_no_workspace(call: Call, tmp_path: Path, words: tuple[str, ...]) -> None:
    done = call(*words, "--path", tmp_path)
    assert done.exit_code == 2
    assert "is no workspace: `grade init" in done.output
    assert "Traceback" not in done.output
    assert list(tmp_path.iterdir()) == []


def test_reset_says_where_the_backup_is(call: Call, work: Path) -> None:
    done = call("reset", "attention", "masks.py")
    assert done.exit_code == 0
    first, second = done.output.splitlines()
    assert (work / first.rsplit(" ", 1)[1]).read_text().startswith("def scaled")
    assert "already" in second
    assert (work / "attention.py").read_bytes() == (skeleton_folder() / "attention.py").read_bytes()
    assert call("reset").exit_code == 2
    assert call("reset", "nonsense").exit_code == 2


def test_solution_after_passing(call: Call, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solution_module, "graded_now", lambda *_: result("failed", FAULT))
    refused = call("solution", "attention")
    assert refused.exit_code == 2
    assert "--force" in refused.output
    assert "softmax" not in refused.output
    assert "softmax" in call("solution", "attention", "--force").output
    (work / "attention.py").write_bytes((solution_folder() / "attention.py").read_bytes())
    monkeypatch.setattr(solution_module, "graded_now", lambda *_: result("passed"))
    assert "softmax" in call("solution", "attention").output
    monkeypatch.setattr(solution_module, "graded_now", lambda *_: pytest.fail("it is remembered"))
    assert call("solution", "attention.py").exit_code == 0


def test_bare_grade_is_the_watch_in_a_workspace_only(
    call: Call, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: list[Path] = []
    monkeypatch.setattr("grader.cli.watch.watch_folder", lambda folder, *_, **__: watched.append(folder) or 0)
    assert call().exit_code == 0
    assert watched == [Path(".")]
    monkeypatch.chdir(tmp_path)
    outside = call()
    assert outside.exit_code == 2
    assert outside.output.startswith("Usage: grade")
    assert len(watched) == 1
    assert main_module.cli.commands["watch"].help


def test_a_run_is_remembered_only_in_a_workspace(
    tmp_path: Path, call: Call, work: Path, a_report: Callable[[str], object]
) -> None:
    from grader.workspace.runs import record_report, runs_of

    submission = read_submission(work, ("attention",))
    assert record_report(submission, a_report("failed"), work)  # type: ignore[arg-type]
    assert record_report(submission, a_report("passed"), work / "attention.py")  # type: ignore[arg-type]
    workspace = Workspace.find(work)
    assert workspace is not None
    assert [r.status for r in runs_of(workspace)] == ["failed", "passed"]
    assert not record_report(submission, a_report("passed"), tmp_path)  # type: ignore[arg-type]
    assert not (tmp_path / ".grade").exists()


@pytest.mark.parametrize(
    "words", [("watch", "nothing"), ("watch", "--path", "absent"), ("watch", "--path", "f")]
)
def test_watch_of_what_is_not_there(call: Call, work: Path, words: tuple[str, ...]) -> None:
    (work / "f").write_text("")
    done = call(*words)
    assert done.exit_code == 2
    assert done.output.startswith("grade: ")
