"""What IPython adds to Python is taken out of a cell, and nothing else is."""

from __future__ import annotations

import ast

import pytest

from grader.submission.magics import parse_cell

TAKEN_OUT = {
    "%matplotlib inline\nx = 1": "pass\nx = 1",
    "!pip install torch\nx = 1": "pass\nx = 1",
    "x = 1\n?torch.nn": "x = 1\npass",
    "x = 1\ntorch.nn.Linear??": "x = 1\npass",
    "torch.softmax?  # what is it": "pass",
    "files = !ls *.py\nx = 1": "pass\nx = 1",
    "t = %timeit -o f()\nx = 1": "pass\nx = 1",
    "if True:\n    %time f()\nx = 1": "if True:\n    pass\nx = 1",
    "!echo 'it\nx = 1": "pass\nx = 1",
    "!echo (\nx = 1": "pass\nx = 1",
    "!cat \\\n  file\nx = 1": "pass\n\nx = 1",
    "def f():\n    !ls\n    return 1": "def f():\n    pass\n    return 1",
    "%%time\nx = 1": "\nx = 1",
    "\n%%capture out\nx = 1": "\n\nx = 1",
    "%%bash\nrm -rf /": "\n",
    "%%javascript\nlet x = 1": "\n",
    "%%writefile notes.txt\ndef f(:": "\n",
}
LEFT = [
    "x = 5\ny = (x\n % 3)",
    's = """\n%d items\n!important\nwhy?\n"""',
    "x = y != 3",
    "x = 'a?'",
    "# %matplotlib\nx = 1  # really?",
]


@pytest.mark.parametrize("source", TAKEN_OUT)
def test_taken_out(source: str) -> None:
    found = parse_cell(source)
    assert found.tree is not None
    assert found.text == TAKEN_OUT[source]


@pytest.mark.parametrize("source", LEFT)
def test_python_stays(source: str) -> None:
    found = parse_cell(source)
    assert found.text == source
    assert found.tree is not None
    assert ast.dump(found.tree) == ast.dump(ast.parse(source))


def test_a_magic_beside_a_text_that_looks_like_one() -> None:
    found = parse_cell('%time\ns = """\n%d\n"""')
    assert found.text == 'pass\ns = """\n%d\n"""'


@pytest.mark.parametrize(
    ("source", "line"), [("def f(:", 1), ("%time\n\ndef f(:", 3), ("x = 1\nprint 'a'", 2), ("x = = !ls", 1)]
)
def test_a_real_mistake_stays_one(source: str, line: int) -> None:
    found = parse_cell(source)
    assert found.tree is None
    assert found.line == line


def test_nesting_is_no_crash() -> None:
    assert parse_cell("x = " + "-" * 90_000 + "1").tree is None
    assert parse_cell("%a\n" * 500 + "x = 1").tree is not None


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("%%grade attention\nx = 1", "attention"),
        ("%%grade zh=1 masks", "zh=1"),
        ("%%writefile attention.py\nx = 1", "attention"),
        ("%%writefile -a src/masks.py\nx = 1", "masks"),
        ("%%time\nx = 1", None),
    ],
)
def test_the_exercise_that_a_magic_names(source: str, name: str | None) -> None:
    assert parse_cell(source).named == name
