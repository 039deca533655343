"""Looks for the smallest case on which a submission differs from what is right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from grader.diagnosis.faults import Fault
from grader.diagnosis.matching import match
from grader.diagnosis.model import Model, predict
from grader.diagnosis.search import merged
from grader.exercises.small import Case, Small
from grader.marking.lab import Lab
from grader.marking.lessons import toy_model
from grader.repro.examining import Examiner
from grader.repro.findings import Finding
from grader.repro.shrinking import shrunk

__all__ = ["acting", "find", "shows"]

PATIENCE = 300  # cases that are looked at for a clearer finding once there is one
MAX_DOUBTS = 30  # findings that come and go: each costs two new workers


def find(
    lab: Lab,
    faults: Sequence[Fault] = (),
    *,
    core: bool = True,
    edge: bool = True,
    alone: Lab | None = None,
    reference: Lab | None = None,
) -> Finding | None:
    """The smallest finding, or None where no single call shows a difference.

    faults: the mistakes that a diagnosis is sure of; a case that shows what they predict is preferred.
    core, edge: which checks failed; what decides is shown before what only costs points.  alone: the
    same exercise on the kit's own earlier parts; what shows there too is preferred, since it is this
    file's own.  reference: the kit's own solution, on which no case may show anything.
    """
    small = lab.room.small or Small(tuple)
    search = _Search(lab, small, faults, alone, reference)
    cases = sorted(small.starts(), key=lambda c: c.size)
    tiers = [e for e, wanted in ((False, core), (True, edge)) if wanted]
    for is_edge in tiers:
        found = search.first(c for c in cases if c.edge is is_edge)
        if found is None:
            found = search.from_probes("edge" if is_edge else "core")
        if found is not None:
            return search.smallest(found)
    return None


class _Search:
    def __init__(
        self,
        lab: Lab,
        small: Small,
        faults: Sequence[Fault],
        alone: Lab | None,
        reference: Lab | None,
    ) -> None:
        self.lab = lab
        self.small = small
        self.faults = faults
        self.examiner = Examiner(lab, small)
        self.alone = Examiner(alone, small) if alone is not None else None
        self.reference = Examiner(reference, small) if reference is not None else None

    def first(self, cases: Iterable[Case]) -> Finding | None:
        """The first clear finding that shows what the diagnosis says; else the first of any kind."""
        self.examiner.start_anew()  # what went before may have left its traces
        best: Finding | None = None
        borrowed: Finding | None = None
        patience, doubts = PATIENCE, 0
        for case in cases:
            if self.lab.client.exhausted or patience <= 0:
                break
            patience -= best is not None and best.visible
            found = self.judge(case)
            if found is None or (
                best is not None and best.visible >= found.visible and not self.shows(found)
            ):
                continue
            firm = self.examiner.firm(found)
            if firm is None:
                doubts += 1
                if doubts > MAX_DOUBTS:
                    break
                continue
            found = firm
            if not self.own(found):
                borrowed = borrowed or found
                continue
            if found.visible and self.shows(found):
                return found
            if best is None or found.visible > best.visible:
                best = found
        return best or borrowed

    def judge(self, case: Case) -> Finding | None:
        """The difference on a case that every right submission agrees on."""
        found = self.examiner.examine(case)
        if found is None or not self.small.sound(found.case):
            return None
        return found if self.reference is None or self.reference.examine(found.case) is None else None

    def own(self, finding: Finding) -> bool:
        """Whether the finding is there too when all earlier parts are right."""
        if self.alone is None:
            return True
        found = self.alone.examine(finding.case)
        return found is not None and found.kind == finding.kind

    def smallest(self, finding: Finding) -> Finding:
        case = finding.case
        if case.refuses is not None or case.device is not None or case.initial is not None:
            return finding  # as small as they are made, and right only as they are
        shows, own = self.shows(finding), self.own(finding)

        def judge(case: Case) -> Finding | None:
            if self.lab.client.exhausted:
                return None
            found = self.judge(case)
            if found is None or (shows and not self.shows(found)) or (own and not self.own(found)):
                return None
            return found

        model = self.lab.model(finding.case.probe.target)
        made = shrunk(finding, model, self.small, judge)
        return finding if made is finding else self.examiner.firm(made) or finding

    def from_probes(self, tier: str) -> Finding | None:
        """Where no small case shows anything: a call that is known to, to be made smaller."""
        # a stand-in model takes more lines than would be small
        probes = (p for p in self.lab.room.probes if p.tier == tier and toy_model(p) is None)
        return self.first(self.small.settled(Case(p.but(grad=False))) for p in probes)

    def shows(self, finding: Finding) -> bool:
        return shows(self.lab, self.faults, finding)


def shows(lab: Lab, faults: Sequence[Fault], finding: Finding) -> bool:
    """Whether these mistakes, and nothing else, explain the finding (True where none are known)."""
    model = lab.model(finding.case.probe.target)
    chosen = [f for f in faults if f.model is model]
    if not chosen:
        return not faults
    return not _foreseeable(finding) or _predicts(finding, chosen)


def acting(faults: Sequence[Fault], finding: Finding, model: Model) -> list[str]:
    """The ids of those of the mistakes that it takes to explain the finding; all where none can be told."""
    chosen = [f for f in faults if f.model is model]
    if _foreseeable(finding):
        for size in range(1, len(chosen)):
            for some in combinations(chosen, size):
                if _predicts(finding, some):
                    return [f.id for f in some]
    return [f.id for f in chosen or faults]


def _foreseeable(finding: Finding) -> bool:
    """Whether a model says what would be seen: not of gradients of one's own choice, or of new objects."""
    return finding.case.seed is None and finding.case.probe.args is not None


def _predicts(finding: Finding, faults: Sequence[Fault]) -> bool:
    probe = finding.case.probe.but(grad=False)
    return match(predict(faults[0].model, probe, merged(faults)), finding.seen, probe) is not None
