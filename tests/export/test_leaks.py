"""What is hidden does not leave with a bundle, in whatever form; and the search finds it when it does."""

from __future__ import annotations

import gzip
import io
import json
import marshal
import re
import tarfile
import zipfile
from collections.abc import Callable

import pytest

import grader.export.student as student_module
from grader.data import solution_folder
from grader.errors import KitError
from grader.exercises.registry import exercise, module_names
from grader.export.bundle import Bundle, Item
from grader.export.leaks import find_leaks, must_hide_everything
from grader.export.student import student_bundle
from grader.export.wheel import wheel

SOLUTION = (solution_folder() / "attention.py").read_text(encoding="utf-8")
LINE = next(line for line in SOLUTION.splitlines() if "sqrt" in line and "=" in line)
ROOM = exercise("attention").folder


def zipped(name: str, data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


def tarred(name: str, data: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def compiled(text: str) -> bytes:
    return b"\0" * 16 + marshal.dumps(compile(text, "x.py", "exec"))


def notebook(text: str) -> bytes:
    cell = {"cell_type": "code", "source": text.splitlines(keepends=True)}
    return json.dumps({"cells": [cell]}).encode()


WITHOUT_DOCSTRINGS = re.sub(r'""".*?"""', '""', SOLUTION, flags=re.DOTALL)
SUITE = (ROOM / "suite.py").read_text(encoding="utf-8")
PLANTED: dict[str, Callable[[], tuple[str, bytes]]] = {
    "a solution": lambda: ("attention.py", SOLUTION.encode()),
    "a line of one, in another text": lambda: ("hints.md", f"Try this:\n\n    {LINE}\n".encode()),
    "with other spaces": lambda: ("notes.txt", re.sub(r"\s+", "   ", SOLUTION).encode()),
    "as a comment": lambda: ("masks.py", "".join(f"# {x}\n" for x in SOLUTION.splitlines()).encode()),
    "a suite": lambda: ("test_attention.py", SUITE.encode()),
    "a model": lambda: ("m.py", (ROOM / "model.py").read_bytes()),
    "the texts of mistakes": lambda: ("text.md", (ROOM / "text.zh.md").read_bytes()),
    "a zip": lambda: ("more.zip", zipped("a.py", SOLUTION.encode())),
    "a zip in a zip": lambda: ("more.zip", zipped("b.zip", zipped("a.py", SOLUTION.encode()))),
    "a tar": lambda: ("more.tar.gz", tarred("a.py", SOLUTION.encode())),
    "gzip": lambda: ("a.gz", gzip.compress(SOLUTION.encode())),
    "a notebook": lambda: ("work.ipynb", notebook(SOLUTION)),
    "bytecode": lambda: ("__pycache__/a.pyc", compiled(SOLUTION)),
    "bytecode without docstrings": lambda: (
        "a.pyc",
        compiled(re.sub(r'""".*?"""', '""', SOLUTION, flags=re.S)),
    ),
    "a compiled table": lambda: ("t.safetensors", (ROOM / "compiled.safetensors").read_bytes()),
}


@pytest.mark.parametrize("what", PLANTED)
def test_what_is_planted_is_found(what: str) -> None:
    name, data = PLANTED[what]()
    assert find_leaks(Bundle({name: Item(data)}))


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nfrom torch import nn\n\n\ndef f(x: torch.Tensor) -> torch.Tensor:\n    return x\n",
        "attention(query, key, value, mask=mask)",
        "Dropout is applied to the weights after the softmax.",
    ],
)
def test_ordinary_lines_are_no_leak(text: str) -> None:
    assert not find_leaks(Bundle({"a.py": Item(text.encode())}))


@pytest.mark.slow
def test_the_wheel_of_the_kit_is_found() -> None:
    found = find_leaks(Bundle({"kit.whl": Item(wheel().data)}))
    assert {f"solutions/{name}.py" for name in module_names()} <= {leak.source for leak in found}


def test_the_student_kit_is_clean_and_holds_no_archive() -> None:
    bundle = student_bundle(module_names())
    assert not find_leaks(bundle)
    assert {name.rpartition(".")[2] for name, _ in bundle} == {"py", "txt", "md"}


def test_the_build_fails_where_a_skeleton_gives_the_solution_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(student_module, "skeleton_folder", solution_folder)
    with pytest.raises(KitError, match="attention"):
        student_bundle(("attention",))


def test_the_sentence_names_the_file_and_where_it_is_from() -> None:
    with pytest.raises(KitError) as caught:
        must_hide_everything(Bundle({"hints.md": Item(LINE.encode())}))
    assert "hints.md" in caught.value.text.en
    assert "solutions/attention.py" in caught.value.text.zh
