"""Titles of mistakes for a whole class.

Some titles hold a number that was fitted to what one submission computes ("Positions start at 5").  Of
several students only the general form is true.
"""

from __future__ import annotations

from grader.exercises.texts import fault_text
from grader.text import Text

__all__ = ["GENERAL", "general_title"]

HEADS = Text("The number of heads is fixed, whatever num_heads is", "无论 num_heads 是多少，头数都是固定的")
LAYERS = Text(
    "The number of layers is fixed, whatever num_layers is", "无论 num_layers 是多少，层数都是固定的"
)
OUTPUT_SCALED = Text(
    "A sublayer's output is multiplied by a number before it is added", "子层的输出乘了一个数才相加"
)

GENERAL = {
    ("attention", "scale-hard-coded"): Text(
        "The scale is a fixed number, whatever d_k is", "无论 d_k 是多少，缩放系数都是固定的"
    ),
    ("attention", "softmax-temperature"): Text(
        "The scores are divided by a number besides sqrt(d_k)", "除了 sqrt(d_k)，分数还除以了另一个数"
    ),
    ("attention", "scores-clamped"): Text("The scores are cut off at a limit", "分数被限制在某个范围内"),
    ("attention", "softmax-sum-plus-constant"): Text(
        "A constant is added to the sum of the exponentials", "指数之和上加了一个常数"
    ),
    ("attention", "weights-rounded"): Text("The weights are rounded", "权重被舍入了"),
    ("masks", "apply-mask-lowest-score"): Text(
        "Forbidden scores get the smallest score, less a number", "被禁止的分数填的是最小的分数再减去一个数"
    ),
    ("positional_encoding", "angle-scaled"): Text(
        "The angles are multiplied by a number", "角度多乘了一个数"
    ),
    ("positional_encoding", "position-shifted"): Text(
        "Positions start at another number than 0", "位置不是从 0 开始"
    ),
    ("multi_head_attention", "num-heads-fixed"): HEADS,
    ("layer_norm", "output-clamped"): Text(
        "The normalised features are cut off at a limit", "归一化后的特征被截断在某个界限"
    ),
    ("layer_norm", "residual-scaled"): OUTPUT_SCALED,
    ("encoder_block", "activation-leaky"): Text(
        "Negative hidden values are multiplied by a number, not set to zero",
        "负的隐藏值被乘以一个数，而不是变成零",
    ),
    ("encoder_block", "activation-capped"): Text(
        "Hidden values are cut off at a limit", "隐藏值被截断在某个上限"
    ),
    ("encoder_block", "sublayer-scaled"): OUTPUT_SCALED,
    ("encoder_block", "residual-scaled"): Text(
        "The residual x is multiplied by a number", "残差 x 乘了一个数"
    ),
    ("encoder_block", "sum-scaled"): Text(
        "The sum of x and the sublayer is multiplied by a number", "x 与子层之和乘了一个数"
    ),
    ("encoder_block", "num-heads-fixed"): HEADS,
    ("encoder", "embedding-scale-hard-coded"): Text(
        "The embeddings are multiplied by a fixed number, whatever d_model is",
        "无论 d_model 是多少，嵌入都乘以固定的数",
    ),
    ("encoder", "pad-id-fixed"): Text(
        "The padding is looked for under a fixed id, whatever pad_id is",
        "无论 pad_id 是多少，填充都按固定的 id 识别",
    ),
    ("encoder", "num-layers-fixed"): LAYERS,
    ("tiny_transformer", "num-layers-fixed"): LAYERS,
}


def general_title(exercise: str, fault: str) -> Text:
    """The title that the kit has for a mistake, without numbers or words of those who made it."""
    return GENERAL.get((exercise, fault)) or fault_text(exercise, fault).title
