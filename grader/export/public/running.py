"""Runs the checks, in a process of its own: `check.py` starts it, stops it when it takes too long, and
notices when a submission ends it.

    running.py TOKEN LANGUAGE FOLDER NAME:FIRST...

What it finds goes to standard output between what submissions print: a line that begins with the token.
"""

# ruff: noqa: BLE001 (a program of its own, which shows whatever an exercise raises)
from __future__ import annotations

import ast
import contextlib
import doctest
import importlib
import json
import math
import os
import re
import signal
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

CHECKS = Path(__file__).resolve().parent
TITLE = "## "
LANGUAGES = ("en", "zh")
TOLERANCE = 1e-3  # the numbers in the examples have four decimals
LONGEST = 4000


@dataclass(frozen=True)
class Check:
    """One example: its title in both languages, and its lines as in a doctest."""

    titles: tuple[str, str]
    examples: tuple[doctest.Example, ...]


class Unlike(Exception):
    """What came out is not what should have; the words in both languages."""

    def __init__(self, source: str, got: object, right: object) -> None:
        super().__init__(source)
        said = f"{source}: " if source else ""
        self.words = (f"{said}{got}, expected {right}", f"{said}{got}，应为 {right}")


def exercises() -> list[str]:
    """The exercises in the order in which they build on each other."""
    return (CHECKS / "order.txt").read_text(encoding="utf-8").split()


def read(path: Path) -> Iterator[Check]:
    """The checks in a file: a line ``## English | Chinese``, then an example."""
    for part in path.read_text(encoding="utf-8").split(f"\n{TITLE}")[1:]:
        title, _, body = part.partition("\n")
        en, _, zh = title.partition(" | ")
        yield Check((en, zh or en), tuple(doctest.DocTestParser().get_examples(body)))


def run(check: Check, module: Any) -> None:
    """Raises what the learner's code raises, or `Unlike`."""
    names = {**vars(module), "torch": torch, "nn": torch.nn, "math": math}
    for example in check.examples:
        shown: list[Any] = []
        before, sys.displayhook = sys.displayhook, shown.append
        try:
            exec(compile(example.source, "<example>", "single"), names)
        finally:
            sys.displayhook = before
        shown = [value for value in shown if value is not None]
        source = example.source.strip().splitlines()[0]
        texts = wanted(example.want)
        if len(shown) != len(texts):
            raise Unlike(source, f"{len(shown)} x", f"{len(texts)} x")
        for got, text in zip(shown, texts):
            compare(got, text, source)


def wanted(text: str) -> list[str]:
    """The values that an example should show."""
    text = text.replace("<BLANKLINE>", "")
    return [ast.unparse(node) for node in ast.parse(text).body]


def compare(got: Any, text: str, source: str) -> None:
    """Raises `Unlike` with both values, or with what is not the same about them."""
    right = eval(text, {"tensor": torch.tensor, "inf": math.inf, "nan": math.nan, "torch": torch})
    if not isinstance(right, torch.Tensor):
        if not close(got, right):
            raise Unlike(source, repr(got), repr(right))
        return
    if not isinstance(got, torch.Tensor):
        raise Unlike(source, type(got).__name__, "torch.Tensor")
    if got.shape != right.shape:
        raise Unlike(source, tuple(got.shape), tuple(right.shape))
    if got.dtype != right.dtype:
        raise Unlike(source, got.dtype, right.dtype)
    if not close(got.detach().double().tolist(), right.double().tolist()):
        raise Unlike(source, f"\n{got.detach()}", f"\n{right}")


def close(got: Any, right: Any) -> bool:
    """Equal, or numbers that are close, also inside of lists and tuples."""
    if isinstance(right, (list, tuple)):
        return isinstance(got, (list, tuple)) and len(got) == len(right) and all(map(close, got, right))
    if isinstance(right, float) and isinstance(got, (int, float)):
        return got == right or math.isclose(got, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(got == right)


def main() -> None:
    token, language, folder, *wanted_ones = sys.argv[1:]
    told = os.dup(1)  # whatever a submission does to sys.stdout

    def tell(*record: Any) -> None:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # a submission has closed it
                stream.flush()
        os.write(told, f"{token}{json.dumps(record)}\n".encode("ascii"))

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for check.py, which ends this process
    sys.path[:] = [folder, *(place for place in sys.path if place != str(CHECKS))]
    for one in wanted_ones:
        name, _, first = one.partition(":")
        torch.manual_seed(0)
        check_one(name, Path(folder), language, int(first), tell)
    tell("end")
    os._exit(0)  # threads that a submission has left


def check_one(name: str, folder: Path, language: str, first: int, tell: Any) -> None:
    """Tells how the checks of one exercise go, from the one with that number."""
    zh = language == "zh"

    def outcome(sign: str, title: str = "", words: str = "", line: int | None = None) -> None:
        tell("outcome", name, sign, title, words[:LONGEST], line)

    if not (folder / f"{name}.py").is_file():
        outcome("-", "没有这个文件" if zh else "no such file")
        return
    tell("begin", name, -1, "无法导入" if zh else "it cannot be imported")
    try:
        module = importlib.import_module(name)
    except BaseException as error:
        outcome("x", "无法导入" if zh else "it cannot be imported", *where(error, name))
        return
    if not [word for word in vars(module) if not word.startswith("__")]:
        outcome("o", "文件中还没有内容" if zh else "nothing is in the file yet")
        return
    for number, check in enumerate(read(CHECKS / f"{name}.txt")):
        if number < first:
            continue
        title = check.titles[LANGUAGES.index(language)]
        tell("begin", name, number, title)
        try:
            run(check, module)
        except NotImplementedError as error:
            outcome("o", title, str(error), where(error, name)[1])
        except Unlike as error:
            outcome("x", title, error.words[LANGUAGES.index(language)])
        except BaseException as error:
            missing = not_there(error, name)
            if missing is None:
                outcome("x", title, *where(error, name))
            else:
                words = f"{name}.py 中还没有 {missing}" if zh else f"{name}.py has no {missing} yet"
                outcome("o", title, words)
        else:
            outcome("+", title)


def not_there(error: BaseException, name: str) -> str | None:
    """What the example asks for and the file does not define."""
    found = re.match(r"name '(\w+)' is not defined", str(error)) if type(error) is NameError else None
    return found[1] if found is not None and where(error, name)[1] is None else None


def where(error: BaseException, name: str) -> tuple[str, int | None]:
    """The exception, and the line of the learner's file that it comes from."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).stem == name]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    words = f"{type(error).__name__}: {error}".splitlines()[0]
    return (f"{words} ({name}.py:{line})" if line else words), line


if __name__ == "__main__":
    main()
