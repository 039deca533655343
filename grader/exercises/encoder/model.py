"""The model of the Transformer encoder (Vaswani et al. 2017, sections 3.1, 3.4 and 3.5)."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.model import State
from grader.exercises.encoder_block.parts import ModuleModel, attend, block_shapes, linear, norm

__all__ = ["encoder", "positions", "run_block", "shapes"]

encoder = ModuleModel(
    "TransformerEncoder",
    ("token_ids", "mask"),
    ("norm_in_pre", "norm_in_post", "table", "blocks_made", "names"),
    dropout=0.1,
    max_len=5000,
    pad_id=0,
    norm_first=False,
)


def shapes(vocab_size: int, d_model: int, d_ff: int, layers: int, final: bool) -> dict[str, tuple[int, ...]]:
    """The parameters of an encoder."""
    found: dict[str, tuple[int, ...]] = {"embedding.weight": (vocab_size, d_model)}
    for number in range(layers):
        found |= block_shapes(d_model, d_ff, f"layers.{number}.")
    if final:
        found |= {"norm.weight": (d_model,), "norm.bias": (d_model,)}
    return found


def positions(length: int, d_model: int) -> Tensor:
    """The sinusoidal table (length, d_model)."""
    angle = torch.arange(length, dtype=torch.float64)[:, None] / 10000 ** (
        torch.arange(0, d_model, 2, dtype=torch.float64) / d_model
    )
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)[:, :d_model]


def run_block(s: State, number: int, x: Tensor, mask: Tensor | None, order: str) -> Tensor:
    """Block `number` in the given order, as exercise 6 has it, without dropout."""
    prefix = f"layers.{number}."
    if "EncoderBlock" in s.carried:
        return _carried_block(s, prefix, x, mask, order)

    def look(h: Tensor) -> Tensor:
        return attend(s, f"{prefix}self_attn.", h, mask, s.num_heads_used, own=True)[0]

    def network(h: Tensor) -> Tensor:
        return linear(
            s, f"{prefix}feed_forward.linear2", linear(s, f"{prefix}feed_forward.linear1", h).relu()
        )

    if order == "pre":
        x = x + look(norm(s, f"{prefix}norm1", x, own=True))
        return x + network(norm(s, f"{prefix}norm2", x, own=True))
    x = norm(s, f"{prefix}norm1", x + look(x), own=True)
    return norm(s, f"{prefix}norm2", x + network(x), own=True)


def _carried_block(s: State, prefix: str, x: Tensor, mask: Tensor | None, order: str) -> Tensor:
    """The learner's own block; its dropout is off wherever a probe compares numbers."""
    found: Tensor = s.carried["EncoderBlock"](
        s,
        x,
        mask,
        init={
            "d_model": s.d_model,
            "num_heads": s.num_heads_used,
            "d_ff": s.d_ff,
            "dropout": s.dropout,
            "norm_first": order == "pre",
        },
        state={k.removeprefix(prefix): v for k, v in s.state.items() if k.startswith(prefix)},
    )
    return found


# -- what is made -----------------------------------------------------------------------------------


@encoder.step
def norm_in_pre(s: State) -> bool:
    return True


@encoder.step
def norm_in_post(s: State) -> bool:
    return False


@encoder.step
def table(s: State) -> int:
    rows: int = s.max_len
    return rows


@encoder.step
def blocks_made(s: State) -> int:
    count: int = s.num_layers
    return count


@encoder.step
def names(s: State) -> dict[str, str]:
    final = s.norm_in_pre if s.norm_first else s.norm_in_post
    made = shapes(s.vocab_size, s.d_model, s.d_ff, s.blocks_made, final)
    found = {name: f"parameter {list(shape)}" for name, shape in made.items()}
    found["positional_encoding.pe"] = f"buffer {[1, s.table, s.d_model]}"
    return found


# -- what is computed -------------------------------------------------------------------------------


@encoder.step
def order(s: State) -> str:
    return "pre" if s.norm_first else "post"


@encoder.step
def padding(s: State) -> Tensor | None:
    keep: Tensor = s.token_ids != s.pad_id
    return keep[:, None, None, :]  # (B, 1, 1, S)


@encoder.step
def keep_mask(s: State) -> Tensor | None:
    found: Tensor | None = s.padding if s.mask is None else s.mask
    return found


@encoder.step
def masks(s: State) -> list[Tensor | None]:
    return [s.keep_mask] * s.num_layers  # one a layer


@encoder.step
def num_heads_used(s: State) -> int:
    count: int = s.num_heads
    return count


@encoder.step
def embedded(s: State) -> Tensor:
    return nn.functional.embedding(s.token_ids, s.state["embedding.weight"])  # (B, S, d_model)


@encoder.step
def scaled(s: State) -> Tensor:
    found: Tensor = s.embedded * math.sqrt(s.d_model)
    return found


@encoder.step
def positioned(s: State) -> Tensor:
    length = s.scaled.shape[1]
    if length > s.table:
        raise ValueError(f"{length} tokens are too long for max_len {s.table}")
    found: Tensor = s.scaled + positions(length, s.d_model)
    return found


@encoder.step
def entering(s: State) -> Tensor:
    found: Tensor = s.positioned
    return found


@encoder.step
def stack(s: State) -> list[int]:
    return list(range(s.num_layers))  # the order in which the blocks run


@encoder.step
def encoded(s: State) -> Tensor:
    x: Tensor = s.entering
    for number, mask in zip(s.stack, s.masks):
        x = run_block(s, number, x, mask, s.order)
    return x


@encoder.step
def closed_pre(s: State) -> Tensor:
    return norm(s, "norm", s.encoded) if s.norm_first else s.encoded


@encoder.step
def closed(s: State) -> Tensor:
    found: Tensor = s.closed_pre
    return found


@encoder.step
def result(s: State) -> Any:
    if s.dtype is torch.float64:
        s.precision = torch.float32  # the eps of the norms is open
    return s.closed
