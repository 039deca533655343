"""What a module knows of its parts: parameters, buffers, lists, and parts that are one and the same."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from grader.explaining.records import Demonstration, Row, row, table
from grader.text import Text

__all__ = ["gradients", "in_place", "registered", "shared", "state"]

YES, NO = Text("yes", "是"), Text("no", "否")


class _Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.t = torch.ones(4)


class _Buffer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("t", torch.ones(4))


class _Parameter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.t = nn.Parameter(torch.ones(4))


def state() -> Demonstration:
    """A tensor kept as a plain attribute, as a buffer and as a parameter."""
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, made in (
        (Text("plain tensor", "普通张量"), _Plain()),
        (Text("buffer", "buffer"), _Buffer()),
        (Text("nn.Parameter", "nn.Parameter"), _Parameter()),
    ):
        saved = "t" in made.state_dict()
        moved = made.double().t.dtype is torch.float64
        trained = len(list(made.parameters())) > 0
        rows.append(row(name, str(list(made.state_dict())), *(YES if v else NO for v in (moved, trained))))
        facts |= {f"saved {name.en}": float(saved), f"moved {name.en}": float(moved)}
        facts[f"trained {name.en}"] = float(trained)
    return Demonstration(
        Text(
            "A module with one tensor, kept in three ways.",
            "一个模块里有一个张量，用三种方式保存。",
        ),
        (
            table(
                "The names in its state dict; whether .to() and .double() move it; whether an optimiser "
                "changes it",
                "state_dict 中的名字；.to()、.double() 是否转换它；优化器是否会改变它",
                ("", "state_dict", Text("moves", "转换"), Text("trained", "训练")),
                rows,
            ),
        ),
        Text(
            "A plain tensor is invisible to the module: it is not saved, stays behind on another device, and "
            "is never trained. A table that must not change is a buffer, what is to be learned is a "
            "parameter; and under another name or shape a saved state does not fit.",
            "模块看不到普通张量：不会被保存，换设备时留在原处，也不会被训练。不应改变的表用 buffer，"
            "要学习的用 "
            "parameter；名字或形状不同，保存的状态就对不上。",
        ),
        facts,
    )


class _Stack(nn.Module):
    def __init__(self, kind: str) -> None:
        super().__init__()
        layers = [nn.Linear(8, 8) for _ in range(3)]
        if kind == "same":
            layers = [layers[0]] * 3
        self.layers = layers if kind == "list" else nn.ModuleList(layers)
        self.__dict__["_own"] = layers  # the same layers, for us

    @property
    def own(self) -> list[nn.Linear]:
        """The layers, however they are kept."""
        found: list[nn.Linear] = self.__dict__["_own"]
        return found


def _counted(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


def registered() -> Demonstration:
    """Three layers in a list and in a ModuleList."""
    ways = (
        (Text("nn.ModuleList", "nn.ModuleList"), _Stack("module list"), True),
        (Text("a plain list", "普通列表"), _Stack("list"), False),
    )
    rows = [row(n, _counted(m), len(m.state_dict()), _updated(m), right=ok) for n, m, ok in ways]
    return Demonstration(
        Text(
            "Three linear layers of 8 features: 3 · (8 · 8 + 8) = 216 parameters.",
            "三个 8 特征的线性层：3 · (8 · 8 + 8) = 216 个参数。",
        ),
        (
            table(
                "What the module knows of them",
                "模块知道多少",
                (
                    "",
                    Text("parameters", "参数"),
                    Text("entries saved", "保存的条目"),
                    Text("changed by a step", "一步后改变的层"),
                ),
                rows,
            ),
        ),
        Text(
            "A module finds parts that are assigned to it, and those in a ModuleList, by itself; it does not "
            "look into lists or dicts. Layers in there compute as usual, but they are not saved, not moved, "
            "not switched to eval mode, and no optimiser gets to see them.",
            "模块会自动登记直接赋给它的部分，以及 ModuleList 中的部分，但不会查看列表或字典。放在里面的层照常"
            "计算，却不会被保存、不会换设备、不会切到 eval 模式，优化器也看不到它们。",
        ),
        {n.en: float(_counted(m)) for n, m, _ in ways},
    )


def _updated(module: _Stack) -> int:
    """How many layers one step of an optimiser changes."""
    before = [layer.weight.detach().clone() for layer in module.own]
    _backwards(module)
    with torch.no_grad():
        for parameter in module.parameters():
            assert parameter.grad is not None
            parameter.sub_(parameter.grad)
    return sum(not torch.equal(b, layer.weight) for b, layer in zip(before, module.own))


def _backwards(module: _Stack) -> None:
    """Leaves the gradients of a small loss with the weights."""
    x = torch.ones(1, 8)
    for layer in module.own:
        x = layer(x)
    weights = list({id(p): p for layer in module.own for p in layer.parameters()}.values())
    for weight, gradient in zip(weights, torch.autograd.grad(x.sum(), weights)):
        weight.grad = gradient


def shared() -> Demonstration:
    """Three layers of their own, and one that is used three times."""
    torch.manual_seed(16)
    ways = (
        (Text("three layers", "三个层"), _Stack("own"), True),
        (Text("one, three times", "一个层用三次"), _Stack("same"), False),
    )
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, module, ok in ways:
        _backwards(module)
        layers = module.own
        different = len({id(layer.weight) for layer in layers})
        norms = [float(layer.weight.grad.norm()) for layer in layers if layer.weight.grad is not None]
        equal = YES if len({round(n, 6) for n in norms}) == 1 else NO
        rows.append(row(name, _counted(module), different, equal, right=ok))
        facts |= {f"parameters {name.en}": float(_counted(module)), f"different {name.en}": float(different)}
    return Demonstration(
        Text(
            "A stack of three linear layers, each with weights of its own or all the same one.",
            "三个线性层的堆叠：各有自己的权重，或其实是同一个层。",
        ),
        (
            table(
                "Parameters; different weights; whether all have the same gradient",
                "参数数量；不同的权重；梯度是否都相同",
                ("", Text("parameters", "参数"), Text("weights", "权重"), Text("one gradient", "同一梯度")),
                rows,
            ),
        ),
        Text(
            "One layer used three times computes without complaint, and its state dict even lists it three "
            "times; but what one place needs the other two get as well. Query and key that come from the "
            "same projection can only ask for what is like themselves.",
            "同一个层用三次，计算不会报错，state_dict 里甚至也列出三次；但一处需要的改变，"
            "另外两处也得跟着变。"
            "若查询和键出自同一个投影，就只能寻找与自己相似的东西。",
        ),
        facts,
    )


def gradients() -> Demonstration:
    """What reaches the parameters when a part is detached, frozen, or only its statistics are."""
    torch.manual_seed(17)
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, way, ok in (
        (Text("nothing cut", "不切断"), "whole", True),
        (Text("output detached", "输出被切断"), "output", False),
        (Text("first layer frozen", "第一层被冻结"), "frozen", False),
        (Text("statistics detached", "统计量被切断"), "statistics", False),
    ):
        first, second = _reached(way)
        rows.append(row(name, _size(first), _size(second), right=ok))
        facts |= {f"first {name.en}": _size_of(first), f"second {name.en}": _size_of(second)}
    return Demonstration(
        Text(
            "Two linear layers with a normalisation in between; the size of the gradient that reaches the "
            "weight of each.",
            "两个线性层，中间有归一化；看到达各层权重的梯度大小。",
        ),
        (
            table(
                "The gradient of the weights",
                "权重的梯度",
                ("", Text("first layer", "第一层"), Text("second layer", "第二层")),
                rows,
            ),
        ),
        Text(
            "The forward pass is the same each time, to the last digit: only training shows it. `detach`, "
            "`.data`, `.item()`, `no_grad` and new tensors made from old values all end the path on which "
            "gradients come back. With only mean and variance cut off, a gradient arrives, but a wrong one.",
            "每种情形的前向结果都完全相同，只有训练才会暴露问题。`detach`、`.data`、`.item()`、`no_grad`，以及"
            "用旧数值新建的张量，都会中断梯度返回的路。若只切断均值和方差，梯度能到，却是错的。",
        ),
        facts,
    )


def _reached(way: str) -> tuple[Tensor | None, Tensor | None]:
    torch.manual_seed(18)
    first, second = nn.Linear(8, 8), nn.Linear(8, 1)
    first.requires_grad_(way != "frozen")
    h = first(torch.randn(4, 8))
    cut = h.detach() if way == "statistics" else h
    h = (h - cut.mean(-1, keepdim=True)) / cut.std(-1, correction=0, keepdim=True)
    out = second(h.detach() if way == "output" else h)
    weights = [w for w in (first.weight, second.weight) if w.requires_grad]
    found = torch.autograd.grad(out.square().mean(), weights, allow_unused=True)
    return (None, found[0]) if way == "frozen" else (found[0], found[1])


def _size(gradient: Tensor | None) -> Text | float:
    return Text("none", "无") if gradient is None else float(gradient.norm())


def _size_of(gradient: Tensor | None) -> float:
    return 0.0 if gradient is None else float(gradient.norm())


def in_place() -> Demonstration:
    """What a caller's tensor holds after a call that works in place."""
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, way, ok in (
        (Text("a new tensor: x - 1", "新张量：x - 1"), lambda x: x - 1, True),
        (Text("in place: x -= 1", "就地：x -= 1"), lambda x: x.sub_(1), False),
        (Text("through a view: x.view(-1)[0] = 9", "经由视图：x.view(-1)[0] = 9"), _through_view, False),
    ):
        given = torch.tensor([1.0, 2.0, 3.0])
        way(given)
        again = way(given)
        rows.append(row(name, _list(given), _list(again), right=ok))
        facts[name.en] = float((given - torch.tensor([1.0, 2.0, 3.0])).abs().max())
    return Demonstration(
        Text(
            "A function is called twice with the same x = [1, 2, 3].",
            "用同一个 x = [1, 2, 3] 调用函数两次。",
        ),
        (
            table(
                "What the caller's x holds then, and what the second call returns",
                "之后调用者的 x 是什么，第二次调用返回什么",
                ("", "x", Text("second result", "第二次结果")),
                rows,
            ),
        ),
        Text(
            "Tensors are handed over by reference, and a view shares its memory with what it looks at. The "
            "caller still needs x, for the residual connection if nothing else; and a result that depends "
            "on what earlier calls left behind is right only once.",
            "张量是按引用传递的，视图与原张量共用内存。调用者还要用 x，至少残差连接要用；而依赖前一次调用"
            "遗留状态的结果，只会对一次。",
        ),
        facts,
    )


def _through_view(x: Tensor) -> Tensor:
    x.view(-1)[0] = 9
    return x


def _list(values: Tensor) -> str:
    return f"[{', '.join(f'{v:g}' for v in values.tolist())}]"
