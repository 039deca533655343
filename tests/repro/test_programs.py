"""The programs run beside the learner's file, are small, and say what is true of it and of the solution."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from grader.data import solution_folder
from grader.exercises.registry import module_names
from grader.repro.run import Reproduction
from tests.repro.running import PROGRAM, Runner, plainly
from tests.support import SUBMISSIONS

Reproduce = Callable[..., Reproduction]
SOLUTIONS = [(p.name, p.read_bytes()) for p in sorted(solution_folder().glob("*.py"))]

# exercise, wrong submission, what kind of difference is found, how many numbers the arguments have at most
CASES = [
    ("attention", "missing_scale_matmul", "values", 8),
    ("attention", "mask_filled_with_zero_masked_fill", "values", 7),
    ("attention", "returns_only_output", "type", 3),
    ("attention", "in_place_query_scaling", "changed", 5),
    ("attention", "detached_no_grad", "no gradient", 5),
    ("attention", "leading_dims_bmm", "raises", 3),
    ("attention", "half_overflow_minus_1e9", "raises", 4),
    ("attention", "dropout_ignored_unused", "values", 3),
    ("attention", "empty_row_nan_textbook", "values", 4),
    ("attention", "dtype_through_float32", "values", 5),
    ("attention", "global_seed", "global", 3),
    ("masks", "causal_excludes_self_tril", "values", 0),
    ("masks", "padding_shape_flat", "shape", 1),
    ("masks", "causal_not_boolean_float", "dtype", 0),
    ("masks", "apply_in_place_fill", "changed", 2),
    ("masks", "apply_bitwise_not", "raises", 2),
    ("masks", "apply_detached", "no gradient", 2),
    ("masks", "causal_device_ignored", "device", 0),
    ("positional_encoding", "sin_cos_swapped", "values", 0),
    ("positional_encoding", "table_is_parameter", "state", 0),
    ("positional_encoding", "too_long_broadcast", "accepts", 4),
    ("positional_encoding", "dropout_in_eval", "values", 2),
    ("positional_encoding", "x_in_place", "changed", 2),
    ("positional_encoding", "odd_d_model", "raises", 0),
    ("multi_head_attention", "merge_no_transpose", "values", 8),
    ("multi_head_attention", "mask_head_axis_only_if_heads_differ", "values", 24),
    ("multi_head_attention", "merge_view_not_contiguous", "raises", 16),
    ("multi_head_attention", "divisibility_prints", "accepts", 0),
    ("multi_head_attention", "bias_not_passed", "state", 0),
    ("multi_head_attention", "dropout_ignored_not_passed", "values", 3),
    ("layer_norm", "unbiased_var_mean", "values", 2),
    ("layer_norm", "affine_init_zeros", "initial", 0),
    ("layer_norm", "sublayer_twice", "called", 2),
    ("layer_norm", "sublayer_registered", "registered", 2),
    ("layer_norm", "input_modified", "changed", 2),
    ("layer_norm", "stats_detached", "gradient", 2),
    ("layer_norm", "seed_set", "global", 2),
    ("encoder_block", "residual_missing_ffn", "values", 2),
    ("encoder_block", "mask_not_passed", "values", 8),
    ("encoder_block", "tuple_not_unpacked", "raises", 2),
    ("encoder_block", "x_sequential_names", "state", 0),
    ("encoder_block", "x_attention_detached", "no gradient", 2),
    ("encoder", "not_scaled", "values", 1),
    ("encoder", "padding_not_masked", "values", 2),
    ("encoder", "positions_over_batch", "raises", 2),
    ("encoder", "layers_not_registered", "state", 0),
    ("encoder", "x_too_long_truncated", "accepts", 2),
]
IDS = [f"{exercise}-{name}" for exercise, name, _, _ in CASES]
WORDS = {"en": "agrees: ", "zh": "一致： "}


def handed_in(exercise: str, name: str) -> tuple[str, bytes]:
    return f"{exercise}.py", (SUBMISSIONS / exercise / "chaffs" / f"{name}.py").read_bytes()


@pytest.mark.parametrize(("exercise", "name", "kind", "most"), CASES, ids=IDS)
def test_program(
    reproduced: Reproduce,
    runner: Runner,
    tmp_path: Path,
    exercise: str,
    name: str,
    kind: str,
    most: int,
) -> None:
    found = reproduced(exercise, name)
    assert found.outcome == "found", found.text.en
    assert found.finding is not None
    assert found.finding.kind == kind
    given = [*(found.finding.case.probe.args or ()), *found.finding.case.probe.kwargs.values()]
    assert sum(t.numel() for t in given if isinstance(t, torch.Tensor)) <= most
    files = [*SOLUTIONS, handed_in(exercise, name)]
    for language, word in WORDS.items():
        program = found.program(language)
        code, output = runner.run(tmp_path / f"{language}-wrong", program, files)
        assert (code, output.strip().splitlines()[-1]) == (0, f"{word}False"), program + output
        if kind == "values":
            assert shows_the_number(found, output), output
    code, output = runner.run(tmp_path / "right", found.program("en"), SOLUTIONS)
    assert (code, output.strip().splitlines()[-1]) == (0, "agrees: True"), found.program("en") + output


def shows_the_number(found: Reproduction, output: str) -> bool:
    """Whether the number that differs most is in what the program prints of the learner's result."""
    assert found.finding is not None
    seen, wanted = found.finding.found.double(), found.finding.wanted.double()
    number = float(seen.reshape(-1)[(seen - wanted).abs().nan_to_num(nan=1e9).argmax()])
    if number != number:
        return "nan" in output
    words = re.findall(r"True|False|-?\d+\.?\d*(?:e[-+]\d+)?", output)
    shown = [float(w == "True") if w in ("True", "False") else float(w) for w in words]
    return any(abs(s - number) <= 1e-4 * max(1.0, abs(number)) for s in shown)


@pytest.mark.parametrize(("exercise", "name", "kind", "most"), CASES, ids=IDS)
def test_what_is_in_a_program(reproduced: Reproduce, exercise: str, name: str, kind: str, most: int) -> None:
    """It imports torch, Python's own modules and the learner's file, and nothing else."""
    program = reproduced(exercise, name).program("en")
    tree = ast.parse(program)
    imported = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert imported <= {"torch", "sys", "traceback", "random", "math"}
    modules = [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    assert modules == [exercise]
    assert max(len(line) for line in program.splitlines()) <= 110
    assert "grader" not in program
    assert "print(" in program


def test_the_same_submission_gives_the_same_program(reproduced: Reproduce) -> None:
    other = SUBMISSIONS / "attention" / "chaffs" / ".." / "chaffs" / "missing_scale_matmul.py"
    first = reproduced("attention", "missing_scale_matmul").program("en")
    assert reproduced("attention", other).program("en") == first


def test_a_missing_scale_as_a_learner_gets_it(reproduced: Reproduce) -> None:
    """The whole text: what is wrong, what goes in, what comes out, what is right and why."""
    program = reproduced("attention", "missing_scale_matmul").program("en")
    line = re.search(r"attention\.py:\d+", program)
    assert line is not None
    assert program.replace(line[0], "attention.py:LINE") == MISSING_SCALE


MISSING_SCALE = '''\
"""A small input on which attention.py is not right: weights[0, 0] is 0.2689 in yours and
should be 0.3302.

The mistake: The scores are not divided by sqrt(d_k) (attention.py:LINE).

Run it in the folder of attention.py.
"""

import torch
from attention import scaled_dot_product_attention

query = torch.tensor([[0.0, 1.0]])
key = torch.tensor([[0.0, 0.0], [0.0, 1.0]])
value = torch.tensor([[0.0], [0.0]])
output, weights = scaled_dot_product_attention(query, key, value)

# weights[..., i, j] is the share of value j in the output of query i; a query's shares sum to
# one (before dropout)
expected = torch.tensor([[0.3302, 0.6698]])
print("yours:", weights)
print("expected:", expected)
# float32 is good to about 7 digits, so rounding errors stay below 0.001
same = (
    weights.shape == expected.shape
    and weights.dtype == expected.dtype
    and torch.allclose(weights, expected, rtol=0, atol=0.001)
)
print("agrees:", same)
'''


def test_chinese(reproduced: Reproduce) -> None:
    program = reproduced("attention", "missing_scale_matmul").program("zh")
    assert "attention.py 在这个小输入上不对：你的 weights[0, 0] 是 0.2689，应为 0.3302。" in program
    assert "错误：" in program
    assert 'print("一致：", same)' in program
    assert "yours" not in program


def test_run_as_a_learner_runs_it(reproduced: Reproduce, tmp_path: Path) -> None:
    """In a Python of its own, without any help."""
    program = reproduced("attention", "missing_scale_matmul").program("en")
    (tmp_path / PROGRAM).write_text(program, encoding="utf-8")
    file, data = handed_in("attention", "missing_scale_matmul")
    (tmp_path / file).write_bytes(data)
    code, output = plainly(tmp_path)
    assert code == 0
    assert output.splitlines() == [
        "yours: tensor([[0.2689, 0.7311]])",
        "expected: tensor([[0.3302, 0.6698]])",
        "agrees: False",
    ]


@pytest.mark.parametrize("exercise", module_names())
def test_nothing_to_reproduce(reproduced: Reproduce, exercise: str) -> None:
    found = reproduced(exercise, solution_folder() / f"{exercise}.py")
    assert found.outcome == "passed"
    assert found.text.en == f"nothing to reproduce: {exercise} passes every check"
    assert exercise in found.text.zh
