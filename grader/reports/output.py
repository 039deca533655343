"""Where a report is printed: a rich console that no stream can break, and the symbols it can show."""

from __future__ import annotations

import codecs
import os
from dataclasses import dataclass
from typing import IO

from rich.console import Console

__all__ = [
    "ASCII",
    "UNICODE",
    "Glyphs",
    "can_link",
    "can_show",
    "glyphs_for",
    "make_console",
    "usable_language",
]

ERRORS = "grader.nearest"
NEAREST = {
    "√": "sqrt ", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "→": "->", "←": "<-", "×": "x", "·": ".",
    "…": "...", "–": "-", "—": "--", "−": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "ᵀ": "^T",
    "∞": "inf", "✓": "+", "✗": "x", "，": ",", "。": ".", "：": ":", "；": ";", "（": "(", "）": ")",
}  # fmt: skip


@dataclass(frozen=True)
class Glyphs:
    """The symbols of a report, each one cell wide; shades: of a map, from nothing to everything."""

    passed: str
    failed: str
    open: str
    trouble: str
    blocked: str
    bar: str
    rest: str
    rule: str
    margin: str
    sep: str
    shades: str


UNICODE = Glyphs("✓", "✗", "☐", "!", "-", "━", "─", "─", "│", "·", "·░▒▓█")
ASCII = Glyphs("+", "x", "o", "!", "-", "#", ".", "-", "|", "-", ".-=%#")


def make_console(stream: IO[str], *, color: bool | None = None, width: int | None = None) -> Console:
    """A console on `stream` whose characters are replaced, never refused.

    `color` False turns colour off, None leaves it to the terminal.  Markup, emoji codes and
    highlighting are off: a learner's brackets stay brackets.
    """
    _never_refuse(stream)
    return Console(
        file=stream,
        no_color=True if color is False else None,
        color_system=None if color is False else "auto",
        width=width,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=False,
    )


def can_show(words: str, stream: IO[str]) -> bool:
    """True when the stream's encoding has these characters."""
    try:
        words.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def can_link(stream: IO[str]) -> bool:
    """False where links would be litter: a log that is only made to look coloured, the Linux console.

    A pipe gets none anyway, and no more does a terminal without colours.
    """
    forced = os.environ.get("FORCE_COLOR", "") != "" and not stream.isatty()
    return not forced and os.environ.get("TERM") != "linux"


def glyphs_for(stream: IO[str]) -> Glyphs:
    """The Unicode symbols where they can be encoded, else their ASCII stand-ins."""
    return UNICODE if can_show("✓✗☐━─│·░▒▓█", stream) else ASCII


def usable_language(language: str, asked: bool, stream: IO[str]) -> str:
    """Chinese on a stream that has no Chinese characters: UTF-8 when it was asked for, else English."""
    if language != "zh" or can_show("中文", stream):
        return language
    reconfigure = getattr(stream, "reconfigure", None)
    if asked and reconfigure is not None:
        reconfigure(encoding="utf-8")
        return language
    return "en"


def _never_refuse(stream: IO[str]) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors=ERRORS)


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(NEAREST.get(c, "?") for c in missing), error.end


codecs.register_error(ERRORS, _nearest)
