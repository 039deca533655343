"""What the steps of the encoder are called; its blocks one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.diagnosis.model import Model, State, Step
from grader.diagnosis.route import Route, StepName, named
from grader.exercises.encoder.model import encoder, run_block

__all__ = ["ROUTES"]

MOST_BLOCKS = 6
NAMES: Mapping[str, StepName] = {
    "padding": named("the padding mask", "填充掩码", "B H L S"),
    "keep_mask": named("the mask for the blocks", "传给各块的掩码", "B H L S"),
    "embedded": named("the embeddings", "词嵌入", "B T F"),
    "scaled": named("the embeddings times √d_model", "词嵌入乘以 √d_model", "B T F"),
    "positioned": named("the embeddings plus positions", "词嵌入加上位置", "B T F"),
    "entering": named("the input of the first block", "第一个块的输入", "B T F"),
    **{
        f"after_{n}": named(f"the output of block {n}", f"第 {n} 个块的输出", "B T F")
        for n in range(1, MOST_BLOCKS + 1)
    },
    "encoded": named("the output of the last block", "最后一个块的输出", "B T F"),
    "closed_pre": named("the output after the final norm", "最后归一化之后的输出", "B T F"),
    "closed": named("the output of the encoder", "编码器的输出", "B T F"),
}
EARLY: tuple[str, ...] = (
    "norm_in_pre",
    "norm_in_post",
    "table",
    "blocks_made",
    "order",
    "padding",
    "keep_mask",
    "masks",
)
EARLY += ("num_heads_used", "embedded", "scaled", "positioned", "entering")


def _after(number: int) -> Step:
    def step(s: State) -> Any:
        if number > s.num_layers:
            return None
        before = getattr(s, f"after_{number - 1}") if number > 1 else s.entering
        return run_block(s, number - 1, before, s.masks[number - 1], s.order)

    return step


def encoded(s: State) -> Any:
    return getattr(s, f"after_{s.num_layers}") if s.num_layers else s.entering


by_block = Model(encoder.target, encoder.inputs, **encoder.settings)
by_block.include(encoder, *EARLY)
for _number in range(1, MOST_BLOCKS + 1):
    by_block.steps[f"after_{_number}"] = _after(_number)
by_block.step(encoded)
by_block.include(encoder, "closed_pre", "closed", "result")


def _sizes(s: State) -> dict[str, int]:
    return {"d_model": int(s.d_model)}


ROUTES: Mapping[str, tuple[Route, ...]] = {encoder.target: (Route(by_block, NAMES, sizes=_sizes),)}
