"""The learner's own number beside the right one: one that differs."""

from __future__ import annotations

import torch

from grader.diagnosis.diagnose import _differing

INF, NAN = float("inf"), float("nan")


def test_infinities_that_are_right_are_not_shown() -> None:
    wanted = torch.tensor([-INF, -INF, 1.0])
    found = torch.tensor([-INF, -0.8232, 1.0])
    assert _differing("result", wanted, found) == ("result[1]", "-0.8232", "-inf")


def test_nan_is_shown_where_a_number_should_be() -> None:
    assert _differing("x", torch.tensor([1.0, 2.0]), torch.tensor([1.0, NAN])) == ("x[1]", "NaN", "2")


def test_nothing_is_shown_where_nothing_differs() -> None:
    alike = torch.tensor([-INF, NAN, INF, 3.0])
    assert _differing("x", alike, alike.clone()) is None
