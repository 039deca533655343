"""`grade run` with files besides the terminal, and in GitHub Actions."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result

import grader.cli.run as run_module
from grader.errors import UsageError
from grader.marking.records import Report
from grader.text import Text
from tests.support import ROOT

Call = Callable[..., Result]
Make = Callable[[str], Report]


@pytest.fixture
def grading(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Any], None]:
    """Puts a report, or an exception, in the place of grading."""
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)

    def put(answer: Any) -> None:
        def grade(*arguments: Any, **options: Any) -> Report:
            if isinstance(answer, BaseException):
                raise answer
            return answer  # type: ignore[no-any-return]

        monkeypatch.setattr(run_module, "_grade", grade)

    return put


def test_every_file_at_once_beside_the_report(
    call: Call, grading: Any, a_report: Make, tmp_path: Path
) -> None:
    grading(a_report("failed"))
    words = ["--html", "page.html", "--junit", "a b.xml", "--markdown", "sum.md", "--json", "r.json"]
    result = call("run", *words)
    assert result.exit_code == 1
    assert "Score: 0 of 2" in result.stdout
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"<h1>{tmp_path.name}</h1>" in page  # the folder's name, not a dot
    assert ET.parse(tmp_path / "a b.xml").getroot().tag == "testsuites"
    assert (tmp_path / "sum.md").read_text(encoding="utf-8").startswith("# ")
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["submission"] == "."


def test_files_are_in_the_language_asked_for(
    call: Call, grading: Any, a_report: Make, tmp_path: Path
) -> None:
    grading(a_report("failed"))
    call("run", "--lang", "zh", "--html", "page.html", "--markdown", "sum.md")
    assert '<html lang="zh-Hans">' in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "得分" in (tmp_path / "sum.md").read_text(encoding="utf-8")


def test_json_alone_on_standard_output_beside_files(
    call: Call, grading: Any, a_report: Make, tmp_path: Path
) -> None:
    grading(a_report("passed"))
    result = call("run", "--json", "-", "--html", "page.html")
    assert json.loads(result.stdout)["score"] == 2
    assert (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--html", "no/such/folder.html"), "there is no folder"),
        (("--junit", "."), "it is a folder"),
        (("--html", "x", "--junit", "x"), "--html and --junit both name x"),
        (("--json", "x", "--markdown", "./x"), "both name"),
        (("--github", "--json", "-"), "give --json a file"),
    ],
)
def test_bad_options_are_a_sentence_before_grading(
    call: Call, grading: Any, words: tuple[str, ...], sentence: str
) -> None:
    grading(AssertionError("graded"))
    result = call("run", *words)
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_a_file_that_was_there_stays_when_grading_fails(call: Call, grading: Any, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("mine")
    grading(UsageError(Text("no", "否")))
    assert call("run", "--html", "page.html").exit_code == 2
    assert (tmp_path / "page.html").read_text() == "mine"


# -- GitHub -----------------------------------------------------------------------------------------


def commands(output: str) -> list[str]:
    """The commands that the runner of GitHub Actions would find, stopped ones left out."""
    found: list[str] = []
    token = None
    for line in output.splitlines():
        command = re.match(r"\s*::([^\s:]+)(?: [^:]*)?::(.*)", line)
        old = re.search(r"##\[([^\]]+)\]", line)
        if token is not None:
            token = None if line.strip() == f"::{token}::" else token
        elif command and command[1] == "stop-commands":
            token = command[2]
        elif command or old:
            found.append((command or old)[1])  # type: ignore[index]
    return found


def test_annotations_come_after_the_report(
    call: Call, grading: Any, a_report: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    grading(a_report("failed"))
    result = call("run", "--github")
    assert result.exit_code == 1
    assert commands(result.stdout) == ["error"]
    assert result.stdout.index("Score:") < result.stdout.index("::error")
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("before\n# ")


def test_the_token_is_another_one_each_time(call: Call, grading: Any, a_report: Make) -> None:
    grading(a_report("passed"))
    first, second = (call("run", "--github").stdout.splitlines()[0] for _ in range(2))
    assert first != second
    assert re.fullmatch(r"::stop-commands::[0-9a-f]{32}", first)


@pytest.mark.parametrize("evil", ["::error::forged", "  ::set-output name=a::b", "##[error]forged", "::a::"])
def test_what_is_printed_is_no_command(call: Call, grading: Any, a_report: Make, evil: str) -> None:
    from dataclasses import replace

    report = a_report("failed")
    exercise = replace(report.exercises[0], printed=f"{evil}\n{evil}\n", note=Text.same(f"x\n{evil}"))
    grading(replace(report, exercises=(exercise,), submission=f"x\n{evil}"))
    assert commands(call("run", "--github").stdout) == ["error"]


def test_an_error_is_printed_while_commands_are_stopped(call: Call, grading: Any) -> None:
    grading(UsageError(Text("cannot read a\n::error::forged", "否")))
    result = call("run", "--github")
    assert result.exit_code == 2
    assert commands(result.output) == []


def test_a_summary_that_cannot_be_written_is_a_sentence(
    call: Call, grading: Any, a_report: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    grading(a_report("passed"))
    result = call("run", "--github")
    assert result.exit_code == 2
    assert "cannot write" in result.stderr


def test_places_are_seen_from_the_root_of_the_repository(
    call: Call, grading: Any, a_report: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "week 1" / "ada").mkdir(parents=True)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.chdir(tmp_path / "week 1")
    grading(a_report("failed"))
    assert "file=week 1/ada/attention.py" in call("run", "--github", "--path", "ada").stdout
    call("run", "--path", "ada", "--junit", "r.xml")
    (case,) = ET.parse("r.xml").getroot().iter("testcase")
    assert case.get("file") in (None, "ada/attention.py")


def test_a_real_run_draws(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "first try"
    shutil.copytree(ROOT / "examples" / "first-try", folder)
    monkeypatch.chdir(tmp_path)
    assert call("run", "--path", "first try", "--html", "page.html").exit_code == 1
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count('class="picture"') == 3
    assert 'class="q' in page
    assert "masked_fill(mask == 0, 0)" in page
    assert "leak" in page
