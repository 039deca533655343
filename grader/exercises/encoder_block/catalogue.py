"""The catalogue that the modules of faults fill."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.diagnosis.faults import Catalogue, Family
from grader.diagnosis.model import Step
from grader.exercises.encoder_block.feed import feed
from grader.exercises.encoder_block.model import block
from grader.exercises.encoder_block.parts import when

__all__ = ["CATALOGUE", "ORDERS", "family_in_orders", "in_both", "in_orders"]

CATALOGUE = Catalogue()
ORDERS = ("always", "pre", "post")


def in_both(
    *steps: str, id: str, absent: bool = False, also: Mapping[str, Step] | None = None
) -> Callable[[Step], Step]:
    """A mistake in the feed-forward network: seen in the network itself and in a block that has it."""

    def register(function: Step) -> Step:
        for model in (feed, block):
            CATALOGUE.replaces(model, *steps, id=id, absent=absent, also=also)(function)
        return function

    return register


def in_orders(
    id: str,
    wrong: Mapping[str, Step],
    orders: tuple[str, ...] = ORDERS,
    absent: bool = False,
) -> None:
    """A mistake in the block, made in both orders or in one of them: the wrong steps by name."""
    for order in orders:
        table = {name: when(block, order, name, step) for name, step in wrong.items()}
        first, *others = table
        also = {name: table[name] for name in others}
        CATALOGUE.replaces(block, first, id=id, absent=absent, also=also)(table[first])


def family_in_orders(
    id: str,
    build: Callable[[float], Mapping[str, Step]],
    name: str,
    tries: tuple[float, ...],
    orders: tuple[str, ...] = ORDERS,
) -> None:
    """The same for a mistake with a number: the wrong steps for one value of it."""
    primary = next(iter(build(tries[0])))
    for order in orders:

        def made(value: float, order: str = order) -> dict[str, Step]:
            return {step: when(block, order, step, wrong) for step, wrong in build(value).items()}

        CATALOGUE.families.append(Family(id, block, name, made, tries, primary=primary))
