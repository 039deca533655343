"""The second part of a program: prints what the code gives, what is right, and whether they agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.marking.compare import dtype_word
from grader.repro.calls import LAYER, Call
from grader.repro.findings import Finding, by_how_much, scale_of
from grader.repro.lines import comment
from grader.repro.literals import exact, rounded
from grader.repro.words import LABELS, expectation, leaf_word
from grader.text import Text

__all__ = ["Scene", "verdict"]

DIGITS = {torch.float64: 15, torch.float32: 7, torch.float16: 3, torch.bfloat16: 2}
GLOBALS = {
    "grad mode": "torch.is_grad_enabled()",
    "default dtype": "torch.get_default_dtype()",
    "thread count": "torch.get_num_threads()",
    "deterministic algorithms": "torch.are_deterministic_algorithms_enabled()",
    "torch seed": "torch.initial_seed()",
    "python random state": "random.getstate()",
}


@dataclass(frozen=True)
class Scene:
    """What a verdict is written from.

    outputs: the names of what the target returns; lines: where the learner's lines are; allowance: by how
    much a right result may differ; meaning: as in `Small`.
    """

    finding: Finding
    call: Call
    outputs: tuple[str, ...]
    meaning: Mapping[str, Text]
    lines: Text
    allowance: float
    language: str

    def say(self, text: Text) -> str:
        return text.in_(self.language)

    def label(self, name: str) -> str:
        return f'"{self.say(LABELS[name])}"'

    def printed(self, name: str, expression: str) -> str:
        """A line that prints an expression under a label."""
        return f"print({self.label(name)}, {expression})"


def verdict(scene: Scene) -> Iterator[str]:
    """The lines from the call to the end."""
    write: Callable[[Scene], Iterator[str]] = KINDS[scene.finding.kind]
    return write(scene)


# -- numbers ----------------------------------------------------------------------------------------


def _values(scene: Scene) -> Iterator[str]:
    yield f"{', '.join(scene.outputs)} = {scene.call.expression}"
    yield from _compared(scene, _looked_at(scene))


def _looked_at(scene: Scene) -> str:
    """The expression of what is compared."""
    finding, case = scene.finding, scene.finding.case
    part = finding.part or scene.outputs[-1]
    if finding.kind in ("shape", "dtype"):
        return part
    if case.index is not None:
        return f"{part}[{', '.join(map(str, case.index))}]"
    return f"{part}[{case.focus}]" if case.focus is not None and part == scene.outputs[0] else part


def _compared(scene: Scene, name: str, *, known: bool = True) -> Iterator[str]:
    """Prints both and says whether they agree; `known`: that the name is a tensor by now."""
    yield ""
    if "[" in name:
        whole = name.split("[")[0]
        if scene.finding.case.focus is not None:
            open_ = Text("what is returned elsewhere is left open", "其余位置返回什么不作要求")
            yield from comment(scene.say(open_))
        yield f"part = {name}" if known else f"part = None if {whole} is None else {name}"
        name = "part"
    meaning = expectation(scene.finding, scene.meaning)
    if meaning is not None:
        yield from comment(scene.say(meaning))
    wanted: Tensor = scene.finding.wanted
    if not wanted.is_floating_point():
        yield f"expected = {exact(wanted.contiguous())}"
        yield from _both(scene, name)
        yield from _same(scene, name, [f"torch.equal({name}, expected)"], known=known)
        return
    atol = _tolerance(scene, wanted)
    literal, digits = rounded(wanted.contiguous(), atol / 4)
    yield f"expected = {literal}"
    if digits > 4:
        yield f"torch.set_printoptions(precision={digits - 1})"
    yield from _both(scene, name)
    kind, good = dtype_word(wanted.dtype), DIGITS.get(wanted.dtype, 7)
    reason = Text(
        f"{kind} is good to about {good} digits, so rounding errors stay below {atol:g}",
        f"{kind} 约有 {good} 位有效数字，舍入误差不会超过 {atol:g}",
    )
    yield from comment(scene.say(reason))
    nan = ", equal_nan=True" if bool(wanted.isnan().any()) else ""
    near = f"torch.allclose({name}, expected, rtol=0, atol={atol:g}{nan})"
    yield from _same(scene, name, [near], known=known)


def _both(scene: Scene, name: str) -> Iterator[str]:
    yield scene.printed("yours", name)
    yield scene.printed("expected", "expected")


def _same(scene: Scene, name: str, conditions: list[str], *, known: bool) -> Iterator[str]:
    first = [] if known else [f"isinstance({name}, torch.Tensor)"]
    first += [f"{name}.shape == expected.shape", f"{name}.dtype == expected.dtype"]
    yield "same = ("
    for count, condition in enumerate([*first, *conditions]):
        yield f"    {'and ' if count else ''}{condition}"
    yield ")"
    yield scene.printed("agrees", "same")


def _tolerance(scene: Scene, wanted: Tensor) -> float:
    """More than what rounding may do to a right result, and less than what is wrong: a power of ten."""
    scale = scale_of(wanted)
    least, most = scene.allowance * 1.5, scale
    found = scene.finding.found
    if isinstance(found, Tensor) and found.shape == wanted.shape and wanted.numel():
        most = min(float(by_how_much(found, wanted).max()), scale) or scale
    power = 10.0 ** math.floor(math.log10(min(most / 3, 1e-3 * scale)))
    if power < least:
        power = 10.0 ** math.ceil(math.log10(least))
    if power <= most / 2:
        return power
    return float(f"{math.sqrt(scene.allowance * most):.2g}")  # what is wrong is hardly more than rounding


def _gradient(scene: Scene) -> Iterator[str]:
    leaf = scene.finding.part
    name = leaf_word(leaf)
    if not leaf.startswith("param:"):
        name = f"{scene.call.name_of(leaf)}.grad"
        yield f"{scene.call.name_of(leaf)}.requires_grad_()"
    yield f"{', '.join(scene.outputs)} = {scene.call.expression}"
    yield from ("try:", f"    {_backward(scene)}", "except RuntimeError as error:")
    yield f"    {scene.printed('backward', 'error')}"
    yield f"gradient = {name}"
    yield from _compared(scene, "gradient", known=False)


def _backward(scene: Scene) -> str:
    """The sum of the output is differentiated, or a single number of it."""
    seed = scene.finding.case.seed
    assert seed is not None
    output = scene.outputs[0]
    if bool((seed == 1).all()):
        return f"{output}.sum().backward()"
    where = ", ".join(str(int(i)) for i in seed.nonzero()[0])
    return f"{output}[{where}].backward()"


# -- exceptions -------------------------------------------------------------------------------------


def _raises(scene: Scene) -> Iterator[str]:
    """A call that raises: the traceback is what the learner needs."""
    where = Text(
        f"the last line that is in {scene.lines.en} is where to look",
        f"其中最后一处属于 {scene.lines.zh} 的行就是该看的地方",
    )
    constructed = scene.finding.case.probe.args is None
    if constructed:
        yield from (f"{LAYER} = None", "try:", f"    {LAYER} = {scene.call.construction}")
    else:
        yield f"{' = '.join(scene.outputs)} = None"
        yield from ("try:", f"    {', '.join(scene.outputs)} = {scene.call.expression}")
    yield from ("except Exception:", *(f"    {line}" for line in comment(scene.say(where))))
    yield "    traceback.print_exc(file=sys.stdout)"
    if constructed:
        yield scene.printed("agrees", f"isinstance({LAYER}, torch.nn.Module)")
    else:
        yield from _compared(scene, _looked_at(scene), known=False)


def _refused(scene: Scene) -> Iterator[str]:
    """A call for which a ValueError is right."""
    yield from ("problem = None", "try:", f"    {scene.call.expression}", "except Exception as error:")
    yield from ("    problem = error", "")
    meaning = expectation(scene.finding, scene.meaning)
    if meaning is not None:
        yield from comment(scene.say(meaning))
    yield scene.printed("yours", f"repr(problem) if problem else {scene.label('no exception')}")
    yield scene.printed("expected", '"ValueError"')
    refuses = scene.finding.case.refuses
    if refuses is None:
        yield scene.printed("agrees", "isinstance(problem, (ValueError, AssertionError))")
        return
    named = " and ".join(f'"{n}" in str(problem)' for n in refuses)
    yield f"same = isinstance(problem, ValueError) and {named}"
    yield scene.printed("agrees", "same")


# -- what a call returns, and does beside -----------------------------------------------------------


def _typed(scene: Scene) -> Iterator[str]:
    """Something else than a tensor, or than as many as there should be."""
    part, names = scene.finding.part, scene.outputs
    if part == "layer":
        yield scene.printed("yours", f"type({LAYER})")
        yield scene.printed("expected", "torch.nn.Module")
        yield scene.printed("agrees", f"isinstance({LAYER}, torch.nn.Module)")
        return
    yield f"result = {scene.call.expression}"
    if len(names) > 1 and part == "result":
        yield scene.printed("yours", "result")
        yield scene.printed("expected", f'"({", ".join(names)})"')
        yield f"same = isinstance(result, (tuple, list)) and len(result) == {len(names)}"
    else:
        which = f"result[{names.index(part)}]" if len(names) > 1 else "result"
        yield scene.printed("yours", which)
        yield scene.printed("expected", "torch.Tensor")
        yield f"same = isinstance({which}, torch.Tensor)"
    yield scene.printed("agrees", "same")


def _changed(scene: Scene) -> Iterator[str]:
    name = scene.call.name_of(scene.finding.part)
    yield from (f"before = {name}.clone()", scene.call.expression)
    yield scene.printed("before", "before")
    yield scene.printed("after", name)
    yield scene.printed("agrees", f"torch.equal({name}, before)")


def _called(scene: Scene) -> Iterator[str]:
    yield scene.call.expression
    yield scene.printed("yours", "len(calls)")
    yield scene.printed("expected", "1")
    yield scene.printed("agrees", "len(calls) == 1")


def _registered(scene: Scene) -> Iterator[str]:
    yield scene.call.expression
    yield f"registered = any(m is {scene.finding.part} for m in {LAYER}.modules())"
    yield scene.printed("yours", "registered")
    yield scene.printed("expected", "False")
    yield scene.printed("agrees", "not registered")


def _device(scene: Scene) -> Iterator[str]:
    device = scene.finding.wanted
    yield f"result = {scene.call.expression}"
    yield scene.printed("yours", "result.device")
    yield scene.printed("expected", f'"{device}"')
    yield scene.printed("agrees", f'result.device.type == "{device}"')


def _global(scene: Scene) -> Iterator[str]:
    setting = GLOBALS[scene.finding.part]
    shown = ("hash(before)", f"hash({setting})") if setting.startswith("random.") else ("before", setting)
    yield from (f"before = {setting}", scene.call.expression)
    yield scene.printed("before", shown[0])
    yield scene.printed("after", shown[1])
    yield scene.printed("agrees", f"{setting} == before")


# -- new objects ------------------------------------------------------------------------------------


def _state(scene: Scene) -> Iterator[str]:
    """The entries of a state dict that are not as they should be."""
    yield f"parameters = dict({LAYER}.named_parameters(remove_duplicate=False))"
    yield "found = {"
    yield "    name: f\"{'parameter' if name in parameters else 'buffer'} {list(tensor.shape)}\""
    yield f"    for name, tensor in {LAYER}.state_dict().items()"
    yield "}"
    yield "expected = {"
    yield from (f'    "{name}": "{words}",' for name, words in scene.finding.wanted.items())
    yield "}"
    yield "for name in sorted({*found, *expected}):"
    yield "    if found.get(name) != expected.get(name):"
    yield f"        print({scene.label('yours')}, name, found.get(name, {scene.label('missing')}))"
    yield f"        print({scene.label('expected')}, name, expected.get(name, {scene.label('nothing')}))"
    yield scene.printed("agrees", "found == expected")


def _initial(scene: Scene) -> Iterator[str]:
    yield f'found = {LAYER}.state_dict()["{scene.finding.part}"]'
    yield f"expected = {exact(scene.finding.wanted)}"
    yield from _both(scene, "found")
    yield scene.printed("agrees", "torch.equal(found, expected)")


KINDS: Mapping[str, Callable[[Scene], Iterator[str]]] = {
    "values": _values,
    "shape": _values,
    "dtype": _values,
    "gradient": _gradient,
    "no gradient": _gradient,
    "backward raises": _gradient,
    "raises": _raises,
    "accepts": _refused,
    "wrong error": _refused,
    "type": _typed,
    "changed": _changed,
    "called": _called,
    "registered": _registered,
    "device": _device,
    "global": _global,
    "state": _state,
    "initial": _initial,
}
