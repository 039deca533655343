"""What a report depends on beside what was handed in, and the digest that says when to grade anew."""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import grader
from grader.course.contents import Contents
from grader.data import solution_folder

__all__ = ["GradingSettings", "digest_of", "kit_digest"]

PARTS = ("exercises", "marking", "diagnosis", "submission", "worker")
LEFT_OUT = {".pyc"}


@dataclass(frozen=True)
class GradingSettings:
    """exercises: those that count, in their order; budget: limits (see `grader.cli.limits`)."""

    exercises: tuple[str, ...]
    budget: Mapping[str, float] = field(default_factory=dict)


def digest_of(contents: Contents, settings: GradingSettings) -> str:
    """The same for the same files, the same settings and the same kit; different for anything else."""
    found = hashlib.sha256()
    fixed = {
        "kit": kit_digest(),
        "exercises": settings.exercises,
        "budget": sorted(settings.budget.items()),
        "links": contents.links,
        "problem": contents.problem.en if contents.problem is not None else None,
    }
    _add(found, json.dumps(fixed).encode())
    for name, data in contents.files:
        _add(found, name.encode(errors="surrogatepass"))
        _add(found, data)
    return found.hexdigest()


@functools.cache
def kit_digest() -> str:
    """Version and text of everything in the kit (and of torch and Python, the version) that decides a
    report: suites, models, texts, the worker, and the solutions."""
    found = hashlib.sha256()
    _add(found, f"{grader.__version__} {version('torch')} {platform.python_version()}".encode())
    for path in _files():
        _add(found, path.name.encode())
        _add(found, path.read_bytes())
    return found.hexdigest()


def _files() -> Iterator[Path]:
    package = Path(grader.__file__).parent
    for folder in (*(package / part for part in PARTS), solution_folder()):
        inside = (p for p in folder.rglob("*") if p.is_file() and p.suffix not in LEFT_OUT)
        yield from sorted(p for p in inside if not any(part.startswith(".") for part in p.parts[-3:]))


def _add(found: hashlib._Hash, data: bytes) -> None:
    """With its length before it, so that no two lists of parts give the same."""
    found.update(len(data).to_bytes(8, "big"))
    found.update(data)
