"""Which tokens the logits of a position depend on: not on later ones, and never on padding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.encoder_block.scenes import OPEN_EPS
from grader.exercises.scene import POSITION, REASONS, Scene, forbidding, influence, numbered
from grader.exercises.tiny_transformer.probes import VOCAB, case
from grader.text import Text

__all__ = ["SCENES"]

PAD, REAL = 0, 4
IDS = torch.tensor([[3, 6, 2, 5, PAD]])
CHANGED = Text("changed position", "被改变的位置")
EMBEDDING = "encoder.embedding.weight"
CAUSAL = Text(
    "How the logits of a position change with each token and with the padding, causal=True",
    "causal=True 时，一个位置的 logits 随各词元和填充如何变化",
)
BOTH_SIDES = Text(
    "How the logits of a position change with each token and with the padding, causal=False",
    "causal=False 时，一个位置的 logits 随各词元和填充如何变化",
)


def _other(column: int) -> Tensor:
    """The ids with another real token in one place."""
    ids = IDS.clone()
    ids[:, column] = ids[:, column] % (VOCAB - 1) + 1
    return ids


def _with(ids: Tensor, title: Text, name: str, causal: bool) -> Probe:
    return replace(case(name, title.en, title.zh, ids, causal=causal, layers=2, seed=20), where=None)


def _padding_changed(probe: Probe) -> Probe:
    """The same call where padding is embedded elsewhere, which no real token may notice."""
    state: Mapping[str, Tensor] = probe.state or {}
    embedding = state[EMBEDDING].clone()
    embedding[PAD] = embedding[PAD].flip(0) + 1.5
    return replace(probe, state={**state, EMBEDDING: embedding})


def _scene(title: Text, causal: bool) -> Scene:
    probes = [_with(IDS, title, "scene", causal)]
    probes += [_with(_other(c), title, f"scene-{c}", causal) for c in range(REAL)]
    probes.append(_padding_changed(probes[0]))
    forbidden = torch.zeros(REAL, REAL + 1, dtype=torch.long)
    forbidden[:, REAL] = REASONS.index("padding")
    if causal:
        forbidden[:, :REAL] = forbidding(REAL, causal=True)
    return Scene(
        title,
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


SCENES = (_scene(CAUSAL, causal=True), _scene(BOTH_SIDES, causal=False))
