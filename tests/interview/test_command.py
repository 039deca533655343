"""`grade interview`: from the first minute to the post-mortem, and what has to wait meanwhile."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from grader.cli import sitting as sitting_module
from grader.cli.main import cli
from grader.cli.sitting import Sitting
from grader.data import skeleton_folder
from grader.errors import SubmissionError
from grader.interview.state import Interview, latest, start
from grader.marking.records import CheckResult, Diagnosis, ExerciseResult, NamedFault
from grader.reports.output import make_console
from grader.reports.paper import Paper
from grader.text import Text
from grader.workspace.place import Workspace
from grader.workspace.runs import run_data, runs_of
from tests.notebook.making import SOLUTION, saved


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def grade(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words), prog_name="grade")


def verdict(status: str = "failed", score: float = 3.0) -> ExerciseResult:
    fault = NamedFault("missing-scale", Text("Secret", "秘密"), Text("", ""), (), "attention.py", 3)
    checks = tuple(
        CheckResult(f"c{n}", Text.same("secret"), "core", "passed" if n < score else "failed", 1.0, 1.0)
        for n in range(5)
    )
    diagnoses = () if status == "passed" else (Diagnosis((fault,), "core", "confirmed", Text("e", "e")),)
    return ExerciseResult("attention", Text("T", "题"), status, score, 5.0, 0.1, checks, diagnoses)


@pytest.fixture
def grading(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], list[Path]]:
    """Puts a verdict in the place of grading; where it was asked for."""
    asked: list[Path] = []

    def put(answer: Any) -> list[Path]:
        def fake(self: Sitting, place: Path, only: Collection[str]) -> tuple[ExerciseResult, ...]:
            asked.append(place)
            if isinstance(answer, Exception):
                raise answer
            from grader.submission.source import read_submission

            submission = read_submission(place, only)
            self.workspace.record("run", **run_data(submission, answer, "interview"))
            return (answer,)

        monkeypatch.setattr(Sitting, "grade", fake)
        return asked

    return put


def test_from_start_to_end(place: Path, grading: Any) -> None:
    grading(verdict())
    begun = grade("interview", "attention", "--minutes", "20")
    assert begun.exit_code == 0
    assert begun.output.startswith("Interview: attention, 20 minutes\n")
    skeleton = (skeleton_folder() / "attention.py").read_bytes()
    assert (place / "attention.py").read_bytes() == skeleton
    for words in (["run"], ["run", "attention"], ["run", "attention.py"]):
        shown = grade(*words)
        assert (shown.exit_code, shown.output) == (1, "✗ attention  not yet: 3 of 5 core checks pass\n")
    assert " left · attention · 3 runs\n" in grade("interview", "--status").output
    assert "The interview goes on: attention" in grade("interview").output
    assert "面试继续：attention" in grade("interview", "attention", "--lang", "zh").output
    over = grade("interview", "--end")
    assert over.exit_code == 0
    assert "The scores are not divided by sqrt(d_k)" in over.output or "Secret" in over.output
    assert "1. Why are the scores divided by sqrt(d_k)" in over.output
    assert "a sum of d_k terms" not in over.output
    assert "a sum of d_k terms" in " ".join(grade("interview", "--answers").output.split())
    again = grade("interview", "--end")
    assert again.exit_code == 2
    assert again.output == "grade: no interview is running here: `grade interview` starts one\n"


def test_every_point_ends_it(grading: Any) -> None:
    grading(verdict("passed", 5.0))
    grade("interview", "attention")
    done = grade("run")
    assert done.exit_code == 0
    assert "passed: all 5 core checks" in done.output
    assert "The interview is over: attention passed" in done.output
    assert "What an interviewer would ask next" in done.output


WAITING = ["hint", "explain", "trace", "repro", "solution", "status", "watch"]


@pytest.mark.parametrize("command", WAITING)
def test_what_has_to_wait(command: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grade("interview", "attention")
    waiting = grade(command, "attention")
    assert waiting.exit_code == 2
    assert waiting.output.startswith(f"grade: `grade {command}` waits until the interview is over (")
    assert "面试结束之前不能使用" in grade(command, "--lang", "zh").output
    assert grade(command, "--help").exit_code == 0
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert "waits until" in grade(command, "--path", str(place)).output
    assert "waits until" in grade(command, f"--path={place}").output
    assert "waits until" in grade(command, str(place / "attention.py")).output
    monkeypatch.chdir(place)
    grade("interview", "--end")
    assert "waits until" not in grade(command, "--frob").output


def test_the_bare_command_waits_as_well() -> None:
    grade("interview", "attention")
    assert "`grade watch` waits until" in grade().output


def test_no_file_with_the_result_meanwhile(place: Path, grading: Any) -> None:
    asked = grading(verdict())
    grade("interview", "attention")
    for option in (["--json", "-"], ["--html", "page.html"]):
        assert "waits until" in grade("run", *option).output
    assert not asked
    assert not (place / "page.html").exists()


def long_ago(workspace: Workspace) -> Interview:
    """An interview of five minutes that was started ten minutes ago."""
    row = {"v": 1, "t": time.time() - 600, "kind": "interview", "action": "start"}
    workspace.journal.append([{**row, "exercise": "attention", "minutes": 5}])
    found = latest(workspace)
    assert found is not None
    return found


def test_the_time_is_up(place: Path, grading: Any) -> None:
    asked = grading(verdict())
    workspace = Workspace.make(place)
    for words in (["run"], ["hint"], ["interview", "masks"], ["interview", "--status"], []):
        (place / "attention.py").write_bytes(b"")
        long_ago(workspace)
        shown = grade(*words)
        assert shown.exit_code == 0, words
        assert shown.output.startswith("Time is up: attention, 05:00\n")
        found = latest(workspace)
        assert found is not None
        assert (found.running, found.reason) == (False, "time")
    assert not asked


def test_another_exercise_while_one_is_running(place: Path) -> None:
    grade("interview", "attention")
    other = grade("interview", "masks")
    assert other.exit_code == 2
    assert other.output == "grade: an interview on attention is running; `grade interview --end` ends it\n"
    assert not (place / "masks.py").exists()


def test_answers_only_at_the_end() -> None:
    for _ in range(2):
        asked = grade("interview", "--answers")
        assert asked.exit_code == 2
        assert asked.output.startswith("grade: there are answers when an interview is over")
        grade("interview", "attention")


def test_without_a_name_it_is_the_exercise_at_work(place: Path) -> None:
    assert "Interview: attention" in grade("interview").output
    assert grade("interview", "nothing").exit_code == 2
    assert grade("interview", "--minutes", "0").exit_code == 2


def test_what_is_there_is_kept(place: Path) -> None:
    (place / "attention.py").write_text(SOLUTION["attention"], encoding="utf-8")
    begun = grade("interview", "attention")
    assert begun.output.startswith("attention.py is begun already; `--fresh` starts from the skeleton")
    assert (place / "attention.py").read_text(encoding="utf-8") == SOLUTION["attention"]
    grade("interview", "--end")
    fresh = grade("interview", "attention", "--fresh")
    assert "attention.py is the skeleton again; what you had written is in .grade/backups/" in fresh.output
    assert (place / "attention.py").read_bytes() == (skeleton_folder() / "attention.py").read_bytes()
    assert len(list((place / ".grade" / "backups").iterdir())) == 1


def test_a_notebook_is_enough(place: Path) -> None:
    saved(place / "work.ipynb", SOLUTION["attention"])
    begun = grade("interview", "attention")
    assert "work.ipynb is begun already" in begun.output
    assert "Write work.ipynb." in begun.output
    assert not (place / "attention.py").exists()
    grade("interview", "--end")
    fresh = grade("interview", "attention", "--fresh")
    assert fresh.exit_code == 2
    assert fresh.output.startswith("grade: attention is in work.ipynb, which is not put back to the skeleton")


def test_a_notebook_that_runs_waits_as_well(place: Path) -> None:
    from grader.notebook.server import answer

    grade("interview", "attention")
    request = {"exercise": "attention", "cells": [], "live": {}, "folder": str(place), "lang": "en"}
    assert answer(request, None)["error"][0].startswith("`check()` waits until the interview is over")


def test_a_folder_that_is_not_there(place: Path) -> None:
    gone = grade("interview", "attention", "--path", "gone")
    assert gone.exit_code == 2
    assert gone.output.startswith("grade: gone cannot keep the clock: ")


# -- at a terminal ----------------------------------------------------------------------------------


class FakeTerminal:
    """Hands out keys, one a turn; None is a turn without a key."""

    def __init__(self, *keys: str | None) -> None:
        self.keys = list(keys)

    def key(self, seconds: float) -> str | None:
        return self.keys.pop(0)

    def pause(self, seconds: float) -> None:
        pass


@pytest.fixture
def live(place: Path, grading: Any) -> Callable[..., tuple[int, str, list[str]]]:
    workspace = Workspace.make(place)

    def sit(
        *keys: str | None, saves: Collection[int] = (), late: bool = False, answer: Any = None
    ) -> tuple[int, str, list[str]]:
        grading(answer or verdict())
        (place / "attention.py").write_bytes((skeleton_folder() / "attention.py").read_bytes())
        found = long_ago(workspace) if late else start(workspace, "attention", 5)
        stream, ended = io.StringIO(), []
        console = make_console(stream, color=False, width=60)
        terminal = FakeTerminal(*keys)
        total = len(keys)

        def saved_now() -> Collection[str]:
            turn = total - len(terminal.keys)
            if turn in saves and turn not in told:
                told.add(turn)
                (place / "attention.py").write_text(f"x = {turn}\n", encoding="utf-8")
                return {"attention"}
            return ()

        told: set[int] = set()
        loop = sitting_module._Live(
            Sitting(workspace, found, {}),
            terminal,  # type: ignore[arg-type]
            console,
            Paper("en", 60),
            lambda w, i, reason: ended.append(reason),
            saved_now,
        )
        return loop.run(), stream.getvalue(), ended

    return sit


def test_saves_and_enter_grade(live: Any, place: Path) -> None:
    code, text, ended = live(None, None, "\r", "q", saves={0, 1})
    assert (code, ended) == (0, [])
    assert text.count("not yet: 3 of 5 core checks pass") == 3
    assert len(runs_of(Workspace(place))) == 3
    assert "The clock goes on" in text
    assert "· 0 runs" in text or "· 1 run" in text


def test_the_end_is_asked_for(live: Any) -> None:
    assert live("e", "n", "e", "y")[2] == ["ended"]


def test_it_ends_when_all_is_right(live: Any) -> None:
    assert live("\r", answer=verdict("passed", 5.0))[2] == ["passed"]


def test_it_ends_when_the_time_is_up(live: Any) -> None:
    assert live(None, late=True)[2] == ["time"]


def test_an_error_is_said_and_it_goes_on(live: Any) -> None:
    code, text, _ = live("r", "q", answer=SubmissionError(Text("no such thing", "没有")))
    assert code == 0
    assert "no such thing" in text


def test_it_was_ended_in_another_terminal(live: Any, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def key(self: FakeTerminal, seconds: float) -> str | None:
        grade("interview", "--end")
        return None

    monkeypatch.setattr(FakeTerminal, "key", key)
    code, text, ended = live(None)
    assert (code, ended) == (0, [])
    assert "The interview was ended elsewhere." in text
