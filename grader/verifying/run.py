"""All proofs of the chosen exercises, on as many cores as there are.

The files of the kit are graded as any submission is.  The proofs about faults run in forks of this
process, trusted like it: each takes one model of an exercise, or a part of its pairs, at a time.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import groupby

import torch

from grader.data import skeleton_folder, solution_folder
from grader.errors import ExerciseError, KitError
from grader.exercises.registry import all_exercises, exercise, load_room
from grader.exercises.texts import fault_text, fault_texts
from grader.marking.lanes import grade_in_lanes
from grader.submission.launcher import Launcher, default_launcher
from grader.submission.source import read_submission
from grader.text import Text
from grader.verifying import checks, graded, pairs, singles, texts
from grader.verifying.examples import examples, read_example, submissions_folder
from grader.verifying.records import ExerciseProof, Finding, Proof
from grader.verifying.table import Table

__all__ = ["COMMON", "about_checks", "about_faults", "about_files", "about_texts", "table_of", "verify"]

COMMON = "common"  # what belongs to no single exercise
PART = 300  # pairs in one task
ORDER = (
    "solution", "skeleton", "entries", "checks", "marks", "raised", "examples", "texts",
    "visible", "recognised", "apart", "pairs",
)  # fmt: skip


@dataclass(frozen=True)
class _Task:
    """What a fork does at a time: the single faults of a model, or (with `most`) a part of its pairs."""

    exercise: str
    target: str
    most: int = 0
    part: slice | None = None


def verify(
    ids: Sequence[str],
    *,
    most_pairs: int = 0,
    processes: int | None = None,
    progress: Callable[[int, int, str], None] = lambda done, of, what: None,
) -> tuple[ExerciseProof, ...]:
    """Proves these exercises; all of them together also what they have in common.

    most_pairs: how many pairs of faults of each exercise are tried, drawn by lot where there are more.
    """
    torch.set_num_threads(1)  # before forking: no thread pool may be under way
    whole = set(ids) == {e.id for e in all_exercises()}
    tasks = _tasks(ids, most_pairs)
    steps = len(ids) + len(tasks)
    progress(0, steps, "")
    proofs: list[Proof] = []
    with default_launcher() as launcher:
        proofs += about_files(ids, launcher)
    proofs += checks.marks({name: exercise(name).max_score for name in ids}, whole=whole)
    for name in ids:
        proofs += [*about_checks(name), about_texts(name)]
    if whole:
        proofs.append(about_texts(COMMON))
    done = len(ids)
    progress(done, steps, "")
    for finished, made in _all_done(tasks, processes or os.cpu_count() or 1):
        done += 1
        progress(done, steps, finished.exercise)
        proofs += made
    return tuple(_together(name, proofs) for name in [*ids, *([COMMON] if whole else [])])


def _together(name: str, proofs: Iterable[Proof]) -> ExerciseProof:
    own = sorted((p for p in proofs if p.exercise == name), key=lambda p: ORDER.index(p.id))
    joined = [functools.reduce(_joined, group) for _, group in groupby(own, key=lambda p: p.id)]
    title = Text("every exercise", "所有练习") if name == COMMON else exercise(name).title
    return ExerciseProof(name, title, tuple(joined))


def _joined(one: Proof, other: Proof) -> Proof:
    """The same proof of two models of an exercise, or of two parts of its pairs."""
    if one.pairs is not None and other.pairs is not None:
        return pairs.judged(one.exercise, one.pairs + other.pairs)
    return replace(one, checked=one.checked + other.checked, findings=one.findings + other.findings)


# -- files, checks and texts ------------------------------------------------------------------------


def about_files(ids: Sequence[str], launcher: Launcher) -> list[Proof]:
    """The solutions and the skeletons, graded."""
    proofs = []
    written = {name: (solution_folder() / f"{name}.py").read_text(encoding="utf-8") for name in ids}
    open_ones = {name: (skeleton_folder() / f"{name}.py").read_text(encoding="utf-8") for name in ids}
    report = grade_in_lanes(read_submission(solution_folder(), ids), launcher, only=ids)
    proofs += [graded.solution(result) for result in report.exercises]
    report = grade_in_lanes(read_submission(skeleton_folder(), ids), launcher, only=ids)
    proofs += [graded.skeleton(result, open_ones[result.id]) for result in report.exercises]
    for name in ids:
        both = {"skeleton": open_ones[name], "solution": written[name]}
        proofs.append(graded.entries(exercise(name), both))
    return proofs


def about_checks(name: str) -> list[Proof]:
    """The suite of an exercise, and the faults that its checks name."""
    found = exercise(name)
    catalogue = load_room(name).catalogue
    folder = submissions_folder()
    files = None if folder is None else map(read_example, sorted(folder.glob(f"{name}/chaffs/*.py")))
    suite = found.suite.read_text(encoding="utf-8")
    return [
        checks.checks(found, suite),
        checks.raised(name, catalogue.named, suite, checks.shared_sources(found)),
        examples(name, catalogue.ids(), files),
    ]


def about_texts(place: str) -> Proof:
    """The texts of every fault of an exercise, and of those that its suite names besides."""
    try:
        own = fault_texts(place)
        if place == COMMON:
            faults = list(own)
        else:
            named = checks.faults_named(exercise(place).suite.read_text(encoding="utf-8"))
            faults = list(dict.fromkeys([*load_room(place).catalogue.ids(), *own, *sorted(named)]))
        found = {fault: fault_text(place, fault) for fault in faults}
    except ExerciseError as error:  # a text in one language only
        return Proof(place, "texts", 0, (Finding(place, "texts", error.text),))
    return texts.texts(place, found, own, _code_of_solutions())


@functools.cache
def _code_of_solutions() -> frozenset[str]:
    files = sorted(solution_folder().glob("*.py"))
    return frozenset(texts.lines_of_code(path.read_text(encoding="utf-8") for path in files))


# -- faults -----------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1)
def table_of(name: str, target: str) -> Table:
    """The table of one model; a process needs one at a time."""
    room = load_room(name)
    return Table(room, room.models[target])


def about_faults(table: Table) -> list[Proof]:
    """The single faults of one model."""
    return [singles.visible(table), singles.recognised(table), singles.apart(table)]


def _tasks(ids: Sequence[str], most_pairs: int) -> list[_Task]:
    """The longest first: then the cores end at about the same time."""
    found: list[tuple[int, _Task]] = []
    for name in ids:
        room = load_room(name)
        tables = {target: table_of(name, target) for target in room.models}
        for target, table in tables.items():
            found.append((len(table.faults) ** 2 * len(table.probes), _Task(name, target)))
        counts = {target: len(pairs.compatible(table)) for target, table in tables.items()}
        share = min(1.0, most_pairs / max(1, sum(counts.values())))
        for target, count in counts.items() if most_pairs else ():
            most = round(count * share)
            parts = [slice(start, start + PART) for start in range(0, most, PART)]
            found += [(PART * len(tables[target].probes), _Task(name, target, most, p)) for p in parts]
    return [task for _, task in sorted(found, key=lambda weighed: -weighed[0])]


def _do(task: _Task) -> list[Proof]:
    table = table_of(task.exercise, task.target)
    if task.part is None:
        return about_faults(table)
    all_pairs = pairs.compatible(table)
    seed = zlib.crc32(f"{task.exercise} {task.target}".encode())
    chosen = pairs.sample(all_pairs, task.most, seed)[task.part]
    figures = pairs.prove_pairs(table, chosen)
    possible = len(all_pairs) if task.part.start == 0 else 0  # each counted once
    return [pairs.judged(task.exercise, replace(figures, possible=possible))]


def _all_done(tasks: Sequence[_Task], processes: int) -> Iterator[tuple[_Task, list[Proof]]]:
    """Every task with its proofs, as they come."""
    if min(processes, len(tasks)) < 2 or not sys.platform.startswith("linux"):
        yield from ((task, _do(task)) for task in tasks)
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(min(processes, len(tasks)), context, _end_with_ctrl_c) as pool:
        waiting = {pool.submit(_do, task): task for task in tasks}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BrokenProcessPool as error:
            words = ("a part of the proofs was ended from outside", "部分验证进程被外部终止")
            raise KitError(Text(*words)) from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _end_with_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # at once, and without a traceback from each process
