"""The calls that tell the faults of layer normalisation apart.

Gains and biases are random, widths small (so that d_model and d_model - 1 differ by much), no two
sizes equal except where that is the point, and eps is large enough to be seen: a fifth of the
variance in some probes, the default on rows of small variance in others.  Means are moderate, so that
E[x^2] - E[x]^2 is accurate enough everywhere but at the edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.layer_norm.inputs import (
    far,
    features,
    large_half,
    linear,
    outlier,
    same,
    squashed,
    state_of,
    stretch,
)
from grader.submission.client import Callback
from grader.text import Text

__all__ = [
    "PRE",
    "PROBES",
    "add",
    "far",
    "features",
    "large_half",
    "linear",
    "ln",
    "outlier",
    "same",
    "squashed",
    "stretch",
]

SMALL = 2e-3


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def ln(
    name: str,
    en: str,
    zh: str,
    x: Tensor,
    *,
    eps: float | None = None,
    train: bool = False,
    grad: bool = False,
    tier: str = "core",
    condition: float = 4.0,
) -> Probe:
    """A call of LayerNorm; `eps` None leaves the default."""
    d_model = x.shape[-1]
    init: dict[str, Any] = {"d_model": d_model} | ({} if eps is None else {"eps": eps})
    return Probe(
        name,
        "LayerNorm",
        Text(en, zh),
        (x,),
        init=init,
        state=state_of(d_model + 7, d_model),
        train=train,
        dtype=_name(x.dtype),
        grad=grad,
        tier=tier,
        condition=condition,
    )


def add(
    name: str,
    en: str,
    zh: str,
    x: Tensor,
    sublayer: Callback,
    *,
    init: Mapping[str, Any],
    train: bool = False,
    grad: bool = False,
    tier: str = "core",
    condition: float = 8.0,
) -> Probe:
    """A call of AddNorm; `init` holds the settings besides d_model."""
    d_model = x.shape[-1]
    return Probe(
        name,
        "AddNorm",
        Text(en, zh),
        (x, sublayer),
        init={"d_model": d_model, **init},
        state=state_of(d_model + 9, d_model),
        train=train,
        dtype=_name(x.dtype),
        grad=grad,
        tier=tier,
        condition=condition,
    )


def made(name: str, target: str, init: Mapping[str, Any]) -> Probe:
    """What the state dict holds after construction."""
    words = f"the state dict of {target}", f"{target} 的 state_dict"
    return Probe(name, target, Text(*words), None, init=init)


PRE = {"norm_first": True}
POST = {"norm_first": False}

LAYER_NORM: tuple[Probe, ...] = (
    made("layout", "LayerNorm", {"d_model": 6, "eps": 0.1}),
    ln("plain", "three-dimensional input", "三维输入", features(1, 2, 3, 6), eps=0.4, grad=True),
    ln("wide-eps", "eps = 0.7", "eps = 0.7", features(2, 3, 5, 4), eps=0.7),
    ln(
        "small",
        "features of small variance and the default eps",
        "方差很小的特征和默认的 eps",
        features(3, 2, 3, 6, spread=SMALL, offset=0.02),
    ),
    ln("flat", "one vector", "单个向量", features(4, 6), eps=0.3),
    ln(
        "two",
        "two-dimensional input in training",
        "训练模式下的二维输入",
        features(5, 5, 6),
        eps=0.3,
        train=True,
    ),
    ln("outlier", "vectors with one large feature", "含一个很大特征的向量", outlier(15), eps=0.3),
    ln("four", "four-dimensional input", "四维输入", features(6, 2, 3, 4, 6), eps=0.3),
    ln("cube", "input (4, 4, 4)", "输入 (4, 4, 4)", features(7, 4, 4, 4), eps=0.3),
    ln("square", "input (5, 5)", "输入 (5, 5)", features(8, 5, 5), eps=0.3),
    ln(
        "turned",
        "transposed input",
        "转置得到的输入",
        features(14, 3, 2, 6).transpose(0, 1),
        eps=0.3,
    ),
    ln("float32", "float32 input", "float32 输入", features(9, 2, 3, 6, dtype=torch.float32), eps=0.3),
    ln(
        "bfloat16-kind",
        "bfloat16 input",
        "bfloat16 输入",
        features(10, 2, 3, 6, dtype=torch.bfloat16),
        eps=0.3,
        tier="tie",
    ),
    ln(
        "constant",
        "vectors of equal features",
        "所有特征都相等的向量",
        torch.full((2, 6), 2.5),
        tier="edge",
        condition=600,  # a rounding error of the mean is divided by the root of eps
    ),
    ln(
        "constant-grad",
        "the gradient at vectors of equal features",
        "所有特征都相等的向量处的梯度",
        torch.full((2, 6), 2.5),
        tier="edge",
        grad=True,
        condition=600,
    ),
    ln(
        "far",
        "float32 vectors of mean 1e4",
        "均值为 1e4 的 float32 向量",
        far(11),
        tier="edge",
        condition=1e4,
    ),
    ln("half", "float16 input", "float16 输入", features(12, 3, 6, dtype=torch.float16), tier="edge"),
    ln(
        "half-large",
        "float16 input with one large feature",
        "含一个大特征的 float16 输入",
        large_half(13),
        tier="edge",
    ),
)

ADD_NORM: tuple[Probe, ...] = (
    made("add-layout", "AddNorm", {"d_model": 6, "dropout": 0.1, "norm_first": True, "eps": 0.1}),
    add(
        "post",
        "post-LN with a sublayer that ends in tanh",
        "Post-LN，以 tanh 结尾的子层",
        features(21, 2, 3, 6),
        squashed(1, 6),
        init={"eps": 0.4},
        grad=True,
    ),
    add(
        "pre",
        "pre-LN with a sublayer that ends in tanh",
        "Pre-LN，以 tanh 结尾的子层",
        features(22, 2, 3, 6),
        squashed(2, 6),
        init=PRE | {"eps": 0.4},
        grad=True,
    ),
    add(
        "post-small",
        "post-LN on features of small variance, with the default eps",
        "Post-LN，方差很小的特征，默认的 eps",
        features(23, 3, 5, 4, spread=SMALL, offset=0.02),
        stretch(0.5, 0.01),
        init=POST,
    ),
    add(
        "post-cube",
        "post-LN on input (4, 4, 4)",
        "Post-LN，输入 (4, 4, 4)",
        features(26, 4, 4, 4),
        linear(3, 4),
        init={"eps": 1.6},
    ),
    add(
        "post-turned",
        "post-LN on transposed input",
        "输入为转置所得的 Post-LN",
        features(27, 3, 2, 6).transpose(0, 1),
        linear(4, 6),
        init={"eps": 0.3},
    ),
    add(
        "post-same",
        "post-LN with a sublayer that returns its input",
        "Post-LN，原样返回输入的子层",
        features(34, 2, 3, 6),
        same(),
        init={"eps": 1.6},
    ),
    add(
        "post-dropout",
        "post-LN in training with dropout = 1",
        "训练模式下的 Post-LN，dropout = 1",
        features(28, 2, 3, 6),
        linear(5, 6),
        init={"dropout": 1.0, "eps": 0.3},
        train=True,
    ),
    add(
        "pre-dropout",
        "pre-LN in training with dropout = 1",
        "训练模式下的 Pre-LN，dropout = 1",
        features(29, 2, 3, 6),
        linear(6, 6),
        init=PRE | {"dropout": 1.0, "eps": 0.3},
        train=True,
        tier="tie",  # it hides everything but the residual: see `test_dropout_on_sublayer`
    ),
    add(
        "post-train",
        "post-LN in training with dropout = 0",
        "训练模式下的 Post-LN，dropout = 0",
        features(33, 2, 3, 6),
        linear(9, 6),
        init={"dropout": 0.0, "eps": 0.3},
        train=True,
    ),
    add(
        "post-eval",
        "post-LN in eval mode with dropout = 1",
        "eval 模式下的 Post-LN，dropout = 1",
        features(30, 2, 3, 6),
        linear(7, 6),
        init={"dropout": 1.0, "eps": 0.3},
    ),
    add(
        "pre-eval",
        "pre-LN in eval mode with dropout = 1",
        "eval 模式下的 Pre-LN，dropout = 1",
        features(31, 2, 3, 6),
        linear(8, 6),
        init=PRE | {"dropout": 1.0, "eps": 0.3},
    ),
    add(
        "post-bfloat16",
        "post-LN on bfloat16 input",
        "bfloat16 输入的 Post-LN",
        features(32, 2, 3, 6, dtype=torch.bfloat16),
        stretch(0.5, 0.25),
        init={"eps": 0.3},
        tier="tie",
    ),
)

PROBES: tuple[Probe, ...] = LAYER_NORM + ADD_NORM
