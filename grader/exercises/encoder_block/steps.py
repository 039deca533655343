"""What the steps of the feed-forward network and of the encoder block are called."""

from __future__ import annotations

from collections.abc import Mapping

from grader.diagnosis.model import State
from grader.diagnosis.route import Route, StepName, named
from grader.exercises.encoder_block.feed import feed
from grader.exercises.encoder_block.model import block

__all__ = ["ROUTES"]

FEED: Mapping[str, StepName] = {
    "ffn_in": named("the input of the FFN", "FFN 的输入", "B T F"),
    "hidden": named("the inner values of the FFN", "FFN 的内层值", "B T F"),
    "active": named("the inner values after the ReLU", "ReLU 之后的内层值", "B T F"),
    "kept": named("the inner values after dropout", "dropout 之后的内层值", "B T F"),
    "ffn_out": named("the output of the FFN", "FFN 的输出", "B T F"),
}
BLOCK: Mapping[str, StepName] = {
    **FEED,
    "attn_mask": named("the mask for the attention", "传给注意力的掩码", "L S"),
    "attn_in": named("the input of the attention", "注意力的输入", "B T F"),
    "attn_out": named("the output of the attention", "注意力的输出", "B T F"),
    "attn_drop": named("the attention's output after dropout", "dropout 之后的注意力输出", "B T F"),
    "attn_sum": named("x plus the attention's output", "x 加上注意力的输出", "B T F"),
    "middle": named("the values between attention and FFN", "注意力与 FFN 之间的值", "B T F"),
    "ffn_drop": named("the FFN's output after dropout", "dropout 之后的 FFN 输出", "B T F"),
    "ffn_sum": named("the FFN's input plus its output", "FFN 部分的残差和", "B T F"),
    "output": named("the output of the block", "编码器块的输出", "B T F"),
}


def _sizes(s: State) -> dict[str, int]:
    return {"d_model": int(s.d_model), "d_ff": int(s.d_ff)}


ROUTES: Mapping[str, tuple[Route, ...]] = {
    feed.target: (Route(feed, FEED, sizes=_sizes),),
    block.target: (Route(block, BLOCK, sizes=_sizes),),
}
