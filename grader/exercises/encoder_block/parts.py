"""What the models of the block and of the encoder take for granted: attention, norms, linear maps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.model import Model, State, Step

__all__ = [
    "EPS",
    "ModuleModel",
    "attend",
    "block_shapes",
    "described",
    "dropped",
    "feed_shapes",
    "linear",
    "norm",
    "random_state",
    "when",
]

EPS = 1e-5  # of the norms; the contract leaves it open, so predictions are only float32-precise


class ModuleModel(Model):
    """A model of a class whose construction is observed too.

    A probe without arguments runs only the steps named in `construction`, and the last of them is
    what is observed: the names and shapes of the state dict.
    """

    def __init__(
        self, target: str, inputs: tuple[str, ...], construction: tuple[str, ...], **settings: Any
    ) -> None:
        super().__init__(target, inputs, **settings)
        self.construction = construction

    def go(
        self,
        state: State,
        instead: Mapping[str, Step] | None,
        before: dict[str, Mapping[str, Any]] | None = None,
    ) -> None:
        if state.probe.args is not None:
            super().go(state, instead, before)
            return
        for name in self.construction:
            state.at = name
            step = (instead or {}).get(name, self.steps[name])
            setattr(state, name, step(state))
        state.result = getattr(state, self.construction[-1])


def attend(
    s: State,
    prefix: str,
    x: Tensor,
    mask: Tensor | None,
    heads: int,
    keys: Tensor | None = None,
    values: Tensor | None = None,
    *,
    own: bool = False,
) -> tuple[Tensor, Tensor]:
    """Right multi-head attention with the weights under `prefix`: x (B, S, d_model) looks at `keys`.

    What is averaged is `values`; both are x unless given.

    Returns the output (B, S, d_model) and the weights (B, H, S, S).  `own`: the kit's, even where the
    learner's is carried.
    """
    part = s.carried.get("MultiHeadAttention")
    if part is not None and not own:
        seen = [x if t is None else t for t in (x, keys, values if values is not None else keys)]
        names = ("W_q", "W_k", "W_v", "W_o")
        given = {f"{n}.{k}": s.state[f"{prefix}{n}.{k}"] for n in names for k in ("weight", "bias")}
        init = {"d_model": s.d_model, "num_heads": heads, "dropout": s.dropout}
        output, weights = part(s, *seen, init=init, state=given, mask=mask)
        return output, weights
    keys = x if keys is None else keys
    values = keys if values is None else values

    def split(t: Tensor) -> Tensor:
        return t.reshape(*t.shape[:-1], heads, -1).transpose(1, 2)  # (B, H, S, d_k)

    q = split(linear(s, f"{prefix}W_q", x))
    k = split(linear(s, f"{prefix}W_k", keys))
    v = split(linear(s, f"{prefix}W_v", values))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (B, H, S, S)
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        keep = mask != 0
        blocked = ~(keep.unsqueeze(1) if keep.dim() == 3 else keep)
        lowest = torch.finfo(scores.dtype).min  # finite: a row without keys stays finite, is then cleared
        weights = scores.masked_fill(blocked, lowest).softmax(dim=-1).masked_fill(blocked, 0.0)
    merged = (weights @ v).transpose(1, 2).flatten(-2)  # (B, S, d_model)
    return linear(s, f"{prefix}W_o", merged), weights


def linear(s: State, name: str, x: Tensor) -> Tensor:
    """The linear map called `name`; without parameters of that name an AttributeError, as in torch."""
    weight = s.state.get(f"{name}.weight")
    if weight is None:
        raise AttributeError(f"no linear map called {name!r}")
    if s.mixed_dtype is not None:
        raise RuntimeError("mat1 and mat2 must have the same dtype")
    return nn.functional.linear(x, weight, s.state.get(f"{name}.bias"))


def norm(s: State, name: str | None, x: Tensor, *, own: bool = False) -> Tensor:
    """The layer norm called `name` over the last axis; None: x as it is; `own` as in `attend`.

    A probe may set `norm_eps`, to see whether the eps that is left open matters on it.
    """
    if name is None:
        return x
    weight, bias = s.state.get(f"{name}.weight"), s.state.get(f"{name}.bias")
    part = s.carried.get("LayerNorm")
    if part is not None and not own and weight is not None and bias is not None:
        found: Tensor = part(s, x, init={"d_model": s.d_model}, state={"weight": weight, "bias": bias})
        return found
    return nn.functional.layer_norm(x, (s.d_model,), weight, bias, s.settings.get("norm_eps", EPS))


def dropped(s: State, x: Tensor) -> Tensor:
    """Dropout where it has no chance: nothing, or everything in training with a rate of one."""
    return torch.zeros_like(x) if s.train and s.dropout == 1.0 else x


def when(model: Model, order: str, step: str, wrong: Step) -> Step:
    """`wrong` in place of the step, in "pre"-LN or "post"-LN only, or "always"."""

    def run(s: State) -> Any:
        return wrong(s) if order == "always" or s.order == order else model.steps[step](s)

    return run


def described(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, str]:
    """What a construction probe observes of these parameters."""
    return {name: f"parameter {list(shape)}" for name, shape in sorted(shapes.items())}


def block_shapes(d_model: int, d_ff: int, prefix: str = "") -> dict[str, tuple[int, ...]]:
    """The parameters of an encoder block."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name in ("W_q", "W_k", "W_v", "W_o"):
        shapes[f"{prefix}self_attn.{name}.weight"] = (d_model, d_model)
        shapes[f"{prefix}self_attn.{name}.bias"] = (d_model,)
    shapes |= feed_shapes(d_model, d_ff, f"{prefix}feed_forward.")
    for name in ("norm1", "norm2"):
        shapes[f"{prefix}{name}.weight"] = (d_model,)
        shapes[f"{prefix}{name}.bias"] = (d_model,)
    return shapes


def feed_shapes(d_model: int, d_ff: int, prefix: str = "") -> dict[str, tuple[int, ...]]:
    """The parameters of a feed-forward network."""
    return {
        f"{prefix}linear1.weight": (d_ff, d_model),
        f"{prefix}linear1.bias": (d_ff,),
        f"{prefix}linear2.weight": (d_model, d_ff),
        f"{prefix}linear2.bias": (d_model,),
    }


def random_state(shapes: Mapping[str, tuple[int, ...]], seed: int) -> dict[str, Tensor]:
    """Random weights, biases and gains: scores stay below 15, and norms see variances above 1."""
    return dict(_random_state(tuple(shapes.items()), seed))


@lru_cache(maxsize=256)
def _random_state(shapes: tuple[tuple[str, tuple[int, ...]], ...], seed: int) -> Mapping[str, Tensor]:
    """The same every time; nobody changes one of these tensors in place."""
    g = torch.Generator().manual_seed(seed)
    state: dict[str, Tensor] = {}
    for name, shape in shapes:
        value = torch.randn(*shape, generator=g, dtype=torch.float64)
        if "norm" in name and name.endswith("weight"):
            value = 2.0 + 0.4 * value
        elif len(shape) == 1:
            value = 0.5 * value
        else:
            gain = 0.5 if name.endswith(("W_q.weight", "W_k.weight")) else 1.0
            value = value * gain / math.sqrt(shape[-1])
        state[name] = value
    return state
