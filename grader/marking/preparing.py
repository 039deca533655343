"""Before the suites: finds what can be found without running, then loads the file in a worker."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from grader.exercises.registry import Exercise, exercise, load_room, module_names
from grader.marking.case import Case
from grader.marking.lab import Lab
from grader.marking.memo import memo_of
from grader.marking.names import check_names
from grader.marking.not_loaded import Failure, why_not_loaded
from grader.marking.reference import compiled, reference
from grader.submission.client import Budget
from grader.submission.files import SourceFile
from grader.submission.launcher import Launcher
from grader.submission.observation import Outcome
from grader.submission.recalling import Recalling
from grader.submission.source import Submission
from grader.text import Text

__all__ = ["Preparation"]


@dataclass
class Preparation:
    """Loads the exercises of one submission, and remembers which could not be imported and why.

    with_reference: an earlier part that cannot be used is replaced by the kit's own, and so are those in
    `stand_ins`.
    """

    submission: Submission
    launcher: Launcher
    budget: Mapping[str, float]
    with_reference: bool = False
    stand_ins: Collection[str] = ()
    failed: dict[str, Text] = field(default_factory=dict)
    loaded: set[str] = field(default_factory=set)

    def prepare(self, case: Case) -> None:
        """Gives the case its lab, or the status that says why there is none."""
        file = case.file
        if file is None:
            name = f"{case.exercise.id}.py"
            case.stop("incomplete", "missing-name", Text(f"there is no {name}", f"没有 {name}"))
            return
        if file.problem is not None:
            status = "incomplete" if file.problem.fault == "not-implemented" else "error"
            case.stop(status, file.problem.fault, file.problem.text, file.problem.line)
            return
        case.unfinished = file.unfinished(case.exercise)
        if case.unfinished and not file.begun(case.exercise):
            line = min(case.unfinished.values())
            todo = Text(
                f"not written yet: the TODO at {file.name}:{line}",
                f"尚未完成：{file.name}:{line} 处的 TODO",
            )
            case.stop("incomplete", "not-implemented", todo, line)
            return
        helper = self._broken_helper(file)
        if helper is not None and helper.problem is not None:
            words = helper.problem.text
            note = Text(
                f"needs {helper.name}, which cannot be used: {words.en}",
                f"需要 {helper.name}，但它无法使用：{words.zh}",
            )
            case.stop("error", helper.problem.fault, note, helper.problem.line, helper.name)
            return
        case.stand_ins = self._stand_ins(file)
        blocked = self._blocked(file, case.stand_ins)
        if blocked is not None:
            case.stop("blocked", None, blocked)
            return
        self._load(case, file)

    # -- without running ------------------------------------------------------------------------

    def _blocked(
        self, file: SourceFile, replaced: Collection[str] = (), seen: frozenset[str] = frozenset()
    ) -> Text | None:
        """Why an earlier exercise that this file imports cannot run, if it cannot."""
        for name in file.imports(module_names()):
            if name == file.module or name in seen:
                continue
            reason = None if name in replaced else self._unusable(name)
            if reason is None:
                reason = self._blocked(self._earlier(name, replaced), replaced, seen | {file.module})
            if reason is not None:
                return reason
        return None

    def _stand_ins(self, file: SourceFile) -> tuple[str, ...]:
        """The earlier exercises for which the kit's own stand in, directly or under others."""
        if not self.with_reference and not self.stand_ins:
            return ()
        found: set[str] = set()
        seen = {file.module}
        waiting = [file]
        while waiting:
            for name in waiting.pop().imports(module_names()):
                if name in seen:
                    continue
                seen.add(name)
                if name in self.stand_ins or (self.with_reference and self._unusable(name) is not None):
                    found.add(name)
                waiting.append(self._earlier(name, found))
        return tuple(n for n in module_names() if n in found)

    def _earlier(self, name: str, replaced: Collection[str]) -> SourceFile:
        return reference(name) if name in replaced else self.submission.files[name]

    def _unusable(self, name: str) -> Text | None:
        earlier = self.submission.files.get(name)
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
        if earlier.unfinished(exercise(name)) and not earlier.begun(exercise(name)):
            return Text(
                f"needs {name}.py, whose TODO is still open; write that exercise first",
                f"需要 {name}.py，但其中的 TODO 尚未完成；请先完成那个练习",
            )
        if name in self.failed:
            return Text(
                f"needs {name}.py, which cannot be used: {self.failed[name].en}",
                f"需要 {name}.py，但它无法使用：{self.failed[name].zh}",
            )
        return None

    def _broken_helper(self, file: SourceFile) -> SourceFile | None:
        """A file of the learner's beside the exercises that this one imports and that is broken."""
        helpers = self.submission.files.keys() - set(module_names())
        for name in file.imports(helpers):
            if self.submission.files[name].problem is not None:
                return self.submission.files[name]
        return None

    # -- in the worker --------------------------------------------------------------------------

    def _load(self, case: Case, file: SourceFile) -> None:
        client = self.client(case.exercise, case.stand_ins)
        case.client = client
        seen = client.load()
        if seen.ok:
            self.loaded.add(file.module)
            kinds = seen.value if isinstance(seen.value, dict) else {}
            if check_names(case, file, kinds):
                name = case.exercise.id
                case.lab = Lab(load_room(name), client, file.called(), memo_of(name))
            return
        failure = why_not_loaded(self.submission, file, seen)
        if seen.outcome is not Outcome.RAISED and failure.status != "blocked":
            failure = self._blame_earlier(file) or failure
        if failure.status != "blocked":
            self.failed[file.module] = failure.text
        elif self.with_reference:
            more = self._stand_ins(file)  # an earlier one has turned out to fail
            if set(more) > set(case.stand_ins):
                client.close()
                case.stand_ins = more
                self._load(case, file)
                return
        case.stop(failure.status, failure.fault, failure.text, failure.line, failure.place)

    def _blame_earlier(self, file: SourceFile) -> Failure | None:
        """A stop at import says nothing of where it happened: import the earlier files one by one."""
        for name in self._all_imports(file):
            if name in self.loaded:
                continue
            client = self.client(exercise(name))
            try:
                seen = client.load()
            finally:
                client.close()
            if seen.ok:
                self.loaded.add(name)
                continue
            self.failed[name] = why_not_loaded(self.submission, self.submission.files[name], seen).text
            reason = self._unusable(name)
            return Failure("blocked", None, reason) if reason is not None else None
        return None

    def _all_imports(self, file: SourceFile) -> Sequence[str]:
        """The exercises that this file imports, directly or not, the earliest first."""
        found: set[str] = set()
        waiting = [file]
        while waiting:
            for name in waiting.pop().imports(module_names()):
                if name not in found and name != file.module:
                    found.add(name)
                    waiting.append(self.submission.files[name])
        return [name for name in module_names() if name in found]

    def client(self, which: Exercise, stand_ins: Collection[str] = ()) -> Recalling:
        """A client of one exercise of the submission, with the exercise's limits; not loaded yet."""
        return Recalling(
            self.launcher,
            which.id,
            {**self.submission.sources(), **{n: compiled(n) for n in stand_ins}},
            budget=_budget(which, self.budget),
            forbidden_names=which.forbidden,
            forbidden_operators=which.operators,
            expects=[e.name for e in which.entries],
        )


def _budget(which: Exercise, override: Mapping[str, float]) -> Budget:
    values = {**which.budget, **override}
    default = Budget()
    return Budget(
        call=values.get("call", default.call),
        load=values.get("load", default.load),
        total=values.get("total", default.total),
        memory=int(values.get("memory", default.memory)),
        processes=int(values.get("processes", default.processes)),
        output=int(values.get("output", default.output)),
        disk=int(values.get("disk", default.disk)),
        stops=int(values.get("stops", default.stops)),
    )
