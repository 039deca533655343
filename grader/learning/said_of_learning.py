"""What the model and its learning show, in words, with the learner's own numbers; never the code."""

from __future__ import annotations

from dataclasses import replace

from grader.learning.numbers import num, share
from grader.learning.records import Exam, Finding
from grader.learning.tasks import Task
from grader.text import Text

__all__ = [
    "beside",
    "decode_wrong",
    "logits_not_finite",
    "memory_grows",
    "no_order",
    "not_finite",
    "not_reached",
    "out_of_time",
    "plateau",
    "right_before_learning",
    "sees_ahead",
    "stopped",
]


MODEL = ("tiny_transformer",)


def beside(finding: Finding) -> Finding:
    """The same of a model that has learnt all the same."""
    return replace(finding, heavy=False)


def sees_ahead(exam: Exam, loss: float) -> Finding:
    return Finding(
        "sees-ahead",
        Text("It copies the token after it, and learns nothing", "它只是抄了后一个词元，什么也没学到"),
        Text(
            f"Replacing the token at t + 1 moves the logits at t by {num(exam.ahead)} (of at most "
            f"{num(exam.scale)}); nothing after t may move them. In training the answer stands right there, "
            "so the "
            f"loss falls to {num(loss)} and {share(exam.forced)} of the next tokens are right while the "
            "sequence is given. When it has to write by itself nothing stands there yet: "
            f"{share(exam.accuracy)} "
            "of the held-out sequences come out right. A low loss is no proof of learning.",
            f"把 t + 1 处的è¯å换掉，t 处的 logits 会变动 {num(exam.ahead)}（logits 最大为 "
            f"{num(exam.scale)}）；"
            f"t 之后的内容本不应影响它。训练时答案就摆在那里，所以损失降到 {num(loss)}，给出整个序列时下一"
            "个è¯å的"
            f"正确率为 {share(exam.forced)}。到了自己生成的时候，后面还什么都没有：留出的序列只有 "
            f"{share(exam.accuracy)} 完全正确。损失低并不证明学会了。",
        ),
        ("causal-mask-missing", "causal-mask-peeks-ahead", "causal-mask-transposed"),
        MODEL,
    )


def no_order(moved: float, task: Task) -> Finding:
    return Finding(
        "no-order",
        Text("It cannot tell in which order the tokens came", "它分辨不出è¯å的先后顺序"),
        Text(
            "With one layer, putting six earlier tokens in another order moves the last logits by "
            f"{num(moved)}: to this model a sequence is a bag of tokens. `copy` and `reverse` then look the "
            "same, and the loss stays where only guessing among the tokens is left (about "
            f"{num(task.blind)} for "
            "one who knows nothing but the kind of token).",
            f"只用一层时，打乱前面六个è¯å的顺序，最后的 logits 变动为 {num(moved)}：对这个模型来说，序列"
            "只是一袋 "
            "token。`copy` 和 `reverse` 因此没有区别，损失停在只能靠猜的水平（只知道该出哪一类è¯å时约为 "
            f"{num(task.blind)}）。",
        ),
        ("position-not-added",),
        ("positional_encoding", "encoder"),
    )


def logits_not_finite(bad: int, total: int, only_padding: bool) -> Finding:
    where = (
        Text("all of them at padding", "全部在填充处")
        if only_padding
        else Text("also at real tokens", "真实è¯å处也有")
    )
    return Finding(
        "logits-not-finite",
        Text("The logits are NaN before anything is learnt", "还没开始学习，logits 就已是 NaN"),
        Text(
            f"{bad} of {total} logits of the first batch are no numbers, {where.en}. A softmax over a row "
            "in which "
            "every key is masked with -inf does that, and through the gradients one NaN becomes all of them.",
            f"第一批数据的 {total} 个 logits 中有 {bad} 个不是数，{where.zh}。某一行的所有 key 都被 -inf 屏"
            "蔽时，softmax "
            "就会这样；经过梯度，一个 NaN 会变成全部 NaN。",
        ),
        ("fully-masked-row-nan",),
        ("attention", "tiny_transformer"),
    )


def not_reached(reached: int, parameters: int) -> Finding:
    return Finding(
        "not-reached",
        Text("Some parameters get no gradient", "有些参数得不到梯度"),
        Text(
            f"{reached} of {parameters} parameters have a gradient when the optimiser steps; the others "
            "stay as they "
            "began.",
            f"优化器更新时，{parameters} 个参数中只有 {reached} 个有梯度；其余的停在初始值。",
        ),
        (),
        MODEL,
    )


def not_finite(step: int, loss: float, before: float | None) -> Finding:
    was_en = "" if before is None else f" The step before, it was {num(before)}."
    was_zh = "" if before is None else f"前一步是 {num(before)}。"
    return Finding(
        "not-finite",
        Text(f"The loss is {num(loss)} from step {step} on", f"从第 {step} 步起损失为 {num(loss)}"),
        Text(
            f"No parameter comes back from that.{was_en} The learning rate is ours, and small. At the first "
            "step, "
            "look for rows in which -inf masks every key, and for the logarithm or the quotient of a zero; "
            "later on, "
            "for gradients that are not clipped or not cleared.",
            f"参数从此无法恢复。{was_zh}学习率由我们设定，并不大。如果从第一步就这样，请查找被 -inf 屏蔽了所"
            "有 key 的行，"
            "以及对零取对数或除以零；如果是后来才出现，请查找没有裁剪或没有清空的梯度。",
        ),
        ("fully-masked-row-nan", "gradients-not-cleared", "clip-missing"),
        ("attention", "training"),
    )


def memory_grows(rate: float, first: int, before: float, last: int, after: float) -> Finding:
    return Finding(
        "memory-grows",
        Text("Every step leaves something behind in memory", "每一步都在内存中留下东西"),
        Text(
            f"From step {first} to step {last} the process grew from {before:.0f} to {after:.0f} MiB, "
            f"{num(rate)} MiB a "
            "step. A loss that is kept as a tensor keeps the graph of its step alive.",
            f"从第 {first} 步到第 {last} 步，进程从 {before:.0f} MiB 增长到 {after:.0f} MiB，每步 "
            f"{num(rate)} MiB。"
            "以张量形式保留的损失会让那一步的计算图一直存在。",
        ),
        ("graph-kept-alive", "loss-keeps-graph"),
        heavy=False,
    )


def right_before_learning(accuracy: float) -> Finding:
    return Finding(
        "right-before-learning",
        Text("The answers were right before anything was learnt", "还没学习，答案就已经正确"),
        Text(
            f"`greedy_decode` got {share(accuracy)} of the sequences right with untrained weights: what "
            "answers is not "
            "the model, so nothing can be said of what it learns.",
            f"权重还没有训练，`greedy_decode` 就答对了 {share(accuracy)} 的序列：给出答案的不是模型，因此无"
            "法判断它学到了什么。",
        ),
    )


def decode_wrong(exam: Exam) -> Finding:
    return Finding(
        "decode-wrong",
        Text(
            "The model has learnt it, `greedy_decode` does not say it",
            "模型学会了，但 `greedy_decode` 没有说出来",
        ),
        Text(
            f"Taking the likeliest token of your model's logits at the last position, again and again, gets "
            f"{share(exam.ours)} of the held-out sequences right; your `greedy_decode` gets "
            f"{share(exam.accuracy)}.",
            f"反复取模型在最后位置上 logits 最大的词元，可以答对 {share(exam.ours)} 的留出序列；你的 "
            "`greedy_decode` 只答对 "
            f"{share(exam.accuracy)}。",
        ),
        ("decode-second-last-position", "decode-feeds-last-token", "decode-least-likely"),
    )


def plateau(loss: float, task: Task, exam: Exam) -> Finding:
    where = (
        Text("where one who only guesses the symbols stands", "相当于只会猜符号的水平")
        if loss > 0.9 * task.blind
        else Text("below that of guessing, and far from zero", "低于只靠猜的水平，但离零还远")
        if loss > 0.1
        else Text("nearly zero", "接近零")
    )
    return Finding(
        "plateau",
        Text("It stops learning too early", "它过早停止了进步"),
        Text(
            f"The loss comes to {num(loss)}, {where.en} (guessing: {num(task.blind)}). {share(exam.forced)} "
            "of the next "
            f"tokens are right, and {share(exam.accuracy)} of whole sequences. Targets, order of the steps "
            "and gradients "
            "are as they should be, so look into the model: a mask that hides too much, heads that are "
            "mixed up, a "
            "residual or a norm that is missing.",
            f"损失停在 {num(loss)}，{where.zh}（只靠猜为 {num(task.blind)}）。下一个è¯å的正确率为 "
            f"{share(exam.forced)}，"
            f"整个序列的正确率为 {share(exam.accuracy)}。目标、步骤顺序和梯度都没有问题，所以请检查模型：屏"
            "蔽过多的掩码、"
            "混在一起的注意力头、缺少的残差或归一化。",
        ),
        ("causal-mask-excludes-self", "mask-inverted"),
        MODEL,
    )


def out_of_time(steps: int, most: int, seconds: float) -> Finding:
    return Finding(
        "out-of-time",
        Text("The time was up before the steps were", "步数还没用完，时间就到了"),
        Text(
            f"{steps} of {most} steps took {seconds:.0f} s of processor time. Loops over positions or heads "
            "are the "
            "usual reason; `--total-seconds` allows more.",
            f"{most} 步中的 {steps} 步用了 {seconds:.0f} 秒处理器时间。通常是因为对位置或注意力头写了循环；"
            "`--total-seconds` 可以放宽限制。",
        ),
        (),
        MODEL,
        heavy=False,
    )


def stopped(why: Text, steps: int) -> Finding:
    return Finding(
        "stopped",
        Text(f"Training stopped after {steps} steps", f"训练在 {steps} 步后停止"),
        Text(f"{why.en}.", f"{why.zh}。"),
    )
