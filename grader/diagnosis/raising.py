"""Whether an explanation that predicts nothing but exceptions can be believed.

Many mistakes raise the same kind of exception, so that "it raises as the fault does" says little.  How
far the learner's code came says more: the fault lets certain steps be worked out before it raises, and
none of those that come after.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from grader.diagnosis.locate import Fit, fit
from grader.diagnosis.matching import error_kind
from grader.diagnosis.model import Prediction, State
from grader.submission.observation import ErrorInfo, Event

__all__ = ["came_as_far"]

LOOKED_BACK = 3  # steps; more than one, for a right program may do several in one go


def came_as_far(
    steps: Sequence[str],
    predicted: Prediction,
    right: State | None,
    events: Sequence[Event],
    seen: ErrorInfo | None,
) -> bool:
    """False where the recorded operations show that the code stopped earlier, or went further.

    steps: of the model, in order; right: the state of the right computation.
    """
    if predicted.state is None or predicted.raised_in is None:
        return True
    said = predicted.seen.error
    if said is not None and seen is not None and said.message == seen.message:
        return True  # word for word, with its shapes
    if error_kind(seen) == "value":
        return True  # raised on purpose, by a check of what was given
    place = steps.index(predicted.raised_in)
    before = [v for n in steps[:place] if (v := _telling(predicted.state, n)) is not None]
    values = [e.value for e in events if e.value is not None]
    given = [v for v in predicted.state.raw.values() if isinstance(v, Tensor)]  # nothing computes these
    if before and not any(_found(v, [*values, *given]) for v in before[-LOOKED_BACK:]):
        return False
    if right is None:
        return True
    after = [v for n in steps[place:] if (v := _telling(right, n)) is not None]
    new = [v for v in after if not any(fit(v, b) is not Fit.NONE for b in before)]
    return not any(_found(v, values, Fit.RESHAPED) for v in new)


def _telling(state: State, name: str) -> Tensor | None:
    value = getattr(state, name, None)
    if not isinstance(value, Tensor) or not value.is_floating_point() or value.numel() < 2:
        return None
    return None if bool((value == value.flatten()[0]).all()) else value


def _found(value: Tensor, values: Sequence[Tensor], least: Fit = Fit.PERMUTED) -> bool:
    return any(fit(v, value) >= least for v in values)
