"""`grade export`: files where they were asked for, nothing overwritten, one sentence for what is wrong."""

from __future__ import annotations

import re
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli.main import cli
from grader.exercises.registry import module_names
from grader.export.github import GithubSettings, github_bundle

Call = Callable[..., Result]
ACTION = re.compile(r"uses: [\w/-]+@[0-9a-f]{40} # v\d")


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(cli, ["export", *map(str, words)], prog_name="grade")


def test_the_gradescope_zip(call: Call, tmp_path: Path) -> None:
    done = call("gradescope", "attention", "masks", "--lang", "zh")
    assert done.exit_code == 0
    assert "40" in done.output or re.search(r"填 \d+", done.output)
    archive = zipfile.ZipFile(tmp_path / "gradescope.zip")
    assert {"setup.sh", "run_autograder", "settings.json", "not-graded.json"} < set(archive.namelist())
    for name in ("setup.sh", "run_autograder"):
        assert archive.getinfo(name).external_attr >> 16 & 0o111
        text = archive.read(name).decode()
        assert not re.search("@[A-Z]+@", text)
        subprocess.run(["bash", "-n"], input=text, encoding="utf-8", check=True)


def test_nothing_is_overwritten(call: Call, tmp_path: Path) -> None:
    (tmp_path / "student-kit.zip").write_text("mine")
    again = call("student-kit")
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert (tmp_path / "student-kit.zip").read_text() == "mine"
    assert call("student-kit", "--force").exit_code == 0
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "attention.py").write_text("mine")
    assert call("student-kit", "--out", "kit").exit_code == 2
    assert (tmp_path / "kit" / "attention.py").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gradescope", "attentoin"], "did you mean attention?"),
        (["github", "--kit", "x", "--vendor"], "not both"),
        (["github", "--kit", "-r evil"], "no requirement"),
        (["github", "--kit", "https://me:secret@host/kit.whl"], "password"),
        (["github", "--kit", "a\nb"], "no requirement"),
        (["github", "--kit", "${{ secrets.X }}"], "no requirement"),
        (["github", "--path", "../x"], "no folder"),
        (["github", "--path", "/x"], "no folder"),
        (["gradescope", "--out", "/", "--force"], "/ is a folder, and a zip is to be written"),
        (["student-kit", "--out", "sk.tar.gz"], "sk.tar.gz would be no .gz: a .zip is written, or a folder"),
        (["student-kit", "--out", "SK.RAR", "--lang", "zh"], "只写 .zip，或文件夹"),
        (["student-kit", "--out", "/dev/null/x"], "cannot write"),
        (["student-kit", "--out", "/dev/null/x.zip"], "cannot write"),
    ],
)
def test_what_is_wrong_is_one_sentence(call: Call, words: list[str], said: str, tmp_path: Path) -> None:
    done = call(*words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("settings", [{}, {"kit": "https://host/kit.whl"}, {"vendor": True}])
def test_the_workflow_is_pinned_and_asks_for_little(settings: dict[str, object]) -> None:
    bundle = github_bundle(GithubSettings(module_names(), **settings))  # type: ignore[arg-type]
    text = bundle.items[".github/workflows/grade.yml"].data.decode()
    assert not re.search("@[A-Z]+@", text)
    uses = [line for line in text.splitlines() if "uses:" in line]
    assert len(uses) == 2
    assert all(ACTION.search(line) for line in uses)
    assert re.search(r"^permissions:\n  contents: read\n\n", text, re.MULTILINE)
    assert "pull_request_target" not in text
    assert "secrets." not in text
    assert "persist-credentials: false" in text
    assert ("can read what is installed here" in text) is bool(settings)
    wheels = [name for name, _ in bundle if name.endswith(".whl")]
    assert bool(wheels) is ("vendor" in settings)


def test_the_workflow_is_yaml_with_the_values_quoted() -> None:
    yaml = pytest.importorskip("yaml")
    kit = "kit @ https://host/a'b\"c.whl"
    bundle = github_bundle(GithubSettings(("masks",), "zh", kit, path="my work"))
    found = yaml.safe_load(bundle.items[".github/workflows/grade.yml"].data)
    install, run = found["jobs"]["grade"]["steps"][2:]
    assert install["env"] == {"KIT": kit}
    assert run["env"] == {"FOLDER": "my work"}
    assert run["run"].strip() == 'grade run masks --github --lang zh --path "$FOLDER"'
