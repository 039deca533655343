"""Rules of the house: who may import whom, what is public, and that these tests can fail."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import ROOT

PACKAGE = ROOT / "grader"
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if "_data" not in p.parts)

# a wing, and what its modules may not import
FORBIDDEN = {
    "course": ("grader.cli",),
    "workspace": (
        "grader.cli",
        "grader.reports",
        "grader.course",
        "grader.marking.run",
        "grader.submission.client",
        "grader.repro",
        "grader.watch",
    ),
    "watch": (
        "grader.cli",
        "grader.course",
        "grader.marking.run",
        "grader.submission.client",
        "grader.repro",
    ),
    "export": ("grader.cli", "grader.repro", "grader.verifying"),
    "notebook": ("grader.course", "grader.repro", "grader.watch", "grader.worker"),
    "interview": (
        "grader.cli",
        "grader.reports",
        "grader.course",
        "grader.marking.run",
        "grader.submission.client",
        "grader.repro",
        "grader.watch",
    ),
    "worker": ("grader",),  # but itself
    "exercises": ("grader.cli", "grader.reports", "grader.course", "grader.repro"),
    "diagnosis": ("grader.cli", "grader.reports", "grader.course", "grader.marking.run", "grader.repro"),
    "pictures": (
        "grader.cli",
        "grader.reports",
        "grader.course",
        "grader.marking.run",
        "grader.submission.client",
        "grader.repro",
    ),
    "verifying": ("grader.cli", "grader.reports", "grader.course"),
    "precision": ("grader.cli", "grader.reports", "grader.course", "grader.repro"),
    "devices": ("grader.cli", "grader.reports", "grader.course", "grader.repro"),
    "tracing": ("grader.cli", "grader.reports", "grader.course", "grader.repro"),
    "explaining": (
        "grader.cli",
        "grader.reports",
        "grader.course",
        "grader.marking",
        "grader.diagnosis",
        "grader.submission",
        "grader.repro",
        "grader.worker",
    ),
    "learning": ("grader.cli", "grader.reports", "grader.course", "grader.repro"),
    "marking": ("grader.cli", "grader.reports", "grader.course", "grader.repro"),
    "submission": (
        "grader.cli",
        "grader.reports",
        "grader.course",
        "grader.marking",
        "grader.diagnosis",
        "grader.repro",
    ),
    "repro": ("grader.cli", "grader.reports", "grader.course"),
    "reports": (
        "grader.cli",
        "grader.course",
        "grader.marking.run",
        "grader.submission.client",
        "grader.repro",
        "grader.pictures.drawing",
        "grader.pictures.ranges",
        "grader.tracing.run",
        "grader.learning.run",
        "grader.learning.driving",
    ),
}
# what is only records, and may be read though the rest of its wing may not
RECORDS = {"reports": ("grader.course.records",)}
# what runs text, or a module by a name that is not known beforehand
RUNNERS = ("exec", "eval", "__import__", "import_module", "exec_module", "run_path", "run_module")
MAY_RUN = {
    "grader/worker/loading.py",  # the learner's files
    "grader/worker/server.py",  # and the module asked for
    "grader/worker/guard.py",  # modules of torch, to block what is forbidden
    "grader/exercises/registry.py",  # the rooms of the kit itself
    "grader/explaining/catalogue.py",  # the demonstrations of the kit itself
    "grader/export/public/running.py",  # a program for students, which the kit hands out and never runs
}


def imported(tree: ast.Module, package: str) -> Iterator[str]:
    """Every module and name that a file imports, as an absolute dotted name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*package.split(".")[: 1 - node.level or None], *filter(None, [base])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def breaches(wing: str, text: str, package: str) -> set[str]:
    """The imports of a file that the rules of its wing forbid."""
    own = f"grader.{wing}"
    return {
        name
        for name in imported(ast.parse(text), package)
        if any(_within(name, bad) for bad in FORBIDDEN[wing])
        if not _within(name, own) and not (wing == "worker" and name == "grader")
        if not any(_within(name, records) for records in RECORDS.get(wing, ()))
    }


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _package(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).parent.parts)


@pytest.mark.parametrize("wing", FORBIDDEN)
def test_the_wings_keep_apart(wing: str) -> None:
    found = {
        dotted(path): names
        for path in (PACKAGE / wing).rglob("*.py")
        if (names := breaches(wing, path.read_text(encoding="utf-8"), _package(path)))
    }
    assert not found


@pytest.mark.parametrize(
    ("wing", "text"),
    [
        ("worker", "from grader.text import Text"),
        ("worker", "def f():\n    import grader.exercises.registry"),
        ("worker", "from ..marking import run"),
        ("exercises", "from grader.reports.words import points"),
        ("marking", "from grader.repro.run import reproduce"),
        ("repro", "from grader.reports.cleaning import clean"),
        ("workspace", "from grader.reports.words import points"),
        ("watch", "from grader.cli.files import create_only"),
        ("tracing", "from grader.reports.words import points"),
        ("learning", "from grader.reports.words import points"),
        ("reports", "from grader.learning.run import train"),
        ("explaining", "from grader.marking.records import Report"),
        ("reports", "from grader.marking.run import grade"),
        ("reports", "from grader.marking import run"),
        ("reports", "from grader.pictures.drawing import draw"),
        ("pictures", "from grader.reports.html import render_report_page"),
        ("reports", "from grader.course.store import Store"),
        ("course", "from grader.cli.files import write_atomically"),
        ("reports", "from grader.submission import client"),
    ],
)
def test_a_breach_is_seen(wing: str, text: str) -> None:
    assert breaches(wing, text, f"grader.{wing}")


@pytest.mark.parametrize(
    ("wing", "text"),
    [
        ("worker", "from grader.worker.wire import send\nimport torch, graders"),
        ("reports", "from grader.marking.records import Report\nfrom .words import points"),
        ("reports", "from grader.course.records import Mark"),
    ],
)
def test_what_is_allowed_is_no_breach(wing: str, text: str) -> None:
    assert not breaches(wing, text, f"grader.{wing}")


def runners(text: str) -> set[str]:
    """Which of the functions that run code a file calls."""
    called = (node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    names = (getattr(func, "id", None) or getattr(func, "attr", None) for func in called)
    return {name for name in names if name in RUNNERS}


def test_only_the_worker_runs_the_learners_code() -> None:
    found = {
        path.relative_to(ROOT).as_posix() for path in MODULES if runners(path.read_text(encoding="utf-8"))
    }
    assert found <= MAY_RUN
    assert "grader/worker/loading.py" in found


@pytest.mark.parametrize("text", ["exec(code)", "importlib.import_module(name)", "loader.exec_module(m)"])
def test_a_runner_is_seen(text: str) -> None:
    assert runners(text)


def public(tree: ast.Module) -> list[str]:
    """The names that a file itself defines and that do not start with an underscore."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [n.name for n in tree.body if isinstance(n, kinds) and not n.name.startswith("_")]


def _documented(path: Path) -> bool:
    return "__all__" in path.read_text(encoding="utf-8")


SAID = [path for path in MODULES if _documented(path) and path.name not in ("suite.py", "__main__.py")]


@pytest.mark.parametrize("path", SAID, ids=dotted)
def test_all_is_what_is_public(path: Path) -> None:
    """Every name in ``__all__`` is there, once; every public function and class is in it."""
    module = importlib.import_module(dotted(path))
    listed = module.__all__
    assert len(set(listed)) == len(listed)
    assert not [name for name in listed if not hasattr(module, name)]
    if path.parent.parent.name != "exercises":  # the steps and faults of a room go by reference
        assert not set(public(ast.parse(path.read_text(encoding="utf-8")))) - set(listed)


def test_a_name_that_is_not_listed_is_seen() -> None:
    assert public(ast.parse("def f(): ...\nclass _G: ...\nx = 1")) == ["f"]
