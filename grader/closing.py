"""What has something to end, and ends it with a `with` block."""

from __future__ import annotations

from types import TracebackType
from typing import TypeVar

__all__ = ["Closing"]

T = TypeVar("T", bound="Closing")


class Closing:
    """`close` is called when the block is left, in whatever way."""

    def close(self) -> None:
        """Ends what was started."""
        raise NotImplementedError

    def __enter__(self: T) -> T:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
