"""The commands that speak of lines, in a folder whose exercises are in a notebook: cells, and no modules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner, Result

from grader.cli.main import cli
from grader.cli.watch import _chosen
from grader.errors import UsageError
from grader.notebook.skeletons import skeleton_notebook
from grader.submission.notebook import read_notebook
from tests.notebook.making import WRONG, notebook, saved, without_imports
from tests.support import ROOT, SUBMISSIONS

Call = Callable[..., Result]
FIRST = (ROOT / "examples" / "first-try" / "attention.py").read_text(encoding="utf-8")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "110")
    return lambda *words: CliRunner().invoke(cli, [str(w) for w in words], prog_name="grade")


def test_trace_shows_cells_and_their_lines(call: Call, tmp_path: Path) -> None:
    definition = FIRST[FIRST.index("def ") :]
    saved(tmp_path / "work.ipynb", "import torch", "%matplotlib inline", f"# mine\n\n{definition}")
    shown = call("trace", "attention")
    assert shown.exit_code == 1
    assert re.search(r"^ +work\.ipynb\[cell 3\]$", shown.output, re.MULTILINE)
    assert re.search(r"^✓ +4 │     scores = torch.matmul", shown.output, re.MULTILINE)
    assert re.search(r"^✗ +6 │         scores = scores.masked_fill", shown.output, re.MULTILINE)
    assert "The first line that is not right: work.ipynb[cell 3]:6" in shown.output
    assert "attention.py" not in shown.output
    found = json.loads(call("trace", "attention", "--json", "-").stdout)
    assert found["file"] == "work.ipynb"
    assert {(n["file"], n["line"]) for n in found["lines"]} >= {("work.ipynb[cell 3]", 4)}
    assert "第一个不正确的行：work.ipynb[cell 3]:6" in call("trace", "attention", "--lang", "zh").output


def test_trace_of_a_class_whose_parts_are_in_several_cells(call: Call, tmp_path: Path) -> None:
    source = without_imports((SUBMISSIONS / "layer_norm/chaffs/unbiased_var_mean.py").read_text("utf-8"))
    first = source.index("\nclass ")
    second = source.index("\nclass ", first + 1)
    saved(tmp_path / "work.ipynb", source[:first], source[first:second], source[second:])
    shown = call("trace", "layer_norm").output
    assert "work.ipynb[cell 2]" in shown
    assert re.search(r"The first line that is not right: work\.ipynb\[cell 2\]:\d+", shown)
    shown = call("trace", "layer_norm", "--call", "AddNorm").output
    assert shown.count("\n    work.ipynb[cell 3]") + shown.count("\n     work.ipynb[cell 3]") == 1


def test_what_is_not_written_has_its_cell(call: Call, tmp_path: Path) -> None:
    (tmp_path / "transformer.ipynb").write_text(skeleton_notebook("en"), encoding="utf-8")
    for words, code in ((("trace", "attention"), 2), (("hint", "attention"), 0), (("repro", "attention"), 1)):
        shown = call(*words)
        assert shown.exit_code == code
        assert re.search(r"transformer\.ipynb\[cell 2\]:\d+", " ".join(shown.output.split())), words
        assert "attention.py" not in shown.output


def test_solution_beside_the_cells(call: Call, tmp_path: Path) -> None:
    saved(tmp_path / "work.ipynb", WRONG)
    refused = call("solution", "attention")
    assert refused.exit_code == 2
    assert "attention is not passed yet" in refused.output
    shown = call("solution", "attention", "--force").output
    assert shown.count("def scaled_dot_product_attention") == 2
    (tmp_path / "work.ipynb").write_text(notebook("def scaled_dot_product_attention(:"), encoding="utf-8")
    shown = call("solution", "attention", "--force").output
    assert "the reference (attention (work.ipynb) cannot be read)" in shown


def test_the_name_of_a_notebook_in_place_of_an_exercise(call: Call, tmp_path: Path) -> None:
    saved(tmp_path / "work.ipynb", WRONG)
    for words in (("hint",), ("reset",), ("solution",)):
        refused = call(*words, "work.ipynb", "--lang", "zh")
        assert refused.exit_code == 2
        assert "work.ipynb 是 notebook：请改为给出练习的名称，例如 attention" in refused.output
    assert _chosen(tmp_path, ["work.ipynb"]) == ("attention",)
    with pytest.raises(UsageError, match=r"no exercise or file 'other\.ipynb'"):
        _chosen(tmp_path, ["other.ipynb"])


# -- a program for a cell ---------------------------------------------------------------------------


def run(program: str, path: Path) -> str:
    """What the program prints in a notebook whose cells were run."""
    names: dict[str, Any] = {}
    for cell in read_notebook(path):
        exec(cell.source, names)
    printed: list[str] = []
    names["print"] = lambda *words: printed.append(" ".join(map(str, words)))
    torch.manual_seed(0)
    exec(compile(program, "cell", "exec"), names)
    return "\n".join(printed)


def test_repro_is_a_program_for_a_cell(call: Call, tmp_path: Path) -> None:
    path = saved(tmp_path / "work.ipynb", FIRST)
    shown = call("repro", "attention")
    assert shown.exit_code == 0
    assert "attention (work.ipynb) is not right" in shown.stdout
    assert "Run it in a new cell of work.ipynb, after the cells that define" in shown.stdout
    assert "(work.ipynb[cell 1]:" in shown.stdout
    assert "import scaled_dot_product_attention" not in shown.stdout
    assert run(shown.stdout, path).endswith("agrees: False")
    chinese = call("repro", "attention", "--lang", "zh", "--output", "a small.py")
    command = f'%run -i "{tmp_path / "a small.py"}"'
    assert command in chinese.stderr.replace("\n", "")
    assert "请先运行定义 scaled_dot_product_attention 的单元" in (tmp_path / "a small.py").read_text("utf-8")


def test_a_program_does_not_change_what_the_learners_code_uses(call: Call, tmp_path: Path) -> None:
    """A constant called as an argument is: set anew, it would change what the function gives."""
    used = FIRST.replace("import torch\n", "import torch\n\nmask_value = weights = 0\nexpected = 1.0\n")
    used = used.replace("mask == 0, 0)", "mask == 0, 0 * expected)")
    path = saved(tmp_path / "work.ipynb", used)
    program = call("repro", "attention").stdout
    assert "\ndef small():\n    query = " in program
    assert run(program, path).endswith("agrees: False")


def test_a_program_that_raises_speaks_of_cells(call: Call, tmp_path: Path) -> None:
    wrong = (SUBMISSIONS / "attention/chaffs/leading_dims_bmm.py").read_text("utf-8")
    path = saved(tmp_path / "work.ipynb", wrong)
    program = call("repro", "attention").stdout
    assert "the last line that is in one of your cells is where to look" in program
    assert run(program, path).endswith("agrees: False")


def test_what_an_earlier_exercise_does(call: Call, tmp_path: Path) -> None:
    later = without_imports((ROOT / "solutions" / "multi_head_attention.py").read_text("utf-8"))
    saved(tmp_path / "work.ipynb", FIRST, later)
    shown = call("repro", "multi_head_attention")
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert "given your attention (work.ipynb); try `grade repro attention`" in " ".join(shown.stderr.split())
    traced = call("trace", "multi_head_attention").output
    assert "by attention" in traced
    assert ".py" not in traced
