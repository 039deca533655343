"""When no known mistake explains: what is right of the learner's code, and the first that is not.

A few short sentences, one a line: the call that they are about, the lines that are right, the first that
is not and what is the matter with its value, in the learner's own numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from grader.diagnosis.contrast import contrast, example
from grader.diagnosis.following import Followed, followed, stopped
from grader.diagnosis.model import Probe
from grader.diagnosis.pair import Pair
from grader.diagnosis.places import line_of_words, return_line
from grader.diagnosis.search import Searcher
from grader.diagnosis.sightings import How, Sighting
from grader.diagnosis.walk import Culprit
from grader.marking.compare import shape
from grader.submission.observation import Observation
from grader.submission.source import SourceFile
from grader.text import Text

if TYPE_CHECKING:
    from grader.marking.lab import Lab

__all__ = ["Teller", "first_divergence", "until_raised"]

MOST_SHOWN = 3  # right lines before the wrong one


def first_divergence(lab: Lab, searchers: Sequence[Searcher], file: SourceFile) -> Text:
    """What can be said of the calls that deviate, by what they show: a few sentences, one a line."""
    for tell in (_of_construction, _of_values, _of_arguments, _of_gradients, _of_exceptions):
        try:
            lines = tell(lab, searchers, file)
        except (RuntimeError, ValueError, IndexError):  # of torch, on values that nobody has thought of
            continue
        if lines:
            return Text.join(lines, "\n", "\n")
    return Text(
        "No known mistake, or set of up to three, gives these results.",
        "没有任何已知错误（或至多三个错误的组合）能得到这些结果。",
    )


def until_raised(lab: Lab, searchers: Sequence[Searcher], file: SourceFile) -> Text | None:
    """For an exception: the last right line before it; None where nothing is right yet."""
    found = stopped(lab, searchers)
    if found is None:
        return None
    last = list(Teller(found, file, lab).rights())[-1:]
    for spot, words in last:
        return Text(f"up to {spot}, {words.en}, all is right", f"直到 {spot}（{words.zh}）都是正确的")
    return None


# -- calls that returned wrong values ---------------------------------------------------------------


def _of_values(lab: Lab, searchers: Sequence[Searcher], file: SourceFile) -> list[Text]:
    found = followed(lab, searchers)
    if found is None:
        return []
    teller = Teller(found, file, lab)
    culprit = found.walk.culprit
    wrong = teller.wrong(culprit) if culprit is not None else teller.returned()
    return [_with(found.probe), *teller.right_lines(), *wrong]


def _with(probe: Probe) -> Text:
    return Text(f"With {probe.title.en}:", f"在“{probe.title.zh}”中：")


class Teller:
    """Puts one followed call into words."""

    def __init__(self, found: Followed, file: SourceFile, lab: Lab) -> None:
        self.found = found
        self.walk = found.walk
        self.file = file
        self.lab = lab

    def name(self, step: str) -> Text:
        """What a step, argument or parameter is called."""
        known = self.walk.route.names.get(step)
        return known.words if known is not None else Text(f"`{step}`", f" `{step}` ")

    def spot(self, sighting: Sighting | None, *, inside: bool = False) -> str:
        """``file.py:12``: the line that computed a value, or else the one that returns it.

        In a function that is called from several lines, the line that calls it, unless `inside`.
        """
        if sighting is not None and sighting.line is not None:
            line = sighting.line
            paths = {s.path for s in self.walk.seen if s.line == line and s.file == sighting.file}
            for step, *others in zip(sighting.path, *paths):
                if any(o != step for o in others) and not inside:
                    line = step
                    break
            return f"{sighting.file}:{line}"
        return _spot(self.file, return_line(self.file, self.found.probe.target))

    def elsewhere_right(self, sighting: Sighting) -> bool:
        """Whether the same operation of the same line gave something right when called from elsewhere."""
        return any(
            s.index in self.walk.right_places and s.path != sighting.path
            for s in self.walk.seen
            if (s.file, s.line, s.op) == (sighting.file, sighting.line, sighting.op)
        )

    # -- what is right --------------------------------------------------------------------------

    def rights(self) -> Iterator[tuple[str, Text]]:
        """The right lines before the wrong one, in order, each with the last step on it."""
        culprit = self.walk.culprit
        order = list(self.walk.route.model.steps)
        lines: dict[str, str] = {}
        for right in self.walk.rights:
            if culprit is not None and right.sighting.index >= culprit.index:
                continue
            if right.sighting.line is None or (
                culprit is not None and right.step == culprit.step and right.how is How.AXES
            ):
                continue
            spot = self.spot(right.sighting)
            before = lines.pop(spot, right.step)
            lines[spot] = max(before, right.step, key=order.index)
        yield from ((spot, self.name(step)) for spot, step in lines.items())

    def right_lines(self) -> list[Text]:
        """The last few of them as sentences."""
        return [
            Text(f"{spot} is right: {words.en}.", f"{spot} 正确：{words.zh}。")
            for spot, words in list(self.rights())[-MOST_SHOWN:]
        ]

    # -- what is not ----------------------------------------------------------------------------

    def wrong(self, culprit: Culprit) -> Iterator[Text]:
        """The first wrong line, one of its numbers, and whether that is all."""
        name = self.name(culprit.step)
        if culprit.same_as is not None:
            other, spot = self.name(culprit.same_as), self.spot(culprit.follower)
            yield Text(
                f"{spot} goes on with {other.en} where {name.en} should be.",
                f"{spot} 直接用了{other.zh}，而这里应为{name.zh}。",
            )
        else:
            pair = self.pair(culprit)
            spot = self.made_in(culprit) or self.spot(
                culprit.sighting, inside=not self.elsewhere_right(culprit.sighting)
            )
            words = contrast(pair)
            if culprit.before:
                yield Text(
                    f"{spot} changes {name.en}: it {words.en}.", f"{spot} 又改动了{name.zh}：{words.zh}。"
                )
            else:
                yield Text(
                    f"{spot} should be {name.en}, but {words.en}.", f"{spot} 应为{name.zh}，但{words.zh}。"
                )
            shown = example(pair) if culprit.sighting.value.shape == culprit.wanted.shape else None
            if shown is not None:
                yield shown + Text(".", "。")
        if culprit.rest_right and culprit.follower is not None:
            yield Text("All that follows is right, given this.", "在此基础上，后面的计算都正确。")

    def made_in(self, culprit: Culprit) -> str | None:
        """The line that makes it, when the constructor does and the call only reads it."""
        entry = self.walk.route.kept.get(culprit.step)
        if entry is None or entry in (self.found.probe.state or {}):
            return None
        return _spot(self.file, line_of_words(self.file, (f"{entry}=",), self.found.probe.target))

    def pair(self, culprit: Culprit) -> Pair:
        """The two values with all that may be known of them."""
        route = self.walk.route
        step = route.names.get(culprit.step)
        order = [*(n for n in self.walk.known if n not in route.model.steps), *route.model.steps]
        place = order.index(culprit.step)
        known = {k: v for k, v in self.walk.known.items() if order.index(k) < place}
        return Pair(
            culprit.value,
            culprit.wanted,
            "".join(step.axes.split()) if step is not None else "",
            route.sizes(self.walk.state),
            known,
            {k: n.words for k, n in route.names.items()},
            self.walk.tolerance.of(culprit.sighting.value.dtype),
            self.walk.known.get("mask"),
            self.coarse(culprit.sighting),
            route.lenient,
        )

    def coarse(self, sighting: Sighting) -> torch.dtype | None:
        """The least accurate dtype on the line of a value, where that is less than float64."""
        dtypes = [
            s.value.dtype
            for s in self.walk.seen
            if s.line == sighting.line and s.index <= sighting.index and s.value.is_floating_point()
        ]
        least = max(dtypes, key=lambda d: torch.finfo(d).eps, default=torch.float64)
        return None if least is torch.float64 else least

    def returned(self) -> Iterator[Text]:
        """No value of the learner's explains it: what is returned beside what should be."""
        spot = self.spot(None)
        wanted = _parts(self.found.right.seen.value)
        found = _parts(self.found.seen.value)
        names = self.lab.outputs.get(self.found.probe.target, ("result",))
        if len(found) != len(wanted):
            have, want = _described(self.found.seen.value), _described(self.found.right.seen.value)
            yield Text(
                f"{spot} returns {have.en} in place of {want.en}.", f"{spot} 返回了{have.zh}，应为{want.zh}。"
            )
            return
        odd = next(((n, f) for n, f in zip(names, found) if not isinstance(f, Tensor)), None)
        if odd is not None:
            name, have = odd[0], _described(odd[1])
            yield Text(
                f"{spot} returns {have.en} as `{name}`, in place of a tensor.",
                f"{spot} 返回的 `{name}` 是{have.zh}，应为张量。",
            )
            return
        last = list(self.walk.route.names)[-1:]
        for name, have, want in zip(names, found, wanted):
            pair = Pair(have, want, gap=self.walk.tolerance.of(have.dtype))
            words = contrast(pair)
            shown = example(pair)
            if have.shape == want.shape and have.dtype is want.dtype and shown is None:
                continue
            what = self.name(last[0]) if len(names) == 1 and last else Text(f"`{name}`", f" `{name}` ")
            after = self.after_right()
            if after not in (None, spot):
                yield Text(
                    f"From {after} on, no value is that of a step.",
                    f"从 {after} 起，没有一个值与任何一步相符。",
                )
            yield Text(
                f"{spot} should return {what.en}, but it {words.en}.",
                f"{spot} 应返回{what.zh}，但{words.zh}。",
            )
            if shown is not None:
                yield shown + Text(".", "。")
            return

    def after_right(self) -> str | None:
        """The first line after the last right value."""
        last = max(self.walk.right_places, default=-1)
        for sighting in self.walk.seen:
            if sighting.index > last and sighting.line is not None:
                return self.spot(sighting)
        return None


def _spot(file: SourceFile, line: int | None) -> str:
    return file.name if line is None else f"{file.name}:{line}"


def _parts(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _described(value: Any) -> Text:
    """``a list of 3 tensors``, ``a tensor of shape (2, 5, 8)``."""
    if isinstance(value, Tensor):
        return Text(f"a tensor of shape {shape(value)}", f"形状为 {shape(value)} 的张量")
    if isinstance(value, (tuple, list)):
        kind, zh = ("a list", "列表") if isinstance(value, list) else ("a tuple", "元组")
        return Text(f"{kind} of {len(value)}", f"有 {len(value)} 项的{zh}")
    name = getattr(value, "type", None) or type(value).__name__
    return Text("nothing", "空值") if value is None else Text(f"a {name}", f" {name} ")


# -- other ways to deviate --------------------------------------------------------------------------


def _of_construction(lab: Lab, searchers: Sequence[Searcher], file: SourceFile) -> list[Text]:
    """What the state dict holds, where that is not what it should."""
    for searcher in searchers:
        for probe, seen in searcher.deviating:
            wanted = searcher.right(probe).seen.value
            if probe.args is not None or probe.values or not isinstance(wanted, dict):
                continue
            if not isinstance(seen.value, dict):
                continue
            words = _entries(seen.value, wanted, file, probe.target)
            if words:
                return [Text(f"With {probe.title.en}:", f"{probe.title.zh}："), *words[:MOST_SHOWN]]
    return []


def _entries(found: dict[str, Any], wanted: dict[str, Any], file: SourceFile, target: str) -> list[Text]:
    lines: list[Text] = []
    for name in dict.fromkeys((*wanted, *found)):
        have, want = found.get(name), wanted.get(name)
        if have == want:
            continue
        spot = _spot(file, line_of_words(file, (f"{name.split('.')[0]}=",), target))
        if have is None:
            lines.append(Text(f"{spot}: `{name}` is missing ({want}).", f"{spot}：缺少 `{name}`（{want}）。"))
        elif want is None:
            lines.append(Text(f"{spot}: `{name}` is not asked for.", f"{spot}：多出了 `{name}`。"))
        else:
            lines.append(
                Text(
                    f"{spot}: `{name}` is a {have}, not a {want}.",
                    f"{spot}：`{name}` 是 {have}，应为 {want}。",
                )
            )
    return lines


def _of_arguments(lab: Lab, searchers: Sequence[Searcher], file: SourceFile) -> list[Text]:
    """Arguments that the call changes in place."""
    for searcher in searchers:
        for probe, seen in searcher.deviating:
            if seen.ok and seen.changed and not searcher.right(probe).seen.changed:
                names = ", ".join(f"`{n}`" for n in seen.changed)
                line = _in_place(lab, probe)
                spot = _spot(file, line)
                return [
                    _with(probe),
                    Text(
                        f"{spot} changes the argument {names} in place; the caller still needs it.",
                        f"{spot} 就地修改了参数 {names}，而调用者还要用它。",
                    ),
                ]
    return []


def _in_place(lab: Lab, probe: Probe) -> int | None:
    """The only line that works in place, if just one does."""
    if lab.client.exhausted:
        return None
    trace = lab.observe(probe.but(grad=False), trace=True).trace
    lines = {e.line for e in trace if _works_in_place(e.op)}
    return next(iter(lines)) if len(lines) == 1 else None


def _works_in_place(op: str) -> bool:
    plain = op.strip("_")
    return (
        op == "__setitem__"
        or (op.endswith("_") and not op.startswith("__"))
        or (op.startswith("__i") and plain not in ("invert", "index", "int"))
    )


def _of_gradients(lab: Lab, searchers: Sequence[Searcher], file: SourceFile) -> list[Text]:
    """Gradients, where the values are right."""
    for searcher in searchers:
        for probe, seen in searcher.deviating:
            if seen.ok and probe.grad and not seen.changed:
                words = _gradient(searcher, probe, seen)
                if words is not None:
                    return [_with(probe), Text("All values are right.", "所有数值都正确。"), words]
    return []


def _gradient(searcher: Searcher, probe: Probe, seen: Observation) -> Text | None:
    if seen.gradient == "raised" and seen.gradient_error is not None:
        kind = seen.gradient_error.type
        return Text(f"The backward pass raises {kind}.", f"反向传播报错 {kind}。")
    for key, wanted in searcher.right(probe).seen.grads.items():
        name, found = key.removeprefix("param:"), seen.grads.get(key)
        if wanted is None or not bool(wanted.abs().max() > 0):
            continue
        if found is None:
            return Text(f"But no gradient reaches `{name}`.", f"但梯度没有传到 `{name}`。")
        pair = Pair(found, wanted, gap=1e-6 if found.dtype is torch.float64 else 1e-3)
        if found.shape != wanted.shape or example(pair) is not None:
            words = contrast(pair)
            return Text(
                f"But the gradient of `{name}` is not: it {words.en}.",
                f"但 `{name}` 的梯度不对：{words.zh}。",
            )
    return None


def _of_exceptions(lab: Lab, searchers: Sequence[Searcher], file: SourceFile) -> list[Text]:
    """A call that raised, though no check did."""
    found = stopped(lab, searchers)
    if found is None or found.seen.error is None:
        return []
    error = found.seen.error
    where = error.within(file.name)
    spot = file.name if where is None else f"{where.file}:{where.line}"
    shapes = ", ".join(f"{n} {s}" for n, s in where.shapes[:4]) if where is not None else ""
    en, zh = (f" (with {shapes})", f"（{shapes}）") if shapes else ("", "")
    return [
        _with(found.probe),
        *Teller(found, file, lab).right_lines(),
        Text(f"{spot} raises {error.type}{en}.", f"{spot} 报错 {error.type}{zh}。"),
    ]
