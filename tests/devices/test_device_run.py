"""The path of `--device`, taken with the CPU as the device: small by default, at full size when slow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from grader.devices import available
from grader.devices.records import DeviceRun
from grader.devices.run import launcher_of, try_device
from grader.exercises.numerics import Size
from grader.reports.device import device_lines, device_object
from grader.reports.paper import Paper
from grader.submission.launcher import Launcher
from grader.submission.source import Submission, parse_source
from tests.support import ROOT, SUBMISSIONS, Grader

SMALL = Size(2, 2, 32, 4)


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    with launcher_of("cpu") as found:
        yield found


def tried(
    grader: Grader, launcher: Launcher, exercise: str, text: str | None = None, size: Size = SMALL
) -> DeviceRun:
    files = dict(grader.solutions)
    if text is not None:
        files[exercise] = parse_source(exercise, f"{exercise}.py", text.encode())
    submission = Submission("x", files, (exercise,))
    return try_device(submission, "cpu", (exercise,), launcher, size=size)


def test_a_solution_is_right_forward_and_backward(grader: Grader, launcher: Launcher) -> None:
    found = tried(grader, launcher, "multi_head_attention")
    assert found.right
    (call,) = found.calls
    assert [way.precision for way in call.ways] == ["float32", "autocast"]
    assert all(way.forward is not None and way.backward is not None and way.held for way in call.ways)
    assert call.square == 2 * 2 * 32 * 32 * 4
    assert {"limits", "landlock", "seccomp"} <= set(found.layers)  # a CPU is no way round the wall


def test_what_is_wrong_there_is_said(grader: Grader, launcher: Launcher) -> None:
    solution = (ROOT / "solutions" / "attention.py").read_text(encoding="utf-8")
    forward = tried(
        grader, launcher, "attention", solution.replace("math.sqrt(d_k)", "math.sqrt(d_k + 0.01)")
    )
    assert not forward.right
    note = forward.calls[0].ways[0].note
    assert note is not None
    assert note.en.startswith("forward: float32 keeps 24 bits, over sums of 32 terms: an error of up to")
    backward = tried(
        grader, launcher, "attention", solution.replace("@ value, weights", "@ value.detach(), weights")
    )
    assert backward.calls[0].ways[0].note is not None
    assert "no gradient reaches value" in backward.calls[0].ways[0].note.en
    wheat = SUBMISSIONS / "attention" / "wheats" / "lowest_of_the_query.py"
    plain, auto = tried(grader, launcher, "attention", wheat.read_text(encoding="utf-8")).calls[0].ways
    assert plain.right
    assert not auto.right
    assert auto.line == 10


def test_what_has_not_passed_is_left_out(grader: Grader, launcher: Launcher) -> None:
    submission = Submission("x", dict(grader.solutions), ("attention", "masks"))
    found = try_device(submission, "cpu", ("masks",), launcher, size=SMALL)
    assert [call.exercise for call in found.calls] == ["masks"]
    assert found.left_out == ("attention",)
    en = "\n".join(line.plain for line in device_lines(found, Paper("en")))
    zh = "\n".join(line.plain for line in device_lines(found, Paper("zh")))
    assert "On cpu: batch 2, 2 heads, 32 positions" in en
    assert "Not tried, since not passed: attention." in en
    assert "未通过，因此没有" in zh
    body = device_object(found, "en")
    assert body["right"] is True
    assert body["left_out"] == ["attention"]


def test_a_device_says_that_isolation_is_weaker() -> None:
    run = DeviceRun("cuda", 8, 8, 1024, ())
    said = " ".join(line.plain.strip() for line in device_lines(run, Paper("en")))
    assert "confined less well" in said


def test_a_device_that_is_not_there_ends_in_one_sentence(
    call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    done = call("run", "attention", "--path", ROOT / "solutions", "--device", "cuda")
    assert done.exit_code == 2
    assert "finds no CUDA device on this machine" in done.output
    assert len(done.output.strip().splitlines()) == 1


def test_a_device_by_another_name_takes_the_same_way(
    grader: Grader, call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Only the name is false: the command, the launcher, the calls and the report are those of a device."""
    from grader.devices import run

    monkeypatch.setattr(available, "missing", lambda device: None)
    monkeypatch.setattr(run, "launcher_of", lambda device: launcher_of("cpu"))
    real = run.try_device
    monkeypatch.setattr(
        run,
        "try_device",
        lambda s, device, passed, launcher, **more: real(s, "cpu", passed, launcher, size=SMALL),
    )
    out = tmp_path / "out.json"
    done = call("run", "attention", "--path", ROOT / "solutions", "--device", "cuda", "--json", out)
    assert done.exit_code == 0, done.output
    assert '"device": {' in out.read_text(encoding="utf-8")


def test_a_batch_has_no_device(call: Callable[..., Result], tmp_path: Path) -> None:
    done = call("batch", tmp_path, "--device", "cuda")
    assert done.exit_code == 2
    assert "grade batch has no --device" in done.output


@pytest.mark.slow
@pytest.mark.parametrize("exercise", ["attention", "multi_head_attention", "encoder_block"])
def test_at_full_size(grader: Grader, launcher: Launcher, exercise: str) -> None:
    found = tried(grader, launcher, exercise, size=Size())
    assert found.right, found
    call = found.calls[0]
    assert call.square is not None
    assert call.square == 256 << 20
    assert all(way.held is not None and way.held > call.square // 2 for way in call.ways)
