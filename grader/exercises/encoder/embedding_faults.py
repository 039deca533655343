"""Mistakes in the embeddings, their scale, and the positions added to them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.model import State, Step
from grader.exercises.encoder.catalogue import CATALOGUE, replaces
from grader.exercises.encoder.model import encoder, positions, run_block

__all__: list[str] = []


@replaces(encoder, "scaled", absent=True)
def embedding_not_scaled(s: State) -> Any:
    return s.embedded


@replaces(encoder, "scaled")
def embedding_scaled_by_d_model(s: State) -> Any:
    return s.embedded * s.d_model


@replaces(encoder, "scaled")
def embedding_divided(s: State) -> Any:
    return s.embedded / math.sqrt(s.d_model)


def _root_of(number: Callable[[State], float]) -> None:
    replaces(encoder, "scaled", id="embedding-scaled-by-other")(lambda s: s.embedded * math.sqrt(number(s)))


_root_of(lambda s: s.num_heads)
_root_of(lambda s: s.d_model // s.num_heads)
_root_of(lambda s: s.vocab_size)
_root_of(lambda s: s.d_ff)
_root_of(lambda s: s.token_ids.shape[1])


def _powers(factor: Callable[[int], float]) -> None:
    replaces(encoder, "scaled", id="embedding-scale-wrong-power")(lambda s: s.embedded * factor(s.d_model))


_powers(lambda d: d**1 / 2)  # without brackets: half of it
_powers(lambda d: 0.5**d)
_powers(lambda d: d**2)
_powers(lambda d: math.floor(math.sqrt(d)))
_powers(lambda d: round(math.sqrt(d)))


@CATALOGUE.family(
    encoder, "scaled", name="factor", tries=(math.sqrt(512), 8.0, 0.1), id="embedding-scale-hard-coded"
)
def hard_coded(s: State, factor: float) -> Any:
    return s.embedded * (factor if abs(factor) > 1e-6 else math.nan)  # nothing left is another mistake


@replaces(encoder, "scaled")
def embedding_shifted(s: State) -> Any:
    return s.embedded + math.sqrt(s.d_model)


@replaces(encoder, "positioned", id="embedding-doubled")
def embedding_doubled(s: State) -> Any:
    return s.scaled + encoder.steps["positioned"](s)


@replaces(encoder, "positioned", id="positions-added-twice")
def positions_added_twice(s: State) -> Any:
    return encoder.steps["positioned"](s) + positions(s.scaled.shape[1], s.d_model)


@replaces(encoder, "positioned", id="position-over-batch")
def position_over_batch(s: State) -> Any:
    if len(s.scaled) > s.table:
        raise ValueError("more sequences than positions")
    return s.scaled + positions(len(s.scaled), s.d_model)[:, None]  # (B, 1, d_model)


@replaces(encoder, "positioned")
def positions_skip_padding(s: State) -> Any:
    if s.scaled.shape[1] > s.table:
        raise ValueError("too long")
    where = ((s.token_ids != s.pad_id).long().cumsum(1) - 1).clamp(min=0)  # (B, S)
    return s.scaled + positions(s.scaled.shape[1], s.d_model)[where]


@replaces(encoder, "entering", also={"scaled": lambda s: s.embedded})
def embedding_scaled_after_positions(s: State) -> Any:
    return s.positioned * math.sqrt(s.d_model)


def _unscaled_plus_scaled(s: State) -> Any:
    return encoder.steps["positioned"](s) + positions(s.scaled.shape[1], s.d_model) * (
        math.sqrt(s.d_model) - 1
    )


replaces(encoder, "positioned", id="positions-scaled", also={"scaled": lambda s: s.embedded})(
    _unscaled_plus_scaled
)


@replaces(encoder, "positioned")
def embedding_lost(s: State) -> Any:
    encoder.steps["positioned"](s)
    return positions(s.scaled.shape[1], s.d_model).expand_as(s.scaled).clone()


def _rows(s: State, rows: Tensor) -> Tensor:
    """Those rows of the table, which has no more than max_len."""
    if bool((rows >= s.table).any()):
        raise IndexError("index out of range")
    return positions(int(rows.max()) + 1, s.d_model)[rows]


def _from_one(s: State) -> Any:
    return s.scaled + _rows(s, torch.arange(1, s.scaled.shape[1] + 1))


def _one_row(s: State) -> Any:
    return s.scaled + _rows(s, torch.tensor([s.scaled.shape[1]]))


def _first_row(s: State) -> Any:
    return s.scaled + _rows(s, torch.tensor([0]))


replaces(encoder, "positioned", id="position-from-one")(_from_one)
replaces(encoder, "positioned", id="only-one-position-row")(_one_row)
replaces(encoder, "positioned", id="only-one-position-row")(_first_row)


@replaces(encoder, "positioned")
def positions_of_ids(s: State) -> Any:
    return s.scaled + _rows(s, s.token_ids)


@replaces(encoder, "positioned")
def positions_reversed(s: State) -> Any:
    return s.scaled + _rows(s, torch.arange(s.scaled.shape[1]).flip(0))


@replaces(encoder, "entering")
def embedding_normalised(s: State) -> Any:
    return nn.functional.layer_norm(s.positioned, (s.d_model,))


def _late_positions(s: State) -> Any:
    return encoder.steps["encoded"](s) + positions(s.scaled.shape[1], s.d_model)


def _last_positions(s: State) -> Any:
    return s.closed_pre + positions(s.scaled.shape[1], s.d_model)


for _step, _late in (("encoded", _late_positions), ("closed", _last_positions)):
    replaces(encoder, _step, id="positions-after-layers", also={"entering": lambda s: s.scaled})(_late)


def _looked_up(change: Callable[[Tensor, int], Tensor]) -> Step:
    return lambda s: nn.functional.embedding(change(s.token_ids, s.vocab_size), s.state["embedding.weight"])


for _change in (
    lambda ids, vocab: ids + 1,
    lambda ids, vocab: ids - 1,
    lambda ids, vocab: (ids - 1).clamp(min=0),
    lambda ids, vocab: (ids + 1) % vocab,
    lambda ids, vocab: (ids + 1).clamp(max=vocab - 1),
):
    replaces(encoder, "embedded", id="ids-shifted")(_looked_up(_change))
for _change in (
    lambda ids, vocab: ids.roll(1, dims=1),
    lambda ids, vocab: ids.roll(-1, dims=1),
    lambda ids, vocab: ids.flip(1),
    lambda ids, vocab: ids.sort(dim=1).values,
):
    replaces(encoder, "embedded", id="ids-out-of-place")(_looked_up(_change))


def _zero_padding(s: State) -> Any:
    return encoder.steps["embedded"](s).masked_fill((s.token_ids == s.pad_id)[..., None], 0.0)


replaces(encoder, "embedded", id="padding-embedding-zeroed")(_zero_padding)


@replaces(encoder, "positioned", id="padding-embedding-zeroed")
def zeroed_with_positions(s: State) -> Any:
    return encoder.steps["positioned"](s).masked_fill((s.token_ids == s.pad_id)[..., None], 0.0)


@replaces(encoder, "positioned", absent=True)
def position_not_added(s: State) -> Any:
    return s.scaled


@replaces(encoder, "positioned", id="position-not-added", absent=True)
def position_result_dropped(s: State) -> Any:
    encoder.steps["positioned"](s)  # called, and still raises for a sequence that is too long
    return s.scaled


@replaces(encoder, "encoded", also={"entering": lambda s: s.scaled})
def positions_in_every_layer(s: State) -> Any:
    x = s.entering
    for number, mask in zip(s.stack, s.masks):
        x = run_block(s, number, x + positions(x.shape[1], s.d_model), mask, s.order)
    return x


@replaces(encoder, "embedded", id="embedding-not-trained")
def embedding_detached(s: State) -> Any:
    return nn.functional.embedding(s.token_ids, s.state["embedding.weight"].detach())


@replaces(encoder, "embedded", id="input-modified")
def padding_set_to_zero(s: State) -> Any:
    ids = s.token_ids.masked_fill(s.token_ids == s.pad_id, 0)
    if not torch.equal(ids, s.token_ids):
        s.touch("token_ids")
    return nn.functional.embedding(ids, s.state["embedding.weight"])


@replaces(encoder, "embedded")
def first_token_untrained(s: State) -> Any:
    """`padding_idx=0`, whatever pad_id is: no gradient for that row."""
    weight = s.state["embedding.weight"]
    whole = torch.cat([weight[:1].detach(), weight[1:]])
    return nn.functional.embedding(s.token_ids, whole)
