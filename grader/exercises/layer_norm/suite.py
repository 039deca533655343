"""The hidden suite of exercise 5.  The first line of each docstring is what the learner reads."""

from __future__ import annotations

from functools import cache

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.in_training import learns_in_training
from grader.exercises.layer_norm.judging import (
    half_dropped,
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
    same,
    squashed,
    stretch,
)
from grader.exercises.properties import tried
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.text import Text

TARGETS = ("LayerNorm", "AddNorm")
ORDERS = ((False, "post-LN", "Post-LN"), (True, "pre-LN", "Pre-LN"))


# -- calls that several checks look at: each is made once ---------------------------------------------


@cache
def norm() -> Probe:
    return ln("n", "input (2, 3, 6)", "输入 (2, 3, 6)", features(106, 2, 3, 6), grad=True)


@cache
def sum_of(first: bool) -> Probe:
    """AddNorm in one of the orders."""
    _, en, zh = ORDERS[first]
    words = f"{en} on input (2, 3, 6)", f"{zh}，输入 (2, 3, 6)"
    x, init = features(201, 2, 3, 6), {"norm_first": first}
    return add("o", *words, x, squashed(16, 6), init=init, grad=True)


@cache
def sum_with_itself() -> Probe:
    """Post-LN with a sublayer that returns its input: x + x.  What is written into it is written into x."""
    words = "post-LN with a sublayer that returns its input", "Post-LN，原样返回输入的子层"
    x = features(150, 2, 2, 3, 6, spread=2e-3, offset=0.01)  # small: the norm of x is another one
    return add("o", *words, x, same(), init={})


def every() -> tuple[Probe, ...]:
    return norm(), sum_of(False), sum_of(True), sum_with_itself()


# -- parameters -------------------------------------------------------------------------------------


def test_parameters(lab: Lab) -> None:
    """weight and bias are the only parameters, of shape (d_model,)"""
    for target in TARGETS:
        made = lab.make(target, init={"d_model": 6})
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
            if list(entry["shape"]) != [6]:
                shape = tuple(entry["shape"])
                lab.fail(
                    f"{target}(6): {name} has shape {shape}, expected (6,)",
                    f"{target}(6)：{name} 的形状是 {shape}，应为 (6,)",
                    fault="affine-wrong-shape" if {*shape} <= {1, 6} else None,
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
        made = lab.make(target, init={"d_model": 9}, values=True, seed=1)
        for name, value in (("weight", 1.0), ("bias", 0.0)):
            found = made.values.get(name)
            if found is None or bool((found == value).all()):
                continue
            first = float(found.flatten()[0])
            kind = "uninitialised-memory" if lab.mentions("empty") else "affine-initialised-wrong"
            lab.fail(
                f"{target}(9): {name} starts as {first:.4g}, …, expected all {value:g}",
                f"{target}(9)：{name} 的初始值是 {first:.4g}…，应全为 {value:g}",
                fault=kind,
            )


# -- LayerNorm --------------------------------------------------------------------------------------


def test_normalises_last_axis(lab: Lab) -> None:
    """Each vector is normalised by its own mean and variance, then scaled and shifted"""
    lab.agrees(norm(), gradients=False)
    lab.agrees(ln("n", "input (1, 5, 6)", "输入 (1, 5, 6)", features(108, 1, 5, 6)))
    one = features(101, 2, 1, 6)
    lab.agrees(ln("n", "a sequence of one", "长度为一的序列", one))
    lab.agrees(ln("n", "vectors with one large feature", "含一个很大特征的向量", outlier(102, 256)))


def test_equal_sizes(lab: Lab) -> None:
    """The result is right when all sizes are equal"""
    for shape in ((4, 4, 4), (4, 4, 4, 4)):
        lab.agrees(ln("e", f"input {shape}", f"输入 {shape}", features(110, *shape)))


def test_any_leading_dimensions(lab: Lab) -> None:
    """Any number of leading dimensions works, also none"""
    for shape in ((6,), (5, 6), (2, 3, 4, 6), (1, 2, 1, 2, 6)):
        lab.agrees(ln("l", f"input {shape}", f"输入 {shape}", features(120, *shape)))
    lab.agrees(norm(), gradients=False)


def test_biased_variance(lab: Lab) -> None:
    """The variance is divided by d_model, which shows when d_model is small"""
    for d_model in (2, 3):
        words = f"d_model = {d_model}", f"d_model = {d_model}"
        lab.agrees(ln("b", *words, features(130 + d_model, 3, 4, d_model)))


def test_eps_inside_the_root(lab: Lab) -> None:
    """eps is added to the variance inside the square root, and is the eps that was given"""
    lab.agrees(ln("p", "eps = 0.5", "eps = 0.5", features(140, 2, 3, 6), eps=0.5))
    for first, en, zh in ORDERS:
        x, init = features(141, 2, 3, 6), {"norm_first": first, "eps": 0.5}
        lab.agrees(add("p", f"{en} with eps = 0.5", f"{zh}，eps = 0.5", x, linear(1, 6), init=init))
    settings_by_position(lab)
    small = features(142, 2, 3, 6, spread=2e-3, offset=0.01)
    lab.agrees(ln("p", "a small variance and the default eps", "方差很小，使用默认的 eps", small))


# -- AddNorm ----------------------------------------------------------------------------------------


def test_post_norm(lab: Lab) -> None:
    """post-LN: the sum of x and the sublayer's output is normalised"""
    lab.agrees(sum_of(False), gradients=False)
    lab.agrees(sum_with_itself(), parts=("result",))  # whether x is still what it was: `inputs_unchanged`
    for shape, sublayer, init in (
        ((5, 6), linear(11, 6), {}),
        ((4, 4, 4), stretch(-0.7, 0.4), {"norm_first": False}),
    ):
        words = f"post-LN on input {shape}", f"Post-LN，输入 {shape}"
        lab.agrees(add("o", *words, features(150, *shape), sublayer, init=init))


def test_pre_norm(lab: Lab) -> None:
    """pre-LN: the sublayer sees the normalised x, and x itself is added back"""
    lab.agrees(sum_of(True), gradients=False)
    for shape, sublayer in (
        ((5, 6), linear(12, 6)),
        ((4, 4, 4), stretch(-0.7, 0.4)),
        ((2, 2, 3, 6), same()),
    ):
        words = f"pre-LN on input {shape}", f"Pre-LN，输入 {shape}"
        lab.agrees(add("r", *words, features(160, *shape), sublayer, init=PRE))


def test_sublayer_called_once(lab: Lab) -> None:
    """The sublayer is called once, with one tensor, and is not registered as a submodule"""
    for first, en, zh in ORDERS:
        plain = sum_of(first)
        x, sublayer = features(170, 2, 3, 6), linear(13, 6, as_module=True)
        for probe in (plain, plain.but(args=(x, sublayer), grad=False)):
            seen = lab.glimpse(probe, gradients=False)
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
        words = f"{en} in training mode with dropout = 1", f"训练模式下的 {zh}，dropout = 1"
        x, init = features(180, 2, 3, 6), {"norm_first": first, "dropout": 1.0}
        probe = add("d", *words, x, linear(14, 6), init=init, train=True)
        something_dropped(lab, probe)
        lab.agrees(probe)
        lab.agrees(half_dropped(first, train=False))
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
    for probe in every():
        seen = lab.glimpse(probe, gradients=False)
        lab.must_work(seen, probe.title)
        if seen.changed:
            lab.fail(
                f"{probe.title.en}: the call changed x in place",
                f"{probe.title.zh}：调用就地修改了 x",
            )


def test_gradients(lab: Lab) -> None:
    """Gradients flow to x, weight and bias, and are right"""
    lab.agrees(norm())
    for first, en, zh in ORDERS:
        lab.agrees(sum_of(first))
        x, init = features(201, 2, 3, 6), {"norm_first": first}
        try:
            learns_in_training(lab, add("g", en, zh, x, squashed(16, 6), init=init))
        except CheckFailed as failure:
            if "inplace operation" in failure.text.en:  # torch's words
                failure.fault = failure.fault or "input-modified"
            raise


def test_keeps_dtype(lab: Lab) -> None:
    """The result has the dtype of the input, and its accuracy"""
    x = features(210, 2, 3, 6, dtype=torch.float32)
    lab.agrees(ln("t", "float32 input", "float32 输入", x))
    for first, en, zh in ORDERS:
        words = f"{en} on float32 input", f"{zh}，float32 输入"
        lab.agrees(add("t", *words, x, linear(17, 6), init={"norm_first": first}))
    for probe in every()[:3]:  # float64
        lab.agrees(probe, gradients=False)


def test_non_contiguous(lab: Lab) -> None:
    """Transposed, sliced and expanded inputs work"""
    inputs = (
        ("transposed input", "转置得到的输入", features(220, 3, 2, 6).transpose(0, 1)),
        ("features that are not adjacent", "特征不相邻的输入", features(221, 2, 6, 5).transpose(1, 2)),
        ("expanded input", "扩展得到的输入", features(223, 1, 3, 6).expand(4, -1, -1)),
        ("sliced input", "切片得到的输入", features(222, 2, 3, 12)[..., ::2]),
    )
    for number, (en, zh, x) in enumerate(inputs):
        lab.agrees(ln("c", en, zh, x))
        first, order_en, order_zh = ORDERS[number % 2]
        words = f"{order_en} on {en}", f"{order_zh}，{zh}"
        lab.agrees(add("c", *words, x, stretch(0.5, 1.0), init={"norm_first": first}))


@tried(
    {"leading dimensions": (), "d_model": 2, "eps": 0.1, "spread": 1.0, "seed": 3, "order": ORDERS[0]},
    {"leading dimensions": (1,), "d_model": 9, "eps": 1e-5, "spread": 0.05, "seed": 17, "order": ORDERS[1]},
    {"leading dimensions": (4, 4), "d_model": 4, "eps": 1e-3, "spread": 20.0, "seed": 40, "order": ORDERS[0]},
    {"leading dimensions": (3, 1, 2), "d_model": 7, "eps": 0.1, "spread": 0.05, "seed": 71}
    | {"order": ORDERS[1]},
)
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
    for probe in every():
        lab.behaves(probe)
    one_object_again(lab)


# -- edges ------------------------------------------------------------------------------------------


def test_constant_row(lab: Lab) -> None:
    """A vector of equal features gives bias, not NaN"""
    x = torch.tensor([2.5, 0.0, -3.0]).unsqueeze(-1).expand(3, 6).contiguous()
    lab.agrees(ln("k", "vectors of equal features", "所有特征都相等的向量", x, condition=600, grad=True))
    lab.agrees(ln("k", "d_model = 1", "d_model = 1", features(240, 2, 3, 1)))


def test_large_mean(lab: Lab) -> None:
    """In float32 a vector of mean 1e4 and spread 1 is right to 2e-2"""
    words = "float32 vectors of mean 1e4", "均值为 1e4 的 float32 向量"
    lab.agrees(ln("m", *words, far(248), condition=1e4))


def test_half_precision(lab: Lab) -> None:
    """float16 and bfloat16 work, keep their dtype, and squares do not overflow"""
    title = Text("float16 input with one large feature", "含一个大特征的 float16 输入")
    for dtype, (first, en, zh) in zip((torch.float16, torch.bfloat16), ORDERS):
        name = str(dtype).removeprefix("torch.")
        x = features(250, 2, 3, 8, dtype=dtype)
        words = f"{en} on {name} input", f"{zh}，{name} 输入"
        lab.agrees(add("q", *words, x, stretch(0.5, 0.25), init={"norm_first": first}))
    lab.agrees(ln("q", title.en, title.zh, large_half(251)))
    for dtype in (torch.float16, torch.bfloat16):
        statistics_fit(lab, long_rows(dtype))
