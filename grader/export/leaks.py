"""Looks for what is hidden (solutions, suites, models, mistakes) in what leaves the course.

Every file is looked at in every form in which text could travel: as text, in archives (and archives in
those), as Python bytecode, and as tables of tensors.  Texts are compared by runs of words and signs, so
that other spacing, other indentation or a comment removed do not hide a line.  What is public anyway, the
skeletons, is left out.

This is for accidents (a folder too many, a wheel put into the kit), not for somebody who disguises text.
"""

from __future__ import annotations

import builtins
import functools
import gzip
import io
import json
import keyword
import marshal
import re
import tarfile
import types
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grader
from grader.data import skeleton_folder, solution_folder
from grader.errors import KitError
from grader.export.bundle import Bundle
from grader.text import Text

__all__ = ["Leak", "find_leaks", "must_hide_everything"]

RUN = 10  # so many words and signs in a row are no chance
FEWEST_WORDS = 3  # of its own, in a run: brackets and numbers say nothing
ORDINARY = {*keyword.kwlist, *dir(builtins), "torch", "nn", "self", "Tensor", "math"}
FEWEST_NAMES = 4  # of a compiled function, to know it again
DEEPEST = 5  # archives in archives
HIDDEN = Path(grader.__file__).resolve().parent / "exercises"
HEADER = 16  # of a .pyc
_TOKENS = re.compile(r"\w+|[^\w\s]")
_IMPORTS = re.compile(r"^(?:from [\w.]+ )?import [^()\n]*(?:\([^)]*\))?$", re.MULTILINE)
_COMMENTS = re.compile(r"^\s*#.*$", re.MULTILINE)

Function = tuple[object, ...]


@dataclass(frozen=True)
class Leak:
    """A place in the bundle that holds something hidden, and where that is from."""

    name: str
    source: str
    words: str


@dataclass(frozen=True)
class _Secrets:
    """runs, functions: what is hidden, and the file that it is in; keys: the names in compiled tables."""

    runs: dict[tuple[str, ...], str]
    functions: dict[Function, str]
    keys: dict[str, str]


def must_hide_everything(bundle: Bundle) -> None:
    """Raises `KitError`, with the first few places, where something hidden is in a bundle."""
    found = find_leaks(bundle)
    if not found:
        return
    listed = "; ".join(f"{leak.name}: {leak.words!r} ({leak.source})" for leak in found[:3])
    raise KitError(
        Text(
            f"not written, since it would give hidden parts away ({len(found)} places): {listed}",
            f"没有写出，因为其中会泄露隐藏内容（{len(found)} 处）：{listed}",
        )
    )


def find_leaks(bundle: Bundle) -> list[Leak]:
    """Every file of a bundle that holds something hidden, each hidden file once."""
    secrets = _secrets()
    found: dict[tuple[str, str], Leak] = {}
    for name, item in bundle:
        for place, kind, piece in _pieces(name, item.data, 0):
            for source, words in _told(kind, piece, secrets):
                found.setdefault((place, source), Leak(place, source, words))
    return list(found.values())


# -- what is hidden ---------------------------------------------------------------------------------


@functools.cache
def _secrets() -> _Secrets:
    public = {run for path in skeleton_folder().glob("*.py") for run in _runs(path.read_text("utf-8"))}
    runs: dict[tuple[str, ...], str] = {}
    functions: dict[Function, str] = {}
    keys: dict[str, str] = {}
    for path in _hidden_files():
        source = f"{path.parent.name}/{path.name}"
        if path.suffix == ".safetensors":
            keys |= dict.fromkeys(_keys(path.read_bytes()), source)
            continue
        text = path.read_text(encoding="utf-8")
        runs |= {run: source for run in _runs(text) if run not in public}
        if path.suffix == ".py":
            code = compile(text, path.name, "exec", dont_inherit=True)
            functions |= dict.fromkeys(_functions(code), source)
    for path in skeleton_folder().glob("*.py"):
        for known in _functions(compile(path.read_text("utf-8"), path.name, "exec", dont_inherit=True)):
            functions.pop(known, None)
    return _Secrets(runs, functions, keys)


def _hidden_files() -> Iterator[Path]:
    yield from sorted(solution_folder().glob("*.py"))
    for path in sorted(HIDDEN.glob("*/**/*")):  # the rooms; what stands beside them is machinery
        if path.suffix in (".py", ".md", ".toml", ".safetensors"):
            yield path


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    """Every run of words and signs, with and without the lines that are comments; imports give nothing
    away."""
    text = _IMPORTS.sub("", text)
    for form in {text, _COMMENTS.sub("", text)}:
        words = _TOKENS.findall(form)
        for start in range(len(words) - RUN + 1):
            run = tuple(words[start : start + RUN])
            if sum(word not in ORDINARY and word[0].isalpha() for word in set(run)) >= FEWEST_WORDS:
                yield run


def _functions(code: types.CodeType) -> Iterator[Function]:
    """Compiled functions by what they use, which is the same in every version of Python."""
    constants = tuple(sorted(repr(c) for c in code.co_consts if isinstance(c, (int, float, bytes))))
    names = (*code.co_names, *code.co_varnames)
    if code.co_name != "<module>" and len(set(names)) >= FEWEST_NAMES:
        yield (code.co_name, tuple(sorted(set(code.co_names))), code.co_varnames, constants)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _functions(inner)


def _keys(data: bytes) -> list[str]:
    """The names of the tensors in a safetensors file."""
    try:
        size = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + size])
    except (ValueError, UnicodeDecodeError):
        return []
    return [k for k in header if k != "__metadata__"] if isinstance(header, dict) else []


# -- what is in the bundle --------------------------------------------------------------------------


def _pieces(name: str, data: bytes, depth: int) -> Iterator[tuple[str, str, object]]:
    """What a file holds: (place, kind, text or code or names)."""
    if depth > DEEPEST:
        return
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for inner in archive.namelist():
                yield from _pieces(f"{name}!{inner}", archive.read(inner), depth + 1)
        return
    if data[:2] == b"\x1f\x8b":
        yield from _pieces(name, gzip.decompress(data), depth + 1)
        return
    if data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for member in tar:
                file = tar.extractfile(member)
                if file is not None:
                    yield from _pieces(f"{name}!{member.name}", file.read(), depth + 1)
        return
    if name.endswith(".pyc"):
        code = marshal.loads(data[HEADER:])  # of our own making: nothing of a submission comes here
        yield name, "code", code
        yield name, "text", "\n".join(_strings(code))
    if name.endswith(".safetensors"):
        yield name, "keys", _keys(data)
    text = data.decode("utf-8", errors="replace")
    yield name, "text", text
    if name.endswith(".ipynb"):
        yield name, "text", "\n".join(_cells(text))


def _strings(code: types.CodeType) -> Iterator[str]:
    yield from (c for c in code.co_consts if isinstance(c, str))
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _strings(inner)


def _cells(text: str) -> Iterator[str]:
    try:
        cells = json.loads(text).get("cells", [])
    except (ValueError, AttributeError):
        return
    for cell in cells:
        source = cell.get("source", "")
        yield source if isinstance(source, str) else "".join(source)


def _told(kind: str, piece: object, secrets: _Secrets) -> Iterator[tuple[str, str]]:
    """What a piece gives away: the hidden file, and the words."""
    if kind == "text" and isinstance(piece, str):
        yield from ((secrets.runs[run], " ".join(run)) for run in _runs(piece) if run in secrets.runs)
    elif kind == "code" and isinstance(piece, types.CodeType):
        for known in _functions(piece):
            if known in secrets.functions:
                yield secrets.functions[known], f"{known[0]}()"
    elif kind == "keys" and isinstance(piece, list):
        hits = [key for key in piece if key in secrets.keys]
        if hits:
            yield secrets.keys[hits[0]], hits[0]
