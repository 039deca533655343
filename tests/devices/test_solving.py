"""What `pytest -m gpu` measures, on the CPU and small, so that it works where there is a device."""

from __future__ import annotations

import pytest

from grader.exercises.numerics import Size
from tests.gpu.solving import far_from_exact

SMALL = Size(2, 2, 32, 4)


@pytest.mark.parametrize("autocast", [False, True])
def test_the_solutions_are_near(autocast: bool) -> None:
    assert far_from_exact("cpu", SMALL, lambda f: f, autocast=autocast) == []


def test_what_is_wrong_is_far() -> None:
    def spoiled(module):  # type: ignore[no-untyped-def]
        return lambda q, k, v, mask: module(q, k, v, None)

    assert "output" in dict(far_from_exact("cpu", SMALL, spoiled))
