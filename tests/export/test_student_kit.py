"""The student kit, used as a student does: in a folder of its own, without the kit."""

from __future__ import annotations

import re
import shutil
import signal
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


def check(
    kit: Path, *words: str, path: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    more = ["--path", str(path)] if path is not None else []
    return subprocess.run(
        [sys.executable, "-I", str(kit / "check.py"), *words, *more],
        capture_output=True,
        encoding="utf-8",
        env={"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", **variables},
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


LOOPS = """\
import torch
from pathlib import Path

SEEN = Path(__file__).with_name("seen")


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    print("begins", end="", flush=True)
    if not SEEN.exists():
        SEEN.touch()
        while True:
            pass
    weights = torch.softmax(query @ key.mT / query.size(-1) ** 0.5, dim=-1)
    weights = weights if dropout is None else dropout(weights)
    return weights @ value, weights
"""


ENDS = """\
import os


def scaled_dot_product_attention(*all, **named):
    print("x", end="")
    os._exit(0)
"""


def test_a_loop_costs_one_check_and_the_next_ones_go_on(kit: Path, tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text(LOOPS)
    done = check(kit, FIRST, "--seconds", "6", path=tmp_path)
    assert done.returncode == 1
    first, *more = [line for line in done.stdout.splitlines() if line[0] in "+x-o"]
    assert first.startswith("x attention: ")
    assert "stopped after 6 s: is there a loop that does not end?" in done.stdout
    assert len(more) >= 2
    assert {line[0] for line in more} == {"+"}
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("import os\nos._exit(0)\n", 1),
        (ENDS, 3),
    ],
    ids=["at once", "when called"],
)
def test_a_silent_end_is_no_success(kit: Path, tmp_path: Path, text: str, lines: int) -> None:
    (tmp_path / "attention.py").write_text(text)
    done = check(kit, FIRST, "masks", "--github", "--lang", "zh", path=tmp_path)
    assert done.returncode == 1
    assert done.stdout.count("程序在这里自行结束（退出码 0）") >= 2 * lines  # and as annotations
    assert "- masks" in done.stdout  # the others had their turn
    signs = [line for line in done.stdout.splitlines() if line.startswith("x attention")]
    assert len(signs) >= lines


def test_what_is_printed_is_no_command_to_github(kit: Path, tmp_path: Path) -> None:
    """Also where it ends its process in the middle of a line, and where it looks for GitHub's files."""
    (tmp_path / "attention.py").write_text(
        "import os\n"
        "print('::error::x')\nprint('::stop-commands::a')\n"
        "print(sorted(n for n in os.environ if n.startswith('GITHUB_')))\n"
        "print('unended', end='', flush=True)\nos._exit(0)\n"
    )
    done = check(kit, FIRST, "--github", path=tmp_path, GITHUB_ENV="/nowhere")
    lines = done.stdout.splitlines()
    assert re.fullmatch("::stop-commands::[0-9a-f]{32}", lines[0])
    resumes = lines.index(f"::{lines[0].removeprefix('::stop-commands::')}::")
    for words in ("::error::x", "::stop-commands::a", "[]", "unended"):
        assert 0 < lines.index(words) < resumes
    assert [line.startswith("::error file=") for line in lines[resumes + 1 :]] == [True]


@pytest.mark.parametrize("text", ["", "# later\n", '"""Later."""\n'])
def test_an_empty_file_is_to_do(kit: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "attention.py").write_text(text)
    done = check(kit, FIRST, path=tmp_path)
    assert (done.returncode, done.stdout) == (1, "o attention: nothing is in the file yet\n")


def test_what_is_not_defined_yet_is_to_do(kit: Path, tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text("import torch\n")
    (tmp_path / "layer_norm.py").write_text(
        "class LayerNorm:\n    def __init__(self, d):\n        self.d = D\n"
    )
    done = check(kit, FIRST, "layer_norm", path=tmp_path)
    assert "    attention.py has no scaled_dot_product_attention yet\n" in done.stdout
    assert {x[0] for x in done.stdout.splitlines() if " attention" in x[:12]} == {"o"}
    assert "NameError: name 'D' is not defined (layer_norm.py:3)" in done.stdout  # a mistake of theirs


def test_a_folder_that_is_not_there(kit: Path, tmp_path: Path) -> None:
    for language, said in (("en", "there is no folder"), ("zh", "没有文件夹")):
        done = check(kit, "--lang", language, path=tmp_path / "no")
        assert done.returncode == 2
        assert done.stdout == ""
        assert f"{said} {tmp_path / 'no'}" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_it_without_a_traceback(kit: Path, tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text("print('here', flush=True)\nwhile True:\n    pass\n")
    words = [sys.executable, "-I", str(kit / "check.py"), FIRST, "--path", str(tmp_path)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "here\n"
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert (process.returncode, out, error) == (130, "", "\nstopped | 已中止\n")


@pytest.mark.parametrize("name", module_names())
def test_every_exercise_has_public_checks_in_both_languages(name: str) -> None:
    text = public_checks(name)
    titles = [line for line in text.splitlines() if line.startswith("## ")]
    assert len(titles) >= 3
    assert all(re.search("[\u4e00-\u9fff]", title) and " | " in title for title in titles)
    example = next(x for x in (skeleton_folder() / f"{name}.py").read_text().splitlines() if ">>> " in x)
    assert example.strip() in text
