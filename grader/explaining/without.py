"""The mistakes that have no demonstration, on purpose, and why."""

from __future__ import annotations

from collections.abc import Mapping

from grader.text import Text

__all__ = ["WITHOUT"]

_SIZES = Text(
    "It is about a size or a limit that is not asked for "
    "or not passed on: the numbers that are computed are "
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

_ORDER = Text(
    "It is about which lines run, in which order or mode: the numbers follow from that, and `grade trace "
    "training` shows those of your own step.",
    "它涉及的是哪些行运行、以什么次序和模式运行：数值由此而来，"
    "`grade trace training` 会显示你自己这一步的数值。",
)
_TOKENS = Text(
    "It is about which token or position is taken: a few tokens on paper show it better than a computation.",
    "它涉及的是取哪个词元或哪个位置：在纸上写几个词元，比任何计算都更清楚。",
)
_RETURNED = Text(
    "It is about what is handed back or kept, not about a number that is computed.",
    "它涉及的是返回或保留了什么，而不是计算出的数。",
)

_BESIDE = Text(
    "It is about what a call does beside computing, or only where gradients are not recorded: the numbers of "
    "an ordinary call are right.",
    "它涉及的是调用在计算之外做了什么，或只在不记录梯度时才出现：普通调用的数值是对的。",
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
    **_none(_BESIDE, "differs-without-gradients modified-without-gradients result-overwritten"),
    **_none(
        _ORDER,
        """gradients-cleared-before-step backward-missing step-missing step-before-backward optimizer-bypassed
        train-mode-missing trains-in-eval-mode train-mode-by-flag decodes-in-training-mode
        mode-not-restored mode-always-training decodes-with-gradients""",
    ),
    **_none(
        _TOKENS,
        """
         ignore-index-hard-coded target-filler-wrong target-one-short
        target-dtype-wrong target-tokens-changed logits-reshaped-not-transposed loss-class-axis
        loss-normalised-over-wrong-axis
        loss-of-last-position loss-of-first-row
        decode-feeds-last-token decode-loses-first-token
        decode-forgets-prompt
        decode-wrong-length decode-length-includes-prompt decode-at-least-one
          decode-dtype-wrong""",
    ),
    **_none(
        _RETURNED,
        """loss-is-a-number loss-not-reduced loss-detached-when-empty loss-keeps-graph returns-loss-tensor
        returns-loss-afterwards returns-summed-loss graph-kept-alive decode-returns-new-only
        decode-returns-last-token decode-returns-prompt decode-returns-list prompt-changed""",
    ),
}
