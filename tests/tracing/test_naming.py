"""Sizes get the names that the exercise has for them."""

from __future__ import annotations

import pytest

from grader.exercises.registry import load_room, load_traced, module_names
from grader.tracing.naming import name_shape, sizes_of

SIZES = {"B": 2, "H": 3, "L": 5, "S": 7, "d_k": 4, "d_model": 12}


@pytest.mark.parametrize(
    ("shape", "names"),
    [
        ((2, 3, 5, 4), ("B", "H", "L", "d_k")),
        ((2, 1, 1, 7), ("B", None, None, "S")),
        ((2, 5, 12), ("B", "L", "d_model")),
        ((6, 5, 7), ("B·H", "L", "S")),
        ((36,), ("3·d_model",)),
        ((6,), ("B·H",)),
        ((11, 13), (None, None)),
        ((), ()),
    ],
)
def test_names(shape: tuple[int, ...], names: tuple[str | None, ...]) -> None:
    sizes = SIZES if shape != (6,) else {**SIZES, "d_model": 14}
    assert name_shape(shape, sizes) == names


def test_two_sizes_of_one_number_share_it() -> None:
    assert name_shape((5,), {"L": 5, "S": 5}) == ("L/S",)


@pytest.mark.parametrize("exercise", module_names())
def test_the_examples_have_a_name_for_every_size(exercise: str) -> None:
    """No two sizes are equal (but a query's and a key's length in self-attention), and there is an example
    for every function and class."""
    room = load_room(exercise)
    assert room.small is not None
    examples = load_traced(exercise)
    assert {p.target for p in examples} == set(room.models)
    for probe in examples:
        sizes = sizes_of(exercise, probe, room.models[probe.target], room.small.axes)
        assert sizes
        if probe.name != "traced-self":
            assert len(set(sizes.values())) == len(sizes), probe.name
