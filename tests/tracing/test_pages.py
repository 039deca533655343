"""The exact text of a trace, in both languages and widths, what is not trusted in it, and the command."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from grader.cli.main import cli
from grader.reports.output import ASCII, UNICODE, Glyphs
from grader.reports.paper import Paper
from grader.reports.trace import How, render_trace
from grader.reports.trace_json import trace_as_json
from grader.text import Text
from grader.tracing.records import Given, Mark, Trace, TracedLine, TracedValue
from tests.support import ROOT

SNAPSHOTS = ROOT / "tests" / "snapshots" / "trace"
FILE = "attention.py"


def value(shape: tuple[int, ...], names: str, low: float, high: float, **more: object) -> TracedValue:
    axes = tuple(None if n == "1" else n for n in names.split())
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    made = TracedValue(shape, axes, "float32", tuple(strides), True, low, high, numel=1)
    return replace(made, **more)  # type: ignore[arg-type]


SCORES = value((2, 3, 5, 7), "B H L S", -20.48, 13.88, op="matmul")
TURNED = value(
    (2, 3, 4, 7), "B H d_k S", -3.3, 3.69, op="transpose", strides=(84, 28, 1, 4), contiguous=False
)
FILLED = value((2, 3, 5, 7), "B H L S", -14.17, 13.88, op="masked_fill")
WANTED = replace(FILLED, low=-7.085, high=6.939, infs=99, dtype="float64")
OUTPUT = value((2, 3, 5, 9), "B H L d_v", -1.957, 2.184, nans=3)
MASK = replace(value((2, 1, 5, 7), "B 1 L S", 0, 1), dtype="bool", trues=37, numel=70)
WRONG = Text(
    "Masked scores become 0 instead of -inf. [0, 0, 0, 0] is 2.878 and should be 1.439.",
    "被屏蔽的分数成了 0，而不是 -inf。[0, 0, 0, 0] 是 2.878，应为 1.439。",
)
LINES = (
    TracedLine(FILE, 6, "def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):"),
    TracedLine(
        FILE,
        7,
        "    scores = torch.matmul(query, key.transpose(-2, -1))",
        (SCORES,),
        1,
        Mark.RIGHT,
        Text("the products QKᵀ", "乘积 QKᵀ"),
        (TURNED, SCORES),
    ),
    TracedLine(FILE, 8, "    for head in range(3):"),
    TracedLine(FILE, 9, "        kt = key[:, head].transpose(-2, -1)", (TURNED,), 3),
    TracedLine(
        FILE,
        12,
        "        scores = scores.masked_fill(mask == 0, 0)",
        (FILLED,),
        1,
        Mark.WRONG,
        WRONG,
        wanted=WANTED,
    ),
    TracedLine(
        FILE, 13, "    weights = softmax(scores)", (FILLED,), 1, through=("helpers.py",), operations=2
    ),
)
RAISED = TracedLine(
    FILE,
    14,
    "    return weights @ value.transpose(-2, -1), weights",
    mark=Mark.RAISED,
    note=Text.same("RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [6, 7]"),
    operands=(SCORES, TURNED),
)
GIVEN = (
    Given("query", value((2, 3, 5, 4), "B H L d_k", -4.3, 4.13)),
    Given("mask", MASK),
    Given("dropout", words="scale"),
)
TRACE = Trace(
    "attention",
    "scaled_dot_product_attention",
    Text("a boolean mask", "布尔掩码"),
    FILE,
    {"B": 2, "H": 3, "L": 5, "S": 7, "d_k": 4, "d_v": 9},
    GIVEN,
    (*LINES, TracedLine(FILE, 14, "    return weights @ value, weights", (OUTPUT,), 1)),
    (Given("output", OUTPUT), Given("weights", SCORES)),
    calls=("scaled_dot_product_attention",),
    faults=("mask-filled-with-zero",),
)
STOPPED = replace(
    TRACE,
    lines=(*LINES[:4], RAISED),
    returned=(),
    outcome="raised",
    calls=("scaled_dot_product_attention", "softmax"),
    faults=(),
)
TRACES = {"wrong": TRACE, "raised": STOPPED}


def printed(trace: Trace, language: str, width: int, how: How | None = None, glyphs: Glyphs = UNICODE) -> str:
    lines = render_trace(trace, Paper(language, width, glyphs), how or How())
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)


def same_as_stored(name: str, text: str) -> None:
    """Compares with ``tests/snapshots/trace``; ``GRADE_UPDATE_SNAPSHOTS=1`` rewrites it."""
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("GRADE_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [40, 80, 160])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", TRACES)
def test_pages(name: str, language: str, width: int) -> None:
    text = printed(TRACES[name], language, width)
    same_as_stored(f"{name}.{language}.{width}", text)
    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_every_operation_of_a_line() -> None:
    text = printed(TRACE, "en", 80, How(steps=True))
    assert "= transpose  B=2 H=3 d_k=4 S=7" in text
    assert "= matmul  B=2 H=3 L=5 S=7" in text


def test_strides_of_every_value() -> None:
    assert "strides 105,35,7,1" in printed(TRACE, "en", 80, How(strides=True))
    assert "strides 105,35,7,1" not in printed(TRACE, "en", 80)
    assert "strides 84,28,1,4" in printed(TRACE, "en", 80)


def test_a_poor_terminal() -> None:
    text = printed(TRACE, "en", 80, glyphs=ASCII)
    assert not set("✓✗│·") & set(text)


def test_what_a_learner_wrote_cannot_harm_the_terminal() -> None:
    evil = "\x1b[2J\x1b]0;title\x07\u202e\r"
    line = replace(
        LINES[4], text=f"    x = '{evil}'", note=Text.same(f"Error{evil}: {evil}"), through=(evil,)
    )
    trace = replace(
        TRACE, lines=(line, replace(RAISED, note=Text.same(evil))), given=(Given(evil, words=evil),)
    )
    for text in (printed(trace, "en", 80), trace_as_json(trace, "en")):
        assert not {"\x1b", "\x07", "\u202e", "\r"} & set(text)


def test_json() -> None:
    found = json.loads(trace_as_json(TRACE, "zh"))
    assert found["schema"] == 1
    assert found["sizes"]["d_k"] == 4
    wrong = found["lines"][4]
    assert (wrong["line"], wrong["mark"]) == (12, "wrong")
    assert wrong["note"].startswith("被屏蔽")
    assert wrong["wanted"]["infs"] == 99


def test_json_has_no_numbers_that_json_lacks() -> None:
    odd = replace(OUTPUT, low=float("nan"), high=float("inf"))
    trace = replace(TRACE, returned=(Given("output", odd),), settings={"eps": float("inf")})
    found = json.loads(trace_as_json(trace, "en"))
    assert found["returned"][0]["value"]["low"] == "nan"


# -- the command ------------------------------------------------------------------------------------


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Runs `grade` in a fresh folder whose name has a space, with the first try of the examples in it."""
    folder = tmp_path / "my work"
    shutil.copytree(ROOT / "examples" / "first-try", folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")
    return lambda *words: CliRunner().invoke(cli, list(words), prog_name="grade")


def test_the_command(call: Callable[..., Result]) -> None:
    result = call("trace", "attention")
    assert result.exit_code == 1
    assert "The first line that is not right: attention.py:9" in result.output
    assert "B=2 H=3 L=5 S=7" in result.output


def test_the_command_as_json(call: Callable[..., Result]) -> None:
    result = call("trace", "attention.py", "--json", "-")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["call"] == "scaled_dot_product_attention"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nope",), "there is no exercise or file"),
        (("masks",), "masks"),
        (("attention", "--call", "nope"), "--call can be"),
        (("attention", "--json", "no/such/folder/x.json"), "no/such"),
    ],
)
def test_what_cannot_be_traced(call: Callable[..., Result], words: tuple[str, ...], said: str) -> None:
    result = call("trace", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_a_file_that_python_cannot_read(call: Callable[..., Result]) -> None:
    Path("attention.py").write_text("def f(:\n", encoding="utf-8")
    result = call("trace", "attention")
    assert result.exit_code == 2
    assert "attention.py:1" in result.stderr
