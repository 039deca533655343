"""From failed checks to named mistakes: probes, search, place, numbers and words."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.diagnosis.faults import Fault
from grader.diagnosis.locate import Spot, locate
from grader.diagnosis.matching import error_kind
from grader.diagnosis.model import Probe
from grader.diagnosis.places import WORDS, extents, line_of_words
from grader.diagnosis.raising import came_as_far
from grader.diagnosis.search import MAX_SET, Explanation, Searcher
from grader.exercises.registry import Exercise
from grader.exercises.texts import fault_text
from grader.marking.compare import number, place
from grader.marking.lab import Lab
from grader.marking.records import CheckResult, Diagnosis, NamedFault
from grader.submission.observation import Observation, Outcome
from grader.submission.source import SourceFile
from grader.text import Text

__all__ = ["diagnose"]

# what says everything: nothing else is to be learnt from the other checks
DECISIVE = (
    "forbidden-api",
    "timeout",
    "out-of-memory",
    "crash",
    "missing-name",
    "wrong-signature",
    "not-implemented",
    "uninitialised-memory",
    "nondeterministic",
)
MAX_TRACED = 6
NEVER_MADE = "before Module.__init__() call"  # torch's words
CHANCE = ("nondeterministic", "uninitialised-memory")
# named by a check, and such that the numbers cannot be predicted: no model can confirm them
UNPREDICTABLE = (
    "dropout-in-eval",
    "parameters-not-registered",
    "projection-too-small",
    "affine-misnamed",
    "parameters-misnamed",
    "layers-not-registered",
    "dropout-rate-wrong",
    "dropout-rate-ignored",
    "parameter-names",
    "d-ff-ignored",
    "sublayer-not-called",
    "sublayer-arguments",
    "affine-wrong-shape",
    "super-init-missing",
    "device-hard-coded",
    "result-kept-between-calls",
    "loss-is-a-number",
)
GENERIC = {
    "shape": "shape-error",
    "view": "shape-error",
    "name": "raises-name-error",
    "attribute": "raises-attribute-error",
}


@dataclass
class _Target:
    """The search over the probes of one function or class."""

    searcher: Searcher
    core: Explanation | None
    complete: bool


def diagnose(
    lab: Lab,
    exercise: Exercise,
    file: SourceFile,
    checks: Sequence[CheckResult],
    seen: Mapping[str, Observation],
    status: str,
) -> tuple[Diagnosis, ...]:
    """The diagnoses of one exercise, the best first; empty when every check passed."""
    failed = [c for c in checks if c.outcome == "failed"]
    if not failed:
        return ()
    work = _Work(lab, exercise, file, failed, seen)
    by_check = [c for c in failed if c.fault is not None]
    decisive = [c for c in by_check if c.fault in DECISIVE]
    told = {c.fault for c in by_check if c.tier == "core"} - set(CHANCE)
    if told:  # another check knows where the chance comes from
        decisive = [c for c in decisive if c.fault not in CHANCE]
    if decisive:
        check = min(decisive, key=lambda c: DECISIVE.index(c.fault or ""))
        fault = work._named_by_check(check)
        return (Diagnosis((fault,), check.tier, "confirmed", check.message or Text("", "")),)
    return work.diagnoses()


class _Work:
    def __init__(
        self,
        lab: Lab,
        exercise: Exercise,
        file: SourceFile,
        failed: Sequence[CheckResult],
        seen: Mapping[str, Observation],
    ) -> None:
        self.lab = lab
        self.exercise = exercise
        self.file = file
        self.failed = failed
        self.seen = seen
        self.core_failed = [c for c in failed if c.tier == "core"]
        self.targets: list[_Target] = []
        self.traced: dict[Probe, Observation] = {}

    def diagnoses(self) -> tuple[Diagnosis, ...]:
        found: list[Diagnosis] = []
        observed = self.lab.observed()
        for target, model in self.lab.room.models.items():
            core = [p for p in self.lab.room.probes if p.target == target and p.tier == "core"]
            pairs = [(p, observed[p.name]) for p in core if p.name in observed]
            ties = [p for p in self.lab.room.probes if p.target == target and p.tier == "tie"]
            tie_pairs = [(p, observed[p.name]) for p in ties if p.name in observed]
            searcher = Searcher(model, self.lab.room.catalogue, pairs, tie_pairs)
            searcher.believes = functools.partial(self._believed, searcher)
            if _never_made(pairs):
                self.targets.append(_Target(searcher, None, False))
                continue
            known = [f.id for t in self.targets if t.core and t.complete for f in t.core.faults]
            # every prediction on top of the learner's own parts calls them: one fault at a time, then
            limit = 1 if self.lab.carried else MAX_SET
            explanation = searcher.explain(limit=limit, known=dict.fromkeys(known))
            complete = explanation is not None
            if explanation is None and not self.lab.carried:
                explanation = searcher.best_partial()
            self.targets.append(_Target(searcher, explanation, complete))
        if self.core_failed:
            found.append(self._core())
        found += self._edges(observed)
        return tuple(found)

    def _believed(self, searcher: Searcher, explanation: Explanation) -> bool:
        """Where there are only exceptions: whether the code comes as far as the faults let it come."""
        if any(seen.ok for _, seen in searcher.deviating):
            return True
        for probe, seen in searcher.deviating:
            if probe.args is None or probe.grad or seen.outcome is not Outcome.RAISED:
                continue
            if probe not in self.traced:
                self.traced[probe] = self.lab.observe(probe, trace=True)
            traced = self.traced[probe]
            predicted = searcher.predict(explanation.faults, probe)
            steps = list(searcher.model.steps)
            return came_as_far(steps, predicted, searcher.right(probe).state, traced.trace, seen.error)
        return True

    # -- the core entry -------------------------------------------------------------------------

    def _core(self) -> Diagnosis:
        faults: list[NamedFault] = []
        explained = total = 0
        worst = 0.0
        complete = True
        for target in self.targets:
            total += len(target.searcher.seen)
            if target.core is None:
                complete = False
                continue
            explained += target.core.explained
            worst = max(worst, target.core.worst)
            complete = complete and target.complete
            faults += [self._named(f, target.searcher, target.core) for f in target.core.faults]
        named_checks = [c for c in self.core_failed if c.fault is not None]
        if any(c.fault not in CHANCE for c in named_checks):  # which says where the chance comes from
            named_checks = [c for c in named_checks if c.fault not in CHANCE]
        by_check = [self._named_by_check(c) for c in named_checks]
        if not complete and any(f.id in UNPREDICTABLE for f in by_check):
            evidence = Text.join([c.message for c in self.core_failed if c.fault and c.message], "; ", "；")
            return Diagnosis(tuple(_unique(by_check)), "core", "confirmed", evidence)
        faults = _unique(faults + by_check)
        if not faults:
            return self._unrecognised()
        if complete and faults:
            evidence = Text(
                f"reproduces {explained} of {total} observations, largest difference {worst:.0e}",
                f"重现了 {total} 个观测中的 {explained} 个，最大差异 {worst:.0e}",
            )
            return Diagnosis(tuple(faults), "core", "confirmed", evidence)
        evidence = Text(
            f"reproduces {explained} of {total} observations",
            f"重现了 {total} 个观测中的 {explained} 个",
        )
        return Diagnosis(tuple(faults), "core", "likely", evidence)

    def _unrecognised(self) -> Diagnosis:
        """No fault set explains: an exception is named by its kind, anything else is left open."""
        from grader.diagnosis.divergence import first_divergence, until_raised  # needed here only

        for check in self.core_failed:
            seen = self.seen.get(check.id)
            if seen is not None and seen.outcome is Outcome.RAISED and seen.error is not None:
                kind = error_kind(seen.error)
                identity = GENERIC.get(kind, "raises-exception")
                # an earlier part that is right raises at what it is given: the line is the one that calls
                where = seen.error.within(self.file.name)
                texts = fault_text("common", identity)
                fault = NamedFault(
                    identity,
                    texts.title,
                    texts.explanation,
                    texts.hints,
                    where.file if where else self.file.name,
                    where.line if where else None,
                )
                confidence = "confirmed" if self._raises_everywhere(kind) else "likely"
                so_far = until_raised(self.lab, [t.searcher for t in self.targets], self.file)
                told = [t for t in (check.message, so_far) if t is not None]
                return Diagnosis((fault,), "core", confidence, Text.join(told, "; ", "；"))
        words = first_divergence(self.lab, [t.searcher for t in self.targets], self.file)
        return Diagnosis((), "core", "unrecognised", words)

    def _raises_everywhere(self, kind: str) -> bool:
        """Whether every call that goes wrong goes wrong with this exception, on one and the same line."""
        lines = set()
        for target in self.targets:
            for _, seen in target.searcher.deviating:
                if seen.outcome is not Outcome.RAISED or error_kind(seen.error) != kind:
                    return False
                where = seen.error.within(self.file.name) if seen.error is not None else None
                lines.add((where.file, where.line) if where else None)
        return len(lines) == 1 and None not in lines

    # -- edge entries ---------------------------------------------------------------------------

    def _edges(self, observed: Mapping[str, Observation]) -> list[Diagnosis]:
        if not any(c.tier == "edge" for c in self.failed):
            return []
        found: list[Diagnosis] = []
        given_ids = {f.id for t in self.targets if t.core for f in t.core.faults}
        for target in self.targets:
            if target.core is None or not target.complete:
                continue  # what happens at the edges of something unexplained explains nothing
            model = target.searcher.model
            given = target.core.faults
            pairs = [
                (p, observed[p.name])
                for p in self.lab.room.probes
                if p.target == model.target and p.tier == "edge" and p.name in observed
            ]
            for fault, searcher, explanation in self._edge_faults(target, pairs, given):
                if fault.id not in given_ids:
                    given_ids.add(fault.id)
                    found.append(self._edge_entry(fault, searcher, explanation))
        for check in self.failed:
            told = self.core_failed or any("overflow" in name for name in given_ids)
            if check.fault == "half-precision-overflow" and told:
                continue  # the model has told which overflow it is, or something else is wrong first
            if check.tier == "edge" and check.fault is not None and check.fault not in given_ids:
                given_ids.add(check.fault)
                fault_entry = self._named_by_check(check)
                found.append(Diagnosis((fault_entry,), "edge", "confirmed", check.message or Text("", "")))
        return found

    def _edge_faults(
        self,
        target: _Target,
        pairs: list[tuple[Probe, Observation]],
        given: tuple[Fault, ...],
    ) -> Iterator[tuple[Fault, Searcher, Explanation]]:
        """Faults that explain what deviates at the edges: all at once, or else probe by probe."""
        model, catalogue = target.searcher.model, self.lab.room.catalogue
        whole = Searcher(model, catalogue, pairs)
        together = whole.explain(("edge",), given)
        groups = [(whole, together)]
        if together is None:
            single = [Searcher(model, catalogue, [pair]) for pair in pairs]
            groups = [(s, s.explain(("edge",), given, limit=1)) for s in single]
        for searcher, explanation in groups:
            for fault in explanation.faults if explanation is not None else ():
                if fault not in given:
                    yield fault, searcher, explanation  # type: ignore[misc]

    def _edge_entry(self, fault: Fault, searcher: Searcher, explanation: Explanation) -> Diagnosis:
        entry = self._named(fault, searcher, explanation)
        shown = [p.title for p, _ in searcher.deviating if searcher.acts(fault, p)]
        title = shown[0] if shown else Text("the edge cases", "边界情形")
        evidence = Text(f"reproduces what happens with {title.en}", f"重现了以下情形的结果：{title.zh}")
        return Diagnosis((entry,), "edge", "confirmed", evidence)

    # -- words and places -----------------------------------------------------------------------

    def _named(self, fault: Fault, searcher: Searcher, explanation: Explanation) -> NamedFault:
        texts = fault_text(self.exercise.id, fault.id)
        spot = self._spot(fault, searcher, explanation)
        numbers = {name: number(value) for name, value in fault.number.items()}
        if numbers:
            texts = texts.with_numbers(numbers)
        body = texts.explanation
        own = self._own_numbers(fault, searcher, explanation)
        if own is not None:
            body = body + Text(" ", "") + own if body.en else own
        return NamedFault(
            fault.id,
            texts.title,
            body,
            texts.hints,
            spot[0] if spot else self.file.name,
            spot[1] if spot else self.file.definition_line(searcher.model.target),
        )

    def _spot(self, fault: Fault, searcher: Searcher, explanation: Explanation) -> tuple[str, int] | None:
        """File and line of a fault: by its words, by the value it gives, or where it raises."""
        target = searcher.model.target
        words = self.lab.room.catalogue.words.get(fault.id) or WORDS.get(fault.id, ())
        if not words and fault.primary == "result":
            words = ("return",)
        if fault.id == "wrong-signature":
            words = _signature(" ".join(o.error.message for _, o in searcher.deviating if o.error))
        if fault.absent:
            words = (*words, "discarded")
        line = line_of_words(self.file, words, target)
        if line is not None:
            return self.file.name, line
        best, raised = self._traced(fault, searcher, explanation)
        if raised is None and (best is None or best.late):
            line = line_of_words(self.file, words, target, late=True)
        if line is not None:
            return self.file.name, line
        return (best.file, best.line) if best is not None and raised is None else raised

    def _traced(
        self, fault: Fault, searcher: Searcher, explanation: Explanation
    ) -> tuple[Spot | None, tuple[str, int] | None]:
        """By the recorded operations of the calls on which the fault acts, most by itself."""
        target = searcher.model.target
        others = extents(self.file, [e.name for e in self.exercise.entries if e.name != target])
        best: Spot | None = None
        raised: tuple[str, int] | None = None
        pairs = [(p, o) for p, o in searcher.deviating if p.args is not None]
        pairs = [(p, o) for p, o in pairs if searcher.acts(fault, p)] or pairs
        pairs.sort(key=lambda pair: _crowd(fault, explanation, searcher, pair[0]))
        pairs = _by_turns(pairs[:MAX_TRACED])
        branches = {_branch(p) for p, _ in pairs}
        for turn, (probe, seen) in enumerate(pairs):
            # one call in each of the branches that the settings choose, and another one
            settled = best is not None and best.sure and turn > len(branches)
            if settled or self.lab.client.exhausted:
                break
            prediction = searcher.predict(explanation.faults, probe.but(grad=False))
            where = seen.error.within(self.file.name) if seen.error is not None else None
            if where is not None:
                if prediction.raised_in == fault.primary:
                    return None, (where.file, where.line)
                raised = raised or (where.file, where.line)
            traced = self.lab.observe(probe.but(grad=False), trace=True)
            rest = [f for f in explanation.faults if f is not fault]
            without = searcher.predict(rest, probe.but(grad=False)).state
            spot = locate(fault, prediction.state, traced.trace, others, without)
            if spot is not None and (best is None or spot.rank > best.rank):
                best = spot
        return best, None if best is not None else raised

    def _own_numbers(self, fault: Fault, searcher: Searcher, explanation: Explanation) -> Text | None:
        """One of the learner's own numbers beside what it should have been.

        Taken from a call on which this fault acts, and as few of the others as possible.
        """
        shown = [pair for pair in searcher.deviating if searcher.acts(fault, pair[0])]
        shown.sort(key=lambda pair: sum(searcher.acts(f, pair[0]) for f in explanation.faults))
        for probe, seen in shown:
            right = searcher.right(probe).seen
            if not seen.ok or not right.ok:
                continue
            names = self.lab.outputs.get(probe.target, ("result",))
            ours = right.value if isinstance(right.value, tuple) else (right.value,)
            theirs = seen.value if isinstance(seen.value, (tuple, list)) else (seen.value,)
            for name, wanted, found in sorted(zip(names, ours, theirs), key=lambda t: t[0] != "weights"):
                words = _differing(name, wanted, found)
                if words is not None:
                    return Text(
                        f"With {probe.title.en}, {words[0]} is {words[1]} in yours and should be {words[2]}.",
                        f"在“{probe.title.zh}”中，你的 {words[0]} 是 {words[1]}，应为 {words[2]}。",
                    )
        return None

    def _named_by_check(self, check: CheckResult) -> NamedFault:
        words = self.lab.room.catalogue.words
        return _check_fault(self.exercise, self.file, check, self.seen.get(check.id), words)


def _never_made(pairs: Sequence[tuple[Probe, Observation]]) -> bool:
    """Whether every call ends where a module is made without `super().__init__()`: nothing else is to be
    learnt from that class."""
    errors = [seen.error for _, seen in pairs]
    return bool(errors) and all(e is not None and NEVER_MADE in e.message for e in errors)


def _branch(probe: Probe) -> tuple[bool, ...]:
    """The settings that may choose between two places in the code."""
    return tuple(value for value in (probe.init or {}).values() if isinstance(value, bool))


def _by_turns(pairs: Sequence[tuple[Probe, Observation]]) -> list[tuple[Probe, Observation]]:
    """The same calls, those of different branches in turn; as they are where one of them raised."""
    if any(seen.error is not None for _, seen in pairs):
        return list(pairs)
    turns: dict[tuple[bool, ...], int] = {}
    order = []
    for pair in pairs:
        branch = _branch(pair[0])
        turns[branch] = turns.get(branch, 0) + 1
        order.append((turns[branch], pair))
    return [pair for _, pair in sorted(order, key=lambda one: one[0])]


def _crowd(fault: Fault, explanation: Explanation, searcher: Searcher, probe: Probe) -> tuple[bool, int]:
    """For sorting: calls without dropout, and on which few other faults act."""
    others = [f for f in explanation.faults if f is not fault and searcher.acts(f, probe)]
    return probe.train, len(others)


def _check_fault(
    exercise: Exercise,
    file: SourceFile,
    check: CheckResult,
    seen: Observation | None = None,
    words: Mapping[str, Sequence[str]] | None = None,
) -> NamedFault:
    """A fault that a check names: the check's own line, one found by words, or where it raised."""
    assert check.fault is not None
    texts = fault_text(exercise.id, check.fault)
    target = check.target or exercise.entries[0].name
    where = seen.error.within(file.name) if seen is not None and seen.error is not None else None
    names = (words or {}).get(check.fault) or WORDS.get(check.fault, ())
    if check.fault == "wrong-signature" and check.message is not None:
        names = _signature(check.message.en)
    told = check.line if where is None or where.line != check.line else None
    line = told or line_of_words(file, names, target)
    name = file.name
    if line is None and where is not None:
        name, line = where.file, where.line
    line = line or line_of_words(file, names, target, late=True)
    if line is None and check.fault != "missing-name":
        line = file.definition_line(target)
    return NamedFault(check.fault, texts.title, texts.explanation, texts.hints, name, line)


def _signature(message: str) -> tuple[str, ...]:
    """Which of a class's two signatures an exception speaks of."""
    return ("def forward",) if "forward" in message else ("def __init__",)


def _differing(name: str, wanted: object, found: object) -> tuple[str, str, str] | None:
    if not isinstance(wanted, Tensor) or not isinstance(found, Tensor):
        return None
    if wanted.shape != found.shape or wanted.numel() == 0:
        return None
    a, b = found.double(), wanted.double()
    same = (a == b) | (a.isnan() & b.isnan())  # of two infinities, too
    gap = torch.where(same, torch.zeros_like(a), (a - b).abs()).nan_to_num(nan=torch.inf)
    if not bool((gap > 1e-9 * (1 + b.abs().nan_to_num(posinf=0.0))).any()):
        return None
    flat = int(gap.argmax())
    index: list[int] = []
    for size in reversed(wanted.shape):
        index.append(flat % size)
        flat //= size
    where = tuple(reversed(index))
    if wanted.dtype.is_floating_point:
        return place(name, where), number(float(a[where])), number(float(b[where]))
    return place(name, where), str(found[where].item()), str(wanted[where].item())


def _unique(faults: list[NamedFault]) -> list[NamedFault]:
    kept: dict[str, NamedFault] = {}
    for fault in faults:
        kept.setdefault(fault.id, fault)
    return list(kept.values())
