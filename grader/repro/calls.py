"""The first part of a program: the object, its parameters, the arguments, and the call itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model
from grader.exercises.small import Case
from grader.repro.literals import exact, number, short
from grader.submission.client import Callback, Device
from grader.text import Text

__all__ = ["LAYER", "Call"]

WIDTH = 92
LAYER = "layer"  # the name of the learner's object
SAME_NUMBERS = Text("so that you see the same numbers", "使你看到相同的数")


class Call:
    """How a case is written down.

    counted: the callable keeps a list of its calls.
    """

    def __init__(self, case: Case, model: Model, language: str, *, counted: bool = False) -> None:
        self.case = case
        self.probe = case.probe
        self.language = language
        self.counted = counted
        self.given = dict([*zip(model.inputs, self.probe.args or ()), *self.probe.kwargs.items()])
        tensors = [id(v) for v in self.given.values() if isinstance(v, Tensor)]
        self.names: dict[int, str] = {}
        for name, value in self.given.items():
            if isinstance(value, (Tensor, Callback)):
                shared = tensors.count(id(value)) > 1
                self.names[id(value)] = "x" if shared else name

    def name_of(self, argument: str) -> str:
        """The variable that holds an argument."""
        return self.names.get(id(self.given.get(argument)), argument)

    @property
    def construction(self) -> str:
        """The expression that makes the learner's object."""
        settings = (self.probe.init or {}).items()
        words = [_plain(v) if self.case.positional else f"{n}={_plain(v)}" for n, v in settings]
        made = f"{self.probe.target}({', '.join(words)})"
        if self.probe.dtype is not None and self.probe.dtype != "float32":
            made += f".to(torch.{self.probe.dtype})"
        return made

    @property
    def expression(self) -> str:
        """The expression that runs what is looked at."""
        if self.probe.args is None:
            return self.construction
        words = [self.names.get(id(a)) or _plain(a) for a in self.probe.args]
        words += [f"{n}={self.names.get(id(v)) or _plain(v)}" for n, v in self.probe.kwargs.items()]
        return f"{LAYER if self.probe.init is not None else self.probe.target}({', '.join(words)})"

    def prepared(self) -> Iterator[str]:
        """The lines that come before the call."""
        if self.probe.init is not None:
            yield from self.made()
            if self.probe.args is not None:
                yield from self._loaded()
        if self.probe.args is not None:
            yield from self._arguments()
            yield from self._chance()

    def made(self) -> Iterator[str]:
        """The object, as its constructor leaves it."""
        yield from self._chance()
        line = f"{LAYER} = {self.construction}"
        if len(line) <= WIDTH:
            yield line
            return
        start, _, rest = line.partition("(")
        settings, _, end = rest.partition(")")
        yield f"{start}("
        yield from (f"    {setting}," for setting in settings.split(", "))
        yield f"){end}"

    def _chance(self) -> Iterator[str]:
        if self.case.chance is not None:
            yield f"torch.manual_seed({self.case.chance})  # {SAME_NUMBERS.in_(self.language)}"

    def _loaded(self) -> Iterator[str]:
        if self.probe.state:
            yield f"{LAYER}.load_state_dict("
            yield "    {"
            for name, value in self.probe.state.items():
                literal = short(value).replace("\n", "\n" + 8 * " ")
                yield f'        "{name}": {literal},'
            yield "    }"
            yield ")"
        yield f"{LAYER}.{'train' if self.probe.train else 'eval'}()"

    def _arguments(self) -> Iterator[str]:
        written: set[int] = set()
        for value in self.given.values():
            if id(value) in written or id(value) not in self.names:
                continue
            written.add(id(value))
            if isinstance(value, Tensor):
                yield f"{self.names[id(value)]} = {exact(value)}"
            else:
                yield from self._callable(self.names[id(value)], value)

    def _callable(self, name: str, spec: Callback) -> Iterator[str]:
        for setting, value in spec.settings.items():
            if isinstance(value, Tensor):
                yield f"{setting} = {exact(value)}"
        formula = _formula(spec)
        if self.counted:
            yield "calls = []"
        yield from ("", "")
        if spec.as_module:
            yield f"class {name.title()}(torch.nn.Module):"
            yield from ("    def forward(self, h):", f"        return {formula}", "", "")
            yield f"{name} = {name.title()}()"
            return
        yield f"def {name}(h):"
        if self.counted:
            yield "    calls.append(h)"
        yield from (f"    return {formula}", "", "")


def _formula(spec: Callback) -> str:
    """What a callable of the closed set does to `h`."""
    plain = {n: number(float(s)) for n, s in spec.settings.items() if not isinstance(s, Tensor)}
    factor, offset, below = (plain.get(n) for n in ("factor", "offset", "below"))
    return {
        "scale": f"h * {factor}",
        "shift_scale": f"h * {factor}" + ("" if offset == "0.0" else f" + {offset}"),
        "affine": "h @ weight.T + bias",
        "squashed": "torch.tanh(h @ weight.T + bias)",
        "identity": "h",
        "drop_small": f"torch.where(h < {below}, 0.0, h * {factor})",
    }[spec.name]


def _plain(value: Any) -> str:
    """An argument that is no tensor."""
    if isinstance(value, Device):
        return repr(value.name)
    return str(value) if isinstance(value, torch.dtype) else repr(value)
