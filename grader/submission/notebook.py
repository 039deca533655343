"""Reads a notebook as data: its code cells, their tags, and why it cannot be used.

Four keys of the JSON are read here by hand and not with nbformat: what is handed in may be anything, the
outputs may be large and are none of our business, and all versions of the format are the same in this.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.errors import SubmissionError
from grader.text import Text

__all__ = [
    "MAX_NOTEBOOK",
    "SUFFIX",
    "TAG",
    "Cell",
    "cell_code",
    "cell_exercises",
    "notebook_content",
    "notebook_data",
    "read_notebook",
    "shown_size",
]

SUFFIX = ".ipynb"
TAG = "grade:"
MAX_NOTEBOOK = 64 << 20  # pictures in the outputs count
MAX_CODE = 1 << 20
MAX_CELLS = 5000


@dataclass(frozen=True)
class Cell:
    """A code cell; number: its place among the code cells that are not empty, which is the number that
    it shows after all cells were run from the top; named: the exercises that its tags name."""

    number: int
    source: str
    named: tuple[str, ...] = ()


def read_notebook(path: Path) -> tuple[Cell, ...]:
    """The code cells of a file.

    Raises `SubmissionError` where it is no notebook, is too large, or holds no Python code.
    """
    name = path.name
    content = notebook_content(name, notebook_data(path))
    language = _language(content)
    if language not in (None, "python"):
        raise SubmissionError(
            Text(
                f"{name} is a notebook of {language}, not of Python: change its kernel, or give another one",
                f"{name} 是 {language} 的 notebook，不是 Python 的：请更换内核，或给出另一个文件",
            )
        )
    cells = tuple(_cells(content))
    if not cells:
        raise SubmissionError(
            Text(
                f"{name} holds no code yet: write your solution in a code cell and save the notebook",
                f"{name} 中还没有代码：请在代码单元中写入你的实现，并保存 notebook",
            )
        )
    if len(cells) > MAX_CELLS or sum(len(c.source) for c in cells) > MAX_CODE:
        raise SubmissionError(
            Text(
                f"{name} holds more than {shown_size(MAX_CODE)} of code: keep only the exercises in it",
                f"{name} 中的代码超过 {shown_size(MAX_CODE)}：请只保留练习部分",
            )
        )
    return cells


def notebook_data(path: Path) -> bytes:
    """The bytes of a file.  Raises `SubmissionError` where it cannot be read, or is too large."""
    name = path.name
    try:
        size = path.stat().st_size
        if size > MAX_NOTEBOOK:
            raise _too_large(name, size)
        with path.open("rb") as stream:  # it may grow in between
            data = stream.read(MAX_NOTEBOOK + 1)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise SubmissionError(Text(f"{path} cannot be read: {why}", f"无法读取 {path}：{why}")) from error
    if len(data) > MAX_NOTEBOOK:
        raise _too_large(name, len(data))
    return data


def shown_size(number: int) -> str:
    """``500 MB`` as a reader knows it from the file manager."""
    return f"{number >> 20} MiB" if number >= 1 << 20 else f"{number >> 10} KiB"


def _too_large(name: str, size: int) -> SubmissionError:
    most, is_ = shown_size(MAX_NOTEBOOK), shown_size(size)
    return SubmissionError(
        Text(
            f"{name} is {is_} large, more than the {most} that are read: clear its outputs and save it again",
            f"{name} 有 {is_}，超过可读取的 {most}：请清除输出后重新保存",
        )
    )


def notebook_content(name: str, data: bytes) -> dict[str, Any]:
    """The JSON of a notebook.  Raises `SubmissionError` where it is none."""
    try:
        content = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SubmissionError(
            Text(
                f"{name} is not UTF-8 text, so it is no notebook: save it again from Jupyter",
                f"{name} 不是 UTF-8 文本，因而不是 notebook：请在 Jupyter 中重新保存",
            )
        ) from error
    except RecursionError as error:
        raise SubmissionError(
            Text(
                f"{name} is nested too deeply to be a notebook: save it again from Jupyter",
                f"{name} 嵌套过深，不是 notebook：请在 Jupyter 中重新保存",
            )
        ) from error
    except ValueError as error:  # also an integer of too many digits
        line = getattr(error, "lineno", None)
        lines = data.count(b"\n") + 1
        at_end = line is not None and getattr(error, "pos", 0) >= len(data.rstrip()) - 1
        cut = at_end or str(error).startswith("Unterminated string")
        why = Text("it ends too early", "内容不完整") if cut else Text("it is no JSON", "不是 JSON")
        if not data.strip():
            why = Text("it is empty", "文件为空")
        elif line is not None and not cut and lines > 1:
            why += Text(f" (line {line})", f"（第 {line} 行）")
        raise SubmissionError(
            Text(
                f"{name} cannot be read as a notebook, {why.en}: save it again from Jupyter",
                f"无法把 {name} 读作 notebook，{why.zh}：请在 Jupyter 中重新保存",
            )
        ) from error
    if not isinstance(content, dict) or not ("cells" in content or "worksheets" in content):
        raise SubmissionError(
            Text(
                f"{name} is JSON, but no notebook, for it has no cells: save it again from Jupyter",
                f"{name} 是 JSON，但没有单元，不是 notebook：请在 Jupyter 中重新保存",
            )
        )
    return content


def _language(content: dict[str, Any]) -> str | None:
    metadata = content.get("metadata")
    for key, entry in (("kernelspec", "language"), ("language_info", "name")):
        info = metadata.get(key) if isinstance(metadata, dict) else None
        found = info.get(entry) if isinstance(info, dict) else None
        if isinstance(found, str) and found:
            return "python" if found.lower() in ("python", "ipython", "python3") else found[:40]
    return None


def _cells(content: dict[str, Any]) -> Iterator[Cell]:
    number = 0
    for entry in _entries(content):
        if not isinstance(entry, dict) or entry.get("cell_type") != "code":
            continue
        source = cell_code(entry)
        if source.strip():
            number += 1
            yield Cell(number, source, cell_exercises(entry))


def _entries(content: dict[str, Any]) -> Iterator[Any]:
    sheets = content.get("worksheets")  # before version 4
    places = [content, *(sheets if isinstance(sheets, list) else ())]
    for place in places:
        cells = place.get("cells") if isinstance(place, dict) else None
        yield from cells if isinstance(cells, list) else ()


def cell_code(entry: dict[str, Any]) -> str:
    """The code of a cell in the JSON."""
    value = entry.get("source", entry.get("input"))  # `input`: before version 4
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def cell_exercises(entry: dict[str, Any]) -> tuple[str, ...]:
    """The exercises that the tags of a cell name."""
    metadata = entry.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    words = [t for t in tags if isinstance(t, str)] if isinstance(tags, list) else []
    return tuple(w.removeprefix(TAG).strip() for w in words if w.startswith(TAG))
