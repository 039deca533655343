"""The hidden suite of exercise 5.  The first line of each docstring is what the learner reads."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from grader.exercises.in_training import learns_in_training
from grader.exercises.layer_norm.judging import (
    line_of_call,
    one_object_again,
    settings_by_position,
    something_dropped,
    statistics_fit,
    survivors_are_scaled,
    survivors_before_the_norm,
    told_by_the_error,
)
from grader.exercises.layer_norm.numerics import long_rows
from grader.exercises.layer_norm.probes import (
    PRE,
    add,
    far,
    features,
    large_half,
    linear,
    ln,
    outlier,
    stretch,
)
from grader.exercises.properties import quick
from grader.marking.lab import CheckFailed, Lab
from grader.text import Text

TARGETS = ("LayerNorm", "AddNorm")
ORDERS = ((False, "post-LN", "Post-LN"), (True, "pre-LN", "Pre-LN"))


# -- parameters -------------------------------------------------------------------------------------


def test_parameters(lab: Lab) -> None:
    """weight and bias are the only parameters, of shape (d_model,)"""
    for target in TARGETS:
        for d_model in (6, 9):
            made = lab.make(target, init={"d_model": d_model})
            for name in ("weight", "bias"):
                entry = made.state.get(name)
                if entry is None:
                    plain_en = " (it is a plain tensor)" if name in made.plain else ""
                    plain_zh = "（它只是普通张量）" if name in made.plain else ""
                    lab.fail(
                        f"{target} has no parameter called {name}{plain_en}",
                        f"{target} 没有名为 {name} 的参数{plain_zh}",
                    )
                    return
                if entry["kind"] != "parameter" or not entry["trains"]:
                    lab.fail(
                        f"{target}: {name} is not a parameter that trains",
                        f"{target}：{name} 不是可训练的参数",
                    )
                if list(entry["shape"]) != [d_model]:
                    shape = tuple(entry["shape"])
                    lab.fail(
                        f"{target}({d_model}): {name} has shape {shape}, expected ({d_model},)",
                        f"{target}({d_model})：{name} 的形状是 {shape}，应为 ({d_model},)",
                        fault="affine-wrong-shape" if {*shape} <= {1, d_model} else None,
                    )
            extra = sorted(set(made.state) - {"weight", "bias"})
            if extra:
                lab.fail(
                    f"the state dict of {target} also holds {', '.join(extra)}",
                    f"{target} 的 state_dict 中还有 {', '.join(extra)}",
                )


def test_initial_values(lab: Lab) -> None:
    """weight starts as ones and bias as zeros"""
    for target in TARGETS:
        for seed, d_model in enumerate((6, 9, 16)):
            made = lab.make(target, init={"d_model": d_model}, values=True, seed=seed)
            for name, value in (("weight", 1.0), ("bias", 0.0)):
                found = made.values.get(name)
                if found is None or bool((found == value).all()):
                    continue
                first = float(found.flatten()[0])
                kind = "uninitialised-memory" if lab.mentions("empty") else "affine-initialised-wrong"
                lab.fail(
                    f"{target}({d_model}): {name} starts as {first:.4g}, …, expected all {value:g}",
                    f"{target}({d_model})：{name} 的初始值是 {first:.4g}…，应全为 {value:g}",
                    fault=kind,
                )


# -- LayerNorm --------------------------------------------------------------------------------------


def test_normalises_last_axis(lab: Lab) -> None:
    """Each vector is normalised by its own mean and variance, then scaled and shifted"""
    for shape in ((2, 3, 6), (4, 2, 9), (3, 7, 4), (1, 5, 8)):
        x = features(100 + shape[-1], *shape)
        lab.agrees(ln("n", f"input {shape}", f"输入 {shape}", x))
    one = features(101, 2, 1, 6)
    lab.agrees(ln("n", "a sequence of one", "长度为一的序列", one))
    lab.agrees(ln("n", "vectors with one large feature", "含一个很大特征的向量", outlier(102, 256)))


def test_equal_sizes(lab: Lab) -> None:
    """The result is right when all sizes are equal"""
    for shape in ((4, 4, 4), (5, 5), (3, 3, 3, 3)):
        lab.agrees(ln("e", f"input {shape}", f"输入 {shape}", features(110, *shape)))


def test_any_leading_dimensions(lab: Lab) -> None:
    """Any number of leading dimensions works, also none"""
    for shape in ((6,), (5, 6), (2, 3, 6), (2, 3, 4, 6), (1, 2, 1, 2, 6)):
        lab.agrees(ln("l", f"input {shape}", f"输入 {shape}", features(120, *shape)))


def test_biased_variance(lab: Lab) -> None:
    """The variance is divided by d_model, which shows when d_model is small"""
    for d_model in (2, 3, 5):
        words = f"d_model = {d_model}", f"d_model = {d_model}"
        lab.agrees(ln("b", *words, features(130 + d_model, 3, 4, d_model)))


def test_eps_inside_the_root(lab: Lab) -> None:
    """eps is added to the variance inside the square root, and is the eps that was given"""
    for eps in (0.5, 0.03, 1e-3):
        lab.agrees(ln("p", f"eps = {eps}", f"eps = {eps}", features(140, 2, 3, 6), eps=eps))
        for first, en, zh in ORDERS:
            x, init = features(141, 2, 3, 6), {"norm_first": first, "eps": eps}
            lab.agrees(add("p", f"{en} with eps = {eps}", f"{zh}，eps = {eps}", x, linear(1, 6), init=init))
    settings_by_position(lab)
    small = features(142, 2, 3, 6, spread=2e-3, offset=0.01)
    lab.agrees(ln("p", "a small variance and the default eps", "方差很小，使用默认的 eps", small))


# -- AddNorm ----------------------------------------------------------------------------------------


def test_post_norm(lab: Lab) -> None:
    """post-LN: the sum of x and the sublayer's output is normalised"""
    for shape in ((2, 3, 6), (4, 4, 4), (5, 6), (2, 2, 3, 6)):
        words = f"post-LN on input {shape}", f"Post-LN，输入 {shape}"
        x = features(150, *shape)
        lab.agrees(add("o", *words, x, linear(11, shape[-1]), init={}))
        lab.agrees(add("o", *words, x, stretch(-0.7, 0.4), init={"norm_first": False}))


def test_pre_norm(lab: Lab) -> None:
    """pre-LN: the sublayer sees the normalised x, and x itself is added back"""
    for shape in ((2, 3, 6), (4, 4, 4), (5, 6), (2, 2, 3, 6)):
        words = f"pre-LN on input {shape}", f"Pre-LN，输入 {shape}"
        x = features(160, *shape)
        lab.agrees(add("r", *words, x, linear(12, shape[-1]), init=PRE))
        lab.agrees(add("r", *words, x, stretch(-0.7, 0.4), init=PRE))


def test_sublayer_called_once(lab: Lab) -> None:
    """The sublayer is called once, with one tensor, and is not registered as a submodule"""
    for first, en, zh in ORDERS:
        for as_module in (False, True):
            x, sublayer = features(170, 2, 3, 6), linear(13, 6, as_module=as_module)
            probe = add("c", f"{en}", f"{zh}", x, sublayer, init={"norm_first": first})
            seen = lab.observe(probe)
            told = told_by_the_error(seen)
            if told is not None and seen.error is not None:
                words = Text.same(seen.error.message.splitlines()[0][:200])
                raise CheckFailed(
                    Text(f"{en}: {words.en}", f"{zh}：{words.zh}"), fault=told, seen=seen, target="AddNorm"
                )
            lab.must_work(seen, probe.title)
            times = seen.calls[0]["times"] if seen.calls else 0
            if times != 1:
                lab.fail(
                    f"{en}: the sublayer was called {times} times, expected once",
                    f"{zh}：子层被调用了 {times} 次，应为一次",
                    fault="sublayer-called-twice" if times > 1 else None,
                    line=line_of_call(lab, probe) if times > 1 else None,
                )
            if seen.registered:
                lab.fail(
                    f"{en}: the sublayer became a submodule, so its parameters appear in the state dict",
                    f"{zh}：子层成了子模块，它的参数会出现在 state_dict 里",
                    fault="sublayer-registered",
                )


def test_dropout_on_sublayer(lab: Lab) -> None:
    """Dropout acts on the sublayer's output, in training only"""
    for first, en, zh in ORDERS:
        x, sublayer = features(180, 2, 3, 6), linear(14, 6)
        for train in (True, False):
            mode_en, mode_zh = ("training", "训练") if train else ("eval", "eval ")
            words = f"{en} in {mode_en} mode with dropout = 1", f"{mode_zh}模式下的 {zh}，dropout = 1"
            init = {"norm_first": first, "dropout": 1.0}
            probe = add("d", *words, x, sublayer, init=init, train=train)
            if train:
                something_dropped(lab, probe)
            lab.agrees(probe)
    x = features(182, 4, 20, 16)
    words = "pre-LN in training without a dropout rate", "训练模式下不传 dropout 的 Pre-LN"
    probe = add("d", *words, x, stretch(0.0, 3.0), init=PRE, train=True)
    seen = lab.observe(probe)
    same = isinstance(seen.value, Tensor) and seen.value.shape == x.shape
    if same and bool(((seen.value - x).abs() < 1e-9).any()):
        lab.fail(
            f"{words[0]}: something was dropped, the default rate is 0",
            f"{words[1]}：有值被丢弃，而默认的比例是 0",
            fault="dropout-default-wrong",
        )
    survivors_are_scaled(lab)
    survivors_before_the_norm(lab)


# -- behaviour --------------------------------------------------------------------------------------


def test_inputs_unchanged(lab: Lab) -> None:
    """The arguments are not changed in place"""
    probes = [ln("u", "LayerNorm", "LayerNorm", features(190, 2, 3, 6))]
    for first, en, zh in ORDERS:
        probes.append(add("u", en, zh, features(191, 2, 3, 6), linear(15, 6), init={"norm_first": first}))
    for probe in probes:
        seen = lab.observe(probe)
        lab.must_work(seen, probe.title)
        if seen.changed:
            lab.fail(
                f"{probe.title.en}: the call changed x in place",
                f"{probe.title.zh}：调用就地修改了 x",
            )


def test_gradients(lab: Lab) -> None:
    """Gradients flow to x, weight and bias, and are right"""
    lab.agrees(ln("g", "the gradient of LayerNorm", "LayerNorm 的梯度", features(200, 2, 3, 6), grad=True))
    for first, en, zh in ORDERS:
        words = f"the gradient of {en}", f"{zh} 的梯度"
        x, init = features(201, 2, 3, 6), {"norm_first": first}
        lab.agrees(add("g", *words, x, linear(16, 6), init=init, grad=True))
        learns_in_training(lab, add("g", en, zh, x, linear(16, 6), init=init))


def test_keeps_dtype(lab: Lab) -> None:
    """The result has the dtype of the input, and its accuracy"""
    for dtype in (torch.float32, torch.float64):
        name = str(dtype).removeprefix("torch.")
        x = features(210, 2, 3, 6, dtype=dtype)
        lab.agrees(ln("t", f"{name} input", f"{name} 输入", x))
        for first, en, zh in ORDERS:
            words = f"{en} on {name} input", f"{zh}，{name} 输入"
            lab.agrees(add("t", *words, x, linear(17, 6), init={"norm_first": first}))


def test_non_contiguous(lab: Lab) -> None:
    """Transposed, sliced and expanded inputs work"""
    inputs = (
        ("transposed input", "转置得到的输入", features(220, 3, 2, 6).transpose(0, 1)),
        ("features that are not adjacent", "特征不相邻的输入", features(221, 2, 6, 5).transpose(1, 2)),
        ("sliced input", "切片得到的输入", features(222, 2, 3, 12)[..., ::2]),
        ("expanded input", "扩展得到的输入", features(223, 1, 3, 6).expand(4, -1, -1)),
    )
    for en, zh, x in inputs:
        lab.agrees(ln("c", en, zh, x))
        for first, order_en, order_zh in ORDERS:
            words = f"{order_en} on {en}", f"{order_zh}，{zh}"
            lab.agrees(add("c", *words, x, stretch(0.5, 1.0), init={"norm_first": first}))


@quick
@given(data=st.data())
def test_any_shapes(lab: Lab, data: st.DataObject) -> None:
    """It agrees with the definition on random shapes, values of eps, and inputs"""
    lead = tuple(data.draw(st.lists(st.integers(1, 4), max_size=3), label="leading dimensions"))
    d_model = data.draw(st.integers(2, 9), label="d_model")
    eps = data.draw(st.sampled_from([1e-5, 1e-3, 0.1]), label="eps")
    spread = data.draw(st.sampled_from([0.05, 1.0, 20.0]), label="spread")
    x = features(data.draw(st.integers(0, 99), label="seed"), *lead, d_model, spread=spread, offset=0.1)
    shape = tuple(x.shape)
    lab.agrees(ln("h", f"input {shape}, eps = {eps}", f"输入 {shape}，eps = {eps}", x, eps=eps, condition=50))
    first, en, zh = data.draw(st.sampled_from(ORDERS), label="order")
    words = f"{en} on input {shape}, eps = {eps}", f"{zh}，输入 {shape}，eps = {eps}"
    lab.agrees(add("h", *words, x, stretch(0.8, -0.3), init={"norm_first": first, "eps": eps}, condition=50))


def test_behaves(lab: Lab) -> None:
    """Two identical calls agree, and no global setting is changed"""
    lab.behaves(ln("y", "LayerNorm", "LayerNorm", features(230, 2, 3, 6)))
    for first, en, zh in ORDERS:
        x, init = features(231, 2, 3, 6), {"norm_first": first}
        lab.behaves(add("y", en, zh, x, linear(18, 6), init=init))
    one_object_again(lab)


# -- edges ------------------------------------------------------------------------------------------


def test_constant_row(lab: Lab) -> None:
    """A vector of equal features gives bias, not NaN"""
    x = torch.tensor([2.5, 0.0, -3.0]).unsqueeze(-1).expand(3, 6).contiguous()
    lab.agrees(ln("k", "vectors of equal features", "所有特征都相等的向量", x, condition=600, grad=True))
    lab.agrees(ln("k", "a vector of zeros", "全零向量", torch.zeros(2, 6)))


def test_large_mean(lab: Lab) -> None:
    """In float32 a vector of mean 1e4 and spread 1 is right to 2e-2"""
    for d_model in (8, 16):
        words = "float32 vectors of mean 1e4", "均值为 1e4 的 float32 向量"
        lab.agrees(ln("m", *words, far(240 + d_model, d_model), condition=1e4))


def test_half_precision(lab: Lab) -> None:
    """float16 and bfloat16 work, keep their dtype, and squares do not overflow"""
    title = Text("float16 input with one large feature", "含一个大特征的 float16 输入")
    for dtype in (torch.float16, torch.bfloat16):
        name = str(dtype).removeprefix("torch.")
        x = features(250, 2, 3, 8, dtype=dtype)
        lab.agrees(ln("q", f"{name} input", f"{name} 输入", x))
        for first, en, zh in ORDERS:
            words = f"{en} on {name} input", f"{zh}，{name} 输入"
            lab.agrees(add("q", *words, x, stretch(0.5, 0.25), init={"norm_first": first}))
    lab.agrees(ln("q", title.en, title.zh, large_half(251)))
    for dtype in (torch.float16, torch.bfloat16):
        statistics_fit(lab, long_rows(dtype))
