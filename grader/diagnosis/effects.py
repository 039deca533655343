"""What a fault by itself does to what a probe shows, in three degrees."""

from __future__ import annotations

from dataclasses import dataclass

from grader.diagnosis.matching import FACTOR, holds_anything, match
from grader.diagnosis.model import Prediction, Probe, went_alike

__all__ = ["Effect", "effect"]


@dataclass(frozen=True)
class Effect:
    """stirs: a step comes to another value, which may be hidden in the end (as where all is dropped);
    acts: what is shown is not all that a right submission shows; spoils: the right result would not pass
    for it (it does where only accuracy is lost, or where the model leaves a value open)."""

    stirs: bool
    acts: bool
    spoils: bool


def effect(shown: Prediction, right: Prediction, probe: Probe) -> Effect:
    """The effect of a fault, from what it shows by itself: `right` itself where no step is changed."""
    if shown is right:
        return Effect(False, False, False)
    spoils = match(shown, right.seen, probe) is None
    acts = spoils or holds_anything(shown.seen.value) or FACTOR[shown.precision] > FACTOR[right.precision]
    # with gradients every run goes to the end, also where it goes as the right one does
    return Effect(acts or not probe.grad or not went_alike(shown, right), acts, spoils)
