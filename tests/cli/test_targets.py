"""What the words after `grade run` mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cli.targets import Targets, find_targets
from grader.errors import UsageError

NAMES = ("attention", "masks", "encoder_block", "encoder")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ada").mkdir()
    (tmp_path / "masks").mkdir()
    for name in ("attention.py", "masks.py", "helper.py", "ada/attention.py"):
        (tmp_path / name).write_text("")


@pytest.mark.parametrize(
    ("words", "path", "place", "only"),
    [
        ([], None, ".", ()),
        (["attention"], None, ".", ("attention",)),
        (["attention", "masks", "attention"], None, ".", ("attention", "masks")),
        (["attention.py"], None, "attention.py", ()),
        (["ada"], None, "ada", ()),
        (["masks"], None, ".", ("masks",)),
        (["ada", "masks"], None, "ada", ("masks",)),
        ([], "ada", "ada", ()),
        (["attention.py"], "ada", "ada", ("attention",)),
        (["attention.py", "masks.py", "helper.py"], None, ".", ("attention", "masks")),
        (["absent/attention.py"], None, "absent/attention.py", ()),
    ],
)
def test_words(words: list[str], path: str | None, place: str, only: tuple[str, ...]) -> None:
    assert find_targets(words, None if path is None else Path(path), NAMES) == Targets(Path(place), only)


@pytest.mark.parametrize(
    ("words", "path", "said"),
    [
        (["encoder-blok"], None, "did you mean encoder_block?"),
        (["Attention"], None, "did you mean attention?"),
        (["xyzzy"], None, "the exercises are attention, masks"),
        (["ada"], "ada", "two places"),
        (["ada", "attention.py"], None, "one submission"),
        (["ada/attention.py", "masks.py"], None, "one submission"),
    ],
)
def test_words_that_mean_nothing(words: list[str], path: str | None, said: str) -> None:
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        find_targets(words, None if path is None else Path(path), NAMES)
