"""Proofs about single faults: each shows, each is named as itself, and no two are the same from outside."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

from grader.diagnosis.faults import Fault
from grader.diagnosis.model import Probe
from grader.submission.observation import Observation, Outcome
from grader.verifying.records import Finding, Proof
from grader.verifying.table import Table

__all__ = ["apart", "known", "recognised", "tellers", "visible"]


def tellers(table: Table, *faults: Fault) -> list[Probe]:
    """The probes that a search for these faults looks at: those of their tiers, and those of ties."""
    tiers = {f.tier for f in faults} | ({"core", "tie"} if any(f.tier == "core" for f in faults) else set())
    return table.of_tier(*tiers)


def visible(table: Table) -> Proof:
    """Every fault changes what a probe of its tier shows: in one form, and in one of the models, at least."""
    exercise = table.room.id
    seen = _shown(table, {f.id for f in table.faults})
    for model in table.room.models.values():  # a model may inherit what another one shows
        if model is not table.model:
            seen |= _shown(Table(table.room, model), {f.id for f in table.faults} - seen)
    found = [
        Finding.of(
            exercise,
            "visible",
            f"{_form(fault)} of {table.model.target} changes nothing on any probe of its tier ({fault.tier})",
            f"{table.model.target} 的 {_form(fault)} 在其层级（{fault.tier}）的任何探测上都没有影响",
            fault.id,
        )
        for fault in table.faults
        if fault.id not in seen
    ]
    return Proof(exercise, "visible", len(table.faults), tuple(found))


def _shown(table: Table, ids: Collection[str]) -> set[str]:
    """Those of the ids of which some form changes what a probe of its tier shows."""
    faults = [f for f in table.faults if f.id in ids]
    return {f.id for f in faults if any(table.acts(f, p) for p in tellers(table, f))}


def recognised(table: Table) -> Proof:
    """Every form of every fault, as if it were a submission, is diagnosed as that fault and no other.

    A form may come out as a declared synonym; then another form of the fault must come out as itself.
    """
    exercise, target = table.room.id, table.model.target
    found = []
    named: dict[str, set[str | None]] = {}
    for fault in table.faults:
        shown = next((p.name for p in tellers(table, fault) if table.acts(fault, p)), None)
        if shown is None:  # `visible` has told
            continue
        name = _diagnosed(table, fault)
        named.setdefault(fault.id, set()).add(name)
        if name == fault.id or (name is not None and known(table, fault.id, name)):
            continue
        if name is None:
            words = (
                f"{_form(fault)} of {target} is not recognised (the first probe that shows it is {shown})",
                f"{target} 的 {_form(fault)} 没有被识别（最先显示它的探测是 {shown}）",
            )
        else:
            other = name or "no fault at all"
            words = (
                f"{_form(fault)} of {target} is diagnosed as {other}; a probe has to tell them apart",
                f"{target} 的 {_form(fault)} 被诊断为 {name or '没有错误'}；需要一个探测来区分",
            )
        found.append(Finding.of(exercise, "recognised", *words, fault.id, name or None, shown))
    for fault_id, names in named.items():
        if fault_id not in names and all(name and known(table, fault_id, name) for name in names):
            found.append(
                Finding.of(
                    exercise,
                    "recognised",
                    f"no form of {fault_id} of {target} is diagnosed as itself, only as its synonyms",
                    f"{target} 的 {fault_id} 没有任何一种形式被诊断为它自己，只被诊断为同义的错误",
                    fault_id,
                )
            )
    return Proof(exercise, "recognised", len(table.faults), tuple(found))


def _diagnosed(table: Table, fault: Fault) -> str | None:
    """The id that the search gives for what the fault shows; '' for none needed, None for none found."""
    core = fault.tier == "core"
    seen = _seen(table, fault, table.of_tier(fault.tier))
    ties = _seen(table, fault, table.of_tier("tie")) if core else []
    explanation = table.searcher(seen, ties).explain((fault.tier,), limit=1)
    if explanation is None:
        return None
    return explanation.faults[0].id if explanation.faults else ""


def _seen(table: Table, fault: Fault, probes: Sequence[Probe]) -> list[tuple[Probe, Observation]]:
    return [(probe, table.seen(fault, probe)) for probe in probes]


def apart(table: Table) -> Proof:
    """Any two faults with different ids differ on some probe that a search looks at, in all their forms.

    Two that are declared the same have to be so in some form: otherwise the declaration is idle.
    """
    exercise, target = table.room.id, table.model.target
    needed: set[frozenset[str]] = set()
    found: dict[frozenset[str], Finding] = {}
    pairs = 0
    for one, other in combinations(table.faults, 2):
        if one.id == other.id:
            continue
        pairs += 1
        if not _alike(table, one, other):
            continue
        ids = frozenset((one.id, other.id))
        if known(table, one.id, other.id):
            needed.add(ids)
        else:
            words = (
                f"{_form(one)} and {_form(other)} of {target} show the same on every probe",
                f"{target} 的 {_form(one)} 与 {_form(other)} 在每个探测上的表现都相同",
            )
            found.setdefault(ids, Finding.of(exercise, "apart", *words, one.id, other.id))
    there = {f.id for f in table.faults}
    for ids in table.room.catalogue.synonyms:
        if ids <= there and ids not in needed:
            first, second = sorted(ids)
            words = (
                f"{first} and {second} are declared the same, but the probes of {target} tell them apart",
                f"{first} 与 {second} 被声明为相同，但 {target} 的探测能区分它们",
            )
            found[ids] = Finding.of(exercise, "apart", *words, first, second)
    return Proof(exercise, "apart", pairs, tuple(found.values()))


def _alike(table: Table, one: Fault, other: Fault) -> bool:
    """Whether each of the two would explain all that the other one shows."""
    probes = tellers(table, one, other)
    if any(table.acts(one, p) != table.acts(other, p) for p in probes):
        return False
    shown = [p for p in probes if table.acts(one, p)]  # none: the proof of `visible` has told
    return bool(shown) and not any(_differs(table, one, other, p) for p in shown)


def _differs(table: Table, one: Fault, other: Fault, probe: Probe) -> bool:
    first, second = table.seen(one, probe), table.seen(other, probe)
    if first.outcome is second.outcome is Outcome.RAISED:
        # the search counts exceptions that are predicted word for word
        words = [seen.error.message if seen.error is not None else None for seen in (first, second)]
        if words[0] != words[1]:
            return True
    return not (table.explains(one, other, probe) and table.explains(other, one, probe))


def known(table: Table, one: str, other: str) -> bool:
    """Whether two faults are declared to be the same from outside in some of their forms."""
    return frozenset((one, other)) in table.room.catalogue.synonyms


def _form(fault: Fault) -> str:
    """The fault with what tells its forms apart: the number, or the steps that it replaces."""
    if fault.number:
        return f"{fault.id} ({', '.join(f'{k} {v:g}' for k, v in fault.number.items())})"
    return f"{fault.id} ({', '.join(fault.steps)})"
