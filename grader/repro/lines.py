"""Comments and docstrings: broken into lines, and safe to stand in a program."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["comment", "docstring", "wrapped"]

WIDTH = 92  # cells
WIDE = 0x2E80  # from here on characters are Chinese: two cells each, and a line may end anywhere


def comment(text: str) -> Iterator[str]:
    """The text as lines of comment."""
    yield from (f"# {line}" for line in wrapped(_printable(text)))


def docstring(paragraphs: list[str]) -> str:
    """The paragraphs as one docstring, whatever characters they hold."""
    text = "\n\n".join("\n".join(wrapped(_printable(p))) for p in paragraphs)
    return '"""' + text.replace("\\", "\\\\").replace('"""', "'''") + '\n"""'


def wrapped(text: str) -> Iterator[str]:
    """Lines of at most WIDTH cells."""
    line, used = "", 0
    for word in _words(text):
        cells = sum(2 if ord(c) > WIDE else 1 for c in word)
        if used + cells > WIDTH and line.strip() and word[0] not in "，。；：、）":
            yield line.rstrip()
            line, used = "", 0
            word = word.lstrip()
        line += word
        used += cells
    if line.strip():
        yield line.rstrip()


def _words(text: str) -> Iterator[str]:
    """The pieces between which a line may end; a space belongs to what follows."""
    word = ""
    for char in text:
        if char == " " or ord(char) > WIDE:
            if word:
                yield word
            word = char
            if char != " ":
                yield char
                word = ""
        else:
            word += char
    if word:
        yield word


def _printable(text: str) -> str:
    """One line without control characters: no name of a file or a class can end a comment."""
    return "".join(c if c.isprintable() else " " for c in text)
