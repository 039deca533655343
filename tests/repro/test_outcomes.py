"""What no single call shows is named; what cannot be run says why; an earlier file's mistake is its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.data import solution_folder
from grader.exercises.registry import exercise, module_names
from grader.marking.case import Case as GradedCase
from grader.marking.lab import Lab
from grader.marking.preparing import Preparation
from grader.repro.run import Reproduction
from grader.repro.searching import find
from grader.submission.source import Submission, parse_source
from tests.support import SUBMISSIONS, Example, Grader, examples

Reproduce = Callable[..., Reproduction]
WHEATS = examples("wheats")


@pytest.mark.parametrize(
    ("name", "chaff", "words", "chinese"),
    [
        ("attention", "forbidden_sdpa", "write this yourself", "自己实现"),
        ("masks", "causal_uninitialised", "what the memory held before", "内存"),
        ("multi_head_attention", "dropout_zeroes_unscaled", "dropout acts by chance", "随机"),
    ],
)
def test_what_no_single_call_shows(
    reproduced: Reproduce, name: str, chaff: str, words: str, chinese: str
) -> None:
    found = reproduced(name, chaff)
    assert found.outcome == "hidden"
    assert found.text.en.startswith(f"{name} fails a check that a snippet cannot show in one call:\n")
    assert words in found.text.en
    assert chinese in found.text.zh


DEFINED = "def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):\n"


@pytest.mark.parametrize(
    ("text", "outcome", "words"),
    [
        (DEFINED.replace(":", "") + "    return 1\n", "unusable", "attention.py"),
        ("import absent_package\n" + DEFINED + "    return 1, 1\n", "unusable", "absent_package"),
        (DEFINED + "    raise NotImplementedError\n", "hidden", "not written yet"),
        (DEFINED + "    import os\n    os._exit(3)\n", "hidden", "exit code 3"),
    ],
)
def test_what_cannot_be_run(
    reproduced: Reproduce, tmp_path: Path, text: str, outcome: str, words: str
) -> None:
    path = tmp_path / "attention.py"
    path.write_text(text, encoding="utf-8")
    found = reproduced("attention", path)
    assert found.outcome == outcome
    assert words in found.text.en
    assert found.text.zh != found.text.en


def test_a_right_file_on_a_wrong_one(reproduced: Reproduce) -> None:
    """Right given the earlier part: there is nothing to reproduce here, but there."""
    right = solution_folder() / "multi_head_attention.py"
    wrong = SUBMISSIONS / "attention" / "chaffs" / "missing_scale_matmul.py"
    found = reproduced("multi_head_attention", right, attention=wrong)
    assert found.outcome == "passed"
    assert "given your attention.py; try `grade repro attention`" in found.text.en
    assert "attention.py" in found.text.zh


def test_two_wrong_files(reproduced: Reproduce) -> None:
    """What is shown is this file's own mistake, although the other's would show in a smaller input."""
    own = SUBMISSIONS / "multi_head_attention" / "chaffs" / "merge_no_transpose.py"
    wrong = SUBMISSIONS / "attention" / "chaffs" / "mask_ignored_unused.py"
    found = reproduced("multi_head_attention", own, attention=wrong)
    assert found.outcome == "found"
    assert found.subject is not None
    assert found.subject.earlier == ()
    assert found.finding is not None
    assert found.finding.part == "output"
    assert "mask" not in found.finding.case.probe.kwargs


# -- right submissions ------------------------------------------------------------------------------


def lab_of(grader: Grader, example: Example, cases: list[GradedCase]) -> Lab | None:
    source = parse_source(example.exercise, f"{example.exercise}.py", example.path.read_bytes())
    submission = Submission("", {**grader.solutions, example.exercise: source}, (example.exercise,))
    case = GradedCase(exercise(example.exercise), source)
    cases.append(case)
    Preparation(submission, grader.launcher, {}).prepare(case)
    return case.lab


def differences(grader: Grader, chosen: list[Example]) -> list[str]:
    """The right submissions in which the search finds something, which must be none."""
    cases: list[GradedCase] = []
    try:
        labs = [(example, lab_of(grader, example, cases)) for example in chosen]
        found = [(example, lab and find(lab)) for example, lab in labs]
    finally:
        for case in cases:
            if case.client is not None:
                case.client.close()
    return [f"{example.id}: {one}" for example, one in found if one is not None]


@pytest.mark.parametrize("name", module_names())
def test_a_right_way_of_writing_shows_nothing(grader: Grader, name: str) -> None:
    """Without a suite that says so first: the small inputs are themselves right."""
    chosen = [w for w in WHEATS if w.exercise == name]
    assert not differences(grader, chosen[:2])


@pytest.mark.slow
@pytest.mark.parametrize("name", module_names())
def test_no_right_way_of_writing_shows_anything(grader: Grader, name: str) -> None:
    for example in [w for w in WHEATS if w.exercise == name]:
        assert not differences(grader, [example])
