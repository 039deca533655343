"""`grade repro`: exit codes, the program on standard output, files that are never overwritten."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import grader.cli.repro as repro_module
from grader.data import solution_folder
from grader.repro.run import Reproduction
from grader.text import Text
from tests.support import SUBMISSIONS

Call = Callable[..., Result]
CHAFF = SUBMISSIONS / "attention" / "chaffs" / "missing_scale_matmul.py"


class Found(Reproduction):
    """A reproduction whose program is known beforehand."""

    def program(self, language: str) -> str:
        return f"# {language}\nprint('agrees: False')\n"


@pytest.fixture
def finding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Any], list[tuple[Any, ...]]]:
    """Puts a reproduction in the place of the search; the calls that were made."""
    monkeypatch.chdir(tmp_path)
    calls: list[tuple[Any, ...]] = []

    def put(answer: Reproduction) -> list[tuple[Any, ...]]:
        def reproduce(*arguments: Any) -> Reproduction:
            calls.append(arguments)
            return answer

        monkeypatch.setattr(repro_module, "_reproduce", reproduce)
        return calls

    return put


FOUND = Found("found")


def test_the_program_alone_is_on_standard_output(call: Call, finding: Any) -> None:
    finding(FOUND)
    result = call("repro", "attention")
    assert result.exit_code == 0
    assert result.stdout == "# en\nprint('agrees: False')\n"
    assert result.stderr == ""
    assert call("repro", "attention", "--lang", "zh").stdout.startswith("# zh\n")


@pytest.mark.parametrize(
    ("outcome", "code", "where"),
    [("passed", 0, "stderr"), ("hidden", 1, "stderr"), ("unusable", 2, "stderr")],
)
def test_exit_codes(call: Call, finding: Any, outcome: str, code: int, where: str) -> None:
    finding(Reproduction(outcome, text=Text("why not", "为什么不")))
    result = call("repro", "attention")
    assert result.exit_code == code
    assert result.stdout == ""
    assert "why not" in getattr(result, where)
    assert "为什么不" in call("repro", "attention", "--lang", "zh").stderr


def test_limits_and_targets_are_passed_on(call: Call, finding: Any) -> None:
    calls = finding(FOUND)
    call("repro", "masks", "--path", "ada", "--call-seconds", "2", "--memory-mib", "64")
    ((targets, budget),) = calls
    assert (str(targets.path), targets.only) == ("ada", ("masks",))
    assert budget == {"call": 2.0, "memory": float(64 << 20)}


def test_a_file_is_written_once(call: Call, finding: Any, tmp_path: Path) -> None:
    calls = finding(FOUND)
    result = call("repro", "attention", "--output", "small.py")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "small.py is written" in result.stderr
    assert (tmp_path / "small.py").read_text() == "# en\nprint('agrees: False')\n"
    again = call("repro", "attention", "--output", "small.py", "--lang", "zh")
    assert again.exit_code == 2
    assert "small.py 已经存在" in again.stderr
    assert (tmp_path / "small.py").read_text().startswith("# en")
    assert len(calls) == 1
    assert call("repro", "attention", "--output", "small.py", "--lang", "zh", "--force").exit_code == 0
    assert (tmp_path / "small.py").read_text(encoding="utf-8").startswith("# zh")


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (".", "it is a folder"),
        ("absent/small.py", "there is no folder"),
        ("attention.py", "is the name of an exercise"),
    ],
)
def test_places_that_cannot_be_written(call: Call, finding: Any, output: str, words: str) -> None:
    calls = finding(FOUND)
    result = call("repro", "attention", "--output", output, "--force")
    assert result.exit_code == 2
    assert words in result.output
    assert not calls


@pytest.mark.parametrize(
    "words", [["atention"], ["--frob"], ["attention", "--lang", "fr"], ["attention", "--call-seconds", "0"]]
)
def test_usage_errors_are_2(call: Call, words: list[str]) -> None:
    assert call("repro", *words).exit_code == 2


def test_one_exercise_at_a_time(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("repro").exit_code == 2  # an empty folder
    for name in ("attention.py", "masks.py"):
        (tmp_path / name).write_bytes((solution_folder() / name).read_bytes())
    result = call("repro")
    assert result.exit_code == 2
    assert result.output == "grade: one exercise at a time, please: which of attention, masks?\n"
    assert "一次只看一个练习" in call("repro", "--lang", "zh").output
    result = call("repro", "encoder", "attention.py")
    assert result.exit_code == 2
    assert "holds the exercise attention, not encoder" in result.output


def test_a_file_that_cannot_be_read(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "attention.py"
    assert call("repro", path).exit_code == 2
    path.write_text("def scaled_dot_product_attention(:\n")
    result = call("repro", path)
    assert result.exit_code == 2
    assert "attention.py" in result.output


def test_from_the_command_line_to_the_learners_screen(tmp_path: Path) -> None:
    """All of it: a file with a name of its own, the command, and the program beside the file."""
    (tmp_path / "my_attention.py").write_bytes(CHAFF.read_bytes())

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )

    done = run("-m", "grader.cli", "repro", "my_attention.py", "--output", "small.py", "--lang", "en")
    assert (done.returncode, done.stdout) == (0, "")
    assert "from my_attention import scaled_dot_product_attention" in (tmp_path / "small.py").read_text()
    shown = run("small.py")
    assert shown.returncode == 0
    assert shown.stdout.endswith("agrees: False\n")
