"""`grade run`: exit codes, JSON, languages, and errors that are sentences."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import grader.cli.run as run_module
from grader.data import skeleton_folder, solution_folder
from grader.errors import KitError
from grader.marking.records import Report
from grader.text import Text

Call = Callable[..., Result]
Make = Callable[[str], Report]


@pytest.fixture
def grading(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Any], list[tuple[Any, ...]]]:
    """Puts a report, or an exception, in the place of grading; the calls that were made."""
    monkeypatch.chdir(tmp_path)
    calls: list[tuple[Any, ...]] = []

    def put(answer: Any) -> list[tuple[Any, ...]]:
        def grade(*arguments: Any, **options: Any) -> Report:
            calls.append(arguments)
            if isinstance(answer, BaseException):
                raise answer
            return answer  # type: ignore[no-any-return]

        monkeypatch.setattr(run_module, "_grade", grade)
        return calls

    return put


@pytest.mark.parametrize(
    ("status", "code"),
    [("passed", 0), ("failed", 1), ("incomplete", 1), ("error", 1), ("stopped", 1), ("blocked", 1)],
)
def test_exit_code_tells_whether_all_passed(
    call: Call, grading: Any, a_report: Make, status: str, code: int
) -> None:
    grading(a_report(status))
    result = call("run")
    assert result.exit_code == code
    assert "Score: " in result.stdout
    assert result.stderr == ""


def test_a_fault_of_the_kit_is_2_and_one_sentence(call: Call, grading: Any) -> None:
    grading(KitError(Text("the suite is broken", "测试坏了")))
    result = call("run")
    assert result.exit_code == 2
    assert result.output == "grade: the suite is broken\n"
    assert call("run", "--lang", "zh").output == "grade: 测试坏了\n"


def test_an_unexpected_exception_is_2_and_leaves_a_log(call: Call, grading: Any) -> None:
    grading(RuntimeError("what nobody\nthought of"))
    result = call("run")
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert result.output.count("\n") == 1
    found = re.search(r"report it with (\S+\.log)", result.output)
    assert found is not None
    log = Path(found[1])
    assert "what nobody" in log.read_text(encoding="utf-8")
    log.unlink()


def test_control_c_is_130(call: Call, grading: Any) -> None:
    grading(KeyboardInterrupt())
    result = call("run")
    assert result.exit_code == 130
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "words", [["--frob"], ["--call-seconds", "0"], ["--lang", "fr"], ["--memory-mib", "x"]]
)
def test_usage_errors_are_2(call: Call, words: list[str]) -> None:
    assert call("run", *words).exit_code == 2


def test_an_unknown_exercise_names_the_close_one(call: Call) -> None:
    result = call("run", "atention")
    assert result.exit_code == 2
    assert result.output == "grade: there is no exercise or file 'atention'; did you mean attention?\n"
    assert "你是否想用 attention？" in call("run", "atention", "--lang=zh").output


def test_json_alone_on_stdout(call: Call, grading: Any, a_report: Make) -> None:
    grading(a_report("failed"))
    result = call("run", "--json", "-")
    assert json.loads(result.stdout)["exercises"][0]["status"] == "failed"
    assert "Score: " in result.stderr
    assert result.exit_code == 1


def test_json_to_a_file_beside_the_report(call: Call, grading: Any, a_report: Make, tmp_path: Path) -> None:
    grading(a_report("passed"))
    target = tmp_path / "result.json"
    target.write_text("old")
    result = call("run", "--json", target, "--lang", "zh")
    data = json.loads(target.read_text(encoding="utf-8"))
    assert data["exercises"][0]["checks"][0]["title"] == "已缩放"
    assert "得分" in result.stdout
    assert os.listdir(tmp_path) == ["result.json"]


@pytest.mark.parametrize("name", ["absent/result.json", "."])
def test_json_that_cannot_be_written_is_found_out_before_grading(
    call: Call, grading: Any, a_report: Make, name: str
) -> None:
    calls = grading(a_report("passed"))
    assert call("run", "--json", name).exit_code == 2
    assert calls == []


def test_limits_reach_the_grading(call: Call, grading: Any, a_report: Make) -> None:
    calls = grading(a_report("passed"))
    call("run", "attention", "--call-seconds", "2.5", "--total-seconds", 30, "--memory-mib", 512)
    targets, budget = calls[0]
    assert targets.only == ("attention",)
    assert budget == {"call": 2.5, "total": 30.0, "memory": 512.0 * (1 << 20)}
    call("run")
    assert calls[1][1] == {}


def test_language_follows_the_environment(
    call: Call, grading: Any, a_report: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    grading(a_report("passed"))
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "得分" in call("run").stdout
    assert "Score" in call("run", "--lang", "en").stdout


def test_no_colour_codes_off_a_terminal(call: Call, grading: Any, a_report: Make) -> None:
    grading(a_report("failed"))
    assert "\x1b" not in call("run").output
    assert "\x1b" not in call("run", "--no-color").output


def test_a_place_without_exercises_says_what_it_expects(call: Call, tmp_path: Path) -> None:
    result = call("run", "--path", tmp_path)
    assert result.exit_code == 2
    assert "attention.py" in result.output
    assert call("run", tmp_path / "absent").exit_code == 2


def test_a_file_that_is_another_exercise(call: Call, tmp_path: Path) -> None:
    shutil.copy(skeleton_folder() / "attention.py", tmp_path)
    result = call("run", tmp_path / "attention.py", "masks")
    assert result.exit_code == 2
    assert "holds the exercise attention, not masks" in result.output


# -- from the outside -------------------------------------------------------------------------------


def real(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "grader.cli", "run", *words],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80"},
    )


def test_the_solution_passes(tmp_path: Path) -> None:
    shutil.copy(solution_folder() / "attention.py", tmp_path)
    done = real(tmp_path, "attention.py", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["score"] == json.loads(done.stdout)["max_score"]


def test_the_skeleton_is_to_do(tmp_path: Path) -> None:
    shutil.copy(skeleton_folder() / "attention.py", tmp_path)
    done = real(tmp_path)
    assert done.returncode == 1
    assert done.stderr == ""
    assert "☐  attention  to do" in done.stdout
