"""Sentences in the two languages of the kit."""

from __future__ import annotations

import locale
import os
from dataclasses import dataclass
from typing import Any

__all__ = ["LANGUAGES", "Text", "language_of_environment"]

LANGUAGES = ("en", "zh")


@dataclass(frozen=True)
class Text:
    """One sentence (or paragraph) in English and Chinese."""

    en: str
    zh: str

    def in_(self, language: str) -> str:
        """The sentence in `language` (``en`` or ``zh``)."""
        return self.zh if language == "zh" else self.en

    def format(self, **values: Any) -> Text:
        """Both sentences with the `{placeholders}` filled in."""
        return Text(self.en.format(**values), self.zh.format(**values))

    def __add__(self, other: Text) -> Text:
        return Text(self.en + other.en, self.zh + other.zh)

    @classmethod
    def same(cls, words: str) -> Text:
        """Words that are the same in both languages: a name, a number, a line of code."""
        return cls(words, words)

    @classmethod
    def join(cls, parts: list[Text], en: str = ", ", zh: str = "、") -> Text:
        """The parts in a row."""
        return cls(en.join(p.en for p in parts), zh.join(p.zh for p in parts))


def language_of_environment() -> str:
    """``zh`` where the locale is Chinese, else ``en``."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    code = locale.getlocale()[0] or ""
    return "zh" if code.lower().startswith(("zh", "chinese")) else "en"
