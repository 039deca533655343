"""How the suites use hypothesis: on chosen examples first, then with the same draws on every run.

To look for the smallest example takes longer than all other checks together.  It is worth it where the
property alone shows that something is wrong: `grader.marking.run` then asks for it.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.strategies import SearchStrategy

__all__ = ["is_property", "tried"]

# hypothesis keeps notes in a folder; the learner's is not the place for it
set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "grade-hypothesis")

SEARCH = settings(
    max_examples=100,
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def tried(*examples: Mapping[str, Any]) -> Callable[[Callable[..., None]], Callable[[Any], None]]:
    """A property of ``@given(data=st.data())`` that is tried on these examples, which are unlike each other.

    An example has what is drawn by its label; of a list, each draw takes the next.  When one fails in a lab
    that `shrinks`, hypothesis looks for one of its own and makes it as small as it can; elsewhere, and where
    it finds none, the example's failure counts.
    """

    def decorate(test: Callable[..., None]) -> Callable[[Any], None]:
        property_ = SEARCH(test)
        plain: Callable[..., None] = property_.hypothesis.inner_test  # type: ignore[attr-defined]

        @functools.wraps(property_)
        def check(lab: Any) -> None:
            failure = _failure(plain, lab, examples)
            if failure is not None:
                if lab.shrinks:
                    property_(lab)
                raise failure

        check.is_property = True  # type: ignore[attr-defined]
        return check

    return decorate


def is_property(test: Callable[..., object]) -> bool:
    """Whether a test is one that is `tried`."""
    return getattr(test, "is_property", False)


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
