#!/usr/bin/env python3
"""Runs the public checks of the exercises on the files in this folder.

    python check.py              all that is there
    python check.py attention    one of them
    python check.py --lang zh    in Chinese
    python check.py --path DIR   files in another folder

They are small examples with their numbers: those of the docstrings, and some more about shapes.  Passing
them is a good sign, and no proof: the course grades with many more checks than these.

Exit code: 0 when all passed, 1 when not, 2 when there was nothing to check.
"""

# ruff: noqa: T201, BLE001 (a program of its own, which prints, and shows whatever an exercise raises)
from __future__ import annotations

import argparse
import ast
import doctest
import importlib
import locale
import math
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).resolve().parent
CHECKS = HERE / "checks"
TITLE = "## "
LANGUAGES = ("en", "zh")
TOLERANCE = 1e-3  # the numbers in the examples have four decimals


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


@dataclass(frozen=True)
class Outcome:
    """How one check went: sign is ``+`` passed, ``x`` wrong, ``o`` still to do, ``-`` no such file."""

    exercise: str
    sign: str
    title: str = ""
    words: str = ""
    line: int | None = None

    def __str__(self) -> str:
        head = ": ".join(filter(None, (f"{self.sign} {self.exercise}", self.title)))
        return head + ("\n    " + self.words.replace("\n", "\n    ") if self.words else "")


def outcomes(name: str, folder: Path, language: str) -> Iterator[Outcome]:
    """How the checks of one exercise go."""
    zh = language == "zh"
    if not (folder / f"{name}.py").is_file():
        yield Outcome(name, "-", "没有这个文件" if zh else "no such file")
        return
    try:
        module = importlib.import_module(name)
    except (Exception, SystemExit) as error:
        yield Outcome(name, "x", "无法导入" if zh else "it cannot be imported", *where(error, name))
        return
    for check in read(CHECKS / f"{name}.txt"):
        title = check.titles[LANGUAGES.index(language)]
        try:
            run(check, module)
        except NotImplementedError as error:
            yield Outcome(name, "o", title, str(error), where(error, name)[1])
        except Unlike as error:
            yield Outcome(name, "x", title, error.words[LANGUAGES.index(language)])
        except (Exception, SystemExit) as error:
            yield Outcome(name, "x", title, *where(error, name))
        else:
            yield Outcome(name, "+", title)


def where(error: BaseException, name: str) -> tuple[str, int | None]:
    """The exception, and the line of the learner's file that it comes from."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).stem == name]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    words = f"{type(error).__name__}: {error}".splitlines()[0]
    return (f"{words} ({name}.py:{line})" if line else words), line


def annotate(done: Sequence[Outcome], folder: str) -> None:
    """For GitHub Actions: an annotation for each check that is not right, and a table as the summary."""
    signs = {"+": "✅", "x": "❌", "o": "☐", "-": "–"}
    rows = ["| | | |", "|---|---|---|"]
    for one in done:
        words = one.words.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
        rows.append(f"| {signs[one.sign]} | `{one.exercise}` | {one.title} {words} |")
        if one.sign in "xo":
            kind = "error" if one.sign == "x" else "notice"
            place = f"{folder}/{one.exercise}.py".removeprefix("./")
            told = f"{one.title}: {one.words}".replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
            print(f"::{kind} file={place},line={one.line or 1}::{told}")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with open(summary, "a", encoding="utf-8") as file:
            file.write("\n".join(rows) + "\n")


def main(words: Sequence[str] | None = None) -> int:
    names = exercises()
    spoken = next((v for n in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := os.environ.get(n))), "")
    spoken = spoken or locale.getlocale()[0] or ""
    usual = "zh" if spoken.lower().startswith(("zh", "chinese")) else "en"
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("exercises", nargs="*", metavar="exercise", help=", ".join(names))
    parser.add_argument("--lang", choices=LANGUAGES, default=usual)
    parser.add_argument("--path", type=Path, default=HERE, help="the folder of your files")
    parser.add_argument("--github", action="store_true", help="annotations and a summary for GitHub Actions")
    given = parser.parse_args(words)
    wanted_names = [name.removesuffix(".py") for name in given.exercises] or names
    unknown = [name for name in wanted_names if name not in names]
    if unknown:
        parser.error(f"there is no exercise {unknown[0]!r}; the exercises are {', '.join(names)}")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.path.insert(0, str(given.path.resolve()))
    done = []
    for name in names:
        if name in wanted_names:
            torch.manual_seed(0)
            for one in outcomes(name, given.path, given.lang):
                print(one, flush=True)
                done.append(one)
    if given.github:
        annotate(done, given.path.as_posix())
    if all(one.sign == "-" for one in done):
        return 2
    return 1 if any(one.sign in "xo" for one in done) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # whoever read this has seen enough
        os._exit(1)
