"""Blocks the ready-made operations that an exercise forbids.

Three ways lead to one: a name (`torch.layer_norm`), an operator of the dispatcher (whatever name,
compiler or tracer it is called through), and code in Python that does the same.  Names are replaced,
operators overridden for good, and functions lose their code where they are, so that every reference
to them refuses.  `loading` and `confine` keep the sources from being loaded anew.
"""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import linecache
import re
import sys
import types
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import torch

from grader.worker.readymade import CLASSES, FUNCTIONS, GROUPS, PAST_THE_DISPATCHER

__all__ = ["ForbiddenImport", "ForbiddenOperation", "block", "block_operators", "refused", "without_compiler"]

# where a kernel may be registered that a submission could reach on the CPU
KEYS = (
    "CPU",
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeImplicitAutogradNestedTensor",
    "NestedTensorCPU",
    "MkldnnCPU",
    "QuantizedCPU",
    "SparseCPU",
    "SparseCsrCPU",
    "FuncTorchBatched",  # what vmap takes an operator apart into
    "FuncTorchBatchedDecomposition",
    "FuncTorchVmapMode",
    "Functionalize",
)
FIRST = "BackendSelect"  # asked before any of them
METHODS = ("__init__", "forward", "_forward_impl")

_blocked: set[str] = set()
_refused: list[str] = []


class ForbiddenOperation(RuntimeError):
    """The exercise asks for this very operation to be written by hand."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        _refused.append(message)


class ForbiddenImport(ForbiddenOperation, ImportError):
    """The same of a module; whoever only tries whether it is there goes on without."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.msg = message


ForbiddenImport.__name__ = ForbiddenOperation.__name__


def refused(*, forget: bool = False) -> list[str]:
    """What was refused since this was last forgotten; TorchScript and its like change the exception."""
    if forget:
        _refused.clear()
    return _refused[-8:]


def block(names: Iterable[str]) -> None:
    """Makes each dotted name refuse: a function and a class in place, a builtin by its name."""
    for dotted in names:
        module_name, _, attribute = dotted.rpartition(".")
        holder: Any = sys.modules.get(module_name)
        if holder is None:
            outer, _, inner = module_name.rpartition(".")
            holder = getattr(sys.modules.get(outer), inner, None)
        found = getattr(holder, attribute, None)
        if found is not None and not _disarm(found, dotted):
            refuse = _refusal(_message(dotted))
            with contextlib.suppress(AttributeError):  # to TorchScript it stays what it was: an operator
                torch.jit._builtins._register_builtin(refuse, f"aten::{attribute}")
            setattr(holder, attribute, refuse)


def block_operators(groups: Iterable[str]) -> None:
    """Blocks every operator of these groups, and what computes the same in Python."""
    for group in groups:
        if group in GROUPS and group not in _blocked:
            _blocked.add(group)
            _override(GROUPS[group])
            for name, function in _functions(group):
                _disarm(function, name)
            for dotted in CLASSES[group]:
                found = _find(dotted)
                if isinstance(found, type):
                    _disarm(found, _public(dotted, found))
    for name in PAST_THE_DISPATCHER:
        if hasattr(torch._C, name):
            delattr(torch._C, name)


def without_compiler() -> None:
    """Makes `torch.compile` leave functions as they are: a worker may start no compiler, and what is
    compiled gives the same results."""

    def compile(model: Any = None, **settings: Any) -> Any:
        return model if model is not None else lambda function: function

    torch.compile = compile
    torch.nn.Module.compile = lambda self, *args, **kwargs: None  # type: ignore[method-assign]
    _without_dynamo()


def _without_dynamo() -> None:
    """Puts what leaves functions as they are in the place of the compiler's front end.

    Checkpointing, optimizers and `torch.compiler.disable` ask it to stand back, and would load it for that,
    with code generators that hold the exercises ready made.
    """

    def kept(function: Any = None, *args: Any, **settings: Any) -> Any:
        return function if callable(function) else lambda found: found

    def nothing(*args: Any, **settings: Any) -> None:
        return None

    front = types.ModuleType("torch._dynamo")
    front.__path__ = []
    for name in ("disable", "allow_in_graph", "disallow_in_graph", "forbid_in_graph", "run", "skip"):
        setattr(front, name, kept)
    for name in ("graph_break", "mark_dynamic", "mark_static", "maybe_mark_dynamic", "reset"):
        setattr(front, name, nothing)
    for name in ("is_compiling", "is_dynamo_supported"):
        setattr(front, name, lambda *args: False)
    parts = {name: types.ModuleType(f"torch._dynamo.{name}") for name in ("config", "compiled_autograd")}
    parts["config"].__getattr__ = lambda name: False  # type: ignore[method-assign]
    parts["compiled_autograd"]._disable = contextlib.nullcontext  # type: ignore[attr-defined]
    for name, part in parts.items():
        setattr(front, name, part)
        sys.modules[part.__name__] = part
    sys.modules[front.__name__] = torch._dynamo = front


# -- operators --------------------------------------------------------------------------------------


@cache
def _operators() -> tuple[str, ...]:
    """All operators of the dispatcher, without their namespace."""
    return tuple(n[6:] for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::"))


def _override(pattern: re.Pattern[str]) -> None:
    libraries: dict[str, Any] = {}
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overriding is the point
        for name in _operators():
            if not pattern.search(name) or "backward" in name:
                continue
            refuse = _refusal(_message(f"aten::{name}"))
            for key in (FIRST, *(k for k in KEYS if _has(has, f"aten::{name}", k))):
                if key not in libraries:
                    libraries[key] = torch._C._dispatch_library("IMPL", "aten", key, __file__, 1)
                try:
                    libraries[key].impl(name, key, refuse)
                except RuntimeError:  # another key already stands for this one
                    continue
    for library in libraries.values():
        # never given back, and out of reach: whoever holds it can take the overrides away
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


def _has(has: Any, name: str, key: str) -> bool:
    try:
        return bool(has(name, key))
    except RuntimeError:  # this torch knows no such key
        return False


# -- code in Python ---------------------------------------------------------------------------------


def _functions(group: str) -> Iterator[tuple[str, Any]]:
    for module_name, helpers in FUNCTIONS.items():
        module = sys.modules.get(module_name)
        for name, value in list(vars(module).items()) if module is not None else ():
            wanted = GROUPS[group].search(name) or (group == "normalization" and name in helpers)
            if wanted and callable(value) and not isinstance(value, type):
                inner = inspect.unwrap(value)
                if getattr(inner, "__module__", None) == module_name:
                    yield f"{module_name}.{name}", value


def _find(dotted: str) -> Any:
    module_name, _, name = dotted.rpartition(".")
    return getattr(sys.modules.get(module_name), name, None)


def _public(dotted: str, found: type) -> str:
    """``torch.nn.LayerNorm`` for a class that lives in ``torch.nn.modules.normalization``."""
    name = dotted.rpartition(".")[2]
    return f"torch.nn.{name}" if getattr(torch.nn, name, None) is found else dotted


def _disarm(found: Any, dotted: str) -> bool:
    """Takes the code out of a function, or out of the methods of a class; False for anything else."""
    if isinstance(found, type):
        bases = [base for base in found.__mro__ if base not in (torch.nn.Module, object)]
        methods = [vars(base)[name] for base in bases for name in METHODS if name in vars(base)]
        disarmed = [_disarm(method, dotted) for method in methods]  # all of them
        return any(disarmed)
    inner = inspect.unwrap(found) if callable(found) else found
    if not isinstance(inner, types.FunctionType):
        return False
    if "refusal" not in inner.__code__.co_consts:
        _blank(inner)
        inner.__code__ = _code(_message(dotted)).replace(
            co_freevars=inner.__code__.co_freevars, co_name=inner.__name__
        )
    return True


def _template(*args: Any, **kwargs: Any) -> Any:
    raise "exception"  # type: ignore[misc]  # noqa: B016  replaced by an exception in `_code`


def _code(message: str) -> types.CodeType:
    """Code that raises, whatever globals it runs with: the exception is one of its constants."""

    class Forbidden(ForbiddenOperation):
        def __init__(self) -> None:
            super().__init__(message)

    Forbidden.__name__ = Forbidden.__qualname__ = ForbiddenOperation.__name__
    code = _template.__code__
    constants = tuple(Forbidden if c == "exception" else c for c in code.co_consts)
    return code.replace(co_consts=(*constants, "refusal"))


def _blank(function: types.FunctionType) -> None:
    """Makes blank lines of the function in the file's lines that tracebacks and TorchScript read.

    Only `torch.nn.functional` is kept like this: TorchScript compiles other functions of it.
    """
    module = sys.modules.get(function.__module__)
    filename = getattr(module, "__file__", None)
    if function.__module__ != "torch.nn.functional" or filename is None:
        return
    lines = linecache.getlines(filename)
    if not lines:
        return
    code = function.__code__
    last = max(line for part in _parts(code) for _, _, line in part.co_lines() if line is not None)
    kept = [*lines[: code.co_firstlineno - 1], *["\n"] * (last - code.co_firstlineno + 1), *lines[last:]]
    # without a time, the entry is never checked against the file, which a worker may not read
    linecache.cache[filename] = (0, None, kept, filename)


def _parts(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _parts(constant)


# -- refusing ---------------------------------------------------------------------------------------


def _message(dotted: str) -> str:
    return f"{dotted} is what this exercise asks you to write"


def _refusal(message: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise ForbiddenOperation(message)

    return refuse
