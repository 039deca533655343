"""Names of sizes: which number is B, which is d_k, and what a shape is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from torch import Tensor

from grader.diagnosis.model import Model, Probe
from grader.exercises.small import Axes

__all__ = ["name_shape", "sizes_of"]

# what the letters of a room's axes are called; an axis without a name of its own is not there
WORDS = {"D": "d_model", "K": "d_k", "F": "d_ff", "M": "max_len"}
LEADING = {"attention": ("B", "H"), "masks": ("B", "H"), "layer_norm": ("B", "S")}


def sizes_of(exercise: str, probe: Probe, model: Model, axes: Mapping[str, Axes]) -> dict[str, int]:
    """The sizes of a call by name, in the order in which they are read: B, H, L, S, d_k, ...

    They come from what the room says of the axes of each argument, and from the constructor's settings.
    """
    found: dict[str, int] = {}
    known = axes.get(probe.target)
    given = dict(zip(model.inputs, probe.args or ())) | dict(probe.kwargs)
    for name, value in given.items():
        if isinstance(value, Tensor) and known is not None:
            labels = known.of.get(f"{name}/{value.dim()}") or known.of.get(name) or ()
            for label, size in _labelled(exercise, labels, known, value.shape):
                if size > 1 or label not in ("L", "S", "H"):  # a mask's axis may be one to be broadcast
                    found.setdefault(label, size)
        elif type(value) is int:
            found.setdefault({"size": "S"}.get(name, name), value)
    settings = dict(probe.init or {})
    for name in ("d_model", "d_ff", "vocab_size", "max_len"):
        if name in settings:
            found.setdefault(name, settings[name])
    if "num_heads" in settings and "d_model" in settings:
        found.setdefault("H", settings["num_heads"])
        found.setdefault("d_k", settings["d_model"] // settings["num_heads"])
    order = ("B", "H", "L", "S", "d_k", "d_v", "d_model", "d_ff", "vocab_size", "max_len")
    return {name: found[name] for name in order if name in found}


def _labelled(
    exercise: str, labels: Sequence[str], axes: Axes, shape: Sequence[int]
) -> Iterator[tuple[str, int]]:
    """The axes of one argument, from the right, the leading ones by what an exercise calls them."""
    leading = len(shape) - sum(label not in axes.loose for label in labels)
    words = LEADING.get(exercise, ("B",))
    loose = list(words[:leading] if leading <= len(words) else ())
    fixed = [label for label in labels if label not in axes.loose]
    for label, size in zip((*loose, *fixed), shape[len(shape) - len(loose) - len(fixed) :]):
        if label == "V":
            yield "d_v", size
        elif label != "-":
            yield WORDS.get(label, label), size


def name_shape(shape: Sequence[int], sizes: Mapping[str, int]) -> tuple[str | None, ...]:
    """The name of each axis; two sizes that are the same number share one (``L/S``)."""
    return tuple(_name(size, sizes) for size in shape)


def _name(size: int, sizes: Mapping[str, int]) -> str | None:
    if size == 1:
        return None
    same = [name for name, value in sizes.items() if value == size]
    if same:
        return "/".join(same[:2])
    if sizes.get("d_model", 0) * 3 == size:
        return "3·d_model"
    pairs = [f"{a}·{b}" for (a, x), (b, y) in combinations(sizes.items(), 2) if x * y == size]
    halves = [f"{name}/2" for name in ("d_model", "d_k") if sizes.get(name, 0) == 2 * size]
    return pairs[0] if len(pairs) == 1 else halves[0] if halves and not pairs else None
