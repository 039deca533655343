"""What becomes part of a module, where each line is from, and what belongs to which exercise."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from grader.submission.assembling import Assembled, assemble
from grader.submission.notebook import Cell
from grader.submission.places import Naming
from tests.notebook.making import ATTEND, SOLUTION, without_imports

DEF = f"def {ATTEND}(query, key, value, mask=None, dropout=None):\n"
HEADS = "class MultiHeadAttention(nn.Module):\n    def forward(self, x):\n        return "


def put(
    *sources: str, stem: str = "", live: Mapping[str, int | None] | None = None, **tagged: int
) -> Assembled:
    """The modules of cells with these sources; tagged: exercise to the number of its cell."""
    named = {number: name for name, number in tagged.items()}
    cells = [Cell(n, source, (named[n],) if n in named else ()) for n, source in enumerate(sources, 1)]
    return assemble(cells, Naming("w.ipynb", stem), live)


def text(found: Assembled, name: str = "attention") -> str:
    """The module without blank lines."""
    return re.sub(r"\n{2,}", "\n", found.files[name].text).strip("\n")


def test_all_solutions_in_one_notebook() -> None:
    found = put(*(without_imports(SOLUTION[name]) for name in SOLUTION))
    assert set(found.files) == set(SOLUTION)
    assert not found.notes
    for name, file in found.files.items():
        assert file.problem is None
        for number, line in enumerate(file.text.split("\n")[:-1], 1):
            place, at = file.place(number)
            cell = int(re.findall(r"\d+", str(place))[0])
            source = without_imports(SOLUTION[list(SOLUTION)[cell - 1]]).split("\n")
            if line.strip() and not line.startswith(("from ", "import ")):
                assert source[(at or 0) - 1] == line, name
    assert found.files["encoder_block"].imports(SOLUTION) == {"multi_head_attention": 1, "layer_norm": 2}


def test_nothing_that_runs_is_taken() -> None:
    body = "    return query, key\n"
    found = put(
        f"import torch, math\nprint('hello')\n{DEF}{body}x = 1",
        f"q = torch.randn(3)\nout = {ATTEND}(q, q, q)\nplt.plot(out)\nout.sum().backward()",
        "for step in range(10**9):\n    loss = step",
        "with open('x') as f:\n    f.read()",
        "import os; os._exit(1)",
        "if __name__ == '__main__':\n    main()",
        "while True: pass",
    )
    assert text(found) == (DEF + body).strip("\n")
    assert found.files["attention"].place(1) == ("w.ipynb[cell 1]", 3)


def test_what_a_definition_stands_on_is_taken() -> None:
    found = put(
        "import torch\nimport torch.nn.functional as F\nimport math as m, os",
        "BIG = -1e9\nSCALE = m.sqrt(4) + OFFSET\nOFFSET = 1\nSEED = 3\nTABLE = torch.ones(3).tril()",
        "def soft(x):\n    return helper(x) + TABLE",
        "helper = lambda x: F.relu(x, BIG)",
        f"{DEF}    return soft(query) * SCALE, torch.e",
    )
    assert text(found).split("\n") == [
        "import torch",
        "import torch.nn.functional as F",
        "import math as m",
        "BIG = -1e9",
        "SCALE = m.sqrt(4) + OFFSET",
        "OFFSET = 1",
        "TABLE = torch.ones(3).tril()",
        "def soft(x):",
        "    return helper(x) + TABLE",
        "helper = lambda x: F.relu(x, BIG)",
        DEF.strip(),
        "    return soft(query) * SCALE, torch.e",
    ]


def test_a_local_name_is_no_need() -> None:
    found = put("scores = launch()", f"{DEF}    scores = query\n    return scores, [key for key in scores]")
    assert "launch" not in text(found)
    assert not found.notes


def test_the_last_definition_counts() -> None:
    found = put(f"{DEF}    return 1", f"{DEF}    return 2", "x = 1")
    assert "return 2" in text(found)
    assert "return 1" not in text(found)


def test_a_tagged_cell_counts_more_than_a_later_one() -> None:
    found = put(f"{DEF}    return 1", f"{DEF}    return 2", attention=1)
    assert "return 1" in text(found)


def test_a_class_that_goes_on_from_its_earlier_self() -> None:
    found = put(
        "from torch import nn",
        f"{HEADS}1",
        "class MultiHeadAttention(MultiHeadAttention):\n    def more(self):\n        return 2",
    )
    assert text(found, "multi_head_attention").count("class MultiHeadAttention") == 2


@pytest.mark.parametrize(
    "patch",
    [
        "def forward(self, x):\n    return 7\nMultiHeadAttention.forward = forward",
        "@add_to(MultiHeadAttention)\ndef forward(self, x):\n    return 7",
    ],
)
def test_a_class_that_is_changed_later(patch: str) -> None:
    add = "def add_to(kind):\n    def put(f):\n        setattr(kind, f.__name__, f)\n    return put"
    found = put("from torch import nn", f"{HEADS}1", add, patch)
    assert "return 7" in text(found, "multi_head_attention")


def test_what_belongs_to_an_earlier_exercise_is_imported() -> None:
    found = put(
        "from torch import nn",
        f"def my_softmax(x):\n    return x\n{DEF}    return my_softmax(query), key",
        f"{HEADS}{ATTEND}(x, x, x), my_softmax(x)",
    )
    lines = text(found, "multi_head_attention").split("\n")
    assert lines[:2] == ["from attention import my_softmax", f"from attention import {ATTEND}"]
    assert found.files["multi_head_attention"].place(1) == ("w.ipynb[cell 3]", 1)
    assert "def my_softmax" not in "\n".join(lines)


def test_an_import_of_the_earlier_exercise_is_the_same() -> None:
    imported = f"from torch import nn\nfrom attention import {ATTEND} as attend\n{HEADS}attend(x, x, x)"
    found = put(f"{DEF}    return query, key", imported)
    assert f"from attention import {ATTEND} as attend" in text(found, "multi_head_attention")


def test_what_a_later_exercise_defines_is_copied() -> None:
    found = put(
        "from torch import nn",
        f"{DEF}    return late(query), key",
        f"def late(x):\n    return x\n{HEADS}late(x)",
    )
    assert "def late" in text(found)
    assert not found.files["attention"].imports(["multi_head_attention"])


def test_one_name_in_a_line_of_several() -> None:
    found = put(f"import matplotlib.pyplot as plt, torch\n{DEF}    return torch.e, plt2")
    assert text(found).startswith("import torch\n")
    assert "matplotlib" not in text(found)


def test_statements_that_share_a_line() -> None:
    found = put(f'BIG = 1; print("中文"); SMALL = (2,\n  3)\n{DEF}    return BIG, SMALL')
    assert "BIG = 1\nSMALL = (2,\n  3)\n" in text(found) + "\n"
    assert "print" not in text(found)


def test_imports_that_are_tried() -> None:
    tried = "try:\n    import triton\nexcept ImportError:\n    triton = None"
    assert tried in text(put(tried, f"{DEF}    return triton, key"))
    assert "triton" not in text(put(tried, f"{DEF}    return query, key"))


def test_the_future_comes_first_and_a_star_comes_along() -> None:
    found = put(
        "from math import *\nx = 1", f"from __future__ import annotations\n{DEF}    return sqrt(2), x"
    )
    assert text(found).split("\n")[:3] == [
        "from __future__ import annotations",
        "from math import *",
        "x = 1",
    ]


def test_a_configuration_may_be_made() -> None:
    config = "class Config:\n    size = 4\nconfig = Config()"
    assert "config = Config()" in text(put(config, f"{DEF}    return config.size, key"))


def test_a_value_that_other_code_works_out_is_told() -> None:
    found = put("def train(): return 1", "scale = train()\n", f"{DEF}    return query * scale, key")
    assert "train()" not in text(found)
    assert len(found.notes) == 1
    assert found.notes[0].en == (
        "w.ipynb[cell 2]:1 works out scale by running other code, and what w.ipynb[cell 3]:1 defines uses "
        "it: such a cell is not run, so make the value where it is used"
    )
    assert found.notes[0].zh.startswith("w.ipynb[cell 2]:1 通过运行其他代码得到 scale")


# -- which exercises --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sources", "ids"),
    [
        ((f"{DEF}    pass",), ["attention"]),
        (("def causal_mask(size): pass", f"{DEF}    return causal_mask(3), 1"), ["attention"]),
        (("def causal_mask(size): pass",), ["masks"]),
        (
            ("def causal_mask(size): pass\ndef padding_mask(t): pass", f"{DEF}    pass"),
            ["attention", "masks"],
        ),
        (("x = 1",), []),
    ],
)
def test_the_exercises_of_a_notebook(sources: tuple[str, ...], ids: list[str]) -> None:
    assert list(put(*sources).files) == ids


def test_a_tag_or_the_name_of_the_file_says_which() -> None:
    assert list(put("x = 1", "y = 2", masks=2).files) == ["masks"]
    assert list(put("def atend(q): return q", stem="attention").files) == ["attention"]
    assert "atend" in put("def atend(q): return q", attention=1).files["attention"].defined()
    assert list(put(f"%%grade attention\n{DEF}    pass").files) == ["attention"]


# -- cells that are no Python -----------------------------------------------------------------------


def test_a_cell_that_is_no_python_is_left_out_and_told() -> None:
    found = put("print 'x'", f"{DEF}    return 1")
    assert found.files["attention"].problem is None
    assert [n.en.split(" (")[0] for n in found.notes] == ["w.ipynb[cell 1]:1 is no Python"]


@pytest.mark.parametrize("before", ["", f"{DEF}    return 1"])
def test_the_cell_of_the_exercise_is_no_python(before: str) -> None:
    file = put(before or "x = 1", f"# mine\n{DEF}    return (").files["attention"]
    assert file.problem is not None
    assert file.problem.fault == "syntax-error"
    assert file.place(file.problem.line) == ("w.ipynb[cell 2]", 3)


def test_a_mistake_that_was_put_right_in_a_later_cell() -> None:
    found = put(f"{DEF}    return (", f"{DEF}    return 1")
    assert found.files["attention"].problem is None
    assert len(found.notes) == 1


# -- a running notebook -----------------------------------------------------------------------------


def test_what_is_live_counts() -> None:
    cells = (f"{DEF}    return 1", f"{DEF}    return 2")
    assert "return 1" in text(put(*cells, live={ATTEND: 1}, stem="attention"))
    assert "return 2" in text(put(*cells, live={ATTEND: 2}, stem="attention"))
    assert "return 2" in text(put(*cells, live={ATTEND: None}, stem="attention"))
    assert put(*cells, live={}, stem="attention").files["attention"].text == ""  # deleted


def test_long_chains_and_odd_names_do_no_harm() -> None:
    chain = "c0 = 0\n" + "\n".join(f"c{n + 1} = c{n}" for n in range(3000))
    long = "LONG = " + " + ".join(["1"] * 900)
    found = assemble(
        [
            Cell(1, chain),
            Cell(2, long),
            Cell(3, f"{DEF}    return c3000, LONG"),
            Cell(4, "\n" * 200_000 + "def f(:"),
        ],
        Naming("a{b}[c].ipynb"),
    )
    file = found.files["attention"]
    assert file.problem is None
    assert file.place(1) == ("a{b}[c].ipynb[cell 1]", 1)
    assert file.text.startswith("c0 = 0\n")
    assert found.notes[0].en.startswith("a{b}[c].ipynb[cell 4]:200001 is no Python")
