"""Mistakes between the encoder's output and the logits, and in what is returned."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.model import ANYTHING, State, Step
from grader.exercises.tiny_transformer.catalogue import CATALOGUE, replaces
from grader.exercises.tiny_transformer.model import EXTRA_NORMS, tiny

__all__: list[str] = []


def _is_float64(s: State) -> None:
    if s.dtype is torch.float64:
        s.precision = torch.float32  # the eps of the norms is open


def _returned(id: str, form: Callable[[State], Any]) -> None:
    def result(s: State) -> Any:
        _is_float64(s)
        return form(s)

    replaces(tiny, "result", id=id)(result)


_returned("softmax-applied", lambda s: s.logits.softmax(-1))
_returned("softmax-applied", lambda s: s.logits.softmax(1))
_returned("log-softmax-applied", lambda s: s.logits.log_softmax(-1))
_returned("log-softmax-applied", lambda s: s.logits.log_softmax(1))
_returned("extra-activation", lambda s: s.logits.sigmoid())
_returned("argmax-returned", lambda s: s.logits.argmax(-1))
_returned("last-position-only", lambda s: s.logits[:, -1])
_returned("last-position-only", lambda s: s.logits[:, -1:])
_returned("result-pooled", lambda s: s.logits.mean(1))
_returned("result-pooled", lambda s: s.logits[:, 0])
_returned("logits-cut", lambda s: s.logits[:, :-1])
_returned("logits-cut", lambda s: s.logits[:, 1:])
_returned("logits-flattened", lambda s: s.logits.flatten(0, 1))
_returned("logits-transposed", lambda s: s.logits.transpose(1, 2))
_returned("logits-shifted", lambda s: s.logits.roll(1, 1))
_returned("logits-shifted", lambda s: s.logits.roll(-1, 1))
_returned("output-detached", lambda s: s.logits.detach())
_returned("projection-missing", lambda s: s.encoded)
_returned("logits-scaled", lambda s: s.logits * math.sqrt(s.d_model))
_returned("logits-scaled", lambda s: s.logits / math.sqrt(s.d_model))
_returned("logits-scaled", lambda s: s.logits * s.d_model)
_returned("logits-scaled", lambda s: s.logits / s.d_model)
_returned("extra-activation", lambda s: s.logits.relu())
_returned("returns-tuple", lambda s: (s.logits, ANYTHING))
_returned("returns-tuple", lambda s: (s.logits, ANYTHING, ANYTHING))


@CATALOGUE.family(tiny, "result", name="factor", tries=(0.5, 0.1, 2.0, 10.0), id="logits-scaled")
def temperature(s: State, factor: float) -> Any:
    _is_float64(s)
    return s.logits * (factor if abs(factor) > 1e-6 else math.nan)


def _padding_blanked(value: float) -> Callable[[State], Any]:
    """Logits of the padding token are hidden, at every position."""

    def result(s: State) -> Any:
        blank = torch.arange(s.vocab_size) == s.pad_id
        return s.logits.masked_fill(blank, value)

    return result


_returned("padding-logit-hidden", _padding_blanked(-math.inf))
_returned("padding-logit-hidden", _padding_blanked(-1e9))


@replaces(tiny, "result", id="dtype-changed")
def float32_returned(s: State) -> Any:
    s.out_dtype = s.precision = torch.float32
    return s.logits


# -- before the projection --------------------------------------------------------------------------


def _before(id: str, form: Callable[[State], Any], **options: Any) -> None:
    replaces(tiny, "projected", id=id, **options)(form)


def _normed(s: State) -> Tensor:
    return nn.functional.layer_norm(s.encoded, (s.d_model,))


def _named_norm(name: str) -> Step:
    def names(s: State) -> Any:
        own = {f"{name}.{k}": f"parameter {[s.d_model]}" for k in ("weight", "bias")}
        return tiny.steps["names"](s) | own

    return names


for _name in EXTRA_NORMS:
    _before("extra-norm", _normed, also={"names": _named_norm(_name)})
_before("extra-norm", _normed)
_before("logits-shifted", lambda s: torch.cat([s.encoded[:, 1:], s.encoded[:, -1:]], dim=1))
_before("logits-shifted", lambda s: torch.cat([s.encoded[:, :1], s.encoded[:, :-1]], dim=1))
_before("extra-activation", lambda s: s.encoded.relu())
_before("extra-activation", lambda s: nn.functional.gelu(s.encoded))
_before("extra-activation", lambda s: s.encoded.tanh())
_before("extra-activation", lambda s: s.encoded.sigmoid())
_before("logits-scaled", lambda s: s.encoded * math.sqrt(s.d_model))
_before("logits-scaled", lambda s: s.encoded / math.sqrt(s.d_model))
_before("extra-activation", lambda s: s.encoded.softmax(-1))
_before("result-pooled", lambda s: s.encoded[:, :1].expand_as(s.encoded))
_before("result-pooled", lambda s: s.encoded.mean(1, keepdim=True).expand_as(s.encoded))


# -- the projection ---------------------------------------------------------------------------------


def _without_bias(s: State) -> Any:
    names = dict(tiny.steps["projection_names"](s))
    del names["output_projection.bias"]
    return names


replaces(tiny, "shift", id="projection-bias-missing", also={"projection_names": _without_bias})(
    lambda s: None
)
replaces(tiny, "shift", id="projection-bias-missing")(lambda s: None)  # made, and never added


def _tied(s: State) -> Any:
    """One parameter under both names: the weights set last count, and it goes by the first name."""
    weight = s.state["output_projection.weight"]
    s.state = {**s.state, "encoder.embedding.weight": weight}
    if "param:output_projection.weight" in s.leaves:
        s.leaves = dict(s.leaves)
        s.leaves["param:encoder.embedding.weight"] = s.leaves.pop("param:output_projection.weight")
    return tiny.steps["padding"](s)


def _tied_without_bias(s: State) -> Any:
    return None


replaces(tiny, "padding", id="weights-tied")(_tied)
replaces(
    tiny,
    "padding",
    id="weights-tied",
    also={"shift": _tied_without_bias, "projection_names": _without_bias},
)(_tied)


def _embedding(s: State) -> Any:
    return s.state["encoder.embedding.weight"]


def _unused(s: State) -> Any:
    return {}


replaces(tiny, "matrix", id="weights-tied")(_embedding)
replaces(tiny, "matrix", id="weights-tied", also={"shift": _tied_without_bias})(_embedding)
replaces(
    tiny,
    "matrix",
    id="weights-tied",
    also={"shift": _tied_without_bias, "projection_names": _unused},
)(_embedding)


def _of_width(rows: Callable[[State], int], columns: Callable[[State], int]) -> None:
    def names(s: State) -> Any:
        return {
            "output_projection.weight": f"parameter {[rows(s), columns(s)]}",
            "output_projection.bias": f"parameter {[rows(s)]}",
        }

    def result(s: State) -> Any:
        if columns(s) != s.d_model:
            raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")
        fits = rows(s) == s.vocab_size
        return tiny.steps["result"](s) if fits else ANYTHING

    replaces(tiny, "projection_names", id="projection-width-wrong", also={"result": result})(names)


_of_width(lambda s: s.d_model, lambda s: s.d_model)
_of_width(lambda s: s.vocab_size + 1, lambda s: s.d_model)
_of_width(lambda s: s.vocab_size - 1, lambda s: s.d_model)
_of_width(lambda s: s.max_len, lambda s: s.d_model)
_of_width(lambda s: s.d_ff, lambda s: s.d_model)
_of_width(lambda s: 1, lambda s: s.d_model)
_of_width(lambda s: s.d_model, lambda s: s.vocab_size)
_of_width(lambda s: s.vocab_size, lambda s: s.d_ff)


# -- parameters that are not trained ----------------------------------------------------------------


def _frozen(*parts: str) -> Step:
    def names(s: State) -> Any:
        s.state = {n: v.detach() if n.startswith(parts) else v for n, v in s.state.items()}
        return tiny.steps["names"](s)

    return names


for _parts in (("encoder.embedding.",), ("output_projection.",), ("encoder.layers.",)):
    replaces(tiny, "names", id="parameters-frozen")(_frozen(*_parts))
