"""When no known mistake explains: the learner's intermediate results beside the model's steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from grader.diagnosis.locate import find_step
from grader.diagnosis.search import Searcher
from grader.submission.source import SourceFile
from grader.text import Text

if TYPE_CHECKING:
    from grader.marking.lab import Lab

__all__ = ["first_divergence"]


def first_divergence(lab: Lab, searchers: Sequence[Searcher], file: SourceFile) -> Text:
    """The last step whose value was found among the learner's, and the first that was not."""
    for searcher in searchers:
        for probe, seen in searcher.deviating:
            if not seen.ok or probe.args is None or lab.client.exhausted:
                continue
            traced = lab.observe(probe.but(grad=False), trace=True)
            right = searcher.predict((), probe.but(grad=False))
            if right.state is None or not traced.trace:
                continue
            last: tuple[str, int] | None = None
            for name in searcher.model.steps:
                value = getattr(right.state, name, None)
                if not isinstance(value, Tensor):
                    continue
                event = find_step(traced.trace, value)
                if event is not None:
                    last = (name, event.line)
                elif last is not None:
                    return Text(
                        f"{file.name}:{last[1]} gives the right `{last[0]}`; the next value, "
                        f"`{name}`, is not found in what your code computes (with {probe.title.en})",
                        f"{file.name}:{last[1]} 得到了正确的 `{last[0]}`；但你的代码没有算出下一个值 "
                        f"`{name}`（情形：{probe.title.zh}）",
                    )
    return Text(
        "no known mistake, or set of up to three, gives these results",
        "没有任何已知错误（或至多三个错误的组合）能得到这些结果",
    )
