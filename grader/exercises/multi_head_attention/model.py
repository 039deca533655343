"""The model of multi-head attention (Vaswani et al. 2017, section 3.2.2).

The steps between the heads are those of exercise 1, seen through `Inner`: the same functions, and
the same mistakes, serve a learner who writes attention inline.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.model import Model, State, Step
from grader.exercises.attention.model import attention

__all__ = ["Inner", "drop", "inner", "keeps", "linear", "merge", "mha", "shapes", "split"]

INNER_NAMES = {
    "query": "q_heads",
    "key": "k_heads",
    "value": "v_heads",
    "mask": "prepared",
    "output": "mixed",
}


class _Module(Model):
    """A probe that only constructs runs the first step alone: there is nothing to attend to."""

    def go(
        self,
        state: State,
        instead: Mapping[str, Step] | None,
        before: dict[str, Mapping[str, Any]] | None = None,
    ) -> None:
        if state.probe.args is not None:
            super().go(state, instead, before)
            return
        state.at = "parameters"
        step = (instead or {}).get("parameters", self.steps["parameters"])
        state.parameters = state.result = step(state)


class Inner:
    """The state as exercise 1 sees it: its query is our q_heads, its mask has four dimensions."""

    def __init__(self, state: State) -> None:
        object.__setattr__(self, "_state", state)

    def __getattr__(self, name: str) -> Any:
        if name == "dropout":
            return lambda x: drop(self._state, x)
        return getattr(self._state, INNER_NAMES.get(name, name))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._state, name, value)


def inner(step: Step) -> Step:
    """A step of exercise 1 as a step of this one."""

    def run(s: State) -> Any:
        return step(Inner(s))  # type: ignore[arg-type]

    return run


mha = _Module("MultiHeadAttention", ("query", "key", "value", "mask"), dropout=0.0, bias=True)


def linear(s: State, name: str, x: Tensor) -> Tensor:
    """The projection called `name`."""
    if s.mixed_dtype is not None:
        raise RuntimeError("mat1 and mat2 must have the same dtype")
    return nn.functional.linear(x, s.state[f"{name}.weight"], s.state.get(f"{name}.bias"))


def split(s: State, x: Tensor) -> Tensor:
    """(B, S, d_model) to (B, H, S, d_k): head h owns the features h * d_k up to (h + 1) * d_k."""
    return x.reshape(x.shape[0], x.shape[1], s.num_heads, -1).transpose(1, 2)


def merge(s: State, x: Tensor) -> Tensor:
    """(B, H, L, d_k) to (B, L, d_model)."""
    return x.transpose(1, 2).reshape(x.shape[0], -1, s.d_model)


def drop(s: State, x: Tensor) -> Tensor:
    """Dropout.  Core probes use the rates 0 and 1 only, where no chance is in it; the tie probe draws
    with the seed that the worker sets, which a learner who drops once in this order draws as well."""
    if not s.train or s.dropout == 0.0:
        return x
    if s.dropout == 1.0:
        return x * 0.0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return nn.functional.dropout(x, s.dropout, True)


def shapes(s: State, *, bias: Mapping[str, bool] | bool | None = None) -> dict[str, str]:
    """What the state dict holds; `bias` says which projections have one."""
    d = s.d_model
    found = {}
    for name in ("W_k", "W_o", "W_q", "W_v"):
        has = s.bias if bias is None else bias if isinstance(bias, bool) else bias[name]
        if has:
            found[f"{name}.bias"] = f"parameter [{d}]"
        found[f"{name}.weight"] = f"parameter [{d}, {d}]"
    return found


def keeps(s: State) -> Tensor | None:
    """Where the prepared mask allows, as booleans; None without a mask."""
    return None if s.prepared is None else s.prepared != 0


@mha.step
def parameters(s: State) -> Any:
    if s.d_model % s.num_heads != 0:
        raise ValueError("the number of heads does not divide the width")
    return shapes(s)


@mha.step
def q_proj(s: State) -> Any:
    return linear(s, "W_q", s.query)  # (B, L, d_model)


@mha.step
def k_proj(s: State) -> Any:
    return linear(s, "W_k", s.key)  # (B, S, d_model)


@mha.step
def v_proj(s: State) -> Any:
    return linear(s, "W_v", s.value)  # (B, S, d_model)


@mha.step
def q_heads(s: State) -> Any:
    return split(s, s.q_proj)  # (B, H, L, d_k)


@mha.step
def k_heads(s: State) -> Any:
    return split(s, s.k_proj)  # (B, H, S, d_k)


@mha.step
def v_heads(s: State) -> Any:
    return split(s, s.v_proj)  # (B, H, S, d_k)


@mha.step
def prepared(s: State) -> Any:
    if s.mask is None or s.mask.dim() != 3:
        return s.mask
    return s.mask.unsqueeze(1)  # (B, 1, L, S): one mask per batch element, for all heads


for _name in ("scores", "scaled", "masked", "weights"):  # (B, H, L, S)
    mha.steps[_name] = inner(attention.steps[_name])


@mha.step
def cleared(s: State) -> Any:
    keep = keeps(s)
    return s.weights if keep is None else s.weights.masked_fill(~keep, 0.0)


@mha.step
def dropped(s: State) -> Any:
    return drop(s, s.cleared)


@mha.step
def mixed(s: State) -> Any:
    return s.dropped @ s.v_heads  # (B, H, L, d_k)


@mha.step
def merged(s: State) -> Any:
    return merge(s, s.mixed)  # (B, L, d_model)


@mha.step
def projected(s: State) -> Any:
    return linear(s, "W_o", s.merged)  # (B, L, d_model)


@mha.step
def result(s: State) -> Any:
    return s.projected, s.dropped
