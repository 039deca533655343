"""Training: what the loss is a mean of, what it wants to be given, and what a step does to gradients."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from grader.explaining.records import Demonstration, row, table
from grader.text import Text

__all__ = ["clipping", "gradients_add_up", "mean", "raw_logits"]

IGNORE = -100


def mean() -> Demonstration:
    """The loss of one batch, with more and more padding."""
    logits = torch.tensor([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]]).double()
    targets = torch.tensor([0, 2, 2])
    rows = []
    facts: dict[str, float] = {}
    for padding in (0, 3, 9):
        given = torch.cat([logits, torch.zeros(padding, 3).double()])
        wanted = torch.cat([targets, torch.full((padding,), IGNORE)])
        costs = F.cross_entropy(given, wanted, reduction="none")
        right, by_all = float(costs.sum() / 3), float(costs.sum() / len(wanted))
        asked = wanted.clamp(min=0)  # padding as a target like any other
        counted = float(F.cross_entropy(given, asked))
        rows.append(row(padding, right, by_all, counted))
        facts |= {f"right {padding}": right, f"by all {padding}": by_all, f"counted {padding}": counted}
    head = (
        Text("positions of padding", "填充的个数"),
        Text("divided by the targets that count", "除以计入的目标个数"),
        Text("divided by all positions", "除以全部位置"),
        Text("padding as a target", "把填充当作目标"),
    )
    return Demonstration(
        Text(
            "Three targets that count, and more and more padding behind them.",
            "三个计入的目标，后面的填充越来越多。",
        ),
        (table("The loss of the same three tokens", "同样三个词元的损失", head, rows),),
        Text(
            "Only the first is a property of the three tokens. The second shrinks with the padding, and its "
            "gradients with it; the third turns into the loss "
            "of predicting padding. Where nothing counts, the "
            "divisor must not be 0.",
            "只有第一种取决于这三个词元本身。第二种随填充变小，"
            "梯度也随之变小；第三种逐渐变成预测填充的损失。"
            "没有目标计入时，除数不能是 0。",
        ),
        facts,
    )


def raw_logits() -> Demonstration:
    """Raw logits and probabilities, given to the same loss."""
    rows = []
    facts: dict[str, float] = {}
    for size in (1.0, 5.0, 20.0):
        logits = torch.tensor([[size, 0.0, 0.0, 0.0]]).double()
        target = torch.tensor([0])
        right = float(F.cross_entropy(logits, target))
        twice = float(F.cross_entropy(logits.softmax(-1), target))
        rows.append(row(size, right, twice, -size))
        facts |= {f"right {size:g}": right, f"twice {size:g}": twice}
    head = (
        Text("logit of the target", "目标的 logit"),
        Text("of raw logits", "输入原始 logits"),
        Text("of probabilities", "输入概率"),
        Text("without a softmax", "没有 softmax"),
    )
    return Demonstration(
        Text(
            "The loss of one target among four classes, as the model becomes surer of it.",
            "四个类别中一个目标的损失，模型对它越来越有把握。",
        ),
        (table("What cross-entropy gives", "交叉熵的值", head, rows),),
        Text(
            "From raw logits the loss goes to 0. From probabilities "
            "it stops at 0.7437, however sure the model "
            "is, since they never exceed 1. Without a softmax it falls for ever.",
            "输入原始 logits 时，损失趋于 0。输入概率时，无论多有把握都停在 0.7437，因为概率不超过 1。"
            "没有 softmax 时，它会无止境地下降。",
        ),
        facts,
    )


def clipping() -> Demonstration:
    """Two gradients, clipped to 1 in three ways."""
    one, two = torch.tensor([3.0, 0.0]).double(), torch.tensor([0.0, 0.5]).double()
    norm = float(torch.cat([one, two]).norm())
    together = [g / norm for g in (one, two)]
    each = [g / max(1.0, float(g.norm())) for g in (one, two)]
    values = [g.clamp(-1, 1) for g in (one, two)]

    def ratio(pair: list[torch.Tensor]) -> float:
        return float(pair[0].norm() / pair[1].norm())

    rows = [
        row(Text("as they are", "原样"), 3.0, 0.5, norm, ratio([one, two])),
        *(
            row(name, float(p[0].norm()), float(p[1].norm()), float(torch.cat(p).norm()), ratio(p), right=ok)
            for name, p, ok in (
                (Text("all by one factor", "全部乘同一个因子"), together, True),
                (Text("each by itself", "各自裁剪"), each, False),
                (Text("value by value", "逐个数值裁剪"), values, False),
            )
        ),
    ]
    head = (
        Text("clipped", "裁剪方式"),
        Text("first gradient", "第一个梯度"),
        Text("second gradient", "第二个梯度"),
        Text("global norm", "全局范数"),
        Text("ratio", "比例"),
    )
    return Demonstration(
        Text("Two parameters, and a bound of 1 on the global norm.", "两个参数，全局范数的上界是 1。"),
        (table("What goes into the optimizer", "进入优化器的梯度", head, rows),),
        Text(
            "One factor for all keeps the ratio, so the step "
            "keeps its direction and has length 1. The others "
            "change the direction and still leave a norm above "
            "1. And all of that has to happen after backward "
            "and before the step.",
            "全部乘同一个因子时比例不变，更新的方向不变、长度为 1。另外两种改变了方向，范数仍大于 1。"
            "这一切都要在反向传播之后、更新之前进行。",
        ),
        {"norm": norm, "each": float(torch.cat(each).norm()), "ratio": ratio(together)},
    )


def gradients_add_up() -> Demonstration:
    """Descent on x², with gradients that are cleared and such that are not."""
    rows = []
    cleared, kept, added = 1.0, 1.0, 0.0
    for step in range(1, 7):
        cleared -= 0.3 * 2 * cleared
        added += 2 * kept
        kept -= 0.3 * added
        rows.append(row(step, cleared, kept))
    head = (Text("step", "步"), Text("cleared", "清除"), Text("not cleared", "不清除"))
    return Demonstration(
        Text(
            "Descent on x² from x = 1, with a learning rate of 0.3.",
            "从 x = 1 出发对 x² 做下降，学习率 0.3。",
        ),
        (table("x after each step", "每一步之后的 x", head, rows),),
        Text(
            "The first step is the same. From then on the sum of "
            "all gradients so far carries x past the minimum "
            "and far to the other side, as a second backward pass or a second step would, too.",
            "第一步相同。之后，迄今所有梯度之和把 x 带过最小值，"
            "远远冲到另一边；多做一次反向传播或更新也会如此。",
        ),
        {"cleared": cleared, "kept": kept},
    )
