"""Pictures made by hand."""

from __future__ import annotations

from grader.marking.picture import FUTURE, PADDING, Picture
from grader.pictures.records import Pictures, RangeLine
from grader.text import Text

__all__ = ["INFLUENCE", "LEAKING", "PICTURES", "SUMS", "TABLE"]

QUERY, KEY = Text("query", "查询"), Text("key", "键")
CAUSAL = Text("Weights with a causal mask", "因果掩码下的权重")
LEAKING = Picture(
    CAUSAL,
    "weights",
    ("1", "2", "3"),
    ("1", "2", "3"),
    QUERY,
    KEY,
    ((1.0, 0.0, 0.0), (0.25, 0.75, 0.0), (0.5, 0.5, 0.0)),
    ((0.875, 0.1, 0.025), (0.25, 0.75, 0.0), (0.25, 0.25, 0.5)),
    (("", FUTURE, FUTURE), ("", "", FUTURE), ("", "", PADDING)),
)
SUMS = Picture(
    CAUSAL,
    "weights",
    ("1", "2"),
    ("1", "2"),
    QUERY,
    KEY,
    ((1.0, 0.0), (0.4, 0.6)),
    ((0.3, 0.0), (0.7, 1.0)),
    (("", FUTURE), ("", "")),
    Text("head 2", "第 2 头"),
)
INFLUENCE = Picture(
    Text("How a token's result changes with another token", "一个词元的结果随其他词元如何变化"),
    "influence",
    ("1", "2"),
    ("1", "pad"),
    Text("token", "词元"),
    Text("changed token", "被改变的词元"),
    ((4.0, 0.0), (0.5, 0.0)),
    ((4.0, 1e-9), (0.5, float("nan"))),
    (("", PADDING), ("", PADDING)),
)
TABLE = Picture(
    Text.same("sinusoidal_table(3, 12)"),
    "values",
    ("0", "1", "2"),
    tuple(map(str, range(12))),
    Text("position", "位置"),
    Text("feature", "特征"),
    tuple(tuple((-1) ** (r + c) / (c + 1) for c in range(12)) for r in range(3)),
    tuple(tuple((-1) ** (r + c) / (c + 1) + 1e-9 for c in range(12)) for r in range(3)),
)
SOURCE = "\n".join(f"line_{n} = {n}  # <b>&amp;" for n in range(1, 31))
PICTURES = Pictures(
    {"attention": (LEAKING, SUMS, TABLE)},
    {
        "attention": (
            RangeLine("attention.py", 12, "scores = query @ key.mT", "scores", "B=2 L=5", -10.5, 6.9),
            RangeLine(
                "attention.py",
                13,
                "weights = scores.softmax(-1)",
                "softmax",
                "B=2 L=5",
                0.0,
                1.0,
                nans=3,
                infs=1,
                marked=True,
                note=Text("too large", "太大"),
            ),
            RangeLine("attention.py", 14, "return None", "", "", None, None),
        )
    },
    {"attention.py": SOURCE},
)
