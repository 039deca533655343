"""Pseudonyms: the same student has the same one wherever the same secret is used."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterable

__all__ = ["pseudonyms"]

LEAST = 8  # letters: forty bits, which tell apart more students than there are


def pseudonyms(students: Iterable[str], secret: str) -> dict[str, str]:
    """A keyed hash of each id, as short as tells them apart: without the secret none can be guessed."""
    whole = {student: _hashed(student, secret) for student in students}
    length = LEAST
    while len({h[:length] for h in whole.values()}) < len(whole):
        length += 1
    return {student: f"student-{h[:length]}" for student, h in whole.items()}


def _hashed(student: str, secret: str) -> str:
    digest = hmac.new(secret.encode(), student.encode(errors="surrogatepass"), "sha256").digest()
    return base64.b32encode(digest).decode("ascii").lower()
