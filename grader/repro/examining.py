"""Runs small calls on a submission and says what is different from what is right, if anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.matching import error_kind, named
from grader.diagnosis.model import Prediction, Probe, float_tensors, predict
from grader.exercises.small import Case, Small
from grader.marking.compare import Difference, compare, tolerance
from grader.marking.lab import Lab
from grader.repro.findings import Finding, by_how_much, scale_of, where_raised
from grader.submission.observation import Observation, Opaque, Outcome

__all__ = ["Examiner"]

VISIBLE = 0.02  # of the largest expected number, or of one: a difference that a reader sees at once
DRAWS = 12  # further seeds that are tried in training mode
UNLIKELY = 20_260_731  # a seed that no submission sets
# exceptions that say that there is nothing to be shown: not written, not there, not allowed
NOTHING_TO_SHOW = ("forbidden", "not-implemented")


class Examiner:
    """Runs cases on a submission and says what is different."""

    def __init__(self, lab: Lab, small: Small) -> None:
        self.lab = lab
        self.small = small
        self.calls = 0
        self._made: dict[str, Finding | None] = {}
        self._shapes: dict[str, Any] = {}

    def examine(self, case: Case) -> Finding | None:
        """What is different on this case, or None where all is right or nothing can be said."""
        if case.initial is not None:
            return self._initial(case)
        if case.device is not None:
            return self._device(case)
        if case.probe.args is None:
            return self._constructed(case)
        if case.probe.init is not None:
            made = self._constructed(_bare(case))
            if made is not None or not self._fits(case):
                return made
        return self._called(case)

    def firm(self, finding: Finding) -> Finding | None:
        """The finding in a form that gives the same each time; None where there is no such form.

        It must not depend on calls that went before, or on what memory held.  Where chance is in it, the
        seed is set, and then it must be wrong with other seeds as well.
        """
        case = finding.case
        if case.chance is None and self._without_chance(case):
            self.start_anew()
            found = self.examine(case)
            return found if found is not None and found.kind == finding.kind else None
        seeded = replace(case, chance=0)
        if not _same(self._anew(seeded, 0x80), self._anew(seeded, 0xFF)):
            return None
        found, *others = (self.examine(replace(case, chance=c)) for c in (0, 1, 2))
        same = found is not None and all(o is not None and o.kind == found.kind for o in others)
        return found if same else None

    def _without_chance(self, case: Case) -> bool:
        first, second = (self._anew(replace(case, chance=c), p) for p, c in ((0x80, 11), (0xFF, 12)))
        if not _same(first, second):
            return False
        # few numbers may fall alike by luck, where dropout is at work
        more = range(13, 13 + DRAWS) if case.probe.train else ()
        return all(_same(first, self.observe(replace(case, chance=c))) for c in more)

    def _anew(self, case: Case, poison: int) -> Observation:
        """The case as the first call of a new worker."""
        self.start_anew()
        return self.observe(case, poison=poison)

    def start_anew(self) -> None:
        """The next call is the first of a new worker."""
        self.lab.client.close()
        self._made.clear()

    # -- seeing ---------------------------------------------------------------------------------

    def observe(self, case: Case, *, poison: int | None = None) -> Observation:
        """Runs the case on the submission."""
        self.calls += 1
        probe = case.probe
        self.lab.target = probe.target
        options: dict[str, Any] = {} if poison is None else {"poison": poison}
        if case.seed is not None:
            options["cotangents"] = [case.seed]
        if probe.init is None:
            if case.chance is not None:
                options["seed"] = case.chance
            return self.lab.client.call(probe.target, probe.args or (), probe.kwargs, **options)
        positional = tuple(probe.init.values()) if case.positional else ()
        keywords = {} if case.positional else probe.init
        seed = UNLIKELY if case.chance is None else case.chance  # one that sets its own seed is seen to
        settings = {"state": probe.state, "train": probe.train, "dtype": probe.dtype, "seed": seed}
        if probe.args is None:
            values = case.initial is not None
            return self.lab.client.construct(
                probe.target, positional, keywords, **settings, values=values, **options
            )
        if probe.train or case.chance is not None:
            options["seed"] = case.chance or 0
        then = {"args": probe.args, "kwargs": dict(probe.kwargs), "train": probe.train, **options}
        return self.lab.client.construct(probe.target, positional, keywords, **settings, then=then)

    # -- objects --------------------------------------------------------------------------------

    def _constructed(self, case: Case) -> Finding | None:
        """The state dict of a new object, or the exception that there should or should not be."""
        probe = case.probe
        key = f"{probe.target} {probe.init} {case.positional} {case.chance}"
        if key not in self._made:
            self._made[key] = self._made_anew(case)
        return self._made[key]

    def _made_anew(self, case: Case) -> Finding | None:
        right = predict(self.lab.model(case.probe.target), case.probe)
        seen = self.observe(case)
        if right.seen.outcome is Outcome.RAISED:
            return _about_error(case, seen, right)
        stopped = _exception(case, seen)
        if stopped is not None or not seen.ok:
            return stopped
        value = seen.value if isinstance(seen.value, dict) else {}
        if value.get("module") is not True:
            return Finding(case, "type", "layer", seen, str(value.get("type", "?")), "torch.nn.Module")
        found = {n: f"{e.get('kind')} {list(e.get('shape', ()))}" for n, e in value.get("state", {}).items()}
        wanted = right.seen.value
        if found == wanted:
            return None
        names = [n for n in sorted({*found, *wanted}) if found.get(n) != wanted.get(n)]
        return Finding(case, "state", names[0], seen, found, wanted)

    def _fits(self, case: Case) -> bool:
        """Whether what is loaded is the whole state of such an object, or nothing at all."""
        state = case.probe.state
        if not state:
            return True
        key = f"{case.probe.target} {case.probe.init}"
        if key not in self._shapes:
            bare = predict(self.lab.model(case.probe.target), _bare(case).probe)
            self._shapes[key] = bare.seen.value
        shapes = self._shapes[key]
        if not isinstance(shapes, dict) or shapes.keys() != state.keys():
            return False
        return all(shapes[n].endswith(f" {list(t.shape)}") for n, t in state.items())

    def _initial(self, case: Case) -> Finding | None:
        seen = self.observe(case)
        values = seen.value.get("values", {}) if isinstance(seen.value, dict) else {}
        for name, wanted in (case.initial or {}).items():
            found = values.get(name)
            if isinstance(found, Tensor) and found.shape == wanted.shape and not torch.equal(found, wanted):
                return Finding(case, "initial", name, seen, found, wanted)
        return None

    def _device(self, case: Case) -> Finding | None:
        seen = self.observe(case)
        if seen.ok and isinstance(seen.value, Tensor):  # what is elsewhere does not cross the wall
            return Finding(case, "device", "result", seen, "cpu", case.device)
        return None

    # -- calls ----------------------------------------------------------------------------------

    def _called(self, case: Case) -> Finding | None:
        model = self.lab.model(case.probe.target)
        right = predict(model, case.probe.but(grad=False))
        seen = named(self.observe(case), model)
        if case.refuses is not None:
            return _about_error(case, seen, right)
        if right.seen.outcome is Outcome.RAISED:
            return None  # no call that the exercise provides for
        stopped = _exception(case, seen)
        if stopped is not None or not seen.ok:
            return stopped and replace(stopped, wanted=self._last_output(case, right))
        found = self._outputs(case, seen, right)
        if found is not None:
            return found
        if seen.changed:
            return Finding(case, "changed", seen.changed[0], seen)
        if case.seed is not None:
            found = self._gradients(case, seen)
            if found is not None:
                return found
        return self._around(case, seen)

    def _last_output(self, case: Case, right: Prediction) -> Tensor:
        """The part of a right result that is shown where there is none to compare it with."""
        value = right.seen.value
        last: Tensor = value[-1] if isinstance(value, tuple) else value
        if case.index is not None:
            return last[case.index]
        return last[case.probe.where[..., 0]] if case.probe.where is not None else last

    def _outputs(self, case: Case, seen: Observation, right: Prediction) -> Finding | None:
        names = self.lab.outputs.get(case.probe.target, ("result",))
        values = (seen.value,) if len(names) == 1 else seen.value
        wanted = right.seen.value if isinstance(right.seen.value, tuple) else (right.seen.value,)
        if not isinstance(values, (tuple, list)) or len(values) != len(names):
            return Finding(case, "type", "result", seen, _type_of(seen.value), f"tuple of {len(names)}")
        # the last output is what the first is made of, and so nearer to the mistake
        for name, one, other in reversed(list(zip(names, values, wanted))):
            if not isinstance(one, Tensor):
                return Finding(case, "type", name, seen, _type_of(one), "torch.Tensor")
            found = self._tensors(case, name, seen, one, other, focus=name == names[0])
            if found is not None and not _rounding(found, right.precision):
                return found
        return None

    def _tensors(
        self, case: Case, name: str, seen: Observation, found: Tensor, wanted: Tensor, *, focus: bool
    ) -> Finding | None:
        probe = case.probe
        if found.shape != wanted.shape:
            return Finding(case, "shape", name, seen, found, wanted)
        if found.dtype != wanted.dtype:
            return Finding(case, "dtype", name, seen, found, wanted)
        if case.index is not None:
            found, wanted = found[case.index], wanted[case.index]
        if focus and probe.where is not None:
            real = probe.where[..., 0]
            found, wanted = found[real], wanted[real]
        return self._numbers(Finding(case, "values", name, seen, found, wanted), probe.condition)

    def _numbers(self, finding: Finding, condition: float) -> Finding | None:
        """The finding if its numbers differ by more than rounding, with how well that is seen."""
        found, wanted = finding.found, finding.wanted
        try:
            compare("", found, wanted, condition=condition, dtype=None, amplified=_amplified(finding))
        except Difference:
            difference = float(by_how_much(found, wanted).max()) if wanted.numel() else 0.0
            return replace(finding, visible=difference >= VISIBLE * scale_of(wanted))
        return None

    def allowance(self, finding: Finding) -> float:
        """By how much a right result may differ, as an absolute number."""
        if not isinstance(finding.wanted, Tensor) or not finding.wanted.is_floating_point():
            return 0.0
        allowed = tolerance(finding.wanted.dtype, finding.case.probe.condition, _amplified(finding))
        return allowed * scale_of(finding.wanted)

    def _gradients(self, case: Case, seen: Observation) -> Finding | None:
        wanted = _right_gradients(self.lab, case)
        if seen.gradient == "mismatch" or not wanted:
            return None
        if seen.gradient == "raised":
            leaf, gradient = next(iter(wanted.items()))
            narrow = gradient.to(float_tensors(seen.value)[0].dtype)
            return Finding(case, "backward raises", leaf, seen, None, narrow)
        for leaf, gradient in wanted.items():
            found = seen.grads.get(leaf)
            if found is None:
                narrow = gradient.to(float_tensors(seen.value)[0].dtype)
                return Finding(case, "no gradient", leaf, seen, None, narrow)
            narrow = gradient.to(found.dtype)
            one = self._numbers(Finding(case, "gradient", leaf, seen, found, narrow), case.probe.condition)
            if one is not None:
                return one
        return None

    def _around(self, case: Case, seen: Observation) -> Finding | None:
        """What a call does beside computing."""
        if case.probe.target in self.small.once and seen.calls and seen.calls[0].get("times") != 1:
            return Finding(case, "called", "sublayer", seen, seen.calls[0].get("times"), 1)
        if seen.registered:
            return Finding(case, "registered", "sublayer", seen)
        if seen.globals_changed:
            return Finding(case, "global", seen.globals_changed[0], seen, visible=False)
        return None


def _amplified(finding: Finding) -> float:
    """As the checks have it: see `Lab`."""
    return 8.0 if finding.kind == "gradient" else 1.0


def _rounding(finding: Finding, precision: torch.dtype) -> bool:
    """Whether the numbers differ by no more than the right result itself is uncertain (a float32 table in
    a float64 module, an eps that is open)."""
    if finding.kind != "values" or not precision.is_floating_point or not finding.wanted.numel():
        return False
    allowed = tolerance(precision, finding.case.probe.condition) * scale_of(finding.wanted)
    return float(by_how_much(finding.found, finding.wanted).max()) <= allowed


def _bare(case: Case) -> Case:
    """The same object, constructed only, with nothing set."""
    probe = case.probe
    bare = Probe("small", probe.target, probe.title, init=probe.init, tier=probe.tier)
    return Case(bare, positional=case.positional, chance=case.chance)


def _exception(case: Case, seen: Observation) -> Finding | None:
    """The exception of a call that should have worked, if it is one that a reader can be shown."""
    if seen.outcome is not Outcome.RAISED or seen.error is None:
        return None
    absent = seen.error.where is None and "AttributeError" in seen.error.bases
    if error_kind(seen.error) in NOTHING_TO_SHOW or absent:
        return None
    return Finding(case, "raises", "", seen, seen.error)


def _about_error(case: Case, seen: Observation, right: Prediction) -> Finding | None:
    """Where a ValueError is right: none, or another exception, or (with `refuses`) one without numbers."""
    if seen.ok:
        return Finding(case, "accepts", "", seen)
    if seen.outcome is not Outcome.RAISED or seen.error is None:
        return None
    if error_kind(seen.error) in NOTHING_TO_SHOW:
        return None
    if case.refuses is None:
        fine = error_kind(seen.error) == error_kind(right.seen.error)
    else:
        fine = "ValueError" in (*seen.error.bases, seen.error.type)
        fine = fine and all(str(n) in seen.error.message for n in case.refuses)
    return None if fine else Finding(case, "wrong error", "", seen, seen.error)


def _right_gradients(lab: Lab, case: Case) -> Mapping[str, Tensor]:
    """The gradients that are not zero, by leaf, of the first output times the case's cotangent."""
    model = lab.model(case.probe.target)
    state = model.run(case.probe.but(grad=True))
    output = float_tensors(state.result)[0]
    if case.seed is None or output.shape != case.seed.shape or not output.requires_grad:
        return {}
    found = torch.autograd.grad((output * case.seed).sum(), list(state.leaves.values()), allow_unused=True)
    return {n: g for n, g in zip(state.leaves, found) if g is not None and bool(g.abs().max() > 0)}


def _type_of(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} of {len(value)}"
    return value.type if isinstance(value, Opaque) else "None" if value is None else type(value).__name__


def _same(first: Observation, second: Observation) -> bool:
    """Whether two runs of one case gave the same."""
    if first.outcome is not second.outcome or first.changed != second.changed:
        return False
    if first.outcome is Outcome.RAISED:
        return where_raised(first) == where_raised(second)
    one, other = _numbers_of(first.value), _numbers_of(second.value)
    one += [g for g in first.grads.values() if g is not None]
    other += [g for g in second.grads.values() if g is not None]
    return len(one) == len(other) and all(
        a.shape == b.shape and a.dtype == b.dtype and torch.equal(a.nan_to_num(), b.nan_to_num())
        for a, b in zip(one, other)
    )


def _numbers_of(value: Any) -> list[Tensor]:
    """The tensors of a result, or of a new object's entries."""
    if isinstance(value, dict):
        value = list(value.get("values", value).values())
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in _numbers_of(item)]
    return [value] if isinstance(value, Tensor) else []
