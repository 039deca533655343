"""What the suites do about devices: a call whose tensors are, as far as it can tell, not on the CPU.

Two things are held against a submission: an operation that an accelerator would refuse, since one of its
tensors was left on the CPU, and a result that is on the CPU.  See `grader.worker.devices`.
"""

from __future__ import annotations

from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.submission.observation import Observation
from grader.text import Text

__all__ = ["mismatched", "stays_on_device"]


def mismatched(seen: Observation) -> bool:
    """Whether a call with `elsewhere=True` mixed devices, or left its result on the CPU."""
    return seen.error is not None and seen.error.type == "DeviceMismatch"


def stays_on_device(lab: Lab, target: str, seen: Observation, title: Text, fault: str) -> None:
    """The check fails, and names the fault, when a call with `elsewhere=True` did not stay there.

    Whatever else went wrong is another check's to say.
    """
    lab.target = target
    if not mismatched(seen):
        return
    where = seen.error.where if seen.error is not None else None
    if where is None:
        words = Text(
            "the result is on the CPU, not on the input's device", "结果在 CPU 上，而不在输入所在的设备上"
        )
    else:
        words = Text(
            f"a tensor that was made on the CPU meets one on the input's device at {where.file}:{where.line}",
            f"在 {where.file}:{where.line} 处，一个建在 CPU 上的张量遇到了位于输入设备上的张量",
        )
    raise CheckFailed(Text(f"{title.en}: {words.en}", f"{title.zh}：{words.zh}"), fault=fault, seen=seen)
