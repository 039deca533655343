"""Reads a submission as text, and says in one sentence what is wrong with a file that cannot be used.

Nothing is executed here: syntax, unfinished TODOs and imports between exercises are found in the
syntax tree.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.errors import SubmissionError
from grader.exercises.registry import Exercise, all_exercises, module_names
from grader.text import Text

__all__ = ["Problem", "SourceFile", "Submission", "parse_source", "read_submission"]

MAX_FILE = 1 << 20
MAX_FILES = 200
SKIPPED_FOLDERS = {"__pycache__", "node_modules", "venv", "site-packages"}


@dataclass(frozen=True)
class Problem:
    """Why a file cannot be graded: fault is an id, line is 1-based."""

    fault: str
    text: Text
    line: int | None = None


@dataclass(frozen=True)
class SourceFile:
    """One file of a submission; `tree` is None when there is a problem."""

    module: str
    name: str
    text: str
    tree: ast.Module | None
    problem: Problem | None = None

    def unfinished(self, exercise: Exercise) -> dict[str, int]:
        """The entries (or their methods) whose body is still a TODO: name to line."""
        found: dict[str, int] = {}
        if self.tree is None:
            return found
        wanted = {entry.name for entry in exercise.entries}
        for node in self.tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in wanted:
                for name, function in _functions(node):
                    line = _todo_line(function)
                    if line is not None:
                        found[name] = line
        return found

    def imports(self, among: Collection[str]) -> set[str]:
        """Which of the modules named in `among` this file imports."""
        found: set[str] = set()
        if self.tree is not None:
            for node in ast.walk(self.tree):
                if isinstance(node, ast.Import):
                    found |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module:
                    found.add(node.module.split(".")[0])
        return found & set(among)

    def called(self) -> frozenset[str]:
        """The names of everything that is called in the file (the last part of a dotted name)."""
        found = set()
        for node in ast.walk(self.tree) if self.tree is not None else ():
            if isinstance(node, ast.Call):
                if isinstance(node.func, ast.Attribute):
                    found.add(node.func.attr)
                elif isinstance(node.func, ast.Name):
                    found.add(node.func.id)
        return frozenset(found)

    def definition_line(self, dotted: str) -> int | None:
        """The line on which a function, a class, or ``Class.method`` is defined."""
        body: list[ast.stmt] = self.tree.body if self.tree else []
        line = None
        for name in dotted.split("."):
            for node in body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
                    line, body = node.lineno, node.body
                    break
            else:
                return line
        return line


@dataclass(frozen=True)
class Submission:
    """Everything that was handed in: files by module name, and which exercises are to be graded."""

    name: str
    files: dict[str, SourceFile]
    chosen: tuple[str, ...]

    def sources(self) -> dict[str, tuple[str, str]]:
        """What the worker needs: module name to (file name, text)."""
        return {m: (f.name, f.text) for m, f in self.files.items() if f.tree is not None}


def read_submission(path: Path, only: Collection[str] = ()) -> Submission:
    """Reads a folder or a single file.

    Raises `SubmissionError` when there is nothing to read; a file that cannot be used is no error
    here but carries its `Problem`.
    """
    if not path.exists():
        raise SubmissionError(
            Text(
                f"there is no such file or folder: {path}; `grade init` makes a workspace",
                f"没有这个文件或文件夹：{path}；可用 `grade init` 建立练习目录",
            )
        )
    if path.is_dir():
        return _read_folder(path, only)
    return _read_single(path)


def _read_folder(folder: Path, only: Collection[str]) -> Submission:
    files: dict[str, SourceFile] = {}
    for place in sorted(_python_files(folder))[:MAX_FILES]:
        files[place.stem] = _read_file(place, place.name)
    ids = [name for name in module_names() if name in files]
    if not ids and not only:
        expected = ", ".join(f"{name}.py" for name in module_names())
        nearby = [p.name for p in sorted(folder.iterdir())[:50] if p.is_dir() and _has_exercise(p)]
        hint_en = f"; did you mean --path {folder / nearby[0]}?" if nearby else ""
        hint_zh = f"；你是否想用 --path {folder / nearby[0]}？" if nearby else ""
        raise SubmissionError(
            Text(
                f"no exercise file in {folder}: expected any of {expected}{hint_en}",
                f"{folder} 中没有练习文件：应有 {expected} 之一{hint_zh}",
            )
        )
    chosen = tuple(name for name in module_names() if name in (only or ids))
    return Submission(str(folder), files, chosen)


def _read_single(path: Path) -> Submission:
    if path.suffix != ".py":
        raise SubmissionError(
            Text(
                f"{path} is not a Python file; give a folder or a .py file",
                f"{path} 不是 Python 文件；请给出文件夹或 .py 文件",
            )
        )
    files = {p.stem: _read_file(p, p.name) for p in sorted(_python_files(path.parent))[:MAX_FILES]}
    file = _read_file(path, path.name)
    identity = path.stem if path.stem in module_names() else _guess(file)
    if identity is None:
        expected = ", ".join(f"{name}.py" for name in module_names())
        raise SubmissionError(
            Text(
                f"{path.name} is none of the exercises: expected {expected}, or a file that defines "
                "their functions",
                f"{path.name} 不属于任何练习：应为 {expected}，或定义了其中函数的文件",
            )
        )
    files.pop(path.stem, None)
    files[identity] = SourceFile(identity, file.name, file.text, file.tree, file.problem)
    return Submission(str(path), files, (identity,))


def _guess(file: SourceFile) -> str | None:
    """The exercise whose names the file defines."""
    if file.tree is None:
        return None
    defined = {n.name for n in file.tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    for exercise in reversed(all_exercises()):
        if any(entry.name in defined for entry in exercise.entries):
            return exercise.id
    return None


def _python_files(folder: Path) -> Iterator[Path]:
    try:
        for place in folder.iterdir():
            if place.suffix == ".py" and place.is_file() and not place.name.startswith("."):
                yield place
    except OSError as error:
        raise SubmissionError(
            Text(
                f"the folder {folder} cannot be read: {error.strerror}",
                f"无法读取文件夹 {folder}：{error.strerror}",
            )
        ) from error


def _has_exercise(folder: Path) -> bool:
    return folder.name not in SKIPPED_FOLDERS and any(
        (folder / f"{name}.py").is_file() for name in module_names()
    )


def _read_file(path: Path, name: str) -> SourceFile:
    module = path.stem
    try:
        if path.stat().st_size > MAX_FILE:
            text = Text(f"{name} is larger than 1 MiB", f"{name} 超过 1 MiB")
            return SourceFile(module, name, "", None, Problem("syntax-error", text))
        data = path.read_bytes()
    except OSError as error:
        text = Text(f"{name} cannot be read: {error.strerror}", f"无法读取 {name}：{error.strerror}")
        return SourceFile(module, name, "", None, Problem("syntax-error", text))
    return parse_source(module, name, data)


def parse_source(module: str, name: str, data: bytes) -> SourceFile:
    """One file from its bytes: what it holds, or the `Problem` that keeps it from being graded."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        words = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        problem = _encoding_problem(name, data, error)
        return SourceFile(module, name, "", None, problem)
    words = words.replace("\r\n", "\n").replace("\r", "\n")
    if not words.strip():
        text = Text(
            f"{name} is empty: write your solution in it, or run `grade init` for the skeleton",
            f"{name} 是空文件：请写入你的实现，或用 `grade init` 取得模板",
        )
        return SourceFile(module, name, words, None, Problem("not-implemented", text))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(words, filename=name)
            compile(words, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        reason = getattr(error, "msg", None) or str(error)
        where = f"{name}:{line}" if line else name
        text = Text(
            f"syntax error at {where}: {reason}",
            f"{where} 处有语法错误：{reason}",
        )
        return SourceFile(module, name, words, None, Problem("syntax-error", text, line))
    except (RecursionError, MemoryError):
        text = Text(f"{name} is nested too deeply to be read", f"{name} 嵌套过深，无法解析")
        return SourceFile(module, name, words, None, Problem("syntax-error", text))
    return SourceFile(module, name, words, tree)


def _encoding_problem(name: str, data: bytes, error: Exception) -> Problem:
    position = error.start if isinstance(error, UnicodeDecodeError) else 0
    line = data.count(b"\n", 0, position) + 1
    likely = "UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else None
    if likely is None:
        try:
            data.decode("gb18030")
            likely = "GBK"
        except UnicodeDecodeError:
            likely = None
    guess_en = f" (it looks like {likely})" if likely else ""
    guess_zh = f"（看起来是 {likely}）" if likely else ""
    return Problem(
        "syntax-error",
        Text(
            f"{name}:{line} is not UTF-8 text{guess_en}: save the file as UTF-8",
            f"{name}:{line} 不是 UTF-8 文本{guess_zh}：请把文件存为 UTF-8 编码",
        ),
        line,
    )


def _functions(node: ast.FunctionDef | ast.ClassDef) -> Iterator[tuple[str, ast.FunctionDef]]:
    if isinstance(node, ast.FunctionDef):
        yield node.name, node
        return
    methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
    for method in methods:
        yield f"{node.name}.{method.name}", method


def _todo_line(function: ast.FunctionDef) -> int | None:
    """The line of the TODO when nothing else is in the body of the function."""
    body = [n for n in function.body if not _is_inert(n)]
    if not body:
        # a class may legitimately have an empty helper; only forward, __init__ and functions count
        return function.body[-1].lineno
    for node in body:
        if isinstance(node, ast.Raise) and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(raised, ast.Name) and raised.id == "NotImplementedError":
                return node.lineno
    last = body[-1]
    if len(body) == 1 and isinstance(last, ast.Return) and _is_none(last.value):
        return last.lineno
    return None


def _is_none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _is_inert(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )
