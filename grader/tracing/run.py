"""From a submission to a trace: chooses the call that shows most, runs it in a worker, reads what came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from grader.diagnosis.following import Followed, alongside
from grader.diagnosis.matching import match
from grader.diagnosis.model import Prediction, Probe, predict
from grader.diagnosis.walk import Budget
from grader.errors import SubmissionError, UsageError
from grader.exercises.registry import exercise, load_traced
from grader.marking.case import Case
from grader.marking.cells import text_in_cells
from grader.marking.lab import Lab
from grader.marking.preparing import Preparation
from grader.marking.records import ExerciseResult
from grader.marking.run import grade
from grader.submission.client import Callback
from grader.submission.files import SourceFile
from grader.submission.launcher import Launcher
from grader.submission.observation import Observation, Opaque, Outcome
from grader.submission.source import Submission
from grader.text import Text
from grader.threads import one_thread
from grader.tracing.cells import trace_in_cells
from grader.tracing.lines import shown_lines, traced_lines, value_of
from grader.tracing.marking import Blame, blamed, marked
from grader.tracing.naming import sizes_of
from grader.tracing.records import Given, Mark, Trace, TracedLine

__all__ = ["trace_exercise"]

MOST_PROBES = 12  # of the room's own calls, where none of the small ones shows what is wrong


@dataclass(frozen=True)
class _Run:
    """One call, as it was seen and as it should be."""

    probe: Probe
    seen: Observation
    right: Prediction

    @property
    def wrong(self) -> bool:
        plain = self.probe.but(grad=False)
        return match(self.right, self.seen, plain) is None or bool(self.seen.changed)


@one_thread()
def trace_exercise(
    submission: Submission,
    exercise_id: str,
    launcher: Launcher,
    call: str | None = None,
    *,
    budget: Mapping[str, float] | None = None,
    result: ExerciseResult | None = None,
) -> Trace:
    """The trace of one exercise; `call` chooses the function or class.

    result: what grading gave, where that is known already: it tells which known mistake is on which line.
    Raises `SubmissionError` where nothing can be run, `UsageError` for a call that the exercise lacks.
    """
    names = tuple(e.name for e in exercise(exercise_id).entries)
    if call is not None and call not in names:
        listed = ", ".join(names)
        raise UsageError(
            Text(
                f"{exercise_id} has no {call}; --call can be {listed}",
                f"{exercise_id} 中没有 {call}；--call 可以是 {listed}",
            )
        )
    if result is None:
        result = grade(submission, launcher, budget=budget, only=[exercise_id]).exercises[0]
    file = submission.files.get(exercise_id)
    case = Case(exercise(exercise_id), file)
    try:
        Preparation(submission, launcher, budget or {}).prepare(case)
        if case.lab is None or file is None:
            note = case.note or Text(f"there is no {exercise_id}.py", f"没有 {exercise_id}.py")
            raise SubmissionError(text_in_cells(note, submission.files))
        traced = _Tracer(case.lab, file, blamed(result, file), names).trace(call)
        return trace_in_cells(traced, file, submission.files)
    finally:
        if case.client is not None:
            case.client.close()


class _Tracer:
    def __init__(self, lab: Lab, file: SourceFile, blame: Sequence[Blame], names: tuple[str, ...]) -> None:
        self.lab = lab
        self.file = file
        self.blame = blame
        self.names = names

    def trace(self, call: str | None) -> Trace:
        run = self.chosen(call)
        probe, seen = run.probe, run.seen
        model = self.lab.model(probe.target)
        small = self.lab.room.small
        sizes = sizes_of(self.lab.room.id, probe, model, small.axes if small is not None else {})
        found = self.followed(run)
        lines = traced_lines(self.file, seen.trace, sizes)
        here = [b for b in self.blame if self.concerns(b, probe.target)]
        error = seen.error.within(self.file.name) if seen.error is not None else None
        extra = [b.line for b in here] + ([error.line] if error is not None else [])
        shown = shown_lines(self.file, lines, extra, probe.target)
        shown = marked(shown, here, found, seen, self.file, self.lab, sizes)
        return Trace(
            self.lab.room.id,
            probe.target,
            probe.title,
            self.file.name,
            sizes,
            tuple(self.given(probe, sizes)),
            shown,
            tuple(self.returned(run, sizes)),
            dict(probe.init or {}),
            probe.train,
            self.names,
            seen.outcome.value,
            self.note(run, here, shown),
            tuple(dict.fromkeys(b.fault for b in here)),
            not run.wrong,
        )

    # -- which call -----------------------------------------------------------------------------

    def chosen(self, call: str | None) -> _Run:
        """The first call that goes wrong where a known mistake is; or else that goes wrong; or that at
        least runs there; or the first."""
        best: _Run | None = None
        first: _Run | None = None
        there: _Run | None = None
        for probe in self.candidates(call):
            if self.lab.client.exhausted and first is not None:
                break
            run = self.run(probe)
            first = first or run
            concerned = any(self.concerns(b, probe.target) for b in self.blame)
            if run.wrong:
                if not self.blame or concerned:
                    return run
                best = best or run
            there = there or (run if concerned else None)
        found = there or best or first
        assert found is not None
        return found

    def candidates(self, call: str | None) -> Iterator[Probe]:
        """The small calls, and where something is known to be wrong also those of the suite."""
        wanted = [p for p in load_traced(self.lab.room.id) if call is None or p.target == call]
        main = self.names[-1] if call is None else call
        yield from sorted(wanted, key=lambda p: p.target != main and not self.blame)
        if self.blame:
            more = [p for p in self.lab.room.probes if p.args is not None and p.tier == "core"]
            yield from [p for p in more if call is None or p.target == call][:MOST_PROBES]

    def run(self, probe: Probe) -> _Run:
        plain = probe.but(grad=False)
        right = predict(self.lab.model(probe.target), plain)
        return _Run(plain, self.lab.observe(plain, trace=True), right)

    def concerns(self, blame: Blame, target: str) -> bool:
        """Whether a mistake is in this function or class, or in a part of the file that it may use."""
        owner = self.owner(blame.line)
        return owner is None or owner == target or owner not in self.names

    def owner(self, line: int) -> str | None:
        """The function or class, of those that the exercise asks for, that a line is in."""
        for name in self.names:
            node = self.file.definition(name)
            if node is not None and node.lineno <= line <= (node.end_lineno or node.lineno):
                return name
        return None

    # -- what is said of it ---------------------------------------------------------------------

    def followed(self, run: _Run) -> Followed | None:
        if run.seen.outcome not in (Outcome.OK, Outcome.RAISED) or not run.seen.trace:
            return None
        model = self.lab.model(run.probe.target)
        try:
            budget = Budget() if run.wrong else Budget(0)
            name = self.lab.room.id
            found = alongside(name, model, run.probe, run.seen, budget, settled=not run.wrong)
        except (RuntimeError, ValueError, IndexError):  # of torch, on values that nobody has thought of
            return None
        if found is None or run.wrong:
            return found
        return replace(found, walk=replace(found.walk, culprit=None))  # nothing is wrong here

    def given(self, probe: Probe, sizes: Mapping[str, int]) -> Iterator[Given]:
        model = self.lab.model(probe.target)
        for name, value in [*zip(model.inputs, probe.args or ()), *probe.kwargs.items()]:
            if isinstance(value, Tensor):
                yield Given(name, value_of(value, sizes))
            elif isinstance(value, Callback):
                yield Given(name, words=value.name)
            elif value is not None:
                yield Given(name, words=str(value))

    def returned(self, run: _Run, sizes: Mapping[str, int]) -> Iterator[Given]:
        if not run.seen.ok:
            return
        value: Any = run.seen.value
        parts = value if isinstance(value, (tuple, list)) else (value,)
        names = self.lab.outputs.get(run.probe.target, ("result",))
        for number, part in enumerate(parts[:4]):
            name = names[number] if number < len(names) else str(number)
            if isinstance(part, Tensor):
                yield Given(name, value_of(part, sizes))
            else:
                yield Given(name, words=part.type if isinstance(part, Opaque) else type(part).__name__)

    def note(self, run: _Run, here: Sequence[Blame], lines: Sequence[TracedLine]) -> Text | None:
        """What has to be said of the whole call."""
        if run.seen.outcome not in (Outcome.OK, Outcome.RAISED):
            why = run.seen.error.message if run.seen.error is not None else ""
            return Text(
                f"the call was stopped ({run.seen.outcome.value}{': ' if why else ''}{why}); "
                "nothing is known of its lines",
                f"调用被终止（{run.seen.outcome.value}{'：' if why else ''}{why}），因此不知道各行的结果",
            )
        if run.seen.changed:
            names = ", ".join(run.seen.changed)
            return Text(f"the call changes {names} in place", f"调用就地修改了 {names}")
        if run.wrong and not any(n.mark in (Mark.WRONG, Mark.RAISED) for n in lines):
            return Text(
                "what this call returns is not right, and no line could be made out at which it goes "
                "wrong: see `grade run`",
                "这次调用返回的结果不正确，但无法确定是从哪一行开始出错的：见 `grade run`",
            )
        if run.wrong or here:
            return None
        if self.blame:
            return Text(
                "on this call all is right; what is wrong shows elsewhere: see `grade run`",
                "这次调用的结果都正确；错误出现在别处：见 `grade run`",
            )
        return Text("what this call returns is right", "这次调用返回的结果正确")
