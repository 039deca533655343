"""What is no difference, and what is one."""

from __future__ import annotations

import ast
import random
import time
from collections import Counter

import pytest

from grader.course.similar.clusters import clusters
from grader.course.similar.common import Background, Weights
from grader.course.similar.fragments import fragments
from grader.course.similar.normal import names_of, written
from grader.course.similar.pairs import alike, likeness
from grader.course.similar.veiled import without_words

PUBLIC = frozenset({"query", "key", "value", "W_q", "forward"})


def keys(text: str) -> Counter[int]:
    return fragments(ast.parse(text), PUBLIC).keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("scores = query @ key.mT / 2", "tmp = query @ key.mT / 2  # mine"),
        (
            "import torch.nn.functional as F\nw = F.softmax(s, dim=-1)",
            "from torch.nn import functional\nx = functional.softmax(t, dim=-1)",
        ),
        ("from torch import nn\nm = nn.Linear(3, 4)", "import torch\nq = torch.nn.Linear(3, 4)"),
        ("y = a * b[0] + c.d(1)", "z = c.d(1) + b[0] * a"),
        ("y = f(a[0] > 3, x=1, y=2)", "y = f(3 < a[0], y=2, x=1)"),
        ("def f(x):\n    return g(x[0], 1)", "def f(x):\n    res = g(x[0], 1)\n    return res"),
        ("x: int = g(a[0], 1)", "x = g(a[0], 1)"),
        ("x += g(a[0])", "x = x + g(a[0])"),
        (
            "def f(x):\n    return g(x[0], 1)",
            "def h(x: int) -> int:\n    '''Why.'''\n    print('here')\n    return g(x[0], 1)",
        ),
        ("raise ValueError(f'no {x}')", "raise ValueError('something else')"),
        ("self.W_k2 = g(self.W_q, 1)", "self.other = g(self.W_q, 1)"),
        ("a = g(x[0])\nb = g(y[1])", "b = g(y[1])\na = g(x[0])"),
    ],
)
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert keys(one) == keys(other)
    assert keys(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a = g(x[0], 1)", "a = g(x[0], 2)"),
        ("a = x[0] - y[1]", "a = y[1] - x[0]"),
        ("a = x.view(1, 2)", "a = x.reshape(1, 2)"),
        ("a = self.W_q(x[0])", "a = self.forward(x[0])"),
        ("a = g(b[0] < 3)", "a = g(b[0] <= 3)"),
        ("if g(x[0]):\n    pass", "while g(x[0]):\n    pass"),
    ],
)
def test_a_difference(one: str, other: str) -> None:
    assert keys(one) != keys(other)


def test_methods_of_ones_own_have_no_name() -> None:
    tree = ast.parse("class A:\n    def split(self, x):\n        return self.split(x)")
    call = next(n for n in ast.walk(tree) if isinstance(n, ast.Call))
    assert written(call, names_of(tree, PUBLIC)) == "self._(_)"


def test_lines_of_a_fragment() -> None:
    found = fragments(ast.parse("x = 1\n\ny = g(\n    a[0],\n)\n"), PUBLIC)
    assert {span for spans in found.lines.values() for span in spans} == {(1, 1), (3, 5)}


# -- pairs ------------------------------------------------------------------------------------------


def a_crowd(seed: int) -> list[Counter[int]]:
    draw = random.Random(seed)
    crowd = [Counter(draw.choices(range(400), k=draw.randint(5, 40))) for _ in range(60)]
    for _ in range(12):
        near = Counter(draw.choice(crowd))
        for key in draw.sample(list(near), min(3, len(near))):
            del near[key]
        near.update(draw.choices(range(400, 500), k=draw.randint(0, 6)))
        crowd.append(near)
    return crowd


@pytest.mark.parametrize("share", [0.5, 0.65, 0.8])
@pytest.mark.parametrize("seed", range(5))
def test_no_pair_is_missed(seed: int, share: float) -> None:
    """The same as comparing each with each."""
    crowd = a_crowd(seed)
    among: Counter[int] = Counter()
    for one in crowd:
        among.update(set(one))
    weights = Weights(Background(10, {k: k % 11 for k in range(400)}), len(crowd), among)
    found = {(i, j): how for i, j, how in alike(crowd, weights, share=share, bits=5.0)}
    for i in range(len(crowd)):
        for j in range(i + 1, len(crowd)):
            how = likeness(crowd[i], crowd[j], weights)
            near = how.share >= share and how.bits >= 5.0
            assert near is ((i, j) in found), (i, j, how)
    assert found


def test_what_is_common_or_given_weighs_nothing() -> None:
    weights = Weights(Background(99, {1: 99, 2: 0, 3: 49}), 100, {2: 2, 3: 2, 4: 100}, frozenset({5}))
    assert weights.bits(1) < 0.02
    assert weights.bits(4) == 0
    assert weights.bits(5) == 0
    assert 0.9 < weights.bits(3) < 1.1
    assert weights.bits(2) > 6


def test_clusters() -> None:
    assert clusters([("c", "a"), ("d", "e"), ("b", "c")]) == [("a", "b", "c"), ("d", "e")]
    assert clusters([]) == []


def test_code_without_words() -> None:
    text = '"""By Ada."""\n\n\ndef f(x):  # by Ada\n    """Ada\'s."""\n    return "#", x\n'
    bare = without_words(text)
    assert "Ada" not in bare
    assert '"#", x' in bare
    assert bare.count("\n") == text.count("\n")


def test_a_file_made_to_take_long_does_not() -> None:
    """Many long sums: each term is in every sum before it."""
    text = "\n".join("x = " + " + ".join(["a[0]"] * 150) for _ in range(100))
    started = time.process_time()
    assert keys(text)
    assert time.process_time() - started < 20
