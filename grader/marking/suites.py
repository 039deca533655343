"""The hidden suites as pytest collects them: once in a process, and kept for every later submission."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

import grader
from grader.errors import KitError
from grader.exercises.registry import Exercise
from grader.text import Text

__all__ = ["suites_of"]

FOLDER = Path(grader.__file__).parent / "exercises"
SETTINGS = (
    "-c",
    str(FOLDER / "suite.ini"),
    f"--rootdir={FOLDER}",
    "--import-mode=importlib",
    "--assert=plain",
    "--capture=no",
)
WITHOUT = (
    "cacheprovider",
    "terminal",
    "doctest",
    "junitxml",
    "logging",
    "faulthandler",
    "unraisableexception",
    "threadexception",
    "stepwise",
)

_kept: dict[Path, tuple[pytest.Function, ...]] = {}


def suites_of(exercises: Collection[Exercise]) -> Mapping[str, Sequence[pytest.Function]]:
    """The checks of each exercise, in the order of its suite.

    Starting pytest and importing a suite takes longer than marking a small exercise, so that what is
    collected stays.  Nothing of a submission is kept on it: see `plugin.run_suite`.
    """
    paths = {e.suite.resolve(): e for e in exercises}
    missing = [path for path in paths if path not in _kept]
    if missing:
        _kept.update(_collected(missing))
    return {e.id: _kept[path] for path, e in paths.items()}


class _Collector:
    """Takes the collected checks in place of running them."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []
        self.problems: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = list(session.items)
        return True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problems.append(str(report.longrepr))


def _collected(paths: Sequence[Path]) -> dict[Path, tuple[pytest.Function, ...]]:
    found = _Collector()
    without = [word for name in WITHOUT for word in ("-p", f"no:{name}")]
    with _no_plugins_from_outside():
        code = pytest.main([*map(str, paths), *SETTINGS, *without], plugins=[found])
    if code == pytest.ExitCode.INTERRUPTED and not found.problems:
        raise KeyboardInterrupt
    checks: dict[Path, list[pytest.Function]] = {path: [] for path in paths}
    for item in found.items:
        if isinstance(item, pytest.Function):
            checks[Path(item.path)].append(item)
    if code != pytest.ExitCode.OK:
        found.problems.append(f"pytest ended with {code!r}")
    if found.problems:
        words = "; ".join(found.problems)
        raise KitError(Text(f"a fault of the kit: {words}", f"评分工具自身的错误：{words}"))
    return {path: tuple(items) for path, items in checks.items()}


@contextmanager
def _no_plugins_from_outside() -> Iterator[None]:
    """No plugins and options of the user's, or of a pytest that runs us, reach the suites."""
    ours = {"PYTEST_ADDOPTS": None, "PYTEST_PLUGINS": None, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    names = (*ours, "PYTEST_CURRENT_TEST", "PYTEST_VERSION")
    before = {name: os.environ.get(name) for name in names}
    _set(ours)
    try:
        yield
    finally:
        _set(before)


def _set(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
