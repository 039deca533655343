"""The same submissions graded by what people use otherwise, each in its usual local way.

All three ask what `plain/test_suite.py` asks.  pytest runs it beside each submission; otter-grader's `otter
check` runs its functions as doctest cases; nbgrader's `nbgrader autograde` in the test cells of a notebook.
The learner's files lie beside the suite or the notebook in each case.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

__all__ = ["PEERS", "installed"]

SUITE = Path(__file__).parent / "plain" / "test_suite.py"
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def installed(package: str) -> bool:
    """Whether a peer can be run here."""
    return importlib.util.find_spec(package) is not None


def _pytest(submissions: Sequence[Path], jobs: int) -> int:
    for place in submissions:
        shutil.copy(SUITE, place)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", SUITE.name]
    return sum(code in (0, 1) for code in _each(command, submissions, jobs))  # 1: a check failed


def _otter(submissions: Sequence[Path], jobs: int) -> int:
    cases = [{"code": f">>> {call}\n", "hidden": False, "locked": False} for call in _calls()]
    test = {"name": "all", "points": len(cases), "suites": [{"cases": cases, "type": "doctest"}]}
    for place in submissions:
        shutil.copy(SUITE, place)
        (place / "tests").mkdir()
        (place / "tests" / "all.py").write_text(f"OK_FORMAT = True\ntest = {test!r}\n", encoding="utf-8")
        (place / "work.py").write_text("import test_suite\n", encoding="utf-8")
    command = [sys.executable, "-m", "otter", "check", "work.py", "-t", "tests"]
    return sum(code == 0 for code in _each(command, submissions, jobs))


def _nbgrader(submissions: Sequence[Path], jobs: int) -> int:
    """One command for all, as its users give it; it takes one notebook after the other."""
    course = submissions[0].parent.parent / "nbgrader"
    (course / "source" / "hw").mkdir(parents=True)
    notebook = json.dumps(_notebook())
    (course / "source" / "hw" / "hw.ipynb").write_text(notebook, encoding="utf-8")
    for place in submissions:
        folder = course / "submitted" / place.name / "hw"
        shutil.copytree(place, folder)
        shutil.copy(SUITE, folder)
        (folder / "hw.ipynb").write_text(notebook, encoding="utf-8")
    made = [sys.executable, "-m", "nbgrader", "generate_assignment", "hw", "--create"]
    graded = [sys.executable, "-m", "nbgrader", "autograde", "hw"]
    _each(made, [course], 1)
    return sum(code == 0 for code in _each(graded, [course], 1)) * len(submissions)


# each takes submissions and how many at once, and says how many it got through
PEERS: Mapping[str, Callable[[Sequence[Path], int], int]] = {
    "pytest": _pytest,
    "otter": _otter,
    "nbgrader": _nbgrader,
}


def _each(command: Sequence[str], places: Sequence[Path], jobs: int) -> list[int]:
    """The exit codes of a command in each place."""

    def one(place: Path) -> int:
        tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        environment = {**os.environ, **ENVIRONMENT, "PATH": tools}
        quiet = subprocess.DEVNULL
        return subprocess.run(
            command, cwd=place, env=environment, stdout=quiet, stderr=quiet, check=False
        ).returncode

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, places))


def _calls() -> Iterator[str]:
    """Each check of the suite as a call, once for each of its parameters."""
    for node in ast.parse(SUITE.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield from (f"test_suite.{node.name}({values})" for values in _arguments(node))


def _arguments(node: ast.FunctionDef) -> list[str]:
    given = ["**{'qkv': test_suite.inputs()}"] if any(a.arg == "qkv" for a in node.args.args) else []
    for mark in node.decorator_list:
        if isinstance(mark, ast.Call) and isinstance(mark.args[1], ast.List):
            name = ast.literal_eval(mark.args[0])
            values = [
                ast.unparse(value).replace("torch.", "test_suite.torch.") for value in mark.args[1].elts
            ]
            return [", ".join([f"{name}={value}", *given]) for value in values]
    return [", ".join(given)]


def _notebook() -> dict[str, object]:
    cells = [_cell("setup", "import sys\nsys.path.insert(0, '.')\nimport test_suite", 0)]
    cells += [_cell(f"check{n}", call, 1) for n, call in enumerate(_calls())]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _cell(name: str, code: str, points: int) -> dict[str, object]:
    mark: dict[str, object] = {
        "grade": points > 0,
        "grade_id": name,
        "locked": True,
        "schema_version": 3,
        "solution": False,
    }
    mark |= {"points": points, "task": False} if points else {"task": False}
    return {
        "cell_type": "code", "id": name, "execution_count": None, "outputs": [], "source": code,
        "metadata": {"nbgrader": mark},
    }  # fmt: skip
