"""Submissions made on the spot, in folders and zips."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from grader.course.contents import Contents, read_contents
from grader.course.handed import Handed
from tests.support import ROOT

__all__ = [
    "ATTENTION",
    "BOTH",
    "CODE",
    "MASKS",
    "MULTI_HEAD",
    "Files",
    "in_folder",
    "in_zip",
    "names",
    "notebook",
    "packed",
    "said",
    "why",
]

CODE = b"x = 1\n"
ATTENTION = (ROOT / "solutions" / "attention.py").read_bytes()
MASKS = (ROOT / "solutions" / "masks.py").read_bytes()
MULTI_HEAD = (ROOT / "solutions" / "multi_head_attention.py").read_bytes()
COUNTED = ("attention", "masks")
BOTH = ["attention.py", "masks.py"]
Files = Mapping[str, bytes]


def notebook(code: bytes) -> bytes:
    cell = {"cell_type": "code", "source": code.decode(), "metadata": {}, "outputs": []}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def in_folder(folder: Path, files: Files) -> Contents:
    for name, data in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return read_contents(Handed("a", None, folder, "folder"), COUNTED)


def packed(files: Files) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def in_zip(folder: Path, data: bytes) -> Contents:
    (folder / "work.zip").write_bytes(data)
    return read_contents(Handed("a", None, folder / "work.zip", "zip"), COUNTED)


def names(contents: Contents) -> list[str]:
    assert contents.problem is None, contents.problem
    return [name for name, _ in contents.files]


def said(contents: Contents) -> list[str]:
    return [note.en for note in contents.notes]


def why(contents: Contents) -> str:
    assert contents.problem is not None
    assert not contents.files
    return contents.problem.en
