"""The calls that tell the faults of the encoder apart.

At least two layers, a vocabulary in which 0 is a real token where `pad_id` is another, and padding
that stands in every row; what is returned at padded positions is open, so it is not compared.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.encoder.model import positions, shapes
from grader.exercises.encoder_block.parts import random_state
from grader.exercises.encoder_block.probes import OPEN_EPS, OPEN_EPS_32, OPEN_EPS_PROBE, random_mask
from grader.submission.fixed import fixed
from grader.text import Text

__all__ = ["OPEN_EPS", "OPEN_EPS_32", "ORDERS", "PROBES", "VOCAB", "case", "padded", "tokens"]

VOCAB = 11
ORDERS = ((False, "post", "post-LN", "post-LN"), (True, "pre", "pre-LN", "pre-LN"))


def tokens(seed: int, B: int = 2, S: int = 6, pad_id: int = 0) -> Tensor:
    """Token ids (B, S) without padding; when `pad_id` is not 0, every row has a 0 in it."""
    g = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, VOCAB - 1, (B, S), generator=g)
    ids = torch.where(ids >= pad_id, ids + 1, ids)
    if pad_id != 0:
        ids[:, seed % S] = 0
    return ids


def padded(ids: Tensor, pad_id: int = 0, least: int = 1) -> Tensor:
    """The same with padding at the end: `least` positions in the first row, one more in each next."""
    ids = ids.clone()
    for row in range(len(ids)):
        ids[row, ids.shape[1] - least - row :] = pad_id
    return ids


def _scattered(seed: int) -> Tensor:
    """Ids with padding before and between real tokens."""
    ids = tokens(seed, 3)
    ids[0, 0] = ids[1, 2] = ids[2, 0] = ids[2, 3] = 0
    return ids


def case(
    name: str,
    en: str,
    zh: str,
    ids: Tensor,
    *,
    norm_first: bool,
    d_model: int = 8,
    heads: int = 2,
    d_ff: int = 12,
    layers: int = 2,
    pad_id: int = 0,
    max_len: int = 12,
    dropout: float = 0.0,
    mask: Tensor | None = None,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
    condition: float = OPEN_EPS_PROBE,
    **options: Any,
) -> Probe:
    """A probe of the encoder with random weights, compared at real tokens only."""
    real = ids != pad_id
    return Probe(
        name,
        "TransformerEncoder",
        Text(en, zh),
        (ids,),
        {} if mask is None else {"mask": mask},
        init={
            "vocab_size": VOCAB,
            "d_model": d_model,
            "num_heads": heads,
            "d_ff": d_ff,
            "num_layers": layers,
            "dropout": dropout,
            "max_len": max_len,
            "pad_id": pad_id,
            "norm_first": norm_first,
        },
        state=_state(d_model, d_ff, layers, max_len, norm_first, 4000 + seed, dtype),
        dtype=str(dtype).removeprefix("torch."),
        condition=condition,
        where=None if bool(real.all()) else real[..., None].expand(*ids.shape, d_model),
        **options,
    )


@fixed
def _state(
    d_model: int, d_ff: int, layers: int, max_len: int, norm_first: bool, seed: int, dtype: torch.dtype
) -> dict[str, Tensor]:
    state = random_state(shapes(VOCAB, d_model, d_ff, layers, norm_first), seed)
    state["embedding.weight"] = state["embedding.weight"] * d_model**0.5  # a spread of 1
    state["positional_encoding.pe"] = positions(max_len, d_model)[None]
    return {k: v.to(dtype) for k, v in state.items()}


FORMS: tuple[tuple[str, str, tuple[int, ...]], ...] = (  # one for each order
    ("an (L, S) mask, B = S,", " (L, S) 掩码、B = S", (6, 6)),
    ("a mask for each head", "每头一张的掩码", (2, 2, 6, 6)),
)


def _of_order(norm_first: bool, tag: str, en: str, zh: str) -> list[Probe]:
    a: dict[str, Any] = {"norm_first": norm_first}
    seed = 10 if norm_first else 20
    ids = padded(tokens(seed + 2, 3), 0)
    return [
        case(f"{tag}-plain", f"{en} without padding", f"没有填充的 {zh}", tokens(seed), grad=True, **a),
        case(
            f"{tag}-deep", f"{en} with three layers", f"三层的 {zh}", tokens(seed + 1), layers=3, seed=1, **a
        ),
        case(f"{tag}-padded", f"{en} with padding", f"带填充的 {zh}", ids, seed=2, layers=3, **a),
        case(
            f"{tag}-pad-id",
            f"{en} with pad_id=3, and 0 as a real token",
            f"pad_id=3、0 是真实词元的 {zh}",
            padded(tokens(seed + 3, 3, pad_id=3), 3),
            pad_id=3,
            seed=3,
            **a,
        ),
        case(
            f"{tag}-scattered",
            f"{en} with padding before and between real tokens",
            f"填充在真实词元之前和之间的 {zh}",
            _scattered(seed + 8),
            seed=7,
            **a,
        ),
        case(
            f"{tag}-zero",
            f"the gradient in {en} with pad_id=3, and 0 as a real token",
            f"pad_id=3、0 是真实词元时 {zh} 的梯度",
            tokens(seed + 9, 2, 5, pad_id=3),
            pad_id=3,
            grad=True,
            seed=8,
            **a,
        ),
        case(
            f"{tag}-mask",
            f"{en} with a mask given, and padding in the input",
            f"给定掩码、且输入带填充的 {zh}",
            padded(tokens(seed + 4), 0),
            mask=random_mask(seed, 2, 6, 6),
            seed=4,
            **a,
        ),
        case(
            f"{tag}-mask-form",
            f"{en} with {FORMS[norm_first][0]} given",
            f"给定{FORMS[norm_first][1]}的 {zh}",
            tokens(seed + 10, 2 if norm_first else 6),
            mask=random_mask(seed + 1, *FORMS[norm_first][2]),
            seed=9,
            **a,
        ),
        case(
            f"{tag}-square",
            f"{en} with all sizes equal to 4",
            f"各维大小都是 4 的 {zh}",
            padded(tokens(seed + 5, 4, 4, pad_id=5), 5, 0),
            pad_id=5,
            d_model=4,
            heads=4,
            d_ff=4,
            layers=4,
            max_len=4,
            seed=5,
            **a,
        ),
        case(
            f"{tag}-float32",
            f"{en} in float32 with padding",
            f"float32、带填充的 {zh}",
            padded(tokens(seed + 6), 0),
            dtype=torch.float32,
            seed=6,
            **a,
        ),
        Probe(
            f"{tag}-names",
            "TransformerEncoder",
            Text(f"the state dict of a {en} encoder", f"{zh} 编码器的 state dict"),
            init={
                "vocab_size": VOCAB,
                "d_model": 8,
                "num_heads": 2,
                "d_ff": 12,
                "num_layers": 2,
                "max_len": 12,
                **a,
            },
        ),
        case(
            f"{tag}-long",
            f"{en} with a sequence longer than max_len",
            f"序列长于 max_len 的 {zh}",
            tokens(seed + 7, 2, 13),
            tier="edge",
            **a,
        ),
    ]


PROBES: tuple[Probe, ...] = tuple(p for order in ORDERS for p in _of_order(*order))
