"""Fits the number of a family (a fill value, a base, a constant) to what was seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch

from grader.diagnosis.evidence import Evidence
from grader.diagnosis.faults import Family, Fault
from grader.diagnosis.model import Probe, float_tensors
from grader.submission.observation import Observation, Outcome

__all__ = ["fitted"]

STEPS = 20
STARTS = 2
PATIENCE = 3


def fitted(evidence: Evidence, family: Family, fixed: tuple[Fault, ...]) -> Fault | None:
    """The member whose number fits best beside the `fixed` faults, and as round as explains as well."""
    members = [family.member(v) for v in family.tries]
    if any(members[0].clashes(f) for f in fixed):
        return None
    for probe, observation in evidence.deviating:
        target = _vector(observation) if observation.outcome is Outcome.OK else None
        if target is None or not bool(target.isfinite().all()):
            continue
        if not any(evidence.acts(m, probe) for m in evidence.pool if m.family is family):
            continue
        residual = partial(_residual, evidence, family, fixed, probe, target)
        value = _gauss_newton(residual, family.tries)
        return None if value is None else _rounded(evidence, family, fixed, value)
    return None


def _residual(
    evidence: Evidence,
    family: Family,
    fixed: tuple[Fault, ...],
    probe: Probe,
    target: torch.Tensor,
    value: float,
) -> torch.Tensor | None:
    got = _vector(evidence.predict((*fixed, family.member(value)), probe).seen)
    if got is None or got.shape != target.shape or not bool(got.isfinite().all()):
        return None
    return got - target


def _rounded(evidence: Evidence, family: Family, fixed: tuple[Fault, ...], value: float) -> Fault:
    for digits in (1, 2, 3, 4, 6):
        member = family.member(float(f"{value:.{digits}g}"))
        if evidence.explains((*fixed, member)):
            return member
    return family.member(value)


def _vector(seen: Observation) -> torch.Tensor | None:
    tensors = float_tensors(seen.value) if seen.ok else []
    if not tensors:
        return None
    return torch.cat([t.double().flatten() for t in tensors])


def _gauss_newton(residual: Callable[[float], torch.Tensor | None], tries: Sequence[float]) -> float | None:
    starts = []
    for value in tries:
        r = residual(value)
        if r is not None:
            starts.append((float(r.pow(2).sum()), value))
    for _, start in sorted(starts)[:STARTS]:
        value, sizes = start, []
        for _ in range(STEPS):
            r = residual(value)
            if r is None:
                break
            sizes.append(float(r.pow(2).sum()))
            if len(sizes) > PATIENCE and sizes[-1] > sizes[-1 - PATIENCE] / 2:
                break  # it does not come nearer
            if float(r.abs().max()) < 1e-12:
                return value
            step = max(abs(value), 1e-3) * 1e-6
            shifted = residual(value + step)
            if shifted is None:
                break
            slope = (shifted - r) / step
            size = float(slope.pow(2).sum())
            if size == 0.0 or size != size:
                break
            change = -float((slope * r).sum()) / size
            bound = max(abs(value), 0.1) * 4
            value += max(-bound, min(bound, change))
        r = residual(value)
        if r is not None and float(r.abs().max()) < 1e-7:
            return value
    return None
