"""What is expected of logits: raw numbers, one for each token, at each position, for the one that follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from grader.explaining.records import Demonstration, Row, row, table
from grader.text import Text

__all__ = ["raw", "shifted"]

VOCAB = 8
STEPS = 200


def raw() -> Demonstration:
    """The same small model learns from logits, and from what others return in their place."""
    ways: Mapping[Text, Callable[[Tensor], Tensor]] = {
        Text("the logits", "logits"): lambda z: z,
        Text("softmax of them", "做了 softmax"): lambda z: z.softmax(-1),
        Text("ReLU of them", "做了 ReLU"): lambda z: z.relu(),
        Text("divided by 8", "除以 8"): lambda z: z / 8,
        Text("log-softmax of them", "做了 log-softmax"): lambda z: z.log_softmax(-1),
    }
    first = next(iter(ways))
    targets = torch.arange(64) % VOCAB
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, way in ways.items():
        torch.manual_seed(0)
        x = nn.functional.one_hot(targets, VOCAB).float()
        layer = nn.Linear(VOCAB, VOCAB)
        optimiser = torch.optim.SGD(layer.parameters(), lr=1.0)
        for _ in range(STEPS):
            optimiser.zero_grad()
            loss = nn.functional.cross_entropy(way(layer(x)), targets)
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        final = float(nn.functional.cross_entropy(way(layer(x)), targets).detach())
        rows.append(row(name, final, right=name is first))
        facts[f"loss {name.en}"] = final
    least = float(nn.functional.cross_entropy(torch.eye(VOCAB), torch.arange(VOCAB)))
    facts["least of softmax"] = least
    return Demonstration(
        Text(
            f"A linear map learns to name its input, one of {VOCAB} tokens, in {STEPS} steps on the "
            "cross-entropy, which makes a softmax of what it is given.",
            f"一个线性映射用 {STEPS} 步学习说出输入是 {VOCAB} 个词元中的哪一个；损失是交叉熵，"
            "它自己会对得到的数做 softmax。",
        ),
        (
            table(
                "The loss in the end, by what the model returns",
                "按模型返回的内容，最后的损失",
                ("", Text("loss", "损失")),
                rows,
            ),
        ),
        Text(
            f"Probabilities lie between 0 and 1, so that their softmax is never sure: the loss cannot fall "
            f"below {least:.2f} even when everything is right. A ReLU and a factor slow down or stop the "
            "learning as well. A log-softmax happens to cost nothing here, and is still not what was asked "
            "for: the numbers that the projection gives are gone.",
            f"概率在 0 与 1 之间，再做 softmax 永远不会有把握：即使全对，损失也不会低于 {least:.2f}。"
            "ReLU 和系数也会让学习变慢或停住。log-softmax 在这里碰巧没有代价，但仍不是题目要的："
            "投影给出的数已经没有了。",
        ),
        facts,
    )


def shifted() -> Demonstration:
    """One sequence, and which token each position is compared with."""
    tokens = ["the", "cat", "sat", "down"]
    none = "–"
    inputs = {
        Text("as asked for", "题目要求"): tokens,
        Text("shifted in the model too", "模型里也移位"): [none, *tokens[:-1]],
        Text("moved to the left", "向左移"): [*tokens[1:], none],
    }
    first = next(iter(inputs))
    targets = [*tokens[1:], none]
    rows = [row(Text("target", "目标"), *targets)]
    facts: dict[str, float] = {}
    for name, read in inputs.items():
        rows.append(row(name, *read, right=name is first))
        gaps = [tokens.index(t) - tokens.index(r) for r, t in zip(read, targets) if none not in (r, t)]
        facts[f"gap {name.en}"] = float(sum(gaps)) / len(gaps)
    predictions = {"all positions": len(tokens) - 1, "last position": 0}
    facts |= {name: float(count) for name, count in predictions.items()}
    return Demonstration(
        Text(
            "A sequence of four tokens. Each position is compared with the token that follows it.",
            "一个四个词元的序列。每个位置都与它后面的词元比较。",
        ),
        (
            table(
                "The target of each position, and which token it has read last",
                "每个位置的目标，以及它最后读到的词元",
                ("", *(Text.same(str(t)) for t in range(len(tokens)))),
                rows,
            ),
        ),
        Text(
            "The shift is made once, in the targets. Shifted in the model as well, a position has to predict "
            "the token after the next; moved the other way, it reads its own answer. A position that is cut "
            f"off is a lesson lost: one sequence of {len(tokens)} tokens gives {len(tokens) - 1} of them.",
            "移位只做一次，在目标里。模型里再移一次，位置就要预测下下个词元；反方向移，它就读到了自己的答案。"
            f"切掉一个位置就少学一次：{len(tokens)} 个词元的序列能学 {len(tokens) - 1} 次。",
        ),
        facts,
    )
