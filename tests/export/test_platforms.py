"""The exports where they are meant to run: as root in Gradescope's folders, and in the steps of a workflow,
each with a right submission, a wrong one and a hostile one.  Without a network, and without the checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

import pytest

from grader.data import solution_folder
from grader.exercises.registry import all_exercises, module_names
from grader.export.github import GithubSettings, github_bundle
from grader.export.gradescope import gradescope_bundle
from grader.export.harness import Settings
from tests.support import ROOT, SUBMISSIONS

pytestmark = pytest.mark.slow

PLACE = Path("/autograder")
WRONG = SUBMISSIONS / "attention" / "chaffs" / "missing_scale_matmul.py"
# tries to forge the result, while it runs and when it ends, and to read what it should not
HOSTILE = """\
import atexit
import glob
import os

PLACES = ["/autograder/results/results.json", "/autograder/submission_metadata.json", "results.json"]
FOLDER = "/autograder/source"
SECRETS = [FOLDER, FOLDER + "/settings.json", "{grader}/exercises/masks/suite.py"]


def forge():
    for place in PLACES:
        try:
            with open(place, "w") as file:
                file.write('{{"score": 100, "tests": [], "output": "FORGED"}}')
        except OSError:
            pass


def stolen():
    for place in SECRETS:
        try:
            found = os.listdir(place) if os.path.isdir(place) else open(place).read()
        except OSError:
            continue
        if found:
            return f"STOLEN {{place}} {{found}}"
    wheels = [w for w in glob.glob("/autograder/source/*.whl") if os.access(w, os.R_OK)]
    return f"STOLEN {{wheels}}" if wheels else None


atexit.register(forge)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    forge()
    raise ValueError(stolen() or "nothing found")
"""
GRADED = {"score": 17.5, "results": {"score": 17.5, "extra_data": {"graded": True}}}
SCRIPT = """\
set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs /autograder
mkdir -p /autograder/source /autograder/results /autograder/submission
cd /autograder/source
{python} -m zipfile -e {bundle} .
cp run_autograder /autograder/run_autograder
chmod +x setup.sh /autograder/run_autograder
mount -t tmpfs tmpfs {checkout}
cd /autograder
GRADE_PACKAGES={packages} PYTHON={python} bash source/setup.sh >{out}/setup.log
for name in good wrong hostile empty; do
    rm -rf submission results
    mkdir submission results
    cp -r {submissions}/$name/. submission
    ./run_autograder >{out}/$name.log 2>&1
    stat -c %a results/results.json >{out}/$name.mode
    cp results/results.json {out}/$name.json
done
# a container that runs out of memory, or is too slow: what stood there before still stands
sed -i 's/--kill-after=20 [0-9]*/--kill-after=1 0.2/' run_autograder
./run_autograder >/dev/null 2>&1
cp results/results.json {out}/late.json
echo '{metadata}' >submission_metadata.json
./run_autograder >/dev/null 2>&1
cp results/results.json {out}/late_again.json
"""


@pytest.fixture
def autograder() -> Any:
    """The folder that Gradescope has; it is there for as long as the test runs."""
    if os.geteuid() != 0 or shutil.which("unshare") is None or PLACE.exists():
        pytest.skip("needs root, unshare, and no /autograder of its own")
    if subprocess.run(["unshare", "-m", "-n", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no namespaces here")
    PLACE.mkdir()
    yield PLACE
    PLACE.rmdir()


def submissions(folder: Path, grader: str) -> Path:
    for name in ("good", "wrong", "hostile", "empty"):
        (folder / name).mkdir(parents=True)
    shutil.copytree(solution_folder(), folder / "good" / "repository")
    shutil.copy(WRONG, folder / "wrong" / "attention.py")
    (folder / "hostile" / "attention.py").write_text(HOSTILE.format(grader=grader))
    return folder


def test_gradescope(autograder: Path, tmp_path: Path) -> None:
    bundle, out = tmp_path / "a.zip", tmp_path / "out"
    gradescope_bundle(Settings(module_names(), seconds=300)).write_zip(bundle)
    out.mkdir()
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    installed = f"/autograder/kit/lib/{version}/site-packages/grader"
    script = SCRIPT.format(
        python=sys.executable,
        bundle=bundle,
        checkout=ROOT,
        packages=sysconfig.get_path("purelib"),
        submissions=submissions(tmp_path / "handed in", installed).as_posix().replace(" ", "\\ "),
        out=out,
        metadata=json.dumps({"previous_submissions": [GRADED]}),
    )
    done = subprocess.run(
        ["unshare", "-m", "-n", "bash", "-c", script], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    found = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in out.glob("*.json")}
    assert {p.read_text().strip() for p in out.glob("*.mode")} == {"600"}
    points = f"{sum(e.max_score for e in all_exercises()):g}"
    assert f"{points} of {points} points for the solutions" in (out / "setup.log").read_text()

    assert found["good"]["score"] == found["good"]["extra_data"]["max_score"] == float(points)
    assert {e["status"] for e in found["good"]["extra_data"]["exercises"].values()} == {"passed"}

    attention = found["wrong"]["extra_data"]["exercises"]["attention"]
    assert [f["id"] for f in attention["faults"] if f["tier"] == "core"] == ["missing-scale"]
    assert 0 < found["wrong"]["score"] < 20

    hostile = json.dumps(found["hostile"])
    assert found["hostile"]["score"] < 1  # for not changing its inputs, say
    assert "nothing found" in hostile
    assert "STOLEN" not in hostile
    assert "FORGED" not in hostile

    assert found["empty"]["score"] == 0
    assert found["empty"]["extra_data"]["graded"] is True
    assert found["late"]["extra_data"]["graded"] is False
    assert found["late"]["score"] == 0
    assert "longer than 300 seconds" in found["late"]["output"]
    assert found["late_again"]["score"] == 17.5
    assert found["late_again"]["extra_data"]["graded"] is False
    assert "17.5" in found["late_again"]["output"]


def a_repository(tmp_path: Path, settings: GithubSettings, text: bytes) -> Path:
    folder = tmp_path / "a repository"
    (folder / settings.path).mkdir(parents=True)
    github_bundle(settings).write_folder(folder)
    (folder / settings.path / "attention.py").write_bytes(text)
    return folder


def steps(folder: Path) -> list[dict[str, Any]]:
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((folder / ".github" / "workflows" / "grade.yml").read_text())
    return [step for step in workflow["jobs"]["grade"]["steps"] if "run" in step]


def run_step(
    step: dict[str, Any], folder: Path, summary: Path, path: str
) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8", "GITHUB_ACTIONS": "true"}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**environment, **step.get("env", {}), "GITHUB_STEP_SUMMARY": str(summary)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


SOLUTION = (solution_folder() / "attention.py").read_bytes()


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (SOLUTION, 0, ""),
        (WRONG.read_bytes(), 1, "::error file=my work/attention.py"),
        (
            b"import os\nos.environ.clear()\nraise SystemExit('done')\n",
            1,
            "::error file=my work/attention.py",
        ),
    ],
    ids=["good", "wrong", "hostile"],
)
def test_the_public_workflow(tmp_path: Path, text: bytes, code: int, said: str) -> None:
    folder = a_repository(tmp_path, GithubSettings(module_names(), path="my work"), text)
    here = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = run_step(steps(folder)[-1], folder, tmp_path / "summary.md", here)
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout
    assert "| `attention` |" in (tmp_path / "summary.md").read_text()


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (SOLUTION, 0, ""),
        (WRONG.read_bytes(), 1, "::error"),
        (HOSTILE.format(grader="/").encode(), 1, "::error"),
    ],
    ids=["good", "wrong", "hostile"],
)
def test_the_workflow_with_the_kit_in_the_repository(
    tmp_path: Path, text: bytes, code: int, said: str
) -> None:
    """`grade` is installed from the wheel that the export has put there, into an environment of its own."""
    folder = a_repository(tmp_path, GithubSettings(module_names(), vendor=True), text)
    venv = tmp_path / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    wheel = next((folder / ".github" / "grade").glob("*.whl"))
    packages = next((venv / "lib").glob("python*")) / "site-packages"
    zipfile.ZipFile(wheel).extractall(packages)
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    command = venv / "bin" / "grade"
    command.write_text(f"#!{venv}/bin/python\nfrom grader.cli.main import main\nmain()\n")
    command.chmod(0o755)
    summary = tmp_path / "summary.md"
    done = run_step(steps(folder)[-1], folder, summary, f"{venv / 'bin'}:{os.environ['PATH']}")
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout
    assert "attention" in summary.read_text()
    assert "STOLEN" not in done.stdout
