"""On an accelerator: the solutions in this process, compiled too, and a submission behind the wall.

python -m pytest -m gpu
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from grader.devices.run import launcher_of, try_device
from grader.exercises.numerics import Size
from tests.gpu.solving import far_from_exact
from tests.support import ROOT, Grader

DEVICE = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else ""
if not DEVICE:
    pytest.skip("no CUDA or MPS device on this machine, so nothing is tried on one", allow_module_level=True)

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def in_full_precision() -> Iterator[None]:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")  # no TF32
    yield
    torch.set_float32_matmul_precision(before)


@pytest.mark.parametrize("autocast", [False, True], ids=["float32", "autocast"])
@pytest.mark.parametrize("wrap", [lambda f: f, torch.compile], ids=["eager", "compiled"])
def test_the_solutions(wrap: Callable[[Any], Any], autocast: bool) -> None:
    assert far_from_exact(DEVICE, Size(), wrap, autocast=autocast) == []


@pytest.mark.parametrize(
    "exercise", ["attention", "multi_head_attention", "layer_norm", "encoder_block", "encoder"]
)
def test_a_submission_behind_the_wall(grader: Grader, exercise: str) -> None:
    from grader.submission.source import read_submission

    submission = read_submission(ROOT / "solutions", (exercise,))
    with launcher_of(DEVICE) as launcher:
        found = try_device(submission, DEVICE, (exercise,), launcher)
    assert found.calls
    assert found.right, found
    for call in found.calls:
        for way in call.ways:
            size = f"{(way.held or 0) / 2**20:.0f} MiB"
            print(f"{call.target}, {way.precision}: {size}")  # noqa: T201  what -s shows
            if call.square is not None:
                assert way.held is None or way.held < 16 * call.square
