"""The limits that an instructor may set on the command line."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import click

__all__ = ["limit_options"]


class _Seconds(click.FloatRange):
    """Up to a day.  Every comparison with NaN is false, so a range alone lets it through."""

    def __init__(self) -> None:
        super().__init__(0, 86_400, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return seconds


SECONDS = _Seconds()
OPTIONS = (
    ("--call-seconds", SECONDS, "Limit of one call."),
    ("--total-seconds", SECONDS, "Limit of one exercise."),
    ("--memory-mib", click.IntRange(64), "Memory for the submission, beside torch's."),
    ("--processes", click.IntRange(1), "How many threads the submission may run at once."),
    ("--output-kib", click.IntRange(1), "How much of what it prints is kept."),
)


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of limits to a command, which gets what was given as `budget`."""

    @functools.wraps(command)
    def with_budget(
        *args: Any,
        call_seconds: float | None,
        total_seconds: float | None,
        memory_mib: int | None,
        processes: int | None,
        output_kib: int | None,
        **others: Any,
    ) -> Any:
        limits = {
            "call": call_seconds,
            "total": total_seconds,
            "memory": memory_mib and memory_mib << 20,
            "processes": processes,
            "output": output_kib and output_kib << 10,
        }
        budget = {name: float(value) for name, value in limits.items() if value is not None}
        return command(*args, budget=budget, **others)

    for name, kind, words in reversed(OPTIONS):
        with_budget = click.option(name, type=kind, help=words)(with_budget)
    return with_budget
