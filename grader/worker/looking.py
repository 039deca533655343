"""Looks at tensors and modules past what a submission may have put in the way.

A subclass can lie about its shape, a module about its parameters, and any function of torch can be
replaced.  So what a module is made of is read from where `nn.Module` keeps it, and every function used
here was taken from torch before the submission was loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from grader.worker.wire import dtype_name

__all__ = [
    "Memory",
    "buffers_of",
    "converted",
    "described",
    "modules_of",
    "parameters_of",
    "set_state",
    "state_of",
    "state_within",
]

MAX_PARTS = 5000
MAX_PLAIN = 50

_get = object.__getattribute__
_equal, _empty, _no_grad = torch.equal, torch.empty, torch.no_grad
_plainly = torch._C.DisableTorchFunctionSubclass
_base: Any = torch._C.TensorBase
_shape, _dtype, _trains = _base.shape.__get__, _base.dtype.__get__, _base.requires_grad.__get__
_stride, _detach, _copy, _clone, _set = _base.stride, _base.detach, _base.copy_, _base.clone, _base.set_
_storage = Tensor.untyped_storage
_uint8 = torch.uint8
_to, _floating, _complex, _data = _base.to, _base.is_floating_point, _base.is_complex, _base.data.__set__
_module_to, _module_apply = nn.Module.to, nn.Module._apply


class Memory:
    """A tensor's layout and a copy of its whole memory, to compare with later, NaN and all."""

    def __init__(self, tensor: Tensor) -> None:
        self.layout = _layout(tensor)
        self.copy = _bytes(tensor)

    def still(self, tensor: Tensor) -> bool:
        """Whether the tensor is as it was."""
        with _plainly():
            return self.layout == _layout(tensor) and _equal(_bytes(tensor), self.copy)


def _layout(tensor: Tensor) -> Any:
    with _plainly():
        return tuple(_shape(tensor)), tuple(_stride(tensor)), _dtype(tensor)


def _bytes(tensor: Tensor) -> Tensor:
    with _plainly():
        whole: Tensor = _clone(_set(_empty(0, dtype=_uint8), _storage(_detach(tensor))))
        return whole


# -- modules ----------------------------------------------------------------------------------------


def modules_of(module: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """The module and the modules in it, with their dotted names; one that is there twice, twice."""
    waiting: list[tuple[str, nn.Module, tuple[int, ...]]] = [("", module, ())]
    for _ in range(MAX_PARTS):
        if not waiting:
            return
        name, part, within = waiting.pop()
        yield name, part
        if id(part) in within:  # a module that holds itself
            continue
        inner = _get(part, "__dict__").get("_modules") or {}
        for key, child in reversed(list(dict.items(inner))):
            if isinstance(child, nn.Module):
                waiting.append((f"{name}.{key}" if name else str(key), child, (*within, id(part))))


def parameters_of(module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """The registered parameters; one that is there twice, twice."""
    return _registered(module, "_parameters")


def buffers_of(module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """The registered buffers, those that are not saved included."""
    return _registered(module, "_buffers")


def state_of(module: nn.Module) -> dict[str, Tensor]:
    """The entries of the state dict, in its order."""
    return state_within(modules_of(module))


def state_within(parts: Iterable[tuple[str, nn.Module]]) -> dict[str, Tensor]:
    """The same of what `modules_of` gives."""
    state: dict[str, Tensor] = {}
    for prefix, part in parts:
        own = _get(part, "__dict__")
        passing = own.get("_non_persistent_buffers_set") or set()
        state |= {_dotted(prefix, k): v for k, v in _tensors(own.get("_parameters"))}
        state |= {_dotted(prefix, k): v for k, v in _tensors(own.get("_buffers")) if k not in passing}
    return state


def described(module: nn.Module) -> dict[str, Any]:
    """What a module is made of: the entries of its state, and what should not be."""
    parameters = dict(parameters_of(module))
    with _plainly():
        state = {
            name: {
                "shape": list(_shape(value)),
                "dtype": dtype_name(_dtype(value)),
                "kind": "parameter" if name in parameters else "buffer",
                "trains": name in parameters and bool(_trains(parameters[name])),
            }
            for name, value in state_of(module).items()
        }
    return {"module": True, "state": state, "shared": _shared(module), "plain": _plain_tensors(module)}


def set_state(state: Mapping[str, Tensor], given: Mapping[str, Tensor]) -> list[str]:
    """Copies each given tensor into the entry of that name and shape; names that found no place."""
    unset = []
    with _no_grad(), _plainly():
        for name, value in given.items():
            target = state.get(name)
            if target is not None and _shape(target) == _shape(value):
                _copy(target, value)
            else:
                unset.append(name)
    return unset


def converted(module: nn.Module, dtype: torch.dtype) -> nn.Module:
    """What `module.to(dtype)` gives; by a shorter way where there is nothing out of the ordinary."""
    parts = list({id(part): part for _, part in modules_of(module)}.values())
    if not all(_converts_plainly(part) for part in parts):
        return module.to(dtype)
    with _no_grad(), _plainly():
        for part in parts:
            own = _get(part, "__dict__")
            for _, value in _tensors(own.get("_parameters")):
                if _floating(value) and _dtype(value) is not dtype:
                    _data(value, _to(value, dtype))
            buffers = own.get("_buffers")
            for name, value in _tensors(buffers):
                if _floating(value) and _dtype(value) is not dtype:
                    dict.__setitem__(buffers, name, _to(value, dtype))
    return module


def _converts_plainly(part: nn.Module) -> bool:
    """No conversion of its own, and only tensors of the usual kinds and of real numbers."""
    own = _get(part, "__dict__")
    if (
        type(part)._apply is not _module_apply
        or type(part).to is not _module_to
        or {"_apply", "to"} & own.keys()
    ):
        return False
    held = [t for where in ("_parameters", "_buffers") for _, t in _tensors(own.get(where))]
    return all(type(t) in (nn.Parameter, Tensor) and not _complex(t) for t in held)


def _registered(module: nn.Module, where: str) -> Iterator[tuple[str, Tensor]]:
    for prefix, part in modules_of(module):
        for name, value in _tensors(_get(part, "__dict__").get(where)):
            yield _dotted(prefix, name), value


def _tensors(entries: Any) -> Iterator[tuple[str, Tensor]]:
    for name, value in list(dict.items(entries)) if isinstance(entries, dict) else ():
        if isinstance(value, Tensor):
            yield str(name), value


def _dotted(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _shared(module: nn.Module) -> list[list[str]]:
    """Groups of parameter names that are one and the same tensor."""
    groups: dict[int, list[str]] = {}
    for name, parameter in parameters_of(module):
        groups.setdefault(id(parameter), []).append(name)
    return [names for names in groups.values() if len(names) > 1]


def _plain_tensors(module: nn.Module) -> list[str]:
    """Attributes that are tensors but neither parameters nor buffers."""
    found = [
        _dotted(prefix, name)
        for prefix, part in modules_of(module)
        for name, value in _tensors(_get(part, "__dict__"))
    ]
    return list(dict.fromkeys(found))[:MAX_PLAIN]
