"""Walks along a route beside the learner's intermediate results, to the first that is not right.

A value of the learner's is the mistaken one when the model goes on like the learner from there: it is
put in the place of a step, and what the model then computes is found among the learner's later values,
or is what the call returned.  So a right value that no step has (a query divided early, a row's
maximum) is never taken for the mistake: what follows from it is right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import torch
from torch import Tensor

from grader.diagnosis.model import Prediction, State
from grader.diagnosis.route import Route
from grader.diagnosis.sightings import How, Numbers, Sighting, Tolerance, agrees, how, only_parts, sightings
from grader.submission.observation import Event, Observation

__all__ = ["Budget", "Culprit", "Right", "Walk", "walk"]

FEW = 30  # runs, for values of another size than any step
LONG, NEAR = 16, 6  # operations on one line; those near something right


@dataclass
class Budget:
    """How often the rest of a model may still be run.  A count, not a clock: the same submission gets
    the same answer."""

    runs: int = 200

    def take(self) -> bool:
        self.runs -= 1
        return self.runs >= 0


@dataclass(frozen=True)
class Right:
    """A step whose value is among the learner's."""

    step: str
    sighting: Sighting
    how: How


@dataclass(frozen=True)
class Culprit:
    """The first value that is not what it should be.

    step: what it stands for, a step or (`given`) an argument or parameter; value, wanted: the learner's
    and the right one, in the same layout where they can be; same_as: the step or argument whose right
    value it is, when steps are missing; before: the step's right value was there before; follower: the
    first later value that follows from it; rest_right: whether all that comes after is as it should be,
    given this value; shared: the same line gives other steps wrong as well.
    """

    step: str
    sighting: Sighting
    value: Tensor
    wanted: Tensor
    same_as: str | None
    before: bool
    follower: Sighting | None
    rest_right: bool
    followers: int
    given: bool = False
    shared: bool = False

    @property
    def index(self) -> int:
        """The place among the recorded operations where it shows."""
        if self.same_as is not None and self.follower is not None:
            return self.follower.index
        return self.sighting.index


@dataclass(frozen=True)
class Walk:
    """One call beside one route: the right steps in order, and the culprit where one is found.

    known: arguments, parameters and steps by name; seen: all that the learner computed; missing: the
    steps whose value is not among it; tolerance: what counted as the same; right_places: of all values
    that are right.
    """

    route: Route
    state: State
    rights: tuple[Right, ...]
    culprit: Culprit | None
    known: Mapping[str, Tensor] = field(default_factory=dict)
    seen: tuple[Sighting, ...] = ()
    missing: tuple[str, ...] = ()
    tolerance: Tolerance = field(default_factory=Tolerance)
    right_places: frozenset[int] = frozenset()

    @property
    def rank(self) -> tuple[int, int, bool, bool]:
        """The most telling walk is the largest."""
        culprit = self.culprit
        if culprit is None:
            return (0, 0, False, False)
        return (1 + culprit.rest_right, -culprit.index, culprit.same_as is None, not culprit.given)


def walk(
    route: Route, right: Prediction, seen: Observation, tolerance: Tolerance, budget: Budget
) -> Walk | None:
    """The walk beside what one traced call showed; `right`: the route's own run on it."""
    if right.state is None:
        return None
    return _Walker(route, right.state, seen, tolerance, budget).walk()


@dataclass
class _Step:
    """A step: its value, and where the learner has it; `given`: an argument or parameter."""

    name: str
    value: Tensor
    numbers: Numbers
    right: Right | None = None
    given: bool = False
    telling: bool = True  # no argument's value


class _Walker:
    def __init__(
        self, route: Route, state: State, seen: Observation, tolerance: Tolerance, budget: Budget
    ) -> None:
        self.route = route
        self.budget = budget
        self.state = state
        self.tolerance = tolerance
        self.events: Sequence[Event] = seen.trace
        self.returned = [self._numbers(v) for v in _tensors(seen.value)] if seen.ok else []
        self.dtypes = [v.dtype for v in _tensors(seen.value)] if seen.ok else []
        self.order = list(route.model.steps)
        self.given = _given(state, route)
        self.usual: dict[str, Numbers] = {}
        self.steps = self._steps()
        self.named = {s.name: s for s in self.steps}
        shapes = {s.numbers.shape for s in self.steps}
        returned = _tensors(seen.value) if seen.ok else []
        self.seen = sightings(self.events, returned, shapes, route.lenient)
        self.arguments = [
            Sighting(-1, "", None, (), name, self.given[name], self.named[name].numbers)
            for name in route.model.inputs
            if name in self.given and self.given[name].is_floating_point()
        ]
        self.by_size: dict[int, list[Sighting]] = {}
        for sighting in self.seen:
            self.by_size.setdefault(sighting.numbers.numel, []).append(sighting)
        while not tolerance.settled and self._returns(state) and self.tolerance.floor > 1e-13:
            self.tolerance = self.tolerance.finer()  # what deviates by little is to be seen as well
        self.right_places: set[int] = set()
        self.certain: list[tuple[int, str]] = []
        self.by_pieces = False
        self.twins: dict[int, list[str]] = {}
        self.dependents: dict[str, frozenset[str]] = {}

    def walk(self) -> Walk:
        for step in self.steps:
            step.right = self._right(step)
            if step.right is not None and step.right.how >= How.FLAT and step.name not in self.route.fine:
                self.certain.append((step.right.sighting.index, step.name))
        self.by_pieces = any(s.right is not None for s in self.steps if s.name in self.route.fine)
        culprit = self._shared(self.budget)
        if culprit is None or not culprit.rest_right:
            culprit = self._culprit(self._close_layouts, self.budget) or culprit
        if culprit is None:
            culprit = self._culprit(self._any_layout, Budget(min(FEW, max(0, self.budget.runs))))
        rights = sorted((s.right for s in self.steps if s.right is not None), key=lambda r: r.sighting.index)
        missing = tuple(s.name for s in self.steps if s.right is None and s.telling)
        known = {s.name: s.value for s in self.steps}
        return Walk(
            self.route,
            self.state,
            tuple(rights),
            culprit,
            known,
            tuple(self.seen),
            missing,
            self.tolerance,
            frozenset(self.right_places),
        )

    # -- what is right --------------------------------------------------------------------------

    def _steps(self) -> list[_Step]:
        """The arguments and parameters, and the steps whose value is no earlier step's."""
        found = [_Step(n, v, self._numbers(v), given=True, telling=False) for n, v in self.given.items()]
        known: list[Numbers] = []
        arguments = [s.numbers for s in found]
        for name in self.order:
            value = getattr(self.state, name, None)
            if not isinstance(value, Tensor) or not value.numel():
                continue
            numbers = self.usual[name] = self._numbers(value)
            if any(how(numbers, k, 1e-12) >= How.FLAT for k in known):
                continue
            known.append(numbers)
            new = not any(how(numbers, a, 1e-12) >= How.FLAT for a in arguments)
            found.append(_Step(name, value.detach(), numbers, telling=new))
        return found

    def _right(self, step: _Step) -> Right | None:
        """Where the learner has the step: the first place in its own order, else with axes exchanged."""
        if step.numbers.constant or not step.telling:
            return None
        plain: Right | None = None
        turned: Sighting | None = None
        for sighting in self.by_size.get(step.numbers.numel, ()):
            way = how(sighting.numbers, step.numbers, self.tolerance.of(sighting.value.dtype))
            if way >= How.FLAT:
                self.right_places.add(sighting.index)
                plain = plain or Right(step.name, sighting, way)
            elif way is How.AXES and turned is None and not self._earlier(step, sighting):
                turned = sighting
        if plain is not None:
            return plain
        if turned is not None:
            return Right(step.name, turned, How.AXES)
        place = only_parts(self.events, step.numbers, self.tolerance)
        if place is None:
            return None
        return Right(step.name, next(s for s in self.seen if s.index == place), How.PART)

    def _earlier(self, step: _Step, sighting: Sighting) -> bool:
        """Whether it is the value of an earlier step, whose axes this one only exchanges."""
        allowed = self.tolerance.of(sighting.value.dtype)
        for other in self.steps:
            if other is step:
                return False
            if other.telling and how(sighting.numbers, other.numbers, allowed) >= How.FLAT:
                return True
        return False

    def _numbers(self, value: Tensor) -> Numbers:
        return Numbers(value, self.route.lenient)

    # -- what is not ----------------------------------------------------------------------------

    def _culprit(self, layouts: Layouts, budget: Budget) -> Culprit | None:
        """The first value with which the model goes on as the learner does."""
        found: list[Culprit] = []
        for sighting in self._candidates():
            if found and sighting.index > min(c.index for c in found):
                break
            best: Culprit | None = None
            if budget.runs <= 0:
                break
            for step in self.steps:
                if step.name in self.route.fine and not self.by_pieces:
                    continue
                if self._contradicted(step, sighting):
                    continue
                exact = step.given and (step.name in self.state.state or layouts == self._any_layout)
                if exact and sighting.value.shape != step.value.shape:
                    continue
                for value in layouts(sighting, step.value):
                    culprit = self._tried(step, sighting, value, budget)
                    if culprit is not None and (best is None or self._order(culprit) > self._order(best)):
                        best = culprit
            if best is not None:
                found.append(best)
        return min(found, key=lambda c: (c.index, c.given)) if found else None

    def _shared(self, budget: Budget) -> Culprit | None:
        """A function that is called for several steps and gives each of them wrong: all at once."""
        lines: dict[tuple[str, int | None, str], list[Sighting]] = {}
        for sighting in self.seen:
            if len(sighting.path) > 1 and sighting.turns == 1:
                lines.setdefault((sighting.file, sighting.line, sighting.op), []).append(sighting)
        for members in lines.values():
            if len({s.path for s in members}) < 2:
                continue
            lasts = list({s.path: s for s in members}.values())  # of several alike on a line, the last
            culprit = self._together(lasts, budget)
            if culprit is not None:
                return culprit
        return None

    def _together(self, members: Sequence[Sighting], budget: Budget) -> Culprit | None:
        """The culprit, if the members stand for as many missing steps, in order."""
        chosen: dict[str, Tensor] = {}
        for member in members:
            for step in self.steps:
                right = step.right
                wrong = right is None or right.how < How.FLAT
                if right is not None and right.sighting.path == member.path:
                    wrong = right.sighting.index < member.index  # and then changed
                if (
                    step.telling
                    and wrong
                    and step.name not in chosen
                    and step.numbers.numel == member.numbers.numel
                ):
                    chosen[step.name] = next(self._close_layouts(member, step.value))
                    break
        if len(chosen) < 2 or len(chosen) != len(members) or not budget.take():
            return None
        first = min(chosen, key=self._place)
        state = self._resumed(self.named[first], chosen[first], chosen)
        if state is None:
            return None
        rest_right = self._returns(state)
        last = max(chosen, key=self._place)
        numbers = self._numbers(chosen[last])
        followers = self._followers(last, numbers, state, members[-1])
        if not rest_right and not followers:
            return None
        step = self.named[first]
        return Culprit(
            first, members[0], chosen[first], step.value, None, False,
            followers[0] if followers else None, rest_right, len(followers), shared=True,
        )  # fmt: skip

    def _contradicted(self, step: _Step, sighting: Sighting) -> bool:
        """Whether the step, or one that depends on it or that it depends on, comes out right after this
        value."""
        names = {name for index, name in self.certain if index > sighting.index}
        if not names:
            return False
        if step.name in names:
            return True
        # a mean, a sum or a largest may come out right of numbers in the wrong order
        whole = {n for n in names if self.named[n].numbers.shape[-1:] != (1,)}
        if whole & self._dependents(step):
            return True
        return any(step.name in self._dependents(self.named[n]) for n in names)  # made of what comes later

    def _dependents(self, step: _Step) -> frozenset[str]:
        """The later steps that another value of this step would change."""
        if step.name not in self.dependents:
            value = step.value
            other = value * 1.37 + 0.11 if value.is_floating_point() else value == 0
            state = self._resumed(step, other)
            changed = self.order[self._place(step.name) + 1 :]
            if state is not None:
                changed = [
                    n for n in changed if _changed(getattr(self.state, n, None), getattr(state, n, None))
                ]
            self.dependents[step.name] = frozenset(changed)
        return self.dependents[step.name]

    def _candidates(self) -> Iterator[Sighting]:
        """The arguments (where a first step is missing), then all that was computed."""
        yield from self.arguments
        yield from self._thinned()

    def _thinned(self) -> Iterator[Sighting]:
        """All that was computed; of a line that calls an earlier exercise, with its many operations, only
        what comes next after something right, and the end."""
        run: list[Sighting] = []
        for sighting in (*self.seen, None):
            if run and (sighting is None or (sighting.line, sighting.path) != (run[0].line, run[0].path)):
                ends = [i for i, s in enumerate(run) if s.index in self.right_places or i == len(run) - 1]
                for i, s in enumerate(run):
                    near = any(
                        end - NEAR < i <= end if end == len(run) - 1 else end < i <= end + NEAR
                        for end in ends
                    )
                    if near or len(run) <= LONG or i in ends:
                        yield s
                run = []
            if sighting is not None:
                run.append(sighting)

    def _tried(self, step: _Step, sighting: Sighting, value: Tensor, budget: Budget) -> Culprit | None:
        """The culprit, if the model goes on as the learner does with `value` for the step."""
        numbers = self._numbers(value)
        if how(numbers, step.numbers, self.tolerance.of(sighting.value.dtype)) is How.EXACT:
            return None
        same_as = self._same_as(sighting, step)
        if step.name in self.twins[id(sighting)] and value is not sighting.value:
            return None  # right, unless it is laid out otherwise
        fine = step.name in self.route.fine
        if same_as is not None and (fine or self._place(same_as) >= self._place(step.name)):
            return None
        state = self._resumed(step, value) if budget.take() else None
        if state is None:
            return None
        rest_right = self._returns(state)
        same_size = numbers.numel == step.numbers.numel
        if fine and value.dim() != step.value.dim():
            return None
        followers: list[Sighting] = []
        if rest_right or (same_size and not fine):
            followers = self._followers(step.name, numbers, state, sighting)
        if not followers and not rest_right:
            return None
        right = step.right
        before = right is not None and right.how != How.AXES and right.sighting.index < sighting.index
        return Culprit(
            step.name,
            sighting,
            value,
            step.value,
            same_as,
            before or (step.given and same_as is None),
            followers[0] if followers else None,
            rest_right,
            len(followers),
            step.given,
        )

    def _place(self, name: str) -> int:
        """The place of a step in the route; arguments come before all."""
        return self.order.index(name) if name in self.order else -1

    def _resumed(self, step: _Step, value: Tensor, more: Mapping[str, Tensor] | None = None) -> State | None:
        """The rest of the model, from a step on that gave `value`; `more`: what later steps gave."""
        state = State.at_snapshot(vars(self.state))
        wide = value.double() if step.value.is_floating_point() or value.is_floating_point() else value
        if step.name in state.state:
            state.state = {**state.state, step.name: wide}
        else:
            setattr(state, step.name, wide)
        try:
            with torch.no_grad():
                for later in self.order[self._place(step.name) + 1 :]:
                    known = more.get(later) if more else None
                    setattr(
                        state,
                        later,
                        self.route.model.steps[later](state) if known is None else known.double(),
                    )
        except (RuntimeError, ValueError, TypeError, IndexError, AttributeError):
            return None
        return state

    def _followers(self, name: str, given: Numbers, state: State, after: Sighting) -> list[Sighting]:
        """The learner's later values that are the model's later steps, now and not before."""
        found: list[Sighting] = []
        for later in self.order[self._place(name) + 1 :]:
            value = getattr(state, later, None)
            if not isinstance(value, Tensor) or later not in self.usual or not value.numel():
                continue
            numbers = self._numbers(value)
            if how(numbers, self.usual[later], 1e-9) >= How.FLAT:
                continue
            if numbers.constant or how(numbers, given, 1e-9):
                continue
            least = How.FLAT if numbers.discrete else How.AXES
            for sighting in self.by_size.get(numbers.numel, ()):
                if sighting.index <= after.index or sighting.index in self.right_places:
                    continue
                allowed = self.tolerance.of(sighting.value.dtype)
                odd = math.isnan(numbers.total)
                if (
                    agrees(sighting.numbers, numbers, allowed)
                    if odd
                    else (how(sighting.numbers, numbers, allowed) >= least)
                ):
                    found.append(sighting)
                    break
        found.sort(key=lambda s: s.index)
        return found

    def _returns(self, state: State) -> bool:
        """Whether the model then returns what the call returned."""
        wanted = _tensors(state.result)
        if not self.returned or len(wanted) != len(self.returned):
            return False
        return all(
            mine.shape == tuple(theirs.shape)
            and agrees(mine, self._numbers(theirs), self.tolerance.of(dtype))
            for mine, theirs, dtype in zip(self.returned, wanted, self.dtypes)
        )

    def _same_as(self, sighting: Sighting, step: _Step) -> str | None:
        """The argument or other step whose right value this is."""
        if id(sighting) not in self.twins:
            allowed = self.tolerance.of(sighting.value.dtype)
            same = [s.name for s in self.steps if how(sighting.numbers, s.numbers, allowed) >= How.FLAT]
            self.twins[id(sighting)] = same
        names = self.twins[id(sighting)]
        if not names or step.name in names:
            return None
        other = self.named[names[-1]].value.shape
        if sighting.value.shape == step.value.shape != other:
            return None  # its numbers, but laid out as if it were the step
        return names[-1]

    def _order(self, culprit: Culprit) -> tuple[bool, bool, bool, bool, int]:
        """Of the steps that one value may stand for: the plainest that explains most.

        Of steps that were right before, the last.
        """
        fine = [s.right for s in self.steps if s.name in self.route.fine and s.right is not None]
        taken = any(right.sighting.index < culprit.sighting.index for right in fine)
        plain = taken or culprit.step not in self.route.fine
        last = self._place(culprit.step) if culprit.before else culprit.followers
        return culprit.rest_right, not culprit.given, plain, not culprit.before, last

    # -- layouts --------------------------------------------------------------------------------

    def _close_layouts(self, sighting: Sighting, wanted: Tensor) -> Iterator[Tensor]:
        """As it is, reshaped, axes exchanged, or as broadcasting has it."""
        value = sighting.value
        if value.dtype is torch.bool and wanted.is_floating_point():
            return
        if value.shape == wanted.shape:
            yield value
            if value.dim() > 1 and value.shape[-1] == value.shape[-2]:
                yield value.transpose(-2, -1)
        elif value.numel() == wanted.numel():
            if _broadcasts(value, wanted):
                yield value
            if value.dim() == wanted.dim():
                shape = tuple(wanted.shape)
                for order in permutations(range(value.dim())):
                    if tuple(value.shape[i] for i in order) == shape:
                        yield value.permute(order)
            yield value.reshape(wanted.shape)
            if any(value.shape == r.shape for r in self.returned):
                yield value
        elif _broadcasts(value, wanted):
            yield value

    def _any_layout(self, sighting: Sighting, wanted: Tensor) -> Iterator[Tensor]:
        """Of another size altogether."""
        value = sighting.value
        if value.is_floating_point() == wanted.is_floating_point() and value.numel() != wanted.numel():
            yield value


Layouts = Callable[[Sighting, Tensor], Iterator[Tensor]]


def _broadcasts(value: Tensor, wanted: Tensor) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(value.shape[::-1], wanted.shape[::-1]))


def _changed(usual: object, value: object) -> bool:
    if not isinstance(usual, Tensor) or not isinstance(value, Tensor):
        return False
    if usual.shape != value.shape:
        return True
    return not bool(((usual == value) | (usual.isnan() & value.isnan())).all())


def _given(state: State, route: Route) -> dict[str, Tensor]:
    """The arguments of the call and the parameters, by name."""
    found = {name: v for name in route.model.inputs if isinstance(v := getattr(state, name, None), Tensor)}
    return found | {name: v for name, v in state.state.items() if name.count(".") < 2}


def _tensors(value: object) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in _tensors(item)]
    return []
