"""The student kit, used as a student does: in a folder of its own, without the kit."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.data import skeleton_folder, solution_folder
from grader.exercises.registry import module_names
from grader.export.student import public_checks, student_bundle
from tests.support import SUBMISSIONS

FIRST = "attention"


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("a kit")
    student_bundle(module_names()).write_folder(folder)
    return folder


def check(kit: Path, *words: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    more = ["--path", str(path)] if path is not None else []
    return subprocess.run(
        [sys.executable, "-I", str(kit / "check.py"), *words, *more],
        capture_output=True,
        encoding="utf-8",
        env={"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"},
        cwd=kit.parent,
        check=False,
    )


def test_the_solutions_pass(kit: Path) -> None:
    done = check(kit, path=solution_folder())
    assert done.returncode == 0, done.stdout + done.stderr
    signs = [line[0] for line in done.stdout.splitlines()]
    assert set(signs) == {"+"}
    assert len(signs) >= 4 * len(module_names()) - 2


def test_the_skeletons_are_to_do(kit: Path) -> None:
    done = check(kit, "--lang", "zh")
    assert done.returncode == 1
    assert {line[0] for line in done.stdout.splitlines() if not line.startswith(" ")} == {"o"}
    assert "文档字符串中的例子" in done.stdout


def test_a_wrong_one_is_shown_with_both_numbers(kit: Path, tmp_path: Path) -> None:
    shutil.copy(SUBMISSIONS / FIRST / "chaffs" / "missing_scale_matmul.py", tmp_path / f"{FIRST}.py")
    done = check(kit, FIRST, path=tmp_path)
    assert done.returncode == 1
    assert "0.8808" in done.stdout
    assert "0.7311" in done.stdout


BROKEN = {
    "attention": ("def scaled_dot_product_attention(:\n", "attention.py:1"),
    "masks": ("import sys; sys.exit()\n", "SystemExit"),
    "positional_encoding": ("def sinusoidal_table(a, b):\n    return 1\n", "int, expected torch.Tensor"),
    "layer_norm": ("def LayerNorm(d):\n    return d[9]\n", "(layer_norm.py:2)"),
}


def test_a_broken_file_costs_its_own_lines(kit: Path, tmp_path: Path) -> None:
    for name, (text, _) in BROKEN.items():
        (tmp_path / f"{name}.py").write_text(text)
    done = check(kit, "--github", path=tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    for name, (_, said) in BROKEN.items():
        assert re.search(f"^x {name}: .*\n    .*{re.escape(said)}", done.stdout, re.MULTILINE), name
    assert "- encoder: no such file" in done.stdout
    assert re.search(r"::error file=.*attention\.py,line=1::", done.stdout)


def test_nothing_there_and_no_such_exercise(kit: Path, tmp_path: Path) -> None:
    assert check(kit, path=tmp_path).returncode == 2
    wrong = check(kit, "attentoin")
    assert wrong.returncode == 2
    assert "there is no exercise 'attentoin'" in wrong.stderr


@pytest.mark.parametrize("name", module_names())
def test_every_exercise_has_public_checks_in_both_languages(name: str) -> None:
    text = public_checks(name)
    titles = [line for line in text.splitlines() if line.startswith("## ")]
    assert len(titles) >= 3
    assert all(re.search("[\u4e00-\u9fff]", title) and " | " in title for title in titles)
    example = next(x for x in (skeleton_folder() / f"{name}.py").read_text().splitlines() if ">>> " in x)
    assert example.strip() in text
