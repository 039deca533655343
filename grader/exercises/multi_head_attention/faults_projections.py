"""Mistakes in the four projections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import ANYTHING, State, Step
from grader.exercises.multi_head_attention.model import linear, mha

__all__ = ["register"]


def _through(name: str, source: str) -> Step:
    """The input called `source` sent through the projection called `name`."""

    def step(s: State) -> Any:
        return linear(s, name, getattr(s, source))

    return step


def _where_alike(name: str, source: str) -> Step:
    """The query in place of an input that has its shape."""

    def step(s: State) -> Any:
        given = getattr(s, source)
        return linear(s, name, s.query if s.query.shape == given.shape else given)

    return step


def _tied(first: str, second: str) -> Step:
    """One weight under two names: what is set last holds, and the first name gets all of the gradient."""

    def parameters(s: State) -> Any:
        if s.probe.args is not None:
            own, other = s.state[f"{first}.weight"], s.state[f"{second}.weight"]
            s.state = s.state | dict.fromkeys(
                (f"{first}.weight", f"{second}.weight"), own + (other - own).detach()
            )
        return mha.steps["parameters"](s)

    return parameters


def _untransposed(name: str, source: str) -> Step:
    def step(s: State) -> Any:
        product: Tensor = getattr(s, source) @ s.state[f"{name}.weight"]
        shift = s.state.get(f"{name}.bias")
        return product if shift is None else product + shift

    return step


def _twice(name: str, source: str) -> Step:
    def step(s: State) -> Any:
        return linear(s, name, linear(s, name, getattr(s, source)))

    return step


def _without_bias(name: str, source: str) -> Step:
    """The weight alone is used; the bias of the keys is the one that no result depends on."""

    def step(s: State) -> Any:
        return nn.functional.linear(getattr(s, source), s.state[f"{name}.weight"])

    return step


def _rectified(name: str, source: str) -> Step:
    def step(s: State) -> Any:
        return torch.relu(linear(s, name, getattr(s, source)))

    return step


def _sized(s: State, sizes: dict[str, tuple[int, int]]) -> dict[str, str]:
    """The state dict with weights of these sizes (out, in); the others are square."""
    found = {}
    for name in ("W_k", "W_o", "W_q", "W_v"):
        out, into = sizes.get(name, (s.d_model, s.d_model))
        if s.bias:
            found[f"{name}.bias"] = f"parameter [{out}]"
        found[f"{name}.weight"] = f"parameter [{out}, {into}]"
    return found


def register(catalogue: Catalogue) -> None:
    """Adds these faults to the catalogue."""
    _register_wrong_ones(catalogue)
    _register_sizes(catalogue)
    _register_output(catalogue)
    _register_gradients(catalogue)


def _register_wrong_ones(catalogue: Catalogue) -> None:
    def several(identity: str, table: dict[str, Step]) -> None:
        first, *rest = table
        catalogue.replaces(mha, first, id=identity, also={n: table[n] for n in rest})(table[first])

    Q, K, V = "q_proj", "k_proj", "v_proj"
    for table in (
        {K: _through("W_q", "key")},
        {V: _through("W_q", "value")},
        {K: _through("W_q", "key"), V: _through("W_q", "value")},
        {V: _through("W_k", "value")},
        {K: _through("W_v", "key")},
        {Q: _through("W_k", "query")},
        {Q: _through("W_v", "query")},
        {Q: _through("W_k", "query"), V: _through("W_k", "value")},
        {Q: _through("W_v", "query"), K: _through("W_v", "key")},
        {"projected": _through("W_v", "merged")},
        {"projected": _through("W_q", "merged")},
        {"projected": _through("W_k", "merged")},
    ):
        several("projection-reused", table)
    for pair in (("W_q", "W_k"), ("W_k", "W_v"), ("W_q", "W_v")):
        several("projection-reused", {"parameters": _tied(*pair)})
    for table in (
        {K: _through("W_k", "query")},
        {V: _through("W_v", "query")},
        {K: _through("W_k", "query"), V: _through("W_v", "query")},
        {V: _through("W_v", "key")},
        {K: _through("W_k", "value")},
        {Q: _through("W_q", "key")},
        {Q: _through("W_q", "value")},
        {K: _where_alike("W_k", "key")},
        {V: _where_alike("W_v", "value")},
        {K: _where_alike("W_k", "key"), V: _where_alike("W_v", "value")},
        {V: _through("W_v", "k_proj")},
        {K: _through("W_k", "q_proj")},
    ):
        several("projection-on-wrong-input", table)
    for table in (
        {K: _through("W_v", "key"), V: _through("W_k", "value")},
        {Q: _through("W_k", "query"), K: _through("W_q", "key")},
        {Q: _through("W_v", "query"), V: _through("W_q", "value")},
    ):
        several("projection-swapped", table)
    for order in (
        ("value", "key", "query"),
        ("key", "query", "value"),
        ("key", "value", "query"),
        ("value", "query", "key"),
        ("query", "value", "key"),
    ):
        names = zip((Q, K, V), ("W_q", "W_k", "W_v"), order)
        several("inputs-exchanged", {step: _through(name, source) for step, name, source in names})
    several("inputs-exchanged", {K: _through("W_v", "value"), V: _through("W_k", "key")})
    bare: dict[str, Step] = {
        Q: lambda s: s.query,
        K: lambda s: s.key,
        V: lambda s: s.value,
    }
    for chosen in ((Q,), (K,), (V,), (Q, K), (Q, K, V)):
        several("projection-missing", {step: bare[step] for step in chosen})
    places = {Q: ("W_q", "query"), K: ("W_k", "key"), V: ("W_v", "value")}
    forms: tuple[tuple[str, Callable[[str, str], Step]], ...] = (
        ("weight-not-transposed", _untransposed),
        ("activation-in-projection", _rectified),
    )
    twice: dict[str, Step] = {step: _twice(name, source) for step, (name, source) in places.items()}
    for chosen in ((Q,), (K,), (V,), (K, V), (Q, K, V)):
        several("projection-twice", {step: twice[step] for step in chosen})
    unshifted: dict[str, Step] = {
        step: _without_bias(name, source) for step, (name, source) in places.items()
    }
    unshifted["projected"] = _without_bias("W_o", "merged")
    for lacking in ((Q,), (V,), ("projected",), (Q, K, V), tuple(unshifted)):
        several("bias-not-added", {step: unshifted[step] for step in lacking})
    for identity, made in forms:
        for step, (name, source) in places.items():
            several(identity, {step: made(name, source)})
        several(identity, {step: made(*pair) for step, pair in places.items()})
        several(identity, {"projected": made("W_o", "merged")})


def _register_sizes(catalogue: Catalogue) -> None:
    """Small input projections keep weights of their own, which no model knows: a check names them."""
    replaces = catalogue.replaces

    def small_output(s: State) -> Any:
        return _sized(s, {"W_o": (s.d_model, s.d_model // s.num_heads)})

    def too_wide(s: State) -> Any:
        d_k = s.d_model // s.num_heads
        return nn.functional.linear(s.merged, torch.zeros(s.d_model, d_k, dtype=torch.float64))

    def checked(step: Step) -> Step:
        def run(s: State) -> Any:
            mha.steps["parameters"](s)  # the check of the sizes is there
            return step(s)

        return run

    replaces(mha, "parameters", id="projection-too-small", also={"projected": too_wide})(
        checked(small_output)
    )

    def small_inputs(s: State) -> Any:
        d_k = s.d_model // s.num_heads
        return _sized(s, dict.fromkeys(("W_q", "W_k", "W_v"), (d_k, d_k)))

    def anything(s: State) -> Any:
        return ANYTHING, ANYTHING  # made with weights that could not be set

    replaces(mha, "parameters", id="projection-shared-by-heads", also={"result": anything})(
        checked(small_inputs)
    )


def _register_output(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    @replaces(mha, "projected", absent=True)
    def missing_output_projection(s: State) -> Any:
        return s.merged

    @replaces(mha, "projected")
    def output_projection_twice(s: State) -> Any:
        return linear(s, "W_o", linear(s, "W_o", s.merged))

    @replaces(mha, "projected")
    def residual_added(s: State) -> Any:
        return linear(s, "W_o", s.merged) + s.query

    def normalised(form: Callable[[State], Tensor]) -> Step:
        def projected(s: State) -> Any:
            s.precision = torch.float32  # whatever the eps
            return nn.functional.layer_norm(form(s), (s.d_model,))

        return projected

    for form in (lambda s: linear(s, "W_o", s.merged) + s.query, lambda s: linear(s, "W_o", s.merged)):
        replaces(mha, "projected", id="output-normalised")(normalised(form))

    def unchanged(s: State) -> Any:
        return s.merged

    @replaces(mha, "merged", id="output-projection-before-merge", also={"projected": unchanged})
    def per_head(s: State) -> Any:
        return linear(s, "W_o", s.mixed).transpose(1, 2).flatten(2)  # raises: d_k features, not d_model

    @replaces(mha, "projected", id="output-projection-before-merge")
    def padded_and_summed(s: State) -> Any:
        extra = s.state.get("W_o.bias")
        whole = linear(s, "W_o", s.merged)
        return whole if extra is None else whole + (s.num_heads - 1) * extra  # a bias for each head

    @replaces(mha, "merged", id="output-projection-before-merge", also={"projected": unchanged})
    def on_scrambled_positions(s: State) -> Any:
        B, H, L, d_k = s.mixed.shape
        sent = linear(s, "W_o", s.mixed.reshape(B, L, H * d_k))
        return sent.view(B, H, L, d_k).transpose(1, 2).reshape(B, L, H * d_k)


def _register_gradients(catalogue: Catalogue) -> None:
    """Parameters that are not trained, and projections that no gradient passes."""
    replaces = catalogue.replaces

    def frozen(which: Callable[[str], bool]) -> Step:
        def parameters(s: State) -> Any:
            s.state = {name: value.detach() if which(name) else value for name, value in s.state.items()}
            return mha.steps["parameters"](s)

        return parameters

    def start(*names: str) -> Callable[[str], bool]:
        return lambda parameter: parameter.startswith(names)

    def end(kind: str) -> Callable[[str], bool]:
        return lambda parameter: parameter.endswith(kind)

    for which in (
        *(start(name) for name in ("W_q", "W_k", "W_v", "W_o", "")),
        start("W_q", "W_k"),
        start("W_q", "W_k", "W_v"),
        end("bias"),
        end("weight"),
    ):
        replaces(mha, "parameters", id="parameters-frozen")(frozen(which))

    places = {"q_proj": ("W_q", "query"), "k_proj": ("W_k", "key"), "v_proj": ("W_v", "value")}

    def cut_after(name: str, source: str) -> Step:
        return lambda s: linear(s, name, getattr(s, source)).detach()

    def cut_before(name: str, source: str) -> Step:
        return lambda s: linear(s, name, getattr(s, source).detach())

    for cut in (cut_after, cut_before):
        for chosen in (("q_proj",), ("k_proj",), ("v_proj",), ("k_proj", "v_proj"), tuple(places)):
            table = {step: cut(*places[step]) for step in chosen}
            first = table.pop(chosen[0])
            replaces(mha, chosen[0], id="projection-detached", also=table)(first)
