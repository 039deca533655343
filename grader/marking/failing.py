"""What is said of a check that fails: an exception, a call that was stopped, a result of the wrong kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from grader.submission.observation import Observation, Opaque, Outcome
from grader.text import Text

__all__ = ["CheckFailed", "first_line", "raised", "stopped", "unpacked", "with_title"]

# mistakes that PyTorch names: a device that is not there, or not everybody's; a constructor left out
_TOLD_BY_TORCH = (
    (
        "device-hard-coded",
        re.compile(
            r"not compiled with|not linked with support|[Nn]o \w+ GPUs|NVIDIA driver|on the same device"
        ),
    ),
    ("super-init-missing", re.compile(r"before Module\.__init__\(\) call")),
)
_NOT_CALLED = {
    "coroutine": Text("write `def`, not `async def`", "请写 `def`，不要写 `async def`"),
    "generator": Text("write `return`, not `yield`", "请写 `return`，不要写 `yield`"),
    "async_generator": Text("write `def` and `return`", "请写 `def` 和 `return`"),
}


class CheckFailed(Exception):
    """A check found the submission wrong: the sentence, and the fault where the check names one."""

    def __init__(
        self,
        text: Text,
        *,
        fault: str | None = None,
        seen: Observation | None = None,
        line: int | None = None,
        target: str | None = None,
    ) -> None:
        super().__init__(text.en)
        self.text = text
        self.target = target
        self.fault = fault
        self.seen = seen
        self.line = line


def raised(seen: Observation, title: Text, module: str, target: str | None) -> CheckFailed:
    """What is said of a call that raised: the exception and the learner's line, or what it comes from."""
    error = seen.error
    assert error is not None
    if error.type == "ForbiddenOperation":
        return CheckFailed(
            Text(f"{title.en}: {error.message}", f"{title.zh}：{error.message}（请自己实现）"),
            fault="forbidden-api",
            seen=seen,
        )
    if "NotImplementedError" in error.bases and error.where is not None:
        where = f"{error.where.file}:{error.where.line}"
        return CheckFailed(
            Text(f"not written yet: the TODO at {where}", f"尚未完成：{where} 处的 TODO"),
            fault="not-implemented",
            seen=seen,
        )
    if error.where is None and "AttributeError" in error.bases and (target or "?") in error.message:
        name = f"{module}.py"
        return CheckFailed(
            Text(f"{name} does not define {target}", f"{name} 没有定义 {target}"),
            fault="missing-name",
            seen=seen,
        )
    if error.where is None and "TypeError" in error.bases and "argument" in error.message:
        return CheckFailed(
            Text(
                f"{title.en}: the parameters are not those of the exercise: {first_line(error.message)}",
                f"{title.zh}：参数与题目要求不符：{first_line(error.message)}",
            ),
            fault="wrong-signature",
            seen=seen,
        )
    where_en = where_zh = ""
    if error.where is not None:
        spot = f"{error.where.file}:{error.where.line}"
        shapes = ", ".join(f"{n} {tuple(s)}" for n, s in error.where.shapes[:6])
        where_en = f" at {spot}" + (f" (with {shapes})" if shapes else "")
        where_zh = f"，位于 {spot}" + (f"（{shapes}）" if shapes else "")
    message = first_line(error.message)
    return CheckFailed(
        Text(
            f"{title.en}: {error.type}{where_en}: {message}",
            f"{title.zh}：{error.type}{where_zh}：{message}",
        ),
        fault=next((fault for fault, words in _TOLD_BY_TORCH if words.search(error.message)), None),
        seen=seen,
    )


def stopped(seen: Observation, title: Text) -> CheckFailed:
    """What is said of a call that its worker did not live to answer."""
    words, fault = _stop_words(seen)
    return CheckFailed(with_title(title, words), fault=fault, seen=seen)


def unpacked(seen: Observation, names: Sequence[str], target: str, title: Text) -> Sequence[Any]:
    """The named outputs of a call.  Raises `CheckFailed` unless there are as many as there should be."""
    value = seen.value
    if isinstance(value, Opaque) and value.type in _NOT_CALLED:
        how = _NOT_CALLED[value.type]
        raise CheckFailed(
            Text(
                f"{title.en}: {target} returned a {value.type} instead of a result: {how.en}",
                f"{title.zh}：{target} 返回的是 {value.type} 而不是结果：{how.zh}",
            ),
            seen=seen,
            fault="missing-name",
        )
    if len(names) == 1:
        if value is None:
            raise CheckFailed(_returned_none(target, title), seen=seen, fault="not-implemented")
        return (value,)
    if value is None:
        raise CheckFailed(_returned_none(target, title), seen=seen, fault="not-implemented")
    if not isinstance(value, (tuple, list)) or len(value) != len(names):
        what = f"a {value.type if isinstance(value, Opaque) else type(value).__name__}"
        if isinstance(value, (tuple, list)):
            what += f" of {len(value)}"
        pair = "(" + ", ".join(names) + ")"
        raise CheckFailed(
            Text(
                f"{title.en}: {target} returned {what}, expected {pair}",
                f"{title.zh}：{target} 返回的是 {what}，应为 {pair}",
            ),
            seen=seen,
        )
    return value


def with_title(title: Text, words: Text) -> Text:
    """What was tried, and what came of it."""
    return Text(f"{title.en}: {words.en}", f"{title.zh}：{words.zh}")


def first_line(message: str) -> str:
    """Of what an exception says, cut where it is very long."""
    line = message.strip().splitlines()[0] if message.strip() else ""
    return line if len(line) <= 300 else line[:300] + "…"


def _returned_none(target: str, title: Text) -> Text:
    return Text(
        f"{title.en}: {target} returned None; is a `return` missing?",
        f"{title.zh}：{target} 返回了 None；是不是少了 `return`？",
    )


def _stop_words(seen: Observation) -> tuple[Text, str]:
    if seen.outcome is Outcome.TIMED_OUT:
        return (
            Text(
                f"stopped after {seen.seconds:g} s: is there a loop that does not end?",
                f"运行 {seen.seconds:g} 秒后被停止：是否有不会结束的循环？",
            ),
            "timeout",
        )
    if seen.outcome is Outcome.OUT_OF_MEMORY:
        where = seen.error.where if seen.error else None
        spot = f" at {where.file}:{where.line}" if where else ""
        spot_zh = f"（{where.file}:{where.line}）" if where else ""
        return (
            Text(
                f"it asked for more memory than allowed{spot}",
                f"申请的内存超出了限制{spot_zh}",
            ),
            "out-of-memory",
        )
    if seen.outcome is Outcome.OUT_OF_DISK:
        return (
            Text(
                "it wrote more files, or larger ones, than allowed; no file need be written here",
                "写入的文件过多或过大；这里不需要写任何文件",
            ),
            "crash",
        )
    if seen.outcome is Outcome.MALFORMED:
        return (
            Text(
                "the answer was not one that this protocol knows; the run was stopped",
                "返回的内容不符合协议；运行已停止",
            ),
            "crash",
        )
    status = seen.exit_status
    if status is not None and status < 0:
        return (
            Text(
                f"the process was killed by signal {-status}",
                f"进程被信号 {-status} 终止",
            ),
            "crash",
        )
    return (
        Text(
            f"the process ended itself with exit code {status}",
            f"进程自行退出，退出码 {status}",
        ),
        "crash",
    )
