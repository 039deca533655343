"""Which tokens a token's result depends on: never on padding, and under a causal mask not on later ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.encoder.probes import VOCAB, case
from grader.exercises.encoder_block.scenes import OPEN_EPS
from grader.exercises.scene import POSITION, Scene, forbidding, influence, numbered
from grader.text import Text

__all__ = ["SCENES"]

IDS = torch.tensor([[3, 7, 2, 9, 5]])
S, REAL = IDS.shape[1], 4
PAD = 0
CHANGED = Text("changed position", "被改变的位置")
PADDED = Text(
    "How a token's result changes with each token and with the padding",
    "一个词元的结果随各词元和填充如何变化",
)
CAUSAL = Text(
    "How a token's result changes with each token, under a causal mask",
    "因果掩码下，一个词元的结果随各词元如何变化",
)


def _other(ids: Tensor, column: int) -> Tensor:
    """The ids with another real token in one place."""
    ids = ids.clone()
    ids[:, column] = (ids[:, column] + 3) % (VOCAB - 1) + 1
    return ids


def _with(ids: Tensor, title: Text, name: str, mask: Tensor | None = None) -> Probe:
    probe = case(name, title.en, title.zh, ids, norm_first=False, mask=mask, seed=8)
    return replace(probe, where=None)


def _padding_changed(probe: Probe) -> Probe:
    """The same call where padding is embedded elsewhere, which no real token may notice."""
    state: Mapping[str, Tensor] = probe.state or {}
    embedding = state["embedding.weight"].clone()
    embedding[PAD] = embedding[PAD].flip(0) + 1.5
    return replace(probe, state={**state, "embedding.weight": embedding})


def _padded() -> Scene:
    ids = IDS.clone()
    ids[:, REAL:] = PAD
    probes = [_with(ids, PADDED, "scene")]
    probes += [_with(_other(ids, c), PADDED, f"scene-{c}") for c in range(REAL)]
    probes.append(_padding_changed(probes[0]))
    forbidden = torch.zeros(REAL, REAL + 1, dtype=torch.long)
    forbidden[:, REAL] = 2
    return Scene(
        PADDED,
        "influence",
        tuple(probes),
        lambda results: influence(results)[:, :REAL],  # what is returned at padding is open
        POSITION,
        CHANGED,
        numbered(REAL),
        (*numbered(REAL), "pad"),
        forbidden=forbidden,
        alike=OPEN_EPS,
    )


def _causal() -> Scene:
    mask = torch.ones(S, S, dtype=torch.bool).tril()
    probes = [_with(IDS, CAUSAL, "scene", mask)]
    probes += [_with(_other(IDS, c), CAUSAL, f"scene-{c}", mask) for c in range(S)]
    return Scene(
        CAUSAL,
        "influence",
        tuple(probes),
        influence,
        POSITION,
        CHANGED,
        numbered(S),
        numbered(S),
        forbidden=forbidding(S, causal=True),
        alike=OPEN_EPS,
    )


SCENES = (_padded(), _causal())
