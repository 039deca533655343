"""The hidden suite of exercise 1.  The first line of each docstring is what the learner reads."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.exercises.attention.numerics import NUMERICS
from grader.exercises.attention.probes import DROP, TARGET, case, low_logits, random_mask, tensors
from grader.exercises.devices import stays_on_device
from grader.exercises.properties import quick
from grader.exercises.rounding import under_autocast
from grader.marking.lab import Lab
from grader.text import Text

HEADS = (2, 3)


def test_scales_by_sqrt_d_k(lab: Lab) -> None:
    """The scores are divided by the square root of the key's width"""
    for d_k in (4, 9, 16):
        lab.agrees(
            case("s", f"d_k = {d_k}", f"d_k = {d_k}", tensors(100 + d_k, (2,), d_k=d_k)), parts=["weights"]
        )
    for d_k in (2, 6, 13):  # no squares: to the accuracy of a root that is taken in float32
        args = tensors(100 + d_k, (2,), d_k=d_k, dtype=torch.float32)
        lab.agrees(case("s", f"d_k = {d_k}", f"d_k = {d_k}", args), parts=["weights"])


def test_weights_sum_to_one(lab: Lab) -> None:
    """Each query's weights sum to one over the keys"""
    title = Text("weights without a mask", "没有掩码时的权重")
    seen = lab.observe(case("w", title.en, title.zh, tensors(110, HEADS)))
    lab.must_work(seen, title)
    weights = lab.unpacked(seen, TARGET, title)[1]
    right = lab.right(case("w", title.en, title.zh, tensors(110, HEADS))).seen.value[1]
    if getattr(weights, "shape", None) != right.shape:
        lab.near("weights", weights, right, title=title)
    sums = weights.sum(dim=-1)
    lab.near("weights.sum(-1)", sums, torch.ones_like(sums), title=title)


def test_output_and_weights(lab: Lab) -> None:
    """Output and weights are right when no two sizes are equal"""
    lab.agrees(case("o", "sizes (2, 3, 4, 5)", "大小为 (2, 3, 4, 5)", tensors(111, HEADS)))
    lab.agrees(case("o", "one query, one key", "一个查询、一个键", tensors(112, (2,), 1, 1)))
    lab.agrees(case("o", "one query, many keys", "一个查询、多个键", tensors(113, (1,), 1, 9)))


def test_equal_sizes(lab: Lab) -> None:
    """Output and weights are right when all sizes are equal"""
    lab.agrees(case("e", "sizes (4, 4, 4)", "大小为 (4, 4, 4)", tensors(114, (4,), 4, 4, 4, 4)))
    lab.agrees(case("e", "sizes (4, 4, 4, 4)", "大小为 (4, 4, 4, 4)", tensors(115, (4, 4), 4, 4, 4, 4)))


def test_any_leading_dimensions(lab: Lab) -> None:
    """Any number of leading dimensions works, also none"""
    for lead in ((), (2,), (2, 3), (2, 1, 3), (1, 2, 1, 2)):
        words = f"leading dimensions {lead}", f"前导维度 {lead}"
        lab.agrees(case("l", *words, tensors(120 + len(lead), lead)))


def test_mask_forbids(lab: Lab) -> None:
    """A forbidden key gets weight exactly zero, and the rest still sum to one"""
    lab.agrees(case("m", "a boolean mask", "布尔掩码", tensors(130, HEADS), mask=random_mask(1, 2, 3, 4, 5)))
    lab.agrees(
        case("m", "a causal mask", "因果掩码", tensors(131, HEADS, 5), mask=torch.ones(5, 5).tril().bool())
    )


def test_mask_broadcasts(lab: Lab) -> None:
    """A mask of any shape that broadcasts to (..., L, S) works"""
    for shape in ((4, 5), (1, 5), (2, 1, 4, 5), (2, 1, 1, 5), (3, 4, 5), (1, 3, 1, 5)):
        words = f"a mask of shape {shape}", f"形状为 {shape} 的掩码"
        mask = random_mask(140, *shape, full=False)
        mask[..., 0] = True
        lab.agrees(case("b", *words, tensors(141, HEADS), mask=mask))


def test_mask_leaks_nothing(lab: Lab) -> None:
    """A forbidden key gets no weight even when allowed scores are very low"""
    for seed in (1, 2):
        args, mask = low_logits(150 + seed)
        lab.agrees(
            case("z", "allowed scores near -200", "允许位置的分数接近 -200", args, mask=mask, condition=250)
        )


def test_integer_and_float_masks(lab: Lab) -> None:
    """A 0/1 mask of integers or floats means the same as a boolean one"""
    mask = random_mask(3, 2, 1, 4, 5)
    for dtype in (torch.int64, torch.uint8, torch.float32, torch.float64):
        name = str(dtype).removeprefix("torch.")
        words = f"a mask of dtype {name}", f"dtype 为 {name} 的掩码"
        lab.agrees(case("i", *words, tensors(160, HEADS), mask=mask.to(dtype)))


def test_dropout_on_weights(lab: Lab) -> None:
    """Dropout acts on the weights, after the softmax, and those weights are returned"""
    lab.agrees(case("d", "a dropout callable", "传入 dropout 函数", tensors(170, HEADS), dropout=DROP))
    lab.agrees(
        case(
            "d",
            "a dropout callable and a mask",
            "同时传入 dropout 函数和掩码",
            tensors(171, HEADS),
            mask=random_mask(4, 4, 5),
            dropout=DROP,
        )
    )
    words = "one key and a dropout callable", "一个键，并传入 dropout 函数"
    lab.agrees(case("d", *words, tensors(172, HEADS, 4, 1), dropout=DROP))


def test_inputs_unchanged(lab: Lab) -> None:
    """The arguments are not changed in place"""
    mask = random_mask(5, 2, 3, 4, 5)
    for kind in (mask, mask.double()):
        seen = lab.observe(case("u", "a mask", "带掩码的调用", tensors(180, HEADS), mask=kind))
        lab.must_work(seen, Text("a call with a mask", "带掩码的调用"))
        if seen.changed:
            names = ("query", "key", "value", "mask", "dropout")
            which = ", ".join(names[int(c)] if c.isdigit() else c for c in seen.changed)
            lab.fail(f"the call changed {which} in place", f"调用就地修改了 {which}")


def test_gradients(lab: Lab) -> None:
    """Gradients flow to query, key and value"""
    lab.agrees(case("g", "no mask", "没有掩码", tensors(190, HEADS), grad=True))
    lab.agrees(case("g", "a mask", "带掩码", tensors(191, HEADS), mask=random_mask(6, 4, 5), grad=True))
    words = "a dropout callable", "传入 dropout 函数"
    lab.agrees(case("g", *words, tensors(192, HEADS), dropout=DROP, grad=True))


def test_keeps_dtype(lab: Lab) -> None:
    """The result has the dtype of the input, and its accuracy"""
    for dtype in (torch.float32, torch.float64):
        name = str(dtype).removeprefix("torch.")
        args = tensors(200, HEADS, dtype=dtype)
        lab.agrees(case("t", f"{name} input", f"{name} 输入", args))
        lab.agrees(
            case("t", f"{name} input, masked", f"带掩码的 {name} 输入", args, mask=random_mask(7, 4, 5))
        )


def test_behaves(lab: Lab) -> None:
    """Two identical calls agree, and no global setting is changed"""
    words = "the same call, twice", "相同的调用两次"
    lab.behaves(case("b", *words, tensors(205, HEADS), mask=random_mask(10, 4, 5)))


def test_non_contiguous(lab: Lab) -> None:
    """Transposed, sliced and expanded inputs work"""
    query, key, value = tensors(210, (2, 3))
    apart = tuple(t.transpose(1, 2).contiguous().transpose(1, 2) for t in (query, key, value))
    lab.agrees(case("n", "transposed input", "转置得到的输入", apart))
    wide = tensors(211, (2, 3), 4, 5, 18, 14)
    lab.agrees(case("n", "sliced input", "切片得到的输入", tuple(t[..., ::2] for t in wide)))
    one = tensors(212, (1,))
    lab.agrees(case("n", "expanded input", "扩展得到的输入", tuple(t.expand(3, -1, -1) for t in one)))


@quick
@given(data=st.data())
def test_any_shapes(lab: Lab, data: st.DataObject) -> None:
    """It agrees with the definition on random shapes, masks and values"""
    lead = tuple(data.draw(st.lists(st.integers(1, 3), max_size=3), label="leading dimensions"))
    L, S, d_v = (data.draw(st.integers(1, 7), label=n) for n in ("L", "S", "d_v"))
    d_k = data.draw(st.sampled_from([1, 4, 9, 16]), label="d_k")  # exact roots: see the contract
    masked = data.draw(st.booleans(), label="masked")
    args = tensors(data.draw(st.integers(0, 99), label="seed"), lead, L, S, d_k, d_v)
    mask = None
    if masked:
        mask = random_mask(data.draw(st.integers(0, 99), label="mask"), *lead, L, S, full=False)
        mask[..., -1] = True
    shapes = f"query {tuple(args[0].shape)}, key {tuple(args[1].shape)}, value {tuple(args[2].shape)}"
    lab.agrees(
        case(
            "h",
            shapes + (", with a mask" if masked else ""),
            shapes + ("，带掩码" if masked else ""),
            args,
            mask=mask,
            condition=50,
        )
    )


# -- edges ------------------------------------------------------------------------------------------


def _with_empty_rows() -> torch.Tensor:
    mask = random_mask(8, 2, 3, 4, 5)
    mask[0, :, 2] = False
    mask[1, 1] = False
    return mask


def test_fully_masked_row(lab: Lab) -> None:
    """A query that may attend to nothing gets zero weights and a zero output"""
    lab.agrees(case("f", "a fully masked row", "整行被屏蔽", tensors(220, HEADS), mask=_with_empty_rows()))
    nothing = torch.zeros(4, 5, dtype=torch.bool)
    lab.agrees(
        case("f", "a mask that forbids everything", "全部禁止的掩码", tensors(222, HEADS), mask=nothing)
    )


def test_fully_masked_row_gradient(lab: Lab) -> None:
    """A query that may attend to nothing gives no NaN gradients"""
    lab.agrees(
        case(
            "f",
            "the gradient with a fully masked row",
            "整行被屏蔽时的梯度",
            tensors(221, HEADS),
            mask=_with_empty_rows(),
            grad=True,
        )
    )


def test_half_precision(lab: Lab) -> None:
    """float16 and bfloat16 work with a mask and keep their dtype"""
    for dtype in (torch.float16, torch.bfloat16):
        name = str(dtype).removeprefix("torch.")
        args = tensors(230, HEADS, dtype=dtype, spread=0.7)
        words = f"{name} input with a mask", f"带掩码的 {name} 输入"
        lab.agrees(case("p", *words, args, mask=random_mask(9, 4, 5), condition=3.0))


def test_autocast(lab: Lab) -> None:
    """Under autocast to bfloat16 it works with a mask, and is near what float64 gives"""
    under_autocast(lab, NUMERICS.calls[0])


def test_large_scores(lab: Lab) -> None:
    """Scores of magnitude 1e4 give no NaN"""
    query, key, value = tensors(240, HEADS)
    lab.agrees(case("q", "scores near 1e4", "分数接近 1e4", (query * 80, key * 80, value), condition=2e4))
    args, mask = low_logits(241)
    words = "allowed scores a thousand below the forbidden", "允许位置的分数比被屏蔽位置低一千"
    lab.agrees(case("q", *words, (args[0] * 8, args[1], args[2]), mask=mask, condition=2000))


def test_stays_on_device(lab: Lab) -> None:
    """Nothing is made on the CPU when the input is on another device"""
    args = tensors(250, HEADS, 6, 7, 4, 5)
    for en, zh, mask in (
        ("no mask", "没有掩码", None),
        ("a boolean mask", "布尔掩码", random_mask(251, 6, 7)),
        ("a 0/1 float mask", "0/1 浮点掩码", random_mask(252, 2, 1, 6, 7).double()),
    ):
        kwargs = {} if mask is None else {"mask": mask}
        seen = lab.client.call(TARGET, args, kwargs, elsewhere=True)
        title = Text(f"on another device, {en}", f"在其他设备上，{zh}")
        stays_on_device(lab, TARGET, seen, title, "device-hard-coded")
