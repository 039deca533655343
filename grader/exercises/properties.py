"""How the suites use hypothesis: the same examples on every run, few of them, no database."""

from __future__ import annotations

import copy
import functools
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.strategies import SearchStrategy

__all__ = ["quick", "tried"]

# hypothesis keeps notes in a folder; the learner's is not the place for it
set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "grade-hypothesis")

FEW = settings(
    max_examples=10,
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def quick(test: Callable[..., None]) -> Callable[[Any], None]:
    """The settings of a property of ``@given(data=st.data())``; and its examples are remembered.

    The draws are the same on every run, and hypothesis takes its time over them.  Those of a run in which
    every example passed are kept in this process; a later run goes through them one by one.  When one
    fails, hypothesis itself runs, finds it again, and shrinks it.
    """
    property_ = FEW(test)
    plain: Callable[..., None] = property_.hypothesis.inner_test  # type: ignore[attr-defined]
    kept: list[list[Any]] = []

    @functools.wraps(property_)
    def check(lab: Any) -> None:
        if kept and _all_pass(plain, lab, kept):
            return
        examples: list[list[Any]] = []

        @functools.wraps(plain)  # the draws follow from the source of what is called
        def recorded(*args: Any, data: Any, **kwargs: Any) -> None:
            example: list[Any] = []
            plain(*args, data=_Recorded(data, example), **kwargs)
            examples.append(example)

        property_.hypothesis.inner_test = recorded  # type: ignore[attr-defined]
        try:
            property_(lab)
        finally:
            property_.hypothesis.inner_test = plain  # type: ignore[attr-defined]
        kept[:] = examples

    return check


def tried(*examples: Mapping[str, Any]) -> Callable[[Callable[..., None]], Callable[[Any], None]]:
    """A property of ``@given(data=st.data())`` that is tried on these examples, which are unlike each other.

    An example has what is drawn by its label; of a list, each draw takes the next.  When one fails,
    hypothesis looks for one of its own and shrinks it; where it finds none, the example's failure counts.
    """

    def decorate(test: Callable[..., None]) -> Callable[[Any], None]:
        property_ = FEW(test)
        plain: Callable[..., None] = property_.hypothesis.inner_test  # type: ignore[attr-defined]

        @functools.wraps(property_)
        def check(lab: Any) -> None:
            failure = _failure(plain, lab, examples)
            if failure is not None:
                property_(lab)
                raise failure

        return check

    return decorate


def _failure(plain: Callable[..., None], lab: Any, examples: Sequence[Mapping[str, Any]]) -> Exception | None:
    try:
        for example in examples:
            plain(lab, data=_Chosen(example))
    except Exception as error:  # noqa: BLE001  whatever it is, it is the check's
        return error
    return None


class _Chosen:
    """Draws what an example has under the label."""

    def __init__(self, example: Mapping[str, Any]) -> None:
        self._example = {k: iter(v) if isinstance(v, list) else v for k, v in example.items()}

    def draw(self, strategy: SearchStrategy[Any], label: str) -> Any:
        value = self._example[label]
        return next(value) if isinstance(value, Iterator) else value


class _Recorded:
    """Hypothesis's data, with a note of what is drawn."""

    def __init__(self, data: Any, drawn: list[Any]) -> None:
        self._data = data
        self._drawn = drawn

    def draw(self, strategy: SearchStrategy[Any], label: Any = None) -> Any:
        value = self._data.draw(strategy, label)
        self._drawn.append(copy.deepcopy(value))
        return value


class _Again:
    """Draws what was drawn before."""

    def __init__(self, drawn: Sequence[Any]) -> None:
        self._drawn = iter(drawn)

    def draw(self, strategy: SearchStrategy[Any], label: Any = None) -> Any:
        return copy.deepcopy(next(self._drawn))


def _all_pass(plain: Callable[..., None], lab: Any, examples: Sequence[Sequence[Any]]) -> bool:
    try:
        for drawn in examples:
            plain(lab, data=_Again(drawn))
    except Exception:  # noqa: BLE001  it is for hypothesis to find it again, and to say what it is
        return False
    return True
