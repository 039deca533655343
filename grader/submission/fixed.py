"""States of modules that many requests give alike: packed once, and sent to a worker once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache, wraps
from hashlib import blake2b
from typing import ParamSpec

from torch import Tensor

from grader.worker.wire import Packer, saved

__all__ = ["Fixed", "fixed"]

P = ParamSpec("P")
MOST = 512  # states that one maker keeps


class Fixed(dict[str, Tensor]):
    """The entries of a state dict.  Neither the mapping nor a tensor in it is ever changed."""

    def __setitem__(self, name: str, value: Tensor) -> None:
        """Raises TypeError: others hold it too."""
        raise TypeError(f"{name} of a fixed state may not be changed")

    @cached_property
    def packed(self) -> tuple[bytes, bytes]:
        """The tree of it as JSON, and its tensors."""
        packer = Packer(strided=True)
        tree = packer.pack(dict(self))
        return json.dumps(tree, separators=(",", ":")).encode(), saved(packer.tensors)

    @cached_property
    def key(self) -> str:
        """A digest of the whole content."""
        return blake2b(b"\0".join(self.packed), digest_size=20).hexdigest()


def fixed(make: Callable[P, Mapping[str, Tensor]]) -> Callable[P, Fixed]:
    """Makes each state once.  The arguments of `make`, which have to be hashable, are all it depends on."""

    kept = lru_cache(maxsize=MOST)(lambda *args, **kwargs: Fixed(make(*args, **kwargs)))

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> Fixed:
        return kept(*args, **kwargs)  # type: ignore[arg-type]

    return made
