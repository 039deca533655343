"""Grades a submission: reads, loads, runs the suites with pytest, diagnoses, and makes the report."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

import grader
from grader.diagnosis.diagnose import diagnose
from grader.errors import KitError
from grader.exercises.registry import Exercise, exercise, load_room, module_names
from grader.exercises.texts import fault_text
from grader.marking import fixtures
from grader.marking.lab import Lab
from grader.marking.plugin import Ran, SuitePlugin
from grader.marking.records import CheckResult, Diagnosis, ExerciseResult, NamedFault, Report
from grader.submission.client import Budget, Client
from grader.submission.launcher import Launcher
from grader.submission.observation import Observation, Outcome
from grader.submission.source import Problem, SourceFile, Submission
from grader.text import Text

__all__ = ["grade"]

FOLDER = Path(grader.__file__).parent / "exercises"
OUTPUTS: dict[str, tuple[str, ...]] = {
    "scaled_dot_product_attention": ("output", "weights"),
    "MultiHeadAttention": ("output", "weights"),
}


@dataclass
class _Case:
    """An exercise on its way through a run."""

    exercise: Exercise
    file: SourceFile | None
    status: str | None = None
    note: Text | None = None
    fault: str | None = None
    line: int | None = None
    client: Client | None = None
    lab: Lab | None = None
    unfinished: Mapping[str, int] | None = None


def grade(
    submission: Submission,
    launcher: Launcher,
    *,
    budget: Mapping[str, float] | None = None,
    only: Collection[str] = (),
) -> Report:
    """Grades the chosen exercises of a submission.  Raises only errors of the kit."""
    started = time.perf_counter()
    ids = [i for i in submission.chosen if not only or i in only]
    cases = {i: _Case(exercise(i), submission.files.get(i)) for i in ids}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # on tensors this small a second thread only costs, up to 1000 times
    try:
        for case in cases.values():
            _prepare(case, submission, launcher, budget or {})
        running = [c for c in cases.values() if c.lab is not None]
        ran = _run_suites(running)
        results = tuple(_result(c, submission, ran.get(c.exercise.id, Ran())) for c in cases.values())
        layers = next((c.client.layers for c in running if c.client is not None), None)
        if layers is None:  # nothing could be run: ask an idle worker
            layers = launcher.layers()
    finally:
        torch.set_num_threads(threads)
        for case in cases.values():
            if case.client is not None:
                case.client.close()
    return Report(
        kit=grader.__version__,
        torch=torch.__version__,
        python=platform.python_version(),
        isolation=isolation_word(layers),
        submission=submission.name,
        exercises=results,
        layers=layers,
        seconds=time.perf_counter() - started,
    )


def isolation_word(layers: Collection[str]) -> str:
    """The one word for the JSON: the strongest layer that holds."""
    for word in ("landlock", "seccomp", "unprivileged", "limits"):
        if word in layers:
            return word
    return "none"


# -- before the suites ------------------------------------------------------------------------------


def _prepare(
    case: _Case, submission: Submission, launcher: Launcher, budget: Mapping[str, float]
) -> None:
    """Finds what can be found without running, then loads the file in a worker."""
    file = case.file
    name = f"{case.exercise.id}.py"
    if file is None:
        _set(case, "incomplete", "missing-name", Text(f"there is no {name}", f"没有 {name}"))
        return
    if file.problem is not None:
        status = "incomplete" if file.problem.fault == "not-implemented" else "error"
        _set(case, status, file.problem.fault, file.problem.text, file.problem.line)
        return
    case.unfinished = file.unfinished(case.exercise)
    if _nothing_written(case.exercise, case.unfinished):
        line = min(case.unfinished.values())
        todo = Text(f"not written yet: the TODO at {file.name}:{line}", f"尚未完成：{file.name}:{line} 处的 TODO")
        _set(case, "incomplete", "not-implemented", todo, line)
        return
    blocked = _blocked(file, submission)
    if blocked is not None:
        _set(case, "blocked", None, blocked)
        return
    client = Client(
        launcher,
        case.exercise.id,
        submission.sources(),
        budget=_budget(case.exercise, budget),
        forbidden_names=case.exercise.forbidden,
        forbidden_operators=case.exercise.operators,
        expects=[e.name for e in case.exercise.entries],
    )
    case.client = client
    loaded = client.load()
    if not loaded.ok:
        _load_failed(case, loaded)
        return
    if _names_missing(case, loaded):
        return
    case.lab = Lab(load_room(case.exercise.id), client, OUTPUTS, file.called())


def _set(
    case: _Case, status: str, fault: str | None, note: Text, line: int | None = None
) -> None:
    case.status, case.fault, case.note, case.line = status, fault, note, line


def _budget(exercise: Exercise, override: Mapping[str, float]) -> Budget:
    values = {**exercise.budget, **override}
    default = Budget()
    return Budget(
        call=values.get("call", default.call),
        load=values.get("load", default.load),
        total=values.get("total", default.total),
        memory=int(values.get("memory", default.memory)),
        stops=int(values.get("stops", default.stops)),
    )


def _nothing_written(exercise: Exercise, unfinished: Mapping[str, int]) -> bool:
    """Every entry still has its TODO (a class: in any of its methods)."""
    open_entries = {name.split(".")[0] for name in unfinished}
    return bool(open_entries) and all(entry.name in open_entries for entry in exercise.entries)


def _blocked(file: SourceFile, submission: Submission, seen: frozenset[str] = frozenset()) -> Text | None:
    """Why an earlier exercise that this file imports cannot run, if it cannot."""
    for name in module_names():
        if name == file.module or name in seen or name not in file.imports(module_names()):
            continue
        earlier = submission.files.get(name)
        if earlier is None:
            return Text(
                f"needs {name}.py, which is not there; write that exercise first",
                f"需要 {name}.py，但没有这个文件；请先完成那个练习",
            )
        if earlier.problem is not None:
            return Text(
                f"needs {name}.py, which cannot be used: {earlier.problem.text.en}",
                f"需要 {name}.py，但它无法使用：{earlier.problem.text.zh}",
            )
        if _nothing_written(exercise(name), earlier.unfinished(exercise(name))):
            return Text(
                f"needs {name}.py, whose TODO is still open; write that exercise first",
                f"需要 {name}.py，但其中的 TODO 尚未完成；请先完成那个练习",
            )
        deeper = _blocked(earlier, submission, seen | {file.module})
        if deeper is not None:
            return deeper
    return None


def _load_failed(case: _Case, loaded: Observation) -> None:
    assert case.file is not None
    name = case.file.name
    error = loaded.error
    where = error.where if error is not None else None
    other = where is not None and where.file != name
    line = where.line if where is not None and not other else None
    spot = f"{where.file}:{where.line}" if where is not None else name
    if loaded.outcome is Outcome.TIMED_OUT:
        text = Text(
            f"importing {name} took longer than {loaded.seconds:g} s: move code that runs at import "
            'under `if __name__ == "__main__":`',
            f'导入 {name} 超过 {loaded.seconds:g} 秒：请把导入时运行的代码放到 `if __name__ == "__main__":` 之下',
        )
        _set(case, "stopped", "timeout", text)
        return
    if loaded.outcome is Outcome.OUT_OF_MEMORY:
        text = Text(f"importing {name} asked for too much memory", f"导入 {name} 时申请了过多内存")
        _set(case, "stopped", "out-of-memory", text, line)
        return
    if loaded.outcome is not Outcome.RAISED or error is None:
        text = Text(f"importing {name} ended the process", f"导入 {name} 时进程结束了")
        _set(case, "stopped", "crash", text)
        return
    if "EOFError" in error.bases:
        text = Text(
            f"{spot} asks for input while the file is imported: remove the call of input()",
            f"{spot} 在导入时要求输入：请去掉 input() 调用",
        )
        _set(case, "error", "import-error", text, line)
    elif "SystemExit" in error.bases:
        text = Text(f"{spot} exits while the file is imported", f"{spot} 在导入时退出了程序")
        _set(case, "error", "import-error", text, line)
    elif "ImportError" in error.bases:
        text = Text(
            f"{spot}: {_one_line(error.message)}",
            f"{spot}：{_one_line(error.message)}",
        )
        # a name that an earlier exercise does not define is this file's mistake; anything else that
        # goes wrong in another file is not
        blocked = other or (error.missing in module_names() and "cannot import name" not in error.message)
        _set(case, "blocked" if blocked else "error", None if blocked else "import-error", text, line)
    elif other:
        text = Text(
            f"needs {where.file if where else '?'}, which fails when it is imported: "
            f"{error.type}: {_one_line(error.message)}",
            f"需要 {where.file if where else '?'}，但导入它时出错：{error.type}：{_one_line(error.message)}",
        )
        _set(case, "blocked", None, text)
    else:
        text = Text(
            f"{spot} fails when the file is imported: {error.type}: {_one_line(error.message)}",
            f"{spot} 在导入时出错：{error.type}：{_one_line(error.message)}",
        )
        _set(case, "error", "import-error", text, line)


def _one_line(message: str) -> str:
    lines = message.strip().splitlines()
    return lines[0][:300] if lines else ""


def _names_missing(case: _Case, loaded: Observation) -> bool:
    """Sets the status when a name is absent or is not what it should be."""
    import difflib

    assert case.file is not None
    kinds = loaded.value if isinstance(loaded.value, dict) else {}
    name = case.file.name
    wrong: list[Text] = []
    absent = 0
    for entry in case.exercise.entries:
        kind = kinds.get(entry.name)
        if kind is None:
            absent += 1
            defined = _defined(case.file)
            close = difflib.get_close_matches(entry.name, defined, 1, 0.6)
            near_en = f" (there is {close[0]} at line {defined[close[0]]}: rename it?)" if close else ""
            near_zh = f"（第 {defined[close[0]]} 行有 {close[0]}：是否应改名？）" if close else ""
            wrong.append(
                Text(f"{name} does not define {entry.name}{near_en}", f"{name} 没有定义 {entry.name}{near_zh}")
            )
        elif entry.kind == "class" and kind not in ("class", "module"):
            line = case.file.definition_line(entry.name)
            wrong.append(
                Text(
                    f"{name}:{line}: {entry.name} should be a class, and is a {kind}",
                    f"{name}:{line}：{entry.name} 应是类，却是 {kind}",
                )
            )
        elif entry.kind == "function" and kind in ("class", "module"):
            line = case.file.definition_line(entry.name)
            wrong.append(
                Text(
                    f"{name}:{line}: {entry.name} should be a function, and is a class",
                    f"{name}:{line}：{entry.name} 应是函数，却是类",
                )
            )
        elif entry.kind == "function" and kind != "function":
            line = case.file.definition_line(entry.name)
            wrong.append(
                Text(
                    f"{name}: {entry.name} should be a function, and is a {kind}",
                    f"{name}：{entry.name} 应是函数，却是 {kind}",
                )
            )
    if not wrong:
        return False
    if absent == len(wrong) and absent < len(case.exercise.entries):
        case.fault, case.note, case.status = "missing-name", Text.join(wrong, "; ", "；"), "incomplete"
        return False  # the other entries are checked
    _set(case, "incomplete", "missing-name", Text.join(wrong, "; ", "；"))
    return True


def _defined(file: SourceFile) -> dict[str, int]:
    import ast

    body = file.tree.body if file.tree is not None else []
    return {n.name: n.lineno for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}


# -- the suites -------------------------------------------------------------------------------------


def _run_suites(cases: list[_Case]) -> dict[str, Ran]:
    if not cases:
        return {}
    by_path = {c.exercise.suite.resolve(): c.exercise for c in cases}
    labs = {c.exercise.id: c.lab for c in cases}
    plugin = SuitePlugin(by_path, lambda e: labs[e.id])
    arguments = [
        *map(str, by_path),
        "-c",
        str(FOLDER / "suite.ini"),
        f"--rootdir={FOLDER}",
        "--import-mode=importlib",
        "--assert=plain",
        "-p", "no:cacheprovider",
        "-p", "no:terminal",
        "-p", "no:doctest",
        "-p", "no:junitxml",
        "-p", "no:logging",
        "-p", "no:faulthandler",
        "-p", "no:unraisableexception",
        "-p", "no:threadexception",
        "-p", "no:stepwise",
        "--capture=no",
    ]  # fmt: skip
    with _quiet_pytest():
        code = pytest.main(arguments, plugins=[_Registered(plugin), fixtures])
    problems = [p for ran in plugin.ran.values() for p in ran.kit_errors]
    if code == pytest.ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        problems.append(f"pytest ended with {code!r}")
    if problems:
        words = "; ".join(problems)
        raise KitError(Text(f"a fault of the kit: {words}", f"评分工具自身的错误：{words}"))
    return plugin.ran


class _Registered:
    """Registers the suite plugin under its name, so that the fixture finds it."""

    def __init__(self, plugin: SuitePlugin) -> None:
        self.plugin = plugin

    def pytest_configure(self, config: pytest.Config) -> None:
        config.pluginmanager.register(self.plugin, SuitePlugin.NAME)


@contextmanager
def _quiet_pytest() -> Iterator[None]:
    """No plugins and options from outside reach the suites."""
    hidden = {n: os.environ.pop(n, None) for n in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")}
    before = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    current = os.environ.get("PYTEST_CURRENT_TEST")
    try:
        yield
    finally:
        for name, value in hidden.items():
            if value is not None:
                os.environ[name] = value
        if before is None:
            del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        else:
            os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = before
        if current is not None:
            os.environ["PYTEST_CURRENT_TEST"] = current


# -- after the suites -------------------------------------------------------------------------------


def _result(case: _Case, submission: Submission, ran: Ran) -> ExerciseResult:
    checks = tuple(ran.checks) or _not_run(case.exercise)
    score = sum(c.points for c in checks)
    started = time.perf_counter()
    status, note = _status(case, checks)
    if case.lab is not None and case.file is not None:
        diagnoses = diagnose(case.lab, case.exercise, case.file, checks, ran.seen, status)
    else:
        diagnoses = _static_diagnosis(case)
    return ExerciseResult(
        id=case.exercise.id,
        title=case.exercise.title,
        status=status,
        score=round(score, 4),
        max_score=round(case.exercise.max_score, 4),
        seconds=round(ran.seconds + time.perf_counter() - started, 4),
        checks=checks,
        diagnoses=diagnoses,
        note=note,
        printed="".join(case.client.printed)[:20_000] if case.client is not None else "",
    )


def _status(case: _Case, checks: tuple[CheckResult, ...]) -> tuple[str, Text | None]:
    if case.lab is None:
        return case.status or "error", case.note
    failed = [c for c in checks if c.tier == "core" and c.outcome != "passed"]
    if case.status == "incomplete":
        return "incomplete", case.note
    if not failed:
        return "passed", None
    faults = {c.fault for c in failed}
    if faults == {"not-implemented"} and not case.unfinished:
        return "failed", None  # nothing is marked as a TODO, but nothing is returned
    if "not-implemented" in faults and case.unfinished:
        name, line = min(case.unfinished.items(), key=lambda pair: pair[1])
        file = case.file.name if case.file else ""
        return "incomplete", Text(
            f"{name} is not written yet (the TODO at {file}:{line})",
            f"{name} 尚未完成（{file}:{line} 处的 TODO）",
        )
    if case.client is not None and case.client.exhausted and case.client.stopped_by is not None:
        return "stopped", next((c.message for c in failed if c.fault in _STOPS), None)
    if faults & _STOPS and all(c.fault in _STOPS for c in failed):
        return "stopped", next(c.message for c in failed)
    return "failed", None


_STOPS = {"timeout", "out-of-memory", "crash"}


def _not_run(exercise: Exercise) -> tuple[CheckResult, ...]:
    rows = exercise.checks.values()
    return tuple(
        CheckResult(r.id, _title(exercise, r.id, r.zh), r.tier, "skipped", 0.0, r.points) for r in rows
    )


def _title(exercise: Exercise, check: str, zh: str) -> Text:
    """The title of a check that was not run: its docstring, read without importing the suite."""
    import ast

    if exercise.id not in _docstrings:
        tree = ast.parse(exercise.suite.read_text(encoding="utf-8"))
        _docstrings[exercise.id] = {
            n.name.removeprefix("test_"): (ast.get_docstring(n) or "").splitlines()[0]
            for n in tree.body
            if isinstance(n, ast.FunctionDef) and n.name.startswith("test_") and ast.get_docstring(n)
        }
    return Text(_docstrings[exercise.id].get(check, check), zh)


_docstrings: dict[str, dict[str, str]] = {}


def _static_diagnosis(case: _Case) -> tuple[Diagnosis, ...]:
    """The diagnosis of a file that could not be run."""
    if case.fault is None:
        return ()
    texts = fault_text(case.exercise.id, case.fault)
    file = case.file.name if case.file is not None else None
    named = NamedFault(case.fault, texts.title, texts.explanation, texts.hints, file, case.line)
    return (Diagnosis((named,), "core", "confirmed", case.note or Text("", "")),)


__all__ += ["Problem"]
