"""The table of errors: right code is explained by rounding everywhere, and what is wrong is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from grader.exercises.registry import load_numerics, module_names
from grader.marking.precision import Rounding, units_off
from grader.precision.records import COLUMNS, Cell, Precision, Row
from grader.precision.run import measure
from grader.reports.paper import Paper
from grader.reports.precision import precision_lines
from grader.reports.precision_json import precision_as_json
from grader.submission.files import SourceFile
from grader.submission.source import Submission, parse_source
from grader.text import Text
from tests.support import SUBMISSIONS, Grader

WITH_TABLE = [name for name in module_names() if load_numerics(name) is not None]
# right in every dtype of the contract; autocast mixes two of them
WITHOUT_AUTOCAST = {
    "asserting_dtypes",
    "fill_made_of_a_constant",
    "lowest_of_the_input",
    "lowest_of_the_query",
    "scores_put_by_index",
}


def table(grader: Grader, exercise: str, path: Path | None = None) -> Precision:
    files: dict[str, SourceFile] = dict(grader.solutions)
    if path is not None:
        files[exercise] = parse_source(exercise, f"{exercise}.py", path.read_bytes())
    return measure(Submission("x", files, (exercise,)), exercise, grader.launcher)


def chaff(exercise: str, name: str) -> Path:
    return SUBMISSIONS / exercise / "chaffs" / f"{name}.py"


def states(found: Precision) -> dict[tuple[str, str], str]:
    return {(row.title.en, cell.column): cell.state for row in found.rows for cell in row.cells}


@pytest.mark.parametrize("exercise", WITH_TABLE)
def test_rounding_explains_the_errors_of_the_solutions(grader: Grader, exercise: str) -> None:
    found = table(grader, exercise)
    assert found.right
    assert set(states(found).values()) == {"right"}


@pytest.mark.slow
@pytest.mark.parametrize("exercise", WITH_TABLE)
def test_and_those_of_every_right_submission(grader: Grader, exercise: str) -> None:
    for path in sorted((SUBMISSIONS / exercise / "wheats").glob("*.py")):
        found = table(grader, exercise, path)
        wrong = {column for (_, column), state in states(found).items() if state == "wrong"}
        assert wrong == ({"autocast"} if path.stem in WITHOUT_AUTOCAST else set()), (path.name, states(found))


@pytest.mark.parametrize(
    ("exercise", "name", "title", "columns"),
    [
        ("attention", "half_overflow_minus_1e9", "with a mask", {"float16"}),
        ("positional_encoding", "ids_in_the_dtype_of_x", "long sequence", {"bfloat16", "float16"}),
        ("layer_norm", "half_sum_overflow", "768 features of mean 100", {"float16"}),
        ("layer_norm", "half_stays_float32", "64 features", {"float16", "bfloat16"}),
    ],
)
def test_a_mistake_stands_in_its_column(
    grader: Grader, exercise: str, name: str, title: str, columns: set[str]
) -> None:
    found = table(grader, exercise, chaff(exercise, name))
    assert not found.right
    wrong = {column for (row, column), state in states(found).items() if row == title and state == "wrong"}
    assert wrong == columns


def test_what_autocast_alone_shows_stands_in_its_column(grader: Grader) -> None:
    found = table(grader, "attention", SUBMISSIONS / "attention" / "wheats" / "lowest_of_the_query.py")
    assert not found.right
    assert {cell for cell, state in states(found).items() if state == "wrong"} == {
        ("with a mask", "autocast")
    }


def test_products_beyond_float16_are_told_and_not_wrong(grader: Grader) -> None:
    wheat = SUBMISSIONS / "attention" / "wheats" / "broadcast_no_matmul.py"
    found = table(grader, "attention", wheat)
    assert found.right
    assert states(found)["products beyond float16", "float16"] == "beyond"


def test_a_tolerance_says_what_it_rests_on() -> None:
    rounding = Rounding(torch.bfloat16, 64, 0.0)
    assert rounding.allowed == 16.0
    assert rounding.why(100.0).en == (
        "bfloat16 keeps 8 bits, over sums of 64 terms: an error of up to 0.062 of the largest value is "
        "expected; found 0.39"
    )
    assert rounding.why(100.0).zh == (
        "bfloat16 有 8 位有效数字，求和长度为 64：误差应不超过最大值的 0.062，实际为 0.39"
    )


def test_units() -> None:
    exact = torch.tensor([1.0, -3.0]).double()
    assert units_off(exact + 2.0**-24, exact, torch.float32) == pytest.approx(1 / 3)
    assert units_off(exact.clone().fill_(torch.nan), exact, torch.float32) == torch.inf
    low = torch.tensor([-torch.inf, 1.0])
    assert units_off(low, low, torch.float16) == 0.0


ROW = Row(
    "MultiHeadAttention",
    Text("with a mask", "带掩码"),
    (
        Cell("float64", "right", 0.5, 10.0),
        Cell("float32", "open", 4321.0, 10.0),
        Cell("bfloat16", "wrong", 99.0, 10.0, Text("too far", "差得太远")),
        Cell("float16", "beyond", None, 10.0, Text("out of range", "超出范围")),
        Cell("autocast", "wrong", None, None, Text("it raises", "报错"), "x.py", 3),
    ),
)


@pytest.mark.parametrize(
    ("language", "wanted"),
    [
        (
            "en",
            [
                "multi_head_attention   float64   float32  bfloat16   float16  autocast",
                "  heads, with a mask       0.5     ~ 4e3    ✗ 99.0     ! inf         ✗",
                "  ✗ heads, with a mask, bfloat16: too far",
                "  ! heads, with a mask, float16: out of range",
                "  ✗ heads, with a mask, autocast (x.py:3): it raises",
            ],
        ),
        (
            "zh",
            [
                "multi_head_attention   float64   float32  bfloat16   float16  autocast",
                "  heads，带掩码       0.5     ~ 4e3    ✗ 99.0     ! inf         ✗",
                "  ✗ heads，带掩码，bfloat16：差得太远",
                "  ! heads，带掩码，float16：超出范围",
                "  ✗ heads，带掩码，autocast（x.py:3）：报错",
            ],
        ),
    ],
)
def test_what_is_printed(language: str, wanted: list[str]) -> None:
    lines = precision_lines([Precision("multi_head_attention", (ROW,))], Paper(language))
    assert [line.plain.rstrip() for line in lines[:5]] == wanted


def test_the_json_holds_every_cell() -> None:
    body = json.loads(precision_as_json([Precision("multi_head_attention", (ROW,))], "en"))
    cells = body["exercises"][0]["rows"][0]["cells"]
    assert tuple(cells) == COLUMNS
    assert cells["autocast"] == {
        "state": "wrong", "units": None, "allowed": None, "note": "it raises", "file": "x.py", "line": 3,
    }  # fmt: skip
    assert body["exercises"][0]["right"] is False
