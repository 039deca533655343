"""The machinery of models: what a replacement predicts, and what cannot be predicted."""

from __future__ import annotations

from typing import Any

import torch

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.matching import match
from grader.diagnosis.model import Model, Probe, State, predict
from grader.diagnosis.search import Searcher
from grader.submission.observation import ErrorInfo, Observation, Outcome
from grader.text import Text


def doubling() -> tuple[Model, Catalogue]:
    """result = 2 * x + 1, in two steps, with a few mistakes."""
    model = Model("double", ("x",))

    @model.step
    def doubled(s: State) -> Any:
        return s.x * 2

    @model.step
    def result(s: State) -> Any:
        return s.doubled + 1

    catalogue = Catalogue()

    @catalogue.replaces(model, "doubled", absent=True)
    def not_doubled(s: State) -> Any:
        return s.x

    @catalogue.replaces(model, "result", absent=True)
    def nothing_added(s: State) -> Any:
        return s.doubled

    @catalogue.family(model, "doubled", name="factor", tries=(3.0,))
    def wrong_factor(s: State, factor: float) -> Any:
        return s.x * factor

    @catalogue.replaces(model, "result")
    def broken(s: State) -> Any:
        return s.nowhere["no such key"]

    @catalogue.replaces(model, "doubled")
    def impossible(s: State) -> Any:
        return {}["no such key"]

    return model, catalogue


PROBE = Probe("p", "double", Text.same("p"), (torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64),))


def saw(value: torch.Tensor) -> Observation:
    return Observation(Outcome.OK, value=value)


def explained(value: torch.Tensor) -> list[tuple[str, dict[str, float]]]:
    model, catalogue = doubling()
    found = Searcher(model, catalogue, [(PROBE, saw(value))]).explain()
    return [(f.id, dict(f.number)) for f in found.faults] if found is not None else [("none", {})]


def x() -> torch.Tensor:
    assert PROBE.args is not None
    return torch.as_tensor(PROBE.args[0])


def test_right_needs_no_fault() -> None:
    assert explained(x() * 2 + 1) == []


def test_one_fault() -> None:
    assert explained(x() + 1) == [("not-doubled", {})]


def test_two_faults_at_once() -> None:
    assert explained(x()) == [("not-doubled", {}), ("nothing-added", {})]


def test_a_number_is_fitted() -> None:
    assert explained(x() * 7.25 + 1) == [("wrong-factor", {"factor": 7.25})]


def test_a_number_is_fitted_beside_another_fault() -> None:
    assert sorted(explained(x() * 5)) == [("nothing-added", {}), ("wrong-factor", {"factor": 5.0})]


def test_what_no_set_gives_is_not_explained() -> None:
    assert explained(x().square()) == [("none", {})]


def test_a_combination_that_cannot_be_is_no_prediction() -> None:
    model, catalogue = doubling()
    fault = next(f for f in catalogue.of(model) if f.id == "impossible")
    prediction = predict(model, PROBE, fault.steps)
    raised = Observation(
        Outcome.RAISED, error=ErrorInfo("KeyError", "'no such key'", ("KeyError", "Exception"))
    )
    assert match(prediction, raised, PROBE) is None
    assert match(prediction, saw(x()), PROBE) is None
