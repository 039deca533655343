"""What is said of memory: once for all exercises, and only where fewer tensors would do."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text as Styled

from grader.marking.records import ExerciseResult
from grader.reports.paper import Paper
from grader.text import Text

__all__ = ["holding_lines", "holding_text"]

POSITIONS = 512


def holding_text(results: Sequence[ExerciseResult]) -> Text | None:
    """One sentence for what holds more than is enough."""
    wasteful = [(e.id, e.held) for e in results if e.held is not None and e.held.tensors > e.held.suffice]
    if not wasteful:
        return None
    name, held = wasteful[0]
    count, enough = held.tensors, held.suffice
    have, want = (f"{size:g} MiB" for size in held.mib(POSITIONS))
    also = [other for other, _ in wasteful[1:]]
    more = Text(f" ({', '.join(also)} too)", f"（{'、'.join(also)} 也是）") if also else Text("", "")
    return Text(
        f"Memory: {name}{more.en} holds as much as {count} tensors of S × S for each head at once, where "
        f"{enough} are enough. At {POSITIONS} positions, with 8 heads in float32, that is {have} for each "
        f"sequence and not {want}, and it grows with the square of S. It costs no points: "
        "`grade explain attention-memory`.",
        f"内存：{name}{more.zh} 同时保留了相当于每个头 {count} 个 S × S 的张量，而 {enough} 个就够了。"
        f"{POSITIONS} 个位置、8 个头、float32 时，每个序列要占 {have}，而不是 {want}，并且随 S 的平方增长。"
        "这不扣分：`grade explain attention-memory`。",
    )


def holding_lines(results: Sequence[ExerciseResult], paper: Paper) -> list[Styled]:
    """The same, as lines of a report."""
    words = holding_text(results)
    return [] if words is None else [Styled(), *paper.lines(paper.say(words), style="dim")]
