"""The calls that tell the faults of the tiny Transformer apart.

Logits at padded positions are open, so they are not compared.  Where padding stands before a real token,
its causal row is empty: what comes of it is read by no real token.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.encoder.model import positions
from grader.exercises.encoder.probes import padded
from grader.exercises.encoder_block.parts import random_state
from grader.exercises.encoder_block.probes import OPEN_EPS, OPEN_EPS_32, OPEN_EPS_PROBE
from grader.exercises.tiny_transformer.model import shapes
from grader.submission.fixed import fixed
from grader.text import Text

__all__ = ["OPEN_EPS", "OPEN_EPS_32", "PROBES", "TARGET", "VOCAB", "case", "padded", "scattered", "tokens"]

TARGET = "TinyTransformer"
VOCAB = 7


def tokens(seed: int, B: int = 2, S: int = 5, pad_id: int = 0, vocab: int = VOCAB) -> Tensor:
    """Token ids (B, S) without padding; when `pad_id` is not 0, every row has a 0 in it."""
    g = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, vocab - 1, (B, S), generator=g)
    ids = torch.where(ids >= pad_id, ids + 1, ids)
    if pad_id != 0:
        ids[:, seed % S] = 0
    return ids


def scattered(ids: Tensor, pad_id: int = 0) -> Tensor:
    """The same with padding before (in the first row) and between real tokens."""
    ids = ids.clone()
    for row in range(len(ids)):
        ids[row, (0, 2, 1)[row % 3]] = pad_id
    return ids


def case(
    name: str,
    en: str,
    zh: str,
    ids: Tensor,
    *,
    causal: bool = True,
    norm_first: bool = True,
    vocab: int = VOCAB,
    d_model: int = 8,
    heads: int = 2,
    d_ff: int = 10,
    layers: int = 1,
    pad_id: int = 0,
    max_len: int = 9,
    dropout: float = 0.0,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
    condition: float = OPEN_EPS_PROBE,
    **options: Any,
) -> Probe:
    """A probe with random weights, compared at real tokens only."""
    real = ids != pad_id
    return Probe(
        name,
        TARGET,
        Text(en, zh),
        (ids,),
        init={
            "vocab_size": vocab,
            "d_model": d_model,
            "num_heads": heads,
            "d_ff": d_ff,
            "num_layers": layers,
            "max_len": max_len,
            "dropout": dropout,
            "causal": causal,
            "pad_id": pad_id,
            "norm_first": norm_first,
        },
        state=_state(vocab, d_model, d_ff, layers, max_len, norm_first, 8000 + seed, dtype),
        dtype=str(dtype).removeprefix("torch."),
        condition=condition,
        where=None if bool(real.all()) else real[..., None].expand(*ids.shape, vocab),
        **options,
    )


@fixed
def _state(
    vocab: int,
    d_model: int,
    d_ff: int,
    layers: int,
    max_len: int,
    norm_first: bool,
    seed: int,
    dtype: torch.dtype,
) -> dict[str, Tensor]:
    state = random_state(shapes(vocab, d_model, d_ff, layers, norm_first), seed)
    state["encoder.embedding.weight"] = state["encoder.embedding.weight"] * d_model**0.5  # a spread of 1
    state["encoder.positional_encoding.pe"] = positions(max_len, d_model)[None]
    return {k: v.to(dtype) for k, v in state.items()}


def _names(name: str, en: str, zh: str, **settings: Any) -> Probe:
    sizes: dict[str, Any] = {"vocab_size": VOCAB, "d_model": 8, "num_heads": 2, "d_ff": 12, "num_layers": 2}
    sizes |= {"max_len": 11, "norm_first": True}
    title = Text(f"the state dict {en}", f"{zh}的 state dict")
    return Probe(name, TARGET, title, init={**sizes, **settings})


def _masked(causal: bool) -> list[Probe]:
    """What tells the masks apart, with `causal` or without."""
    tag = "causal" if causal else "both-sides"
    en, zh = f"causal={causal}", f"causal={causal}"
    a: dict[str, Any] = {"causal": causal}
    part = padded(tokens(14, 3), 0, 0)  # the first row has no padding, the others have
    return [
        case(f"{tag}-plain", f"{en} and no padding", f"{zh}，没有填充", tokens(10), layers=2, **a),
        case(f"{tag}-padded", f"{en} and padding", f"{zh}，带填充", part, seed=1, layers=2, **a),
        case(
            f"{tag}-scattered",
            f"{en} and padding before and between real tokens",
            f"{zh}，填充在真实词元之前和之间",
            scattered(tokens(11, 3)),
            seed=2,
            layers=2,
            **a,
        ),
        case(
            f"{tag}-pad-id",
            f"{en}, pad_id=3 and 0 as a real token",
            f"{zh}，pad_id=3，0 是真实词元",
            padded(tokens(13, 3, pad_id=3), 3),
            pad_id=3,
            seed=3,
            **a,
        ),
        case(
            f"{tag}-single",
            f"{en} and a batch of one",
            f"{zh}，批次大小为一",
            tokens(15, 1, 4),
            seed=4,
            **a,
        ),
        case(
            f"{tag}-single-padded",
            f"{en}, a batch of one and padding",
            f"{zh}，批次大小为一且带填充",
            padded(tokens(16, 1, 5)),
            seed=5,
            **a,
        ),
        case(
            f"{tag}-train",
            f"{en}, in training mode, and padding",
            f"{zh}，训练模式，带填充",
            part,
            train=True,
            seed=6,
            **a,
        ),
        case(
            f"{tag}-square",
            f"{en} and all sizes equal to 4",
            f"{zh}，各维大小都是 4",
            padded(tokens(17, 4, 4, vocab=4), 0, 0),
            vocab=4,
            d_model=4,
            heads=4,
            d_ff=4,
            max_len=4,
            seed=7,
            **a,
        ),
    ]


PROBES: tuple[Probe, ...] = (
    case(
        "gradients", "the gradients with causal=True", "causal=True 时的梯度", tokens(20), grad=True, seed=8
    ),
    *_masked(causal=True),
    *_masked(causal=False),
    case(
        "post",
        "norm_first=False and padding",
        "norm_first=False，带填充",
        padded(tokens(21), 0, 0),
        norm_first=False,
        layers=2,
        seed=9,
    ),
    case("no-layers", "num_layers=0", "num_layers=0", tokens(22), layers=0, seed=10),
    case("one-token", "sequences of one token", "长度为一的序列", tokens(23, 2, 1), layers=2, seed=11),
    case("deep", "three layers", "三层", tokens(24), layers=3, heads=4, d_model=16, seed=12),
    case(
        "float32",
        "float32 and padding",
        "float32，带填充",
        padded(tokens(25), 0),
        dtype=torch.float32,
        seed=13,
    ),
    _names("names", "with norm_first=True", "norm_first=True 时"),
    _names("names-post", "with norm_first=False", "norm_first=False 时", norm_first=False),
    _names("names-both-sides", "with causal=False", "causal=False 时", causal=False, num_layers=1),
)
