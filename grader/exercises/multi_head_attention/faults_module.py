"""Mistakes of the module: construction, dropout, what is returned, gradients, dtypes."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import ANYTHING, State, Step
from grader.exercises.multi_head_attention.model import drop, keeps, mha, shapes

__all__ = ["register"]


def register(catalogue: Catalogue) -> None:
    """Adds these faults to the catalogue."""
    _register_construction(catalogue)
    _register_unregistered(catalogue)
    _register_signature(catalogue)
    _register_dropout(catalogue)
    _register_returned(catalogue)
    _register_graph_and_dtype(catalogue)


def _unchecked(s: State) -> Any:
    return shapes(s)


def _register_construction(catalogue: Catalogue) -> None:
    catalogue.replaces(mha, "parameters", absent=True, id="no-divisibility-check")(_unchecked)

    def biased(has: Any) -> Step:
        def parameters(s: State) -> Any:
            mha.steps["parameters"](s)
            return shapes(s, bias=has(s))

        return parameters

    def without(name: str, source: str) -> Step:
        def step(s: State) -> Any:
            return nn.functional.linear(getattr(s, source), s.state[f"{name}.weight"])

        return step

    inputs = {
        "q_proj": without("W_q", "query"),
        "k_proj": without("W_k", "key"),
        "v_proj": without("W_v", "value"),
    }
    output = {"projected": without("W_o", "merged")}

    def of(qkv: bool | None, o: bool | None) -> Any:
        def has(s: State) -> dict[str, bool]:
            table = dict.fromkeys(("W_q", "W_k", "W_v"), s.bias if qkv is None else qkv)
            return table | {"W_o": s.bias if o is None else o}

        return has

    forms: tuple[tuple[bool | None, bool | None, dict[str, Step]], ...] = (
        (True, True, {}),
        (None, True, {}),
        (True, None, {}),
        (False, None, inputs),
        (None, False, output),
        (False, True, inputs),
        (False, False, inputs | output),
    )

    def lacking(name: str) -> Any:
        return lambda s: dict.fromkeys(("W_q", "W_k", "W_v", "W_o"), s.bias) | {name: False}

    for name, step in (("W_q", "q_proj"), ("W_k", "k_proj"), ("W_v", "v_proj")):
        alone = {step: inputs[step]}
        catalogue.replaces(mha, "parameters", id="bias-ignored", also=alone)(biased(lacking(name)))
    for qkv, o, steps in forms:
        catalogue.replaces(mha, "parameters", id="bias-ignored", also=steps)(biased(of(qkv, o)))


def _register_unregistered(catalogue: Catalogue) -> None:
    """Layers that `.to()` and the state dict cannot find keep float32 and weights of their own."""

    def stranded(source: str) -> Step:
        def step(s: State) -> Any:
            x = getattr(s, source).to(s.dtype)
            nn.functional.linear(x, torch.zeros(s.d_model, s.d_model))  # raises unless the input is float32
            return torch.zeros(*x.shape[:-1], s.d_model, dtype=torch.float64)

        return step

    def left(*names: str) -> Step:
        def parameters(s: State) -> Any:
            whole = mha.steps["parameters"](s)
            return {n: v for n, v in whole.items() if n.split(".")[0] in names}

        return parameters

    def anything(s: State) -> Any:
        return ANYTHING, ANYTHING

    replaces = catalogue.replaces
    name = "parameters-not-registered"
    inputs = {"q_proj": stranded("query"), "k_proj": stranded("key"), "v_proj": stranded("value")}
    replaces(mha, "parameters", id=name, also={**inputs, "result": anything})(left())
    replaces(mha, "parameters", id=name, also={**inputs, "result": anything})(left("W_o"))


def _register_signature(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    def lacking(argument: str) -> Step:
        def parameters(s: State) -> Any:
            if argument in (s.probe.init or {}):
                raise TypeError(f"unexpected keyword argument {argument!r}")
            return mha.steps["parameters"](s)

        return parameters

    for argument in ("bias", "dropout"):
        replaces(mha, "parameters", id="wrong-signature")(lacking(argument))
    # another signature of `forward` is named by the check that calls it


def _register_dropout(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    def kept(s: State) -> Any:
        return s.cleared

    @replaces(mha, "dropped")
    def dropout_in_eval(s: State) -> Any:
        return s.cleared * 0.0 if s.dropout == 1.0 else s.cleared

    @replaces(mha, "dropped")
    def dropout_keep_probability(s: State) -> Any:
        return s.cleared * s.dropout if s.train else s.cleared  # the rates 0 and 1 change places

    @replaces(mha, "merged", also={"dropped": kept})
    def dropout_on_output(s: State) -> Any:
        return drop(s, mha.steps["merged"](s))

    def of_projections(*names: str) -> dict[str, Step]:
        def cut(name: str) -> Step:
            return lambda s: drop(s, mha.steps[name](s))

        return {name: cut(name) for name in names}

    for names in (("q_proj",), ("k_proj",), ("q_proj", "k_proj"), ("q_proj", "k_proj", "v_proj")):
        also = {"dropped": kept, **of_projections(*names[1:])}
        step = of_projections(names[0])[names[0]]
        replaces(mha, names[0], id="dropout-on-projections", also=also)(step)

    def last(s: State) -> Any:
        return drop(s, mha.steps["projected"](s))

    replaces(mha, "projected", id="dropout-on-output", also={"dropped": kept})(last)
    replaces(mha, "projected", id="dropout-on-output")(last)  # and on the weights as well


def _register_returned(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    def returning(identity: str, second: Any) -> None:
        def result(s: State) -> Any:
            return s.projected, second(s)

        replaces(mha, "result", id=identity)(result)

    returning("weights-are-scores", lambda s: s.scores)
    returning("weights-are-scores", lambda s: s.scaled)
    returning("weights-are-scores", lambda s: s.masked)

    def filled(value: float | None) -> Any:
        def second(s: State) -> Any:
            keep = keeps(s)
            low = torch.finfo(s.dtype).min if value is None else value
            return s.scaled if keep is None else s.scaled.masked_fill(~keep, low)

        return second

    for value in (None, -1e9, -math.inf):
        returning("weights-are-scores", filled(value))
    returning("weights-returned-before-mask", lambda s: torch.softmax(s.scaled, dim=-1))
    returning("weights-returned-before-dropout", lambda s: s.cleared)
    returning("weights-averaged", lambda s: s.dropped.mean(dim=1))
    returning("weights-averaged", lambda s: s.dropped[:, -1])
    returning("weights-averaged", lambda s: s.dropped[:, 0])
    returning("weights-averaged", lambda s: s.dropped.sum(dim=1))
    returning("weights-averaged", lambda s: s.dropped.mean(dim=1, keepdim=True))
    returning("weights-axes-wrong", lambda s: s.dropped.flatten(0, 1))
    returning("weights-axes-wrong", lambda s: s.dropped.transpose(0, 1))
    returning("weights-axes-wrong", lambda s: s.dropped.transpose(1, 2))
    returning("weights-axes-wrong", lambda s: s.dropped.transpose(2, 3))

    def squeezed(output: bool, weights: bool) -> Step:
        def result(s: State) -> Any:
            first = s.projected.squeeze() if output else s.projected
            return first, s.dropped.squeeze() if weights else s.dropped

        return result

    for output, weights in ((True, True), (False, True), (True, False)):
        replaces(mha, "result", id="axes-squeezed")(squeezed(output, weights))

    @replaces(mha, "result")
    def returns_output_only(s: State) -> Any:
        return s.projected

    @replaces(mha, "result", id="returns-output-only")
    def returns_weights_first(s: State) -> Any:
        return s.dropped, s.projected

    def heads_second(s: State) -> Any:
        return s.projected, s.mixed

    @replaces(mha, "merged", id="returns-output-only", also={"result": heads_second})
    def unpacked_the_wrong_way_round(s: State) -> Any:
        return s.dropped.transpose(1, 2).flatten(2)  # (B, L, H*S)

    @replaces(mha, "result")
    def returns_too_much(s: State) -> Any:
        return s.projected, s.dropped, ANYTHING

    @replaces(mha, "result", id="not-implemented")
    def returns_nothing(s: State) -> Any:
        return None


def _register_graph_and_dtype(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    @replaces(mha, "projected", id="output-detached")
    def result_detached(s: State) -> Any:
        return mha.steps["projected"](s).detach()

    @replaces(mha, "weights")
    def weights_detached(s: State) -> Any:
        return mha.steps["weights"](s).detach()

    @replaces(mha, "result")
    def dtype_changed(s: State) -> Any:
        s.out_dtype = s.precision = torch.float32
        return s.projected, s.dropped

    @replaces(mha, "result", id="dtype-changed")
    def computed_in_float32(s: State) -> Any:
        s.precision = torch.float32
        return s.projected, s.dropped

    @replaces(mha, "result", id="dtype-changed")
    def weights_stay_in_float32(s: State) -> Any:
        s.precision, s.out_dtype = torch.float32, None
        return s.projected.to(s.dtype), s.dropped.to(torch.float32)
