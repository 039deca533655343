"""Blocks the ready-made operations that an exercise forbids, by name and at the dispatcher."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import torch

__all__ = ["ForbiddenOperation", "block", "block_operators"]

OPERATORS: dict[str, tuple[str, ...]] = {
    "attention": (
        "scaled_dot_product_attention",
        "_scaled_dot_product_attention_math",
        "_scaled_dot_product_flash_attention_for_cpu",
        "_native_multi_head_attention",
        "_transformer_encoder_layer_fwd",
    ),
    "normalization": (
        "native_layer_norm",
        "native_group_norm",
        "native_batch_norm",
        "rms_norm",
        "_fused_rms_norm",
    ),
}

_libraries: list[Any] = []


class ForbiddenOperation(RuntimeError):
    """The exercise asks for this very operation to be written by hand."""


def block(names: list[str]) -> None:
    """Replaces each dotted name by a function that refuses."""
    for dotted in names:
        module_name, _, attribute = dotted.rpartition(".")
        holder: Any = sys.modules.get(module_name)
        if holder is None:
            outer, _, inner = module_name.rpartition(".")
            holder = getattr(sys.modules.get(outer), inner, None)
        if holder is not None and hasattr(holder, attribute):
            setattr(holder, attribute, _refusal(dotted, getattr(holder, attribute)))


def _refusal(dotted: str, original: Any) -> Any:
    message = f"{dotted} is what this exercise asks you to write"

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise ForbiddenOperation(message)

    if isinstance(original, type):
        return type(original.__name__, (original,), {"__init__": refuse})
    return refuse


def _implement(library: Any, name: str, function: Any) -> None:
    try:
        library.impl(name, function, allow_override=True)
    except TypeError:  # torch before 2.6 has no such word, and allows it
        library.impl(name, function)


def block_operators(groups: list[str]) -> list[str]:
    """Overrides the aten operators of `groups` with refusals; returns those that were overridden."""
    done: list[str] = []
    for group in groups:
        for name in OPERATORS.get(group, ()):
            if not hasattr(torch.ops.aten, name):
                continue
            message = f"aten::{name} is what this exercise asks you to write"

            def refuse(*args: Any, _message: str = message, **kwargs: Any) -> Any:
                raise ForbiddenOperation(_message)

            for key in ("CPU", "CompositeImplicitAutograd"):
                library = torch.library.Library("aten", "IMPL", key)  # type: ignore[no-untyped-call]
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")  # overriding is the point
                        _implement(library, name, refuse)
                except RuntimeError:
                    continue
                _libraries.append(library)
                done.append(f"{name}:{key}")
    return done
