"""What is said when a request to the worker gave no answer."""

from __future__ import annotations

from grader.submission.observation import ErrorInfo, Observation, Outcome
from grader.text import Text

__all__ = ["Stopped", "stopped"]


class Stopped(Exception):
    """No usable answer.  broken: an exception of the learner's or a wrong form, not a stop from outside."""

    def __init__(self, text: Text, *, broken: bool = True) -> None:
        super().__init__(text.en)
        self.text = text
        self.broken = broken


def stopped(seen: Observation, what: str) -> Stopped:
    """The exception for a request that did not succeed; `what` was called."""
    if seen.outcome is Outcome.RAISED and seen.error is not None:
        return Stopped(_raised(seen.error, what))
    status = seen.exit_status
    how = ("", "")
    if status is not None and status < 0:
        how = (f" (killed by signal {-status})", f"（被信号 {-status} 终止）")
    elif status is not None:
        how = (f" (exit code {status})", f"（退出码 {status}）")
    words = {
        Outcome.TIMED_OUT: Text(
            f"`{what}` was stopped after {seen.seconds:g} s", f"`{what}` 运行 {seen.seconds:g} 秒后被终止"
        ),
        Outcome.OUT_OF_MEMORY: Text(
            f"`{what}` asks for more memory than allowed", f"`{what}` 申请的内存超过限制"
        ),
        Outcome.OUT_OF_DISK: Text(
            f"`{what}` writes more files, or larger ones, than allowed", f"`{what}` 写入的文件过多或过大"
        ),
        Outcome.CRASHED: Text(f"`{what}` ended the process{how[0]}", f"`{what}` 使进程结束了{how[1]}"),
    }
    interferes = Text(
        f"`{what}` interferes with the process that runs it: the answer was none that the protocol knows",
        f"`{what}` 干扰了运行它的进程：返回的内容不符合协议",
    )
    return Stopped(words.get(seen.outcome, interferes), broken=False)


def _raised(error: ErrorInfo, what: str) -> Text:
    where = error.where
    spot = f"{where.file}:{where.line}" if where is not None else None
    if "NotImplementedError" in error.bases and spot is not None:
        return Text(f"not written yet: the TODO at {spot}", f"尚未完成：{spot} 处的 TODO")
    said = error.message.strip().partition("\n")[0][:300]
    at = (f" at {spot}", f"在 {spot} ") if spot is not None else ("", "")
    return Text(
        f"`{what}` raised {error.type}{at[0]}" + (f": {said}" if said else ""),
        f"`{what}` {at[1]}报错 {error.type}" + (f"：{said}" if said else ""),
    )
