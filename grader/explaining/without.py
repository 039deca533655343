"""The mistakes that have no demonstration, on purpose, and why."""

from __future__ import annotations

from collections.abc import Mapping

from grader.text import Text

__all__ = ["WITHOUT"]

_SIZES = Text(
    "It is about a size or a limit that is not asked for or not passed on: the numbers that are computed are "
    "not wrong in themselves, so there is nothing to compute here.",
    "它涉及的是没有检查或没有传递的大小或界限：算出的数本身并没有错，因此这里没有可演示的计算。",
)
_CALLS = Text(
    "It is about how something is called or what is handed back: Python says so, or the caller does, before "
    "any number is computed.",
    "它涉及的是怎样调用、返回什么：在计算任何数之前，Python 或调用者就会发现。",
)
_RUNNING = Text(
    "It is about whether the program runs at all, not about what it computes.",
    "它涉及的是程序能否运行，而不是它计算了什么。",
)


def _none(reason: Text, words: str) -> Mapping[str, Text]:
    return dict.fromkeys(words.split(), reason)


WITHOUT: Mapping[str, Text] = {
    **_none(
        _SIZES,
        """no-divisibility-check too-long-silent length-check-off-by-one length-check-on-width
        max-len-default-wrong max-len-ignored learned-table-size embedding-rows-wrong d-ff-ignored
        ffn-sizes-exchanged projection-too-small projection-width-wrong""",
    ),
    **_none(
        _CALLS,
        """wrong-signature returns-output-only returns-too-much returns-tuple dropout-called-wrongly
        attention-called-wrongly attention-tuple-not-unpacked sublayer-not-called sublayer-arguments
        default-wrong encoder-arguments-exchanged argmax-returned logits-flattened logits-transposed""",
    ),
    **_none(
        _RUNNING,
        """not-implemented missing-name syntax-error unreadable-file import-error forbidden-api timeout
        out-of-memory crash raises-name-error raises-attribute-error raises-exception nondeterministic
        uninitialised-memory""",
    ),
}
