"""Mistakes with the gain and the bias, and in what the state dict holds."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import ANYTHING, State
from grader.exercises.layer_norm.catalogue import Part, in_both
from grader.exercises.layer_norm.model import layout_of

__all__ = ["register", "register_rare"]


def register() -> None:
    """Puts the faults of this module into the catalogue."""
    _application()


def register_rare() -> None:
    """The faults of this module that come last in the search."""
    _registration()


def _no_gain(s: Any) -> Tensor:
    plain: Tensor = s.normalised
    return plain


def _no_bias(s: Any) -> Tensor:
    plain: Tensor = s.gained
    return plain


def _application() -> None:
    in_both("affine-missing", absent=True, gained=_no_gain, shifted=_no_bias)
    in_both("affine-missing", absent=True, shifted=_no_bias)
    in_both("affine-missing", absent=True, gained=_no_gain)
    in_both(
        "affine-swapped",
        gained=lambda s: s.normalised * s.state["bias"],
        shifted=lambda s: s.gained + s.state["weight"],
    )
    in_both("affine-misapplied", gained=lambda s: s.normalised * s.state["weight"] ** 2)
    in_both("affine-misapplied", gained=lambda s: s.normalised * (1 + s.state["weight"]))
    in_both(
        "affine-misapplied",
        gained=lambda s: s.normalised + s.state["bias"],
        shifted=lambda s: s.gained * s.state["weight"],
    )
    in_both("affine-misapplied", gained=lambda s: s.normalised + s.state["weight"])
    in_both("affine-misapplied", gained=lambda s: s.normalised / s.state["weight"])
    in_both("affine-misapplied", shifted=lambda s: s.gained - s.state["bias"])
    in_both("affine-misapplied", shifted=lambda s: s.gained + 2 * s.state["bias"])


# -- what is registered -----------------------------------------------------------------------------


def _named(weight: str | None, bias: str | None, words: str = "parameter [{d}]") -> Part:
    """The layout with these names; None leaves an entry out."""

    def layout(s: State) -> dict[str, str]:
        shape = words.format(d=s.d_model)
        return layout_of(s, **{name: shape for name in (weight, bias) if name is not None})

    return layout


def _kinds(weight: str, bias: str) -> Part:
    def layout(s: State) -> dict[str, str]:
        return layout_of(s, weight=f"{weight} [{s.d_model}]", bias=f"{bias} [{s.d_model}]")

    return layout


def _frozen_gain(s: Any) -> Tensor:
    product: Tensor = s.normalised * s.state["weight"].detach()
    return product


def _frozen_bias(s: Any) -> Tensor:
    total: Tensor = s.gained + s.state["bias"].detach()
    return total


def _widening(part: Part) -> Part:
    """A plain tensor stays float32 when the module is converted, and so widens half precision."""

    def step(s: Any) -> Any:
        if s.dtype in (torch.float16, torch.bfloat16):
            s.out_dtype, s.precision = torch.float32, s.dtype
        return part(s)

    return step


def _ill_shaped(s: Any) -> Tensor:
    raise RuntimeError("The size of tensor a must match the size of tensor b")


def _registration() -> None:
    none = _named(None, None)
    in_both("affine-missing", absent=True, gained=_no_gain, shifted=_no_bias, layout=none)
    in_both("affine-missing", absent=True, shifted=_no_bias, layout=_named("weight", None))
    in_both("affine-missing", absent=True, gained=_no_gain, layout=_named(None, "bias"))
    # a buffer takes the value that is set but gets no gradient; a plain tensor keeps its first value
    in_both("affine-not-parameter", layout=_kinds("parameter", "buffer"), shifted=_frozen_bias)
    in_both("affine-not-parameter", layout=_kinds("buffer", "parameter"), gained=_frozen_gain)
    in_both(
        "affine-not-parameter",
        layout=_kinds("buffer", "buffer"),
        gained=_frozen_gain,
        shifted=_frozen_bias,
    )
    in_both("affine-not-parameter", layout=none, gained=_widening(_no_gain), shifted=_no_bias)
    in_both("affine-not-parameter", layout=_named("weight", None), shifted=_widening(_no_bias))
    in_both("affine-not-parameter", layout=_named(None, "bias"), gained=_widening(_no_gain))
    for words in ("parameter [1]", "parameter []", "parameter [1, {d}]", "parameter [1, 1, {d}]"):
        layout = _named("weight", "bias", words)
        in_both("affine-wrong-shape", layout=layout, gained=_no_gain, shifted=_no_bias)
    # whatever the names or the length are: ANYTHING stands for a layout that is not known beforehand
    in_both("affine-misnamed", layout=_unknown, gained=_no_gain, shifted=_no_bias)
    in_both("shape-error", layout=_unknown, gained=_ill_shaped)


def _unknown(s: State) -> Any:
    return ANYTHING
