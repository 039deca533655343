"""From a submission to what its model has learnt: reads, loads, drives, judges."""

from __future__ import annotations

import platform
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import torch

import grader
from grader.errors import SubmissionError
from grader.exercises.registry import all_exercises, exercise, module_names
from grader.learning.driving import Driver, Progress
from grader.learning.judging import judge, status_of
from grader.learning.learner import FUNCTIONS, Learner
from grader.learning.records import Learning, TaskResult
from grader.learning.stops import stopped
from grader.learning.tasks import Task
from grader.marking.cells import text_in_cells
from grader.marking.reference import compiled, reference
from grader.submission.client import Budget, Client
from grader.submission.files import SourceFile
from grader.submission.launcher import Launcher
from grader.submission.source import Submission
from grader.text import Text
from grader.threads import one_thread

__all__ = ["NEEDED", "train"]

NEEDED = ("tiny_transformer", "training")
SECONDS = 120.0  # of the learner's processor time for the steps of one task
LIMITS = Budget(call=10.0, total=240.0, stops=1)
RULES = "encoder"  # whose forbidden operations hold here


def _silent(task: str, step: int, steps: int, loss: float) -> None:
    return


@one_thread()
def train(
    submission: Submission,
    launcher: Launcher,
    tasks: Sequence[Task],
    *,
    seed: int = 0,
    budget: Mapping[str, float] | None = None,
    with_reference: bool = False,
    progress: Progress = _silent,
) -> Learning:
    """Trains the model of a submission on each task, with a worker of its own for each.

    Raises `SubmissionError` where a file that is needed is missing or cannot be used, and where the code
    fails before the first step; `with_reference` lets the kit's own files stand in for such.
    """
    stand_ins = _stand_ins(submission, with_reference)
    limits = replace(LIMITS, **{k: type(getattr(LIMITS, k))(v) for k, v in (budget or {}).items()})
    seconds = min(SECONDS, 0.5 * limits.total)
    sources = {**submission.sources(), **{name: compiled(name) for name in stand_ins}}
    rules = exercise(RULES)
    results = []
    for task in tasks:
        client = Client(
            launcher,
            "training",
            sources,
            budget=limits,
            forbidden_names=rules.forbidden,
            forbidden_operators=rules.operators,
            expects=FUNCTIONS,
        )
        try:
            learner = Learner(client, rules.forbidden, rules.operators)
            _load(learner, submission)
            driver = Driver(learner, task, seed, seconds, progress)
            driver.run()
        finally:
            client.close()
        stop = driver.stopped
        if stop is not None:
            stop.text = text_in_cells(stop.text, submission.files)
            if stop.broken and not driver.losses:
                raise _cannot(stop.text)
        printed = "".join(client.printed)
        results.append(TaskResult(task, status_of(driver), driver.curve, driver.exam, judge(driver), printed))
    versions = {"kit": grader.__version__, "torch": torch.__version__, "python": platform.python_version()}
    return Learning(submission.name, seed, tuple(results), _notes(stand_ins), versions)


def _load(learner: Learner, submission: Submission) -> None:
    """Imports both files; `SubmissionError` where that fails, or a name is missing."""
    first = learner.client.load()
    seen = learner.load() if first.ok else first
    if not seen.ok:
        name = "training.py" if not first.ok else "tiny_transformer.py"
        raise _cannot(text_in_cells(stopped(seen, f"import {name}").text, submission.files))
    for found, file in ((first, "training.py"), (seen, "tiny_transformer.py")):
        kinds = found.value if isinstance(found.value, dict) else {}
        for name, kind in kinds.items():
            if kind is None:
                raise _cannot(Text(f"{file} does not define `{name}`", f"{file} 没有定义 `{name}`"))


def _cannot(why: Text) -> SubmissionError:
    return SubmissionError(
        Text(
            f"nothing can be trained: {why.en}; `grade run tiny_transformer training` says more",
            f"无法训练：{why.zh}；`grade run tiny_transformer training` 会给出更多说明",
        )
    )


# -- the files --------------------------------------------------------------------------------------


def _stand_ins(submission: Submission, with_reference: bool) -> tuple[str, ...]:
    """The exercises in whose place the kit's own stand.  Raises `SubmissionError` for one that is missing or
    broken where they may not."""
    names = dict.fromkeys((*module_names(), *NEEDED))
    found: list[str] = []
    waiting, seen = list(NEEDED), set(NEEDED)
    while waiting:
        name = waiting.pop(0)
        why = _unusable(submission.files.get(name), name)
        if why is not None and not with_reference:
            raise _cannot(
                why
                + Text(
                    " (`--with-reference` uses the kit's own in its place)",
                    "（`--with-reference` 会用本工具自带的代替）",
                )
            )
        file = submission.files.get(name)
        if why is not None or file is None:
            found.append(name)
            file = reference(name)
        more = [n for n in file.imports(names) if n not in seen]
        seen.update(more)
        waiting += more
    return tuple(name for name in names if name in found)


def _unusable(file: SourceFile | None, name: str) -> Text | None:
    """Why a file cannot be used, as far as that can be told without running it."""
    if file is None:
        return Text(f"there is no {name}.py", f"没有 {name}.py")
    if file.problem is not None:
        return Text(
            f"{file.name} cannot be used: {file.problem.text.en}",
            f"{file.name} 无法使用：{file.problem.text.zh}",
        )
    known = next((e for e in all_exercises() if e.id == name), None)
    unfinished = file.unfinished(known) if known is not None else {}
    if unfinished:
        line = min(unfinished.values())
        return Text(
            f"not written yet: the TODO at {file.name}:{line}", f"尚未完成：{file.name}:{line} 处的 TODO"
        )
    return None


def _notes(stand_ins: Collection[str]) -> tuple[Text, ...]:
    if not stand_ins:
        return ()
    files = ", ".join(f"{n}.py" for n in stand_ins)
    return (Text(f"with the kit's own {files}", f"其中使用了本工具自带的 {files}"),)
