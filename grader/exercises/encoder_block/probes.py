"""The calls that tell the faults of the block apart.

Rows have a spread of 3 and the norms gains near 2, so that every variance is well above 1: the `eps`
of the norms, which the contract leaves open, then moves no result by more than float32 resolves.
Where dropout acts, both sublayers are constants (W_o and linear2 are zero, their biases are not),
so that it does not matter whether dropout also acts inside them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.encoder_block.parts import block_shapes, feed_shapes, random_state
from grader.submission.fixed import fixed
from grader.text import Text

__all__ = [
    "CONSTANT",
    "OPEN_EPS",
    "OPEN_EPS_32",
    "OPEN_EPS_PROBE",
    "ORDERS",
    "PROBES",
    "block_case",
    "feed_case",
    "inputs",
    "random_mask",
]

# The eps of the norms is open: 1e-4 in place of 1e-5 moves results by up to 1e-4 of the largest.
OPEN_EPS = 1.4e11  # float64 results are compared to 2e-3, so that 1e-3 (as in Keras) passes too
OPEN_EPS_32 = 1000.0  # the same for float32
OPEN_EPS_PROBE = 250.0  # observations are matched to 1e-4


def inputs(
    seed: int,
    B: int = 2,
    S: int = 5,
    d_model: int = 8,
    dtype: torch.dtype = torch.float64,
    spread: float = 3.0,
) -> Tensor:
    """x (B, S, d_model) with a spread of 3 and a mean that is not zero."""
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(B, S, d_model, generator=g, dtype=torch.float64) * spread + 0.5
    return x.to(dtype)


def random_mask(seed: int, *shape: int) -> Tensor:
    """A boolean keep mask whose rows and columns all keep something and lose something."""
    g = torch.Generator().manual_seed(seed)
    mask = torch.rand(*shape, generator=g) < 0.55
    if shape[-2] == 1:
        mask[..., 0], mask[..., -1] = True, False
        return mask
    rows, columns = torch.arange(shape[-2])[:, None], torch.arange(shape[-1])[None, :]
    return (mask | (columns == rows % shape[-1])) & (columns != (rows + 2) % shape[-1])


def block_case(
    name: str,
    en: str,
    zh: str,
    x: Tensor,
    *,
    norm_first: bool,
    heads: int = 2,
    d_ff: int = 12,
    mask: Tensor | None = None,
    seed: int = 0,
    zero: tuple[str, ...] = (),
    dropout: float = 0.0,
    positional: bool = False,
    condition: float = OPEN_EPS_PROBE,
    **options: Any,
) -> Probe:
    """A probe of the block with random weights, those whose names end in one of `zero` set to zero."""
    d_model, dtype = x.shape[-1], x.dtype
    init = {
        "d_model": d_model,
        "num_heads": heads,
        "d_ff": d_ff,
        "dropout": dropout,
        "norm_first": norm_first,
    }
    given = mask is not None
    return Probe(
        name,
        "EncoderBlock",
        Text(en, zh),
        (x, mask) if given and positional else (x,),
        {"mask": mask} if given and not positional else {},
        init=init,
        state=_block_state(d_model, d_ff, 1000 + seed, zero, dtype),
        dtype=str(dtype).removeprefix("torch."),
        condition=condition,
        **options,
    )


@fixed
def _block_state(
    d_model: int, d_ff: int, seed: int, zero: tuple[str, ...], dtype: torch.dtype
) -> dict[str, Tensor]:
    state = random_state(block_shapes(d_model, d_ff), seed)
    for key in state:
        if key.endswith(zero) and zero:
            state[key] = torch.zeros_like(state[key])
    return {k: v.to(dtype) for k, v in state.items()}


@fixed
def _feed_state(d_model: int, d_ff: int, seed: int, dtype: torch.dtype) -> dict[str, Tensor]:
    return {k: v.to(dtype) for k, v in random_state(feed_shapes(d_model, d_ff), seed).items()}


def feed_case(
    name: str,
    en: str,
    zh: str,
    x: Tensor,
    *,
    d_ff: int = 12,
    seed: int = 0,
    dropout: float = 0.0,
    **options: Any,
) -> Probe:
    """A probe of the feed-forward network with random weights."""
    d_model, dtype = x.shape[-1], x.dtype
    return Probe(
        name,
        "FeedForward",
        Text(en, zh),
        (x,),
        init={"d_model": d_model, "d_ff": d_ff, "dropout": dropout},
        state=_feed_state(d_model, d_ff, 2000 + seed, dtype),
        dtype=str(dtype).removeprefix("torch."),
        **options,
    )


CONSTANT = ("W_o.weight", "linear2.weight")  # zero: each sublayer answers its bias
ORDERS = ((False, "post", "post-LN", "post-LN"), (True, "pre", "pre-LN", "pre-LN"))

FORMS: tuple[tuple[str, str, tuple[int, ...]], ...] = (  # one for each order
    ("an (L, S) mask", " (L, S) 掩码", (5, 5)),
    ("a mask for each head", "每头一张的掩码", (2, 2, 5, 5)),
)


def _of_order(norm_first: bool, tag: str, en: str, zh: str) -> list[Probe]:
    a: dict[str, Any] = {"norm_first": norm_first}
    seed = 10 if norm_first else 20
    return [
        block_case(f"{tag}-plain", f"{en} without a mask", f"没有掩码的 {zh}", inputs(seed), grad=True, **a),
        block_case(
            f"{tag}-mask",
            f"{en} with a mask",
            f"带掩码的 {zh}",
            inputs(seed + 1, 3),
            mask=random_mask(seed, 3, 5, 5),
            seed=1,
            **a,
        ),
        block_case(
            f"{tag}-square",
            f"{en} with all sizes equal to 4",
            f"各维大小都是 4 的 {zh}",
            inputs(seed + 2, 4, 4, 4),
            heads=4,
            d_ff=4,
            mask=random_mask(seed + 1, 4, 4, 4),
            seed=2,
            **a,
        ),
        block_case(
            f"{tag}-mask-form",
            f"{en} with {FORMS[norm_first][0]}",
            f"带{FORMS[norm_first][1]}的 {zh}",
            inputs(seed + 6),
            mask=random_mask(seed + 2, *FORMS[norm_first][2]),
            seed=4,
            **a,
        ),
        block_case(
            f"{tag}-drop",
            f"{en} in training with dropout=1.0 (nothing of a sublayer is left)",
            f"训练模式、dropout=1.0 的 {zh}（子层输出全部被丢弃）",
            inputs(seed + 3),
            zero=CONSTANT,
            dropout=1.0,
            train=True,
            **a,
        ),
        block_case(
            f"{tag}-train",
            f"{en} in training with dropout=0.0 (nothing is dropped)",
            f"训练模式、dropout=0.0 的 {zh}（什么也不丢弃）",
            inputs(seed + 5),
            zero=CONSTANT,
            train=True,
            **a,
        ),
        block_case(
            f"{tag}-eval",
            f"{en} in float32 and eval mode with dropout=1.0 (nothing is dropped)",
            f"float32、eval 模式、dropout=1.0 的 {zh}（什么也不丢弃）",
            inputs(seed + 4, dtype=torch.float32),
            dropout=1.0,
            seed=3,
            **a,
        ),
    ]


PROBES: tuple[Probe, ...] = (
    feed_case("ffn", "the FFN alone", "单独的 FFN", inputs(1), grad=True),
    feed_case(
        "ffn-square", "the FFN with all sizes equal to 4", "各维大小都是 4 的 FFN", inputs(2, 4, 4, 4), d_ff=4
    ),
    feed_case(
        "ffn-eval",
        "the FFN in eval mode with dropout=1.0",
        "eval 模式、dropout=1.0 的 FFN",
        inputs(3),
        dropout=1.0,
    ),
    feed_case("ffn-float32", "the FFN in float32", "float32 的 FFN", inputs(4, dtype=torch.float32)),
    feed_case("ffn-flat", "the FFN on two-dimensional input", "二维输入的 FFN", inputs(5)[1], tier="edge"),
    feed_case(
        "ffn-four",
        "the FFN on four-dimensional input",
        "四维输入的 FFN",
        inputs(6, 4).view(2, 2, 5, 8),
        tier="edge",
    ),
    Probe(
        "ffn-names",
        "FeedForward",
        Text("the state dict of the FFN", "FFN 的 state dict"),
        init={"d_model": 8, "d_ff": 12},
    ),
    Probe(
        "names",
        "EncoderBlock",
        Text("the state dict of a block", "编码器块的 state dict"),
        init={"d_model": 8, "num_heads": 2, "d_ff": 12},
    ),
    *(p for order in ORDERS for p in _of_order(*order)),
    block_case(
        "exact",
        "pre-LN whose norms answer their bias",
        "归一化只输出偏置的 pre-LN",
        inputs(30),
        norm_first=True,
        zero=("norm1.weight", "norm2.weight"),  # no eps in it: float64 counts
        condition=20.0,
    ),
)
