"""The tensors of a case by their place, and cases with one of them changed or an axis shortened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model
from grader.exercises.small import Axes, Case
from grader.submission.client import Callback

__all__ = ["Place", "cut", "labels", "mapped", "memory_order", "places", "unwrapped"]

Place = tuple[str, Any]  # ("args", 0), ("kwargs", "mask"), ("state", "weight"), ("args", (1, "bias"))


def places(case: Case) -> Iterator[tuple[Place, Tensor]]:
    """Every tensor of the call, each once (a tensor that is given twice is one)."""
    seen: set[int] = set()
    for place, tensor in _all_places(case):
        if id(tensor) not in seen:
            seen.add(id(tensor))
            yield place, tensor


def _all_places(case: Case) -> Iterator[tuple[Place, Tensor]]:
    probe = case.probe
    for kind, pairs in (("args", enumerate(probe.args or ())), ("kwargs", probe.kwargs.items())):
        for key, value in pairs:
            if isinstance(value, Tensor):
                yield (kind, key), value
            elif isinstance(value, Callback):
                for name, setting in value.settings.items():
                    if isinstance(setting, Tensor):
                        yield (kind, (key, name)), setting
    for name, value in (probe.state or {}).items():
        yield ("state", name), value


def mapped(case: Case, change: Callable[[Place, Tensor], Tensor]) -> Case:
    """The case with every tensor put through `change`; what was one tensor stays one."""
    probe = case.probe
    done: dict[int, Tensor] = {}

    def once(place: Place, tensor: Tensor) -> Tensor:
        if id(tensor) not in done:
            done[id(tensor)] = change(place, tensor)
        return done[id(tensor)]

    def value_of(kind: str, key: Any, value: Any) -> Any:
        if isinstance(value, Tensor):
            return once((kind, key), value)
        if isinstance(value, Callback):
            settings = {
                n: once((kind, (key, n)), s) if isinstance(s, Tensor) else s
                for n, s in value.settings.items()
            }
            return Callback(value.name, settings, value.as_module)
        return value

    args = None if probe.args is None else tuple(value_of("args", i, v) for i, v in enumerate(probe.args))
    kwargs = {name: value_of("kwargs", name, v) for name, v in probe.kwargs.items()}
    state = None if probe.state is None else {n: once(("state", n), v) for n, v in probe.state.items()}
    return case.but(args=args, kwargs=kwargs, state=state)


# -- axes -------------------------------------------------------------------------------------------


def labels(case: Case, model: Model, axes: Axes, place: Place, tensor: Tensor) -> Sequence[str]:
    """What the axes of one tensor are called, as many as it has."""
    kind, key = place
    if kind == "state":
        ends = sorted((n for n in axes.of if key == n or key.endswith(f".{n}")), key=len)
        found = axes.of[ends[-1]] if ends else ()
    else:
        whose = key[0] if isinstance(key, tuple) else key
        name = model.inputs[whose] if kind == "args" else whose
        if isinstance(key, tuple):
            name = f"{name}.{key[1]}"
        found = axes.of.get(f"{name}/{tensor.dim()}", axes.of.get(name, ()))
    return found[len(found) - tensor.dim() :] if len(found) >= tensor.dim() else ()


def cut(case: Case, model: Model, axes: Axes) -> Iterator[Case]:
    """The case with one index of one axis left out of every tensor that has it."""
    lengths: dict[str, int] = {}
    for place, tensor in places(case):
        for label, length in zip(labels(case, model, axes, place, tensor), tensor.shape):
            lengths[label] = max(lengths.get(label, 1), length)
    init = case.probe.init or {}
    heads = int(init.get(axes.heads, 0)) if axes.heads else 0
    for label, length in lengths.items():
        if label == "-":
            continue
        if label == "D" and heads:
            yield from _fewer_heads(case, model, axes, length, heads)
            continue
        if label == "H":
            continue  # goes with the heads
        step = axes.steps.get(label, 1)
        for last in range(length, step - 1, -step) if length > step else ():
            kept = [i for i in range(length) if not last - step <= i < last]
            yield _kept(case, model, axes, {label: (length, kept)})


def _fewer_heads(case: Case, model: Model, axes: Axes, width: int, heads: int) -> Iterator[Case]:
    """Leaves out a head, or a feature of every head."""
    each = width // heads
    step = axes.steps.get("D", 1)
    if heads > 1 and each % step == 0:
        for gone in range(heads - 1, -1, -1):
            kept = [i for i in range(width) if i // each != gone]
            rest = [h for h in range(heads) if h != gone]
            one = _kept(case, model, axes, {"D": (width, kept), "H": (heads, rest)})
            yield one.but(init={**(one.probe.init or {}), axes.heads or "": heads - 1})
        if each == 1 and (width // 2) % step == 0:  # the same width in fewer heads
            yield case.but(init={**(case.probe.init or {}), axes.heads or "": 1})
    if each > 1 and heads % step == 0:
        for gone in range(each - 1, -1, -1):
            kept = [i for i in range(width) if i % each != gone]
            yield _kept(case, model, axes, {"D": (width, kept)})
    elif each > step:
        for last in range(each, step - 1, -step):
            kept = [i for i in range(width) if not last - step <= i % each < last]
            yield _kept(case, model, axes, {"D": (width, kept)})


def _kept(case: Case, model: Model, axes: Axes, keep: dict[str, tuple[int, list[int]]]) -> Case:
    """The case with only these indices of the named axes; an axis of length one is broadcast and stays."""

    def change(place: Place, tensor: Tensor) -> Tensor:
        for axis, label in enumerate(labels(case, model, axes, place, tensor)):
            length, kept = keep.get(label, (0, []))
            if length and tensor.shape[axis] == length:
                tensor = _select(tensor, axis, kept)
        return tensor

    init = dict(case.probe.init or {})
    for label, (_, kept) in keep.items():
        if label in axes.init and axes.init[label] in init:
            init[axes.init[label]] = len(kept)
    made = mapped(case, change).but(init=init if case.probe.init is not None else None)
    return _with_seed(made, model)


def _with_seed(made: Case, model: Model) -> Case:
    """Gives the cotangent the shape of the new output."""
    if made.seed is None:
        return made
    try:
        result = model.run(made.probe).result
    except (RuntimeError, ValueError, IndexError, AttributeError, TypeError):
        return made  # no case any more: whoever looks at it will say so
    output = result[0] if isinstance(result, tuple) else result
    if not isinstance(output, Tensor) or output.shape == made.seed.shape:
        return made
    seed = torch.ones(output.shape)
    if not bool(made.seed.all()):
        seed = torch.zeros(output.shape)
        seed.view(-1)[0] = 1.0
    return replace(made, seed=seed)


def _select(tensor: Tensor, axis: int, kept: list[int]) -> Tensor:
    """Some indices of an axis; the tensor lies in memory in the same order of axes as before."""
    found = tensor.index_select(axis, torch.tensor(kept))
    order = memory_order(tensor)
    return found.permute(order).contiguous().permute([order.index(d) for d in range(tensor.dim())])


def memory_order(tensor: Tensor) -> list[int]:
    """The axes from the one with the largest steps in memory to the one with the smallest."""
    return sorted(range(tensor.dim()), key=lambda d: (-tensor.stride()[d], d))


def unwrapped(case: Case, model: Model, axes: Axes) -> Iterator[Case]:
    """The case without its outermost leading axis, where that has length one."""
    if not axes.loose:
        return
    held = [
        (place, tensor)
        for place, tensor in places(case)
        if set(labels(case, model, axes, place, tensor)) & set(axes.loose)
    ]
    deepest = max((t.dim() for _, t in held), default=0)
    outer = [(p, t) for p, t in held if t.dim() == deepest]
    if not outer or any(t.shape[0] != 1 for _, t in outer):
        return
    names = {id(t) for _, t in outer}
    made = mapped(case, lambda place, t: t.squeeze(0) if id(t) in names else t)
    if made.seed is not None and made.seed.dim() and made.seed.shape[0] == 1:
        made = replace(made, seed=made.seed.squeeze(0))
    yield made
