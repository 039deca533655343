"""What a training step does wrong, in words, with the learner's own numbers; never the code."""

from __future__ import annotations

from grader.learning.numbers import num
from grader.learning.records import Finding
from grader.learning.tasks import IGNORE
from grader.text import Text

__all__ = [
    "accumulates",
    "bypassed",
    "cleared_before_step",
    "gradients_zero",
    "loss_wrong",
    "never_steps",
    "no_backward",
    "not_clipped",
    "returns_other",
    "steps_first",
    "steps_twice",
    "targets_wrong",
]


TARGETS = {
    "unshifted": (
        "target-not-shifted",
        Text("The targets are the input itself", "目标就是输入本身"),
        Text(
            "The model is asked for the token that it is just reading, and learns to hand it through: the "
            "loss "
            "goes to zero, and decoding repeats the last token.",
            "模型被要求给出它正在读的词元，于是学会了原样传过去：损失趋于零，而解码只会重复最后一个 token。",
        ),
    ),
    "backwards": (
        "target-shifted-backwards",
        Text("The targets are the tokens before, not after", "目标是前一个词元，而不是后一个"),
        Text(
            "The model is asked for a token that it has already read: the loss goes to zero, and nothing "
            "is foretold.",
            "模型被要求给出已经读过的词元：损失趋于零，却没有预测任何东西。",
        ),
    ),
    "rolled": (
        "target-wraps-around",
        Text("The last target is the first token", "最后一个目标是第一个è¯å"),
        Text(
            "Nothing follows the last token, so its position has no target; here the sequence was closed "
            "into a ring.",
            "最后一个è¯å之后没有内容，所以该位置没有目标；这里的序列被首尾相接了。",
        ),
    ),
    "padding": (
        "target-padding-counts",
        Text("Positions without a next token count in the loss", "没有下一个è¯å的位置也计入了损失"),
        Text(
            "Padding is easy to foretell: the loss looks better than the model is, and what it learns is "
            "to pad.",
            "填充很容易预测：损失看起来比模型真实水平更好，而模型学到的是填充。",
        ),
    ),
    "other": (
        "target-shifted-too-far",
        Text("The targets are not the next tokens", "目标不是下一个è¯å"),
        Text("The model learns whatever it is asked for.", "要求它什么，它就学什么。"),
    ),
}


def targets_wrong(kind: str, row: int, place: int, found: int, right: int) -> Finding:
    fault, title, why = TARGETS[kind]
    wanted = (
        Text(f"{right} (to be left out)", f"{right}（不计入）") if right == IGNORE else Text.same(str(right))
    )
    return Finding(
        f"targets-{kind}",
        title,
        Text(
            f"Of a batch, `next_token_targets` gives [{row}, {place}] = {found}, where {wanted.en} is due. "
            f"{why.en}",
            f"对一批数据，`next_token_targets` 在 [{row}, {place}] 处给出 {found}，应为 {wanted.zh}。"
            f"{why.zh}",
        ),
        (fault,),
    )


LOSSES = {
    "loss-of-softmax": (
        "softmax-before-cross-entropy",
        Text("The loss is taken of a softmax, not of raw logits", "损失是对 softmax 之后的值计算的"),
        Text(
            "That is what a softmax before the cross-entropy gives, which has one of its own. Of values "
            "between 0 and 1 "
            "it can never become small, and the gradients fade: the loss creeps and stays high.",
            "这正是在交叉熵之前又做一次 softmax 的结果，而交叉熵自带 softmax。对 0 到 1 之间的值，损失永远"
            "降不下来，"
            "梯度也变得很弱：损失下降缓慢并停在高处。",
        ),
    ),
    "loss-summed": (
        "loss-summed",
        Text("The loss is a sum, not a mean", "损失是总和而不是平均"),
        Text(
            "It grows with the batch, and so do the gradients, before they are clipped.",
            "它随批量变大，裁剪之前的梯度也是如此。",
        ),
    ),
    "loss-over-everything": (
        "loss-divides-by-all",
        Text("The loss is divided by all positions", "损失除以了所有位置的数目"),
        Text(
            "Positions that do not count make it smaller than it is.",
            "不计入的位置使它显得比实际小。",
        ),
    ),
    "loss-wrong-axis": (
        "loss-class-axis",
        Text("The loss takes another axis for the classes", "损失把别的轴当成了类别轴"),
        Text(
            "The scores of one position are mixed with those of others: whatever becomes small then, it is "
            "not the "
            "loss of the next token.",
            "一个位置的分数与其他位置的混在了一起：即使这个数变小，变小的也不是下一个è¯å的损失。",
        ),
    ),
    "loss-counts-ignored": (
        "ignored-targets-count",
        Text("Positions that are to be ignored count in the loss", "应忽略的位置计入了损失"),
        Text(
            "They pull the model towards token 0, and hide how well it does on the others.",
            "它们把模型拉向è¯å 0，并掩盖它在其他位置上的表现。",
        ),
    ),
    "loss-by-rows": (
        "loss-mean-of-row-means",
        Text("The loss is a mean of means", "损失是各行平均值的平均"),
        Text(
            "Each sequence weighs the same, however few targets it has.",
            "无论目标有多少，每个序列的权重都一样。",
        ),
    ),
}


def loss_wrong(id: str, reported: float, expected: float) -> Finding:
    start = Text(
        f"Before the first step `train_step` reports a loss of {num(reported)}; the mean cross-entropy of "
        "your own "
        f"logits and targets is {num(expected)}.",
        f"第一步之前，`train_step` 报告的损失为 {num(reported)}；而由你自己的 logits 和目标算出的平均交叉熵"
        "为 "
        f"{num(expected)}。",
    )
    if id not in LOSSES:
        more = Text(
            " The two should be the same: look at what is compared with what, and over which positions.",
            "两者应当相同：请检查是什么与什么比较、在哪些位置上取平均。",
        )
        title = Text("The loss is not the one of these logits", "报告的损失与这些 logits 不符")
        return Finding("loss-differs", title, start + more)
    fault, title, why = LOSSES[id]
    return Finding(id, title, start + Text(" ", "") + why, (fault,))


def never_steps() -> Finding:
    return Finding(
        "never-steps",
        Text("The optimiser never takes a step", "优化器从未更新参数"),
        Text(
            "After a call of `train_step` the largest change of any parameter is 0: gradients may be "
            "there, and "
            "nothing is done with them. The loss stays where it began.",
            "调用一次 `train_step` 后，参数的最大变化是 0：即使有梯度，也没有使用它。损失停在开始的地方。",
        ),
        ("step-missing",),
    )


def bypassed(moved: float) -> Finding:
    return Finding(
        "optimiser-bypassed",
        Text("The parameters are moved without the optimiser", "绕过优化器更新了参数"),
        Text(
            f"During a call of `train_step` a parameter moves by up to {num(moved)}, and the optimiser that "
            "was "
            "given is never told to step: its learning rate, its momentum and its schedule have no effect.",
            f"在一次 `train_step` 调用中，参数最多变动了 {num(moved)}，而传入的优化器从未执行更新："
            "它的学习率、动量和调度都不起作用。",
        ),
        ("optimizer-bypassed",),
        heavy=False,
    )


def no_backward() -> Finding:
    return Finding(
        "no-backward",
        Text("No gradient is computed", "没有计算梯度"),
        Text(
            "During a call of `train_step` no gradient reaches any parameter: the optimiser steps, and has "
            "nothing "
            "to go by.",
            "在一次 `train_step` 调用中，没有任何参数得到梯度：优化器更新时没有任何依据。",
        ),
        ("backward-missing",),
    )


def cleared_before_step() -> Finding:
    return Finding(
        "cleared-before-step",
        Text("The gradients are cleared before the step", "在更新之前清空了梯度"),
        Text(
            "Gradients are computed, then cleared, and their norm is 0 when the optimiser steps: no "
            "parameter moves, "
            "and the loss stays where it began.",
            "先算出梯度，随后清空；优化器更新时梯度的范数为 0：参数不动，损失停在开始的地方。",
        ),
        ("gradients-cleared-before-step",),
    )


def gradients_zero() -> Finding:
    return Finding(
        "gradients-zero",
        Text("The gradients are zero when the optimiser steps", "优化器更新时梯度为零"),
        Text(
            "Gradients arrive during a call of `train_step`, and their norm is 0 at the step: they were "
            "cleared in "
            "between, or the loss does not depend on the parameters.",
            "`train_step` 中有梯度到达，但更新时范数为 0：中间被清空了，或者损失与参数无关。",
        ),
        ("gradients-cleared-before-step",),
    )


def steps_first(at_step: float, after: float) -> Finding:
    return Finding(
        "steps-first",
        Text("The optimiser steps before the gradients are there", "梯度还没有算出，优化器就更新了"),
        Text(
            f"At the first step the norm of the gradients is {num(at_step)}, after the call it is "
            f"{num(after)}: each "
            "step uses what the batch before left, or nothing.",
            f"第一次更新时梯度范数为 {num(at_step)}，调用结束后为 {num(after)}：每一步用的是上一批留下的梯"
            "度，或者什么都没有。",
        ),
        ("step-before-backward",),
    )


def accumulates(first: float, second: float, *, cleared: bool) -> Finding:
    return Finding(
        "gradients-accumulate",
        Text("Gradients of earlier batches are still there", "之前各批的梯度还在累积"),
        Text(
            "The same batch twice, without a change of the parameters: the norm of the gradients is "
            f"{num(first)} "
            f"the first time and {num(second)} the second, {second / first:.2g} times as much. Every step "
            "goes where all "
            "earlier batches pointed, too: the loss falls erratically, or rises.",
            f"在参数不变的情况下把同一批数据用两次：梯度范数第一次为 {num(first)}，第二次为 {num(second)}，"
            "是 "
            f"{second / first:.2g} 倍。每一步都还朝着之前各批的方向走：损失下降得很不稳定，甚至上升。",
        ),
        ("gradients-cleared-too-late",) if cleared else ("gradients-not-cleared",),
    )


def steps_twice(times: int) -> Finding:
    return Finding(
        "steps-twice",
        Text(f"The optimiser steps {times} times for one batch", f"一批数据更新了 {times} 次"),
        Text(
            "The second time it goes by gradients of parameters that are no longer there.",
            "第二次用的是旧参数的梯度。",
        ),
        ("step-twice",),
    )


def not_clipped(limit: float, norm: float, *, late: bool) -> Finding:
    return Finding(
        "not-clipped",
        Text("The gradients are not clipped when the optimiser steps", "优化器更新时梯度没有被裁剪"),
        Text(
            f"With max_grad_norm={num(limit)}, the norm at the step is {num(norm)}"
            + (", and within the limit only afterwards." if late else "."),
            f"max_grad_norm={num(limit)} 时，更新时的范数是 {num(norm)}"
            + ("，之后才降到限制以内。" if late else "。"),
        ),
        ("clip-after-step",) if late else ("clip-missing",),
        heavy=False,
    )


def returns_other(kind: Text) -> Finding:
    return Finding(
        "returns-tensor",
        Text("The loss is not returned as a Python float", "返回的损失不是 Python float"),
        Text(
            f"`train_step` returns {kind.en}. Whoever collects such losses keeps more than numbers alive, up "
            "to the "
            "whole graph of each step.",
            f"`train_step` 返回的是{kind.zh}。收集这样的损失会保留数以外的东西，甚至每一步的整个计算图。",
        ),
        ("returns-loss-tensor", "loss-keeps-graph"),
        heavy=False,
    )
