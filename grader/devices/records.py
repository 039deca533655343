"""What a run on a device found, as frozen records."""

from __future__ import annotations

from dataclasses import dataclass

from grader.text import Text

__all__ = ["DeviceCall", "DeviceRun", "Way"]


@dataclass(frozen=True)
class Way:
    """One call in one precision: ``float32`` or ``autocast``.

    forward, backward: the largest error in roundings, None where there is none; allowed: what would still
    be rounding; note: what is wrong; held: the most bytes that tensors took.
    """

    precision: str
    forward: float | None = None
    backward: float | None = None
    allowed: float = 0.0
    held: int | None = None
    note: Text | None = None
    file: str | None = None
    line: int | None = None

    @property
    def right(self) -> bool:
        return self.note is None


@dataclass(frozen=True)
class DeviceCall:
    """A function or class; square: bytes of one tensor of S x S for each head and sequence, in float32;
    None where there is none."""

    exercise: str
    target: str
    ways: tuple[Way, ...]
    square: int | None


@dataclass(frozen=True)
class DeviceRun:
    """All of it; left_out: exercises that were not tried since they are not passed; layers: what confined
    the worker."""

    device: str
    batch: int
    heads: int
    positions: int
    calls: tuple[DeviceCall, ...]
    left_out: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        return all(way.right for call in self.calls for way in call.ways)
