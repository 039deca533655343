"""The mistakes people make in the encoder."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import ANYTHING, State, Step
from grader.exercises.encoder.model import encoder, positions, run_block
from grader.exercises.encoder_block.parts import norm

__all__ = ["CATALOGUE"]

CATALOGUE = Catalogue()
replaces = CATALOGUE.replaces
CATALOGUE.by_check("dropout-not-passed", "layers-too-many", "learned-positions", "parameter-names")
CATALOGUE.by_check("d-ff-ignored", "dropout-in-eval")


# -- embeddings and positions -----------------------------------------------------------------------


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
_root_of(lambda s: 512)


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


@replaces(encoder, "scaled", also={"entering": lambda s: s.positioned * math.sqrt(s.d_model)})
def embedding_scaled_after_positions(s: State) -> Any:
    return s.embedded


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


@replaces(encoder, "embedded", id="output-detached")
def embedding_detached(s: State) -> Any:
    return nn.functional.embedding(s.token_ids, s.state["embedding.weight"].detach())


@replaces(encoder, "table")
def max_len_ignored(s: State) -> Any:
    return 5000


@replaces(encoder, "positioned", tier="edge")
def too_long_silent(s: State) -> Any:
    return s.scaled + positions(s.scaled.shape[1], s.d_model)


def _cut(s: State) -> Any:
    return nn.functional.embedding(s.token_ids[:, : s.table], s.state["embedding.weight"])


replaces(
    encoder,
    "embedded",
    tier="edge",
    id="too-long-silent",
    also={"padding": lambda s: (s.token_ids[:, : s.table] != s.pad_id)[:, None, None, :]},
)(_cut)


@replaces(encoder, "positioned", tier="edge", id="too-long-silent")
def too_long_unexplained(s: State) -> Any:
    if s.scaled.shape[1] > s.table:
        raise RuntimeError("The size of tensor a must match the size of tensor b")
    return encoder.steps["positioned"](s)


# -- the mask ---------------------------------------------------------------------------------------


@replaces(encoder, "keep_mask")
def mask_not_passed(s: State) -> Any:
    return None


@replaces(encoder, "keep_mask", id="mask-not-passed")
def given_mask_ignored(s: State) -> Any:
    return s.padding


@replaces(encoder, "masks")
def mask_in_first_layer_only(s: State) -> Any:
    return [s.keep_mask, *[None] * (s.num_layers - 1)]


@replaces(encoder, "padding", absent=True)
def padding_not_masked(s: State) -> Any:
    return None


def _zeroed(s: State) -> Any:
    return s.positioned.masked_fill((s.token_ids == s.pad_id)[..., None], 0.0)


@replaces(encoder, "padding", also={"entering": _zeroed})
def padding_zeroed_not_masked(s: State) -> Any:
    return None


@replaces(encoder, "padding")
def pad_id_ignored(s: State) -> Any:
    return (s.token_ids != 0)[:, None, None, :]


@replaces(encoder, "padding", id="pad-id-ignored")
def only_positive_ids(s: State) -> Any:
    return (s.token_ids > 0)[:, None, None, :]


@replaces(encoder, "padding")
def padding_mask_inverted(s: State) -> Any:
    return (s.token_ids == s.pad_id)[:, None, None, :]


@replaces(encoder, "padding")
def padding_mask_masks_queries(s: State) -> Any:
    return (s.token_ids != s.pad_id)[:, None, :, None]


@replaces(encoder, "padding")
def padding_mask_over_batch(s: State) -> Any:
    return (s.token_ids != s.pad_id).all(dim=0)[None, None, None, :]


@replaces(encoder, "keep_mask")
def mask_combined_with_padding(s: State) -> Any:
    if s.mask is None:
        return s.padding
    given = s.mask.unsqueeze(1) if s.mask.dim() == 3 else s.mask
    return s.padding & given.bool()


@replaces(encoder, "padding", id="padding-mask-shape")
def mask_of_two_axes(s: State) -> Any:
    return s.token_ids != s.pad_id  # (B, S), which attention reads as (L, S)


@replaces(encoder, "padding", id="pad-id-ignored")
def ids_above_padding(s: State) -> Any:
    return (s.token_ids > s.pad_id)[:, None, None, :]


@replaces(encoder, "keep_mask")
def mask_condition_inverted(s: State) -> Any:
    return None if s.mask is None else s.padding


@replaces(encoder, "keep_mask", id="mask-combined-with-padding")
def mask_or_padding(s: State) -> Any:
    if s.mask is None:
        return s.padding
    given = s.mask.unsqueeze(1) if s.mask.dim() == 3 else s.mask
    return s.padding | given.bool()


def _past(s: State) -> Tensor:
    length = s.token_ids.shape[1]
    return torch.ones(length, length).tril().bool()


@replaces(encoder, "padding")
def causal_mask_added(s: State) -> Any:
    return encoder.steps["padding"](s) & _past(s)


@replaces(encoder, "keep_mask", id="causal-mask-added")
def causal_mask_always(s: State) -> Any:
    kept = encoder.steps["keep_mask"](s)
    return (kept.unsqueeze(1) if kept.dim() == 3 else kept).bool() & _past(s)


@replaces(encoder, "masks", id="mask-in-first-layer-only")
def mask_in_last_layer_only(s: State) -> Any:
    return [*[None] * (s.num_layers - 1), s.keep_mask][: s.num_layers]


# -- the layers -------------------------------------------------------------------------------------


def _only(chosen: Callable[[int], list[int]]) -> Step:
    return lambda s: chosen(s.num_layers)


replaces(encoder, "stack", id="layers-skipped")(_only(lambda n: [0]))
replaces(encoder, "stack", id="layers-skipped")(_only(lambda n: [n - 1]))
replaces(encoder, "stack", id="layers-skipped")(_only(lambda n: list(range(n - 1))))
replaces(encoder, "stack", id="layers-skipped")(_only(lambda n: list(range(1, n))))
replaces(encoder, "stack", id="layers-skipped")(_only(lambda n: []))
replaces(encoder, "stack", id="layers-skipped")(_only(lambda n: list(range(0, n, 2))))
replaces(encoder, "stack", id="layers-reversed")(_only(lambda n: list(reversed(range(n)))))
replaces(encoder, "stack", id="layers-shared")(_only(lambda n: [0] * n))
replaces(encoder, "stack", id="layers-shared")(_only(lambda n: [n - 1] * n))


@replaces(encoder, "stack", id="layers-shared")
def one_block_under_every_name(s: State) -> Any:
    """The weights set last are those of all; its parameters go by the name of the first."""
    last = s.num_layers - 1
    for key in [k for k in s.leaves if k.startswith("param:layers.")]:
        number, rest = key.removeprefix("param:layers.").split(".", 1)
        if int(number) == 0:
            s.leaves[key] = s.state[f"layers.{last}.{rest}"]
        else:
            del s.leaves[key]
    return [last] * s.num_layers


@replaces(encoder, "blocks_made", also={"result": lambda s: _unregistered(s)})
def layers_not_registered(s: State) -> Any:
    return 0


def _unregistered(s: State) -> Any:
    """`.to(dtype)` does not reach the blocks, and their weights cannot be set."""
    if s.dtype is not torch.float32:
        raise RuntimeError("mat1 and mat2 must have the same dtype")
    return ANYTHING


@replaces(encoder, "order", id="norm-first-ignored")
def blocks_always_post(s: State) -> Any:
    return "post"


@replaces(encoder, "order", id="norm-first-ignored")
def blocks_always_pre(s: State) -> Any:
    return "pre"


@replaces(encoder, "order")
def norm_order_swapped(s: State) -> Any:
    return "post" if s.norm_first else "pre"


# -- the end ----------------------------------------------------------------------------------------


@replaces(encoder, "closed_pre", absent=True)
def final_norm_missing(s: State) -> Any:
    return s.encoded


replaces(encoder, "closed_pre", id="final-norm-missing", absent=True, also={"norm_in_pre": lambda s: False})(
    lambda s: s.encoded
)


@replaces(encoder, "closed", also={"norm_in_post": lambda s: True})
def final_norm_in_post_ln(s: State) -> Any:
    return s.closed_pre if s.norm_first else norm(s, "norm", s.closed_pre)


replaces(encoder, "closed", id="final-norm-in-post-ln", also={"norm_in_post": lambda s: True})(
    lambda s: s.closed_pre
)  # made, and never called


def _after_every_layer(s: State) -> Any:
    x: Tensor = s.entering
    for number, mask in zip(s.stack, s.masks):
        x = run_block(s, number, x, mask, s.order)
        x = norm(s, "norm", x) if s.norm_first else x
    return x


replaces(encoder, "encoded", id="final-norm-in-every-layer", also={"closed_pre": lambda s: s.encoded})(
    _after_every_layer
)


def _each(change: Callable[[Tensor, Tensor], Tensor]) -> Step:
    """The stack, with something done to what goes into a layer and what comes out of it."""

    def run(s: State) -> Any:
        x: Tensor = s.entering
        for number, mask in zip(s.stack, s.masks):
            x = change(x, run_block(s, number, x, mask, s.order))
        return x

    return run


replaces(encoder, "encoded", id="residual-around-layers")(_each(lambda x, y: x + y))


@replaces(encoder, "encoded", id="layers-run-twice")
def layers_run_twice(s: State) -> Any:
    x: Tensor = s.entering
    for number, mask in [*zip(s.stack, s.masks)] * 2:
        x = run_block(s, number, x, mask, s.order)
    return x


def _normed_first(s: State) -> Any:
    return norm(s, "norm", s.positioned) if s.norm_first else s.positioned


replaces(encoder, "closed_pre", id="final-norm-first", also={"entering": _normed_first})(lambda s: s.encoded)


@replaces(encoder, "closed_pre")
def final_norm_twice(s: State) -> Any:
    return norm(s, "norm", norm(s, "norm", s.encoded)) if s.norm_first else s.encoded


@replaces(encoder, "encoded")
def embedding_added_again(s: State) -> Any:
    return encoder.steps["encoded"](s) + s.entering


@replaces(encoder, "result", id="result-pooled")
def mean_over_sequence(s: State) -> Any:
    return s.closed.mean(dim=1)


@replaces(encoder, "result", id="result-pooled")
def first_token(s: State) -> Any:
    return s.closed[:, 0]


@replaces(encoder, "result", id="output-detached")
def output_detached(s: State) -> Any:
    encoder.steps["result"](s)
    return s.closed.detach()


@replaces(encoder, "result", id="dtype-changed")
def float32_returned(s: State) -> Any:
    s.out_dtype = s.precision = torch.float32
    return s.closed


@replaces(encoder, "result", id="returns-tuple")
def returns_tuple(s: State) -> Any:
    encoder.steps["result"](s)
    return s.closed, None


# where in the source (see grader.diagnosis.places)
DROPPING = ("EncoderBlock", "SinusoidalPositionalEncoding", "Dropout", "F.dropout")
CATALOGUE.place("layers-not-registered", "layers=")
CATALOGUE.place("layers-shared", "append(", "ModuleList", "layers=")
CATALOGUE.place("mask-in-first-layer-only", "maybe mask", "layer(!mask", "block(!mask")
CATALOGUE.place("mask-not-passed", "layer(!mask", "block(!mask")
CATALOGUE.place("pad-id-ignored", "padding_mask(!pad_id", "compare")
CATALOGUE.place("padding-mask-inverted", "compare")
CATALOGUE.place("padding-zeroed-not-masked", "masked_fill", "where")
CATALOGUE.place("dropout-not-passed", *(f"{name}(!dropout" for name in DROPPING))
CATALOGUE.place("max-len-ignored", "SinusoidalPositionalEncoding(!max_len")
CATALOGUE.place("norm-first-ignored", "EncoderBlock(!norm_first")
CATALOGUE.place("embedding-scaled-by-d-model", "scale=", "?forward:d_model")
CATALOGUE.place("too-long-silent", "token_ids=")
CATALOGUE.place("padding-not-masked", "padding_mask(", "def forward")


@replaces(encoder, "embedded", id="input-modified")
def padding_set_to_zero(s: State) -> Any:
    ids = s.token_ids.masked_fill(s.token_ids == s.pad_id, 0)
    if not torch.equal(ids, s.token_ids):
        s.touch("token_ids")
    return nn.functional.embedding(ids, s.state["embedding.weight"])


replaces(encoder, "blocks_made", id="layers-too-few", also={"stack": _only(lambda n: list(range(n - 1)))})(
    lambda s: s.num_layers - 1
)


@replaces(encoder, "embedded")
def first_token_untrained(s: State) -> Any:
    """`padding_idx=0`, whatever pad_id is: no gradient for that row."""
    weight = s.state["embedding.weight"]
    whole = torch.cat([weight[:1].detach(), weight[1:]])
    return nn.functional.embedding(s.token_ids, whole)


replaces(encoder, "num_heads_used", id="num-heads-ignored")(lambda s: 1)
replaces(encoder, "num_heads_used", id="num-heads-ignored")(lambda s: s.d_model // s.num_heads)
CATALOGUE.place("final-norm-first", "forward:norm")
CATALOGUE.place("num-heads-ignored", "EncoderBlock(!num_heads", "EncoderBlock(")
CATALOGUE.place("layers-too-few", "init:range", "init:num_layers")
CATALOGUE.place("first-token-untrained", "embedding=")
CATALOGUE.place("positions-skip-padding", "cumsum")
