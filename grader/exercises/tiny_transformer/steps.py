"""What the steps of the tiny Transformer are called."""

from __future__ import annotations

from collections.abc import Mapping

from grader.diagnosis.model import Model, State
from grader.diagnosis.route import Route, StepName, named
from grader.exercises.tiny_transformer.model import tiny

__all__ = ["ROUTES"]

NAMES: Mapping[str, StepName] = {
    "padding": named("the padding mask", "填充掩码", "B H L S"),
    "past": named("the causal mask", "因果掩码", "L S"),
    "causal_keep": named(
        "the causal mask and the padding mask together", "因果掩码与填充掩码合在一起", "B H L S"
    ),
    "keep_mask": named("the mask that holds", "应当生效的掩码", "B H L S"),
    "ids": named("the token ids", "词元 id", "B T"),
    "handed": named("the mask for the encoder", "传给编码器的掩码", "B H L S"),
    "encoded": named("the output of the encoder", "编码器的输出", "B T F"),
    "projected": named("the input of the projection", "投影的输入", "B T F"),
    "matrix": named("the weight of the projection", "投影的权重"),
    "shift": named("the bias of the projection", "投影的偏置"),
    "logits": named("the logits", "logits", "B T"),
}

causal = Model(tiny.target, tiny.inputs, **tiny.settings)
causal.include(tiny, *(name for name in tiny.steps if name not in ("projection_names", "names")))


def _sizes(s: State) -> dict[str, int]:
    return {"d_model": int(s.d_model)}


ROUTES: Mapping[str, tuple[Route, ...]] = {tiny.target: (Route(causal, NAMES, sizes=_sizes),)}
