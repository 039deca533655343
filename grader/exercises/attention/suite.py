"""The hidden suite of exercise 1.  The first line of each docstring is what the learner reads."""

from __future__ import annotations

from functools import cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.diagnosis.model import Probe
from grader.exercises.attention.probes import DROP, TARGET, case, low_logits, random_mask, tensors, with_zeros
from grader.exercises.devices import stays_on_device
from grader.exercises.properties import tried
from grader.marking.lab import Lab
from grader.text import Text

HEADS = (2, 3)


# -- calls that several checks look at: each is made once ---------------------------------------------


@cache
def plain() -> Probe:
    return case("o", "sizes (2, 3, 4, 5)", "大小为 (2, 3, 4, 5)", tensors(111, HEADS), grad=True)


@cache
def wide() -> Probe:
    return case("s", "d_k = 64", "d_k = 64", tensors(116, (2,), d_k=64))


@cache
def masked() -> Probe:
    mask = random_mask(1, 2, 3, 4, 5)
    return case("m", "a boolean mask", "布尔掩码", with_zeros(tensors(130, HEADS)), mask=mask)


@cache
def one_mask() -> Probe:
    words = "a mask of shape (4, 5)", "形状为 (4, 5) 的掩码"
    return case("b", *words, tensors(191, HEADS), mask=random_mask(6, 4, 5), grad=True)


@cache
def number_mask(dtype: torch.dtype) -> Probe:
    name = str(dtype).removeprefix("torch.")
    words = f"a mask of dtype {name}", f"dtype 为 {name} 的掩码"
    mask = random_mask(3, 2, 3 if dtype is torch.float64 else 1, 4, 5)
    return case("i", *words, tensors(160, HEADS), mask=mask.to(dtype))


@cache
def dropping() -> Probe:
    words = "a dropout callable", "传入 dropout 函数"
    return case("d", *words, tensors(192, HEADS), dropout=DROP, grad=True)


@cache
def empty_rows() -> Probe:
    mask = random_mask(8, 2, 3, 4, 5)
    mask[0, :, 2] = False
    mask[1, 1] = False
    return case("f", "a fully masked row", "整行被屏蔽", tensors(221, HEADS), mask=mask, grad=True)


# -- the checks ---------------------------------------------------------------------------------------


def test_scales_by_sqrt_d_k(lab: Lab) -> None:
    """The scores are divided by the square root of the key's width"""
    lab.agrees(wide(), parts=["weights"])
    lab.agrees(case("s", "d_k = 4", "d_k = 4", tensors(109, (2,), d_k=4)), parts=["weights"])
    args = tensors(106, (2,), d_k=6, dtype=torch.float32)  # no square: as accurate as a root in float32
    lab.agrees(case("s", "d_k = 6", "d_k = 6", args), parts=["weights"])


def test_weights_sum_to_one(lab: Lab) -> None:
    """Each query's weights sum to one over the keys"""
    title = Text("weights without a mask", "没有掩码时的权重")
    seen = lab.glimpse(plain(), gradients=False)
    lab.must_work(seen, title)
    weights = lab.unpacked(seen, TARGET, title)[1]
    right = lab.right(plain()).seen.value[1]
    if getattr(weights, "shape", None) != right.shape:
        lab.near("weights", weights, right, title=title)
    sums = weights.sum(dim=-1)
    lab.near("weights.sum(-1)", sums, torch.ones_like(sums), title=title)


def test_output_and_weights(lab: Lab) -> None:
    """Output and weights are right when no two sizes are equal"""
    lab.agrees(plain(), gradients=False)
    lab.agrees(case("o", "one query, one key", "一个查询、一个键", tensors(112, (2,), 1, 1)))
    many = tensors(113, (1,), 1, 9)
    many[1][:, 3] = 0.0  # a key like any other: nothing is padding without a mask
    lab.agrees(case("o", "one query, many keys", "一个查询、多个键", many))


def test_equal_sizes(lab: Lab) -> None:
    """Output and weights are right when all sizes are equal"""
    lab.agrees(case("e", "sizes (4, 4, 4)", "大小为 (4, 4, 4)", tensors(114, (4,), 4, 4, 4, 4)))
    lab.agrees(case("e", "sizes (4, 4, 4, 4)", "大小为 (4, 4, 4, 4)", tensors(115, (4, 4), 4, 4, 4, 4)))


def test_any_leading_dimensions(lab: Lab) -> None:
    """Any number of leading dimensions works, also none"""
    for lead in ((), (2, 1, 3), (1, 2, 1, 2)):
        words = f"leading dimensions {lead}", f"前导维度 {lead}"
        lab.agrees(case("l", *words, tensors(120 + len(lead), lead)))
    lab.agrees(wide())
    lab.agrees(plain(), gradients=False)


def test_mask_forbids(lab: Lab) -> None:
    """A forbidden key gets weight exactly zero, and the rest still sum to one"""
    lab.agrees(masked())
    lab.agrees(
        case("m", "a causal mask", "因果掩码", tensors(131, HEADS, 5), mask=torch.ones(5, 5).tril().bool())
    )


def test_mask_broadcasts(lab: Lab) -> None:
    """A mask of any shape that broadcasts to (..., L, S) works"""
    lab.agrees(one_mask(), gradients=False)
    for shape in ((5,), (2, 1, 4, 5), (2, 1, 1, 5), (3, 4, 5), (1, 3, 1, 5)):
        words = f"a mask of shape {shape}", f"形状为 {shape} 的掩码"
        mask = random_mask(140, *shape, full=False)
        mask[..., 0] = True
        lab.agrees(case("b", *words, tensors(141, HEADS), mask=mask))


def test_mask_leaks_nothing(lab: Lab) -> None:
    """A forbidden key gets no weight even when allowed scores are very low"""
    args, mask = low_logits(151)
    words = "allowed scores near -200", "允许位置的分数接近 -200"
    lab.agrees(case("z", *words, args, mask=mask, condition=250))


def test_integer_and_float_masks(lab: Lab) -> None:
    """A 0/1 mask of integers or floats means the same as a boolean one"""
    for dtype in (torch.int64, torch.uint8, torch.float32, torch.float64):
        lab.agrees(number_mask(dtype))


def test_dropout_on_weights(lab: Lab) -> None:
    """Dropout acts on the weights, after the softmax, and those weights are returned"""
    lab.agrees(dropping(), gradients=False)
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
    for probe in (masked(), number_mask(torch.float64), empty_rows()):
        seen = lab.glimpse(probe, gradients=False)
        at_the_edge = probe is empty_rows()  # which may go wrong: the edges ask for the rest
        if not at_the_edge:
            lab.must_work(seen, Text("a call with a mask", "带掩码的调用"))
        if seen.changed:
            names = ("query", "key", "value", "mask", "dropout")
            which = ", ".join(names[int(c)] if c.isdigit() else c for c in seen.changed)
            fault = "mask-in-place" if at_the_edge else None
            lab.fail(f"the call changed {which} in place", f"调用就地修改了 {which}", fault=fault)


def test_gradients(lab: Lab) -> None:
    """Gradients flow to query, key and value"""
    lab.agrees(plain())
    lab.agrees(one_mask())
    lab.agrees(dropping())


def test_keeps_dtype(lab: Lab) -> None:
    """The result has the dtype of the input, and its accuracy"""
    args = tensors(200, HEADS, dtype=torch.float32)
    lab.agrees(case("t", "float32 input", "float32 输入", args))
    words = "float32 input, masked", "带掩码的 float32 输入"
    lab.agrees(case("t", *words, args, mask=random_mask(7, 4, 5)))
    for probe in (plain(), one_mask()):  # float64
        lab.agrees(probe, gradients=False)


def test_behaves(lab: Lab) -> None:
    """Two identical calls agree, and no global setting is changed"""
    lab.behaves(one_mask())


def test_non_contiguous(lab: Lab) -> None:
    """Transposed, sliced and expanded inputs work"""
    query, key, value = tensors(210, (2, 3))
    apart = tuple(t.transpose(1, 2).contiguous().transpose(1, 2) for t in (query, key, value))
    lab.agrees(case("n", "transposed input", "转置得到的输入", apart))
    twice = tensors(211, (2, 3), 4, 5, 32, 14)
    lab.agrees(case("n", "sliced input", "切片得到的输入", tuple(t[..., ::2] for t in twice)))
    one = tensors(212, (1,))
    lab.agrees(case("n", "expanded input", "扩展得到的输入", tuple(t.expand(3, -1, -1) for t in one)))


@tried(
    {"leading dimensions": (), "L": 1, "S": 1, "d_v": 1, "d_k": 1, "masked": False, "seed": 3},
    {"leading dimensions": (3,), "L": 7, "S": 2, "d_v": 5, "d_k": 16, "masked": True, "seed": 17, "mask": 1},
    {"leading dimensions": (1, 3), "L": 4, "S": 4, "d_v": 4, "d_k": 4, "masked": True, "seed": 40, "mask": 2},
    {"leading dimensions": (2, 3, 1), "L": 1, "S": 6, "d_v": 2, "d_k": 4, "masked": True, "seed": 71}
    | {"mask": 3},
    {"leading dimensions": (2, 2), "L": 2, "S": 7, "d_v": 7, "d_k": 64, "masked": False, "seed": 98},
)
@given(data=st.data())
def test_any_shapes(lab: Lab, data: st.DataObject) -> None:
    """It agrees with the definition on random shapes, masks and values"""
    lead = tuple(data.draw(st.lists(st.integers(1, 3), max_size=3), label="leading dimensions"))
    L, S, d_v = (data.draw(st.integers(1, 7), label=n) for n in ("L", "S", "d_v"))
    d_k = data.draw(st.sampled_from([1, 4, 16, 64]), label="d_k")  # exact roots: see the contract
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


def test_fully_masked_row(lab: Lab) -> None:
    """A query that may attend to nothing gets zero weights and a zero output"""
    lab.agrees(empty_rows(), gradients=False)
    nothing = torch.zeros(4, 5, dtype=torch.bool)
    lab.agrees(
        case("f", "a mask that forbids everything", "全部禁止的掩码", tensors(222, HEADS), mask=nothing)
    )


def test_fully_masked_row_gradient(lab: Lab) -> None:
    """A query that may attend to nothing gives no NaN gradients"""
    lab.agrees(empty_rows())


def test_half_precision(lab: Lab) -> None:
    """float16 and bfloat16 work with a mask and keep their dtype"""
    for dtype in (torch.float16, torch.bfloat16):
        name = str(dtype).removeprefix("torch.")
        args = tensors(230, HEADS, dtype=dtype, spread=0.7)
        words = f"{name} input with a mask", f"带掩码的 {name} 输入"
        lab.agrees(case("p", *words, args, mask=random_mask(9, 4, 5), condition=3.0))


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
