"""The model of the tiny Transformer: the encoder of exercise 7 under a mask, and a projection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.model import Probe, State, Step
from grader.exercises.encoder.model import encoder
from grader.exercises.encoder.model import shapes as encoder_shapes
from grader.exercises.encoder_block.parts import ModuleModel

__all__ = ["EXTRA_NORMS", "both", "inner_state", "run_encoder", "shapes", "tiny"]

PREFIX = "encoder."
SETTINGS = (
    "vocab_size", "d_model", "num_heads", "d_ff", "num_layers", "dropout", "max_len", "pad_id", "norm_first",
)  # fmt: skip
# what a norm of the learner's own, before the projection, may be called
EXTRA_NORMS = ("norm", "final_norm", "ln_f", "layer_norm", "norm_f", "output_norm", "ln")
tiny = ModuleModel(
    "TinyTransformer",
    ("token_ids",),
    ("passed", "projection_names", "names"),
    max_len=512,
    dropout=0.0,
    causal=True,
    pad_id=0,
    norm_first=True,
)


def shapes(vocab_size: int, d_model: int, d_ff: int, layers: int, final: bool) -> dict[str, tuple[int, ...]]:
    """The parameters of a tiny Transformer."""
    inner = encoder_shapes(vocab_size, d_model, d_ff, layers, final)
    found: dict[str, tuple[int, ...]] = {PREFIX + name: shape for name, shape in inner.items()}
    return found | {
        "output_projection.weight": (vocab_size, d_model),
        "output_projection.bias": (vocab_size,),
    }


def inner_state(s: State) -> dict[str, Tensor]:
    """The state of the encoder, under the names that it has there."""
    return {name.removeprefix(PREFIX): v for name, v in s.state.items() if name.startswith(PREFIX)}


def run_encoder(
    s: State, ids: Tensor, mask: Tensor | None, instead: Mapping[str, Step] | None = None
) -> Tensor:
    """The encoder as it was made, (B, S) -> (B, S, d_model); `instead` replaces steps of its model."""
    state = inner_state(s)
    kwargs: dict[str, Any] = {} if mask is None else {"mask": mask}
    part = s.carried.get("TransformerEncoder")
    if part is not None and instead is None:
        found: Tensor = part(s, ids, init=s.passed, state=state, **kwargs)
        return found
    probe = Probe(s.probe.name, encoder.target, s.probe.title, (ids,), kwargs, init=s.passed, state=state)
    inside = State(probe.but(train=s.train, dtype=s.probe.dtype), encoder)
    encoder.go(inside, instead)
    result: Tensor = inside.closed
    return result


# -- what is made -----------------------------------------------------------------------------------


@tiny.step
def passed(s: State) -> dict[str, Any]:
    """What the encoder is made with."""
    return {name: getattr(s, name) for name in SETTINGS}


@tiny.step
def projection_names(s: State) -> dict[str, str]:
    return {
        "output_projection.weight": f"parameter {[s.vocab_size, s.d_model]}",
        "output_projection.bias": f"parameter {[s.vocab_size]}",
    }


@tiny.step
def names(s: State) -> dict[str, str]:
    p = s.passed
    made = encoder_shapes(p["vocab_size"], p["d_model"], p["d_ff"], p["num_layers"], p["norm_first"])
    found = {PREFIX + name: f"parameter {list(shape)}" for name, shape in made.items()}
    found[f"{PREFIX}positional_encoding.pe"] = f"buffer {[1, p['max_len'], p['d_model']]}"
    projection: dict[str, str] = s.projection_names
    return found | projection


# -- who may see whom -------------------------------------------------------------------------------


@tiny.step
def padding(s: State) -> Tensor | None:
    keep: Tensor = s.token_ids != s.pad_id
    return keep[:, None, None, :]  # (B, 1, 1, S)


@tiny.step
def past(s: State) -> Tensor:
    length = s.token_ids.shape[1]
    return torch.ones(length, length, dtype=torch.bool).tril()  # (S, S)


def both(s: State) -> Tensor:
    """May be attended only where the padding mask and the causal one allow it."""
    found: Tensor = s.past if s.padding is None else s.padding & s.past
    return found  # (B, 1, S, S)


@tiny.step
def causal_keep(s: State) -> Tensor | None:
    return both(s) if s.causal else None


@tiny.step
def keep_mask(s: State) -> Tensor | None:
    found: Tensor | None = s.causal_keep if s.causal else s.padding
    return found


@tiny.step
def handed(s: State) -> Tensor | None:
    """The mask that the encoder is called with."""
    found: Tensor | None = s.keep_mask
    return found


# -- what is computed -------------------------------------------------------------------------------


@tiny.step
def ids(s: State) -> Tensor:
    found: Tensor = s.token_ids
    return found


@tiny.step
def encoded(s: State) -> Tensor:
    return run_encoder(s, s.ids, s.handed)  # (B, S, d_model)


@tiny.step
def projected(s: State) -> Tensor:
    """What the projection is given."""
    found: Tensor = s.encoded
    return found


@tiny.step
def matrix(s: State) -> Tensor:
    found: Tensor = s.state["output_projection.weight"]
    return found  # (vocab_size, d_model)


@tiny.step
def shift(s: State) -> Tensor | None:
    found: Tensor = s.state["output_projection.bias"]
    return found  # (vocab_size,)


@tiny.step
def logits(s: State) -> Tensor:
    if s.mixed_dtype is not None:
        raise RuntimeError("mat1 and mat2 must have the same dtype")
    return nn.functional.linear(s.projected, s.matrix, s.shift)  # (B, S, vocab_size)


@tiny.step
def result(s: State) -> Any:
    if s.dtype is torch.float64:
        s.precision = torch.float32  # the eps of the norms is open
    return s.logits
