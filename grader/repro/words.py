"""The sentences of a reproduction, in both languages."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from grader.marking.compare import dtype_word, number, place, shape
from grader.repro.findings import Finding, by_how_much
from grader.text import Text

__all__ = ["LABELS", "expectation", "headline", "leaf_word", "why_not"]

LABELS: Mapping[str, Text] = {
    "yours": Text("yours:", "你的结果："),
    "expected": Text("expected:", "应为："),
    "agrees": Text("agrees:", "一致："),
    "before": Text("before:", "调用前："),
    "after": Text("after:", "调用后："),
    "missing": Text("missing", "缺少"),
    "nothing": Text("nothing", "无此项"),
    "no exception": Text("no exception", "没有报错"),
    "backward": Text("backward() raises:", "backward() 报错："),
}
SETTINGS: Mapping[str, Text] = {
    "grad mode": Text("whether gradients are recorded", "是否记录梯度"),
    "default dtype": Text("the default dtype", "默认 dtype"),
    "thread count": Text("the number of threads", "线程数"),
    "deterministic algorithms": Text("whether algorithms are deterministic", "是否使用确定性算法"),
    "torch seed": Text("the seed of torch", "torch 的随机种子"),
    "python random state": Text("the state of random", "random 的状态"),
}
FORBIDDEN = Text(
    "its numbers may well be right: what is wrong is that the exercise asks you to write this yourself",
    "它的数值可能是对的：问题在于题目要求你自己实现这一步",
)
ENDLESS = Text("a snippet would not come to an end either", "代码片段同样不会结束")
SILENT = Text("a snippet would end in the same way, without a word", "代码片段会同样直接退出，什么也不显示")
TOO_LARGE = Text("a snippet would ask for as much memory", "代码片段同样会申请那么多内存")
BY_MEMORY = Text(
    "what it gives depends on what the memory held before, so a snippet may be right by luck",
    "结果取决于内存中原有的内容，代码片段可能碰巧是对的",
)
BY_CHANCE = Text(
    "it gives something else on every call, so no single number can be called wrong",
    "每次调用的结果都不同，因此无法指出哪个数是错的",
)
BY_DROPOUT = Text(
    "dropout acts by chance, so it takes many numbers to tell", "dropout 是随机的，需要许多数才能看出来"
)
ELSEWHERE = Text(
    "it shows where the input is on another device, such as a GPU", "输入在其他设备（例如 GPU）上时才会出现"
)
SECOND_CALL = Text("it takes a second call to see it", "要到第二次调用时才能看出来")
OTHERWISE = Text("it takes more than one call, or chance, to see it", "需要多次调用或涉及随机性才能看出来")
# what no single call can show, by the fault that a check names
WHY_NOT: Mapping[str, Text] = {
    "forbidden-api": FORBIDDEN,
    "timeout": ENDLESS,
    "crash": SILENT,
    "out-of-memory": TOO_LARGE,
    "uninitialised-memory": BY_MEMORY,
    "nondeterministic": BY_CHANCE,
    "device-hard-coded": ELSEWHERE,
    "causal-mask-on-cpu": ELSEWHERE,
    "learned-positions-on-cpu": ELSEWHERE,
    "table-overwritten": SECOND_CALL,
    "result-overwritten": SECOND_CALL,
    "result-kept-between-calls": SECOND_CALL,
}


def why_not(fault: str | None) -> Text:
    """Why no snippet is printed for a check that fails with this fault."""
    if fault is not None and fault.startswith("dropout"):
        return BY_DROPOUT
    return WHY_NOT.get(fault or "", OTHERWISE)


def leaf_word(leaf: str) -> str:
    """The expression of a gradient: ``query.grad``, ``layer.W_q.weight.grad``."""
    if leaf.startswith("param:"):
        words = leaf.removeprefix("param:").split(".")
        path = "".join(f"[{w}]" if w.isdigit() else f".{w}" for w in words)
        return f"layer{path}.grad"
    return f"{leaf}.grad"


def headline(finding: Finding) -> Text:
    """What is different, in one sentence, with the learner's own numbers."""
    kind, part = finding.kind, finding.part
    found, wanted = finding.found, finding.wanted
    if kind == "values" or kind == "gradient" or kind == "initial":
        name = leaf_word(part) if kind == "gradient" else part
        return _first_number(name, found, wanted)
    if kind == "shape":
        return Text(
            f"{part} has shape {shape(found)} in yours and should have {shape(wanted)}",
            f"你的 {part} 形状是 {shape(found)}，应为 {shape(wanted)}",
        )
    if kind == "dtype":
        have, want = dtype_word(found.dtype), dtype_word(wanted.dtype)
        return Text(
            f"{part} has dtype {have} in yours and should have {want}",
            f"你的 {part} 的 dtype 是 {have}，应为 {want}",
        )
    if kind == "type":
        return Text(
            f"{part} is a {found} in yours and should be a {wanted}", f"你的 {part} 是 {found}，应为 {wanted}"
        )
    if kind == "raises":
        return Text(
            f"the call raises {found.type} and should not raise", f"这次调用报错 {found.type}，本不该报错"
        )
    if kind == "accepts":
        return Text("no exception is raised where a ValueError is due", "应当报 ValueError，却没有报错")
    if kind == "wrong error":
        return Text(
            f"{found.type} is raised where a ValueError with a clear message is due",
            f"报的是 {found.type}，应为信息明确的 ValueError",
        )
    return _of_object(finding)


def _of_object(finding: Finding) -> Text:
    kind, part = finding.kind, finding.part
    found, wanted = finding.found, finding.wanted
    if kind == "changed":
        return Text(f"the call changes its argument {part} in place", f"调用就地修改了参数 {part}")
    if kind == "no gradient":
        name = leaf_word(part).removesuffix(".grad")
        return Text(f"no gradient reaches {name}", f"梯度没有传到 {name}")
    if kind == "backward raises":
        error = finding.seen.gradient_error
        what = f" {error.type}" if error is not None else ""
        return Text(f"the backward pass raises{what or ' an error'}", f"反向传播报错{what}")
    if kind == "state":
        have, want = found.get(part), wanted.get(part)
        if have is None:
            return Text(f"the state dict lacks {part}", f"state dict 中缺少 {part}")
        if want is None:
            return Text(f"the state dict has {part}, which is not asked for", f"state dict 中有多余的 {part}")
        return Text(
            f"{part} is a {have} in yours and should be a {want}", f"你的 {part} 是 {have}，应为 {want}"
        )
    if kind == "called":
        return Text(
            f"the sublayer is called {found} times and should be once", f"子层被调用了 {found} 次，应为一次"
        )
    if kind == "registered":
        return Text("the sublayer becomes a submodule of the layer", "子层成了这个层的子模块")
    if kind == "device":
        return Text("the result is not on the device that was asked for", "结果不在指定的设备上")
    setting = SETTINGS.get(part, Text.same(part))
    return Text(f"the call changes a global setting: {setting.en}", f"调用改变了全局设置：{setting.zh}")


def _first_number(name: str, found: Tensor, wanted: Tensor) -> Text:
    """The number that differs most; the first of those that differ by about as much."""
    difference = by_how_much(found, wanted)
    most = 0.99 * float(difference.max())
    where = tuple(int(i) for i in (difference >= most).nonzero()[0])
    if found.dtype is torch.bool:
        have, want = str(bool(found[where])), str(bool(wanted[where]))
    else:
        a, b = float(found[where]), float(wanted[where])
        have, want = number(a), number(b)
        if have == want:
            have, want = repr(a), repr(b)
    spot = place(name, where)
    return Text(f"{spot} is {have} in yours and should be {want}", f"你的 {spot} 是 {have}，应为 {want}")


def expectation(finding: Finding, meaning: Mapping[str, Text]) -> Text | None:
    """What the expected result means."""
    target = finding.case.probe.target
    if finding.case.refuses is not None:
        a, b = finding.case.refuses
        return Text(
            f"{a} tokens are more than max_len = {b}: a ValueError that names both numbers",
            f"{a} 个词元超过了 max_len = {b}：应报写明这两个数的 ValueError",
        )
    if finding.kind in ("accepts", "wrong error"):
        return meaning.get(f"{target}.error")
    if finding.kind in ("gradient", "no gradient"):
        return Text(
            "what a change of each number changes in the sum", "每个数变化一点时，下面求和的结果随之变化多少"
        )
    if finding.kind in ("values", "shape", "dtype", "type", "raises"):
        part = finding.part or "result"
        names = [n for n in meaning if n.startswith(f"{target}.") and not n.endswith(".error")]
        return meaning.get(f"{target}.{part}") or (meaning[names[0]] if names else None)
    return None
