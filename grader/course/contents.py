"""What was handed in, as bytes: the files that count, out of a folder, a zip, or single files.

Nothing is ever unpacked to disk: the members of a zip that count are read, up to a limit each, and
their folders and names decide nothing but which of them belong together.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.course.choosing import choose, other_versions
from grader.course.handed import Handed
from grader.course.trees import Refused, Tree, tree_of
from grader.errors import AmbiguousError, SubmissionError
from grader.exercises.registry import module_names
from grader.submission.notebook import MAX_NOTEBOOK, SUFFIX
from grader.submission.source import read_submission
from grader.text import Text

__all__ = ["Contents", "read_contents"]

MAX_FILES = 200
MAX_BYTES = MAX_NOTEBOOK + (16 << 20)  # of everything that counts


@dataclass(frozen=True)
class Contents:
    """files: name and bytes; links: files that are links to elsewhere, which are not followed; problem: why
    there is nothing to grade; by_kit: somebody has to look at it, so that it is no zero; notes: what was
    taken for an exercise, and what was left aside."""

    files: tuple[tuple[str, bytes], ...] = ()
    links: tuple[str, ...] = ()
    problem: Text | None = None
    by_kit: bool = False
    notes: tuple[Text, ...] = ()


def read_contents(handed: Handed, exercises: Collection[str] = ()) -> Contents:
    """Reads a submission.  Never raises: what cannot be read is the submission's own problem.

    exercises: those that count, none meaning all; of the others nothing has to be there, or only once.
    """
    if handed.problem is not None:
        return Contents(problem=handed.problem, by_kit=True)
    try:
        return _read(handed, exercises or module_names())
    except Refused as refusal:
        return Contents(problem=refusal.text, by_kit=not refusal.empty)
    except OSError as error:
        why = error.strerror or type(error).__name__
        text = Text(f"{handed.place.name} cannot be read: {why}", f"无法读取 {handed.place.name}：{why}")
        return Contents(problem=text, by_kit=True)


def _read(handed: Handed, wanted: Collection[str]) -> Contents:
    tree = tree_of(handed)
    try:
        chosen = choose(tree, wanted)
    except Refused as refusal:
        if refusal.empty and tree.unseen:
            raise Refused(_together(tree.unseen)) from refusal
        raise
    if chosen.doubts:
        raise Refused(_together(chosen.doubts))
    ids = module_names()
    files: dict[str, bytes] = {}
    links = []
    room = MAX_BYTES
    order = sorted(chosen.files, key=lambda one: (one[0].rpartition(".")[0] not in ids, str(one[1].path)))
    for name, leaf in order[:MAX_FILES]:
        if leaf.link:
            links.append(name)
            continue
        files[name] = leaf.read()
        room -= len(files[name])
        if room < 0:
            size = MAX_BYTES >> 20
            raise Refused(
                Text(f"its files are larger than {size} MiB together", f"其中的文件总计超过 {size} MiB")
            )
    found = chosen.found
    unnamed = tree.unseen and not found
    if unnamed or (any(name.endswith(SUFFIX) for name in files) and (len(files) > 1 or tree.unseen)):
        found = _held(files, wanted)
    missing = [name for name in wanted if name not in found]
    if missing and tree.unseen:
        raise Refused(_unseen(tree, missing))
    notes = [*chosen.notes, *other_versions(chosen, files, wanted), *tree.unseen, *_strange(tree, missing)]
    return Contents(tuple(files.items()), tuple(links), notes=tuple(notes))


def _held(files: Mapping[str, bytes], wanted: Collection[str]) -> set[str]:
    """The exercises of files and notebooks.  Raises `Refused` where one is in both."""
    only = next(iter(files)) if len(files) == 1 else ""
    with tempfile.TemporaryDirectory(prefix="grade-", ignore_cleanup_errors=True) as name:
        for file, data in files.items():
            (Path(name) / file).write_bytes(data)
        try:
            return set(read_submission(Path(name) / only, wanted).files)
        except AmbiguousError as error:
            raise Refused(error.text) from error
        except SubmissionError:
            return set()


def _unseen(tree: Tree, missing: Collection[str]) -> Text:
    listed = ", ".join(f"{name}.py" for name in missing)
    return _together(tree.unseen) + Text(f" (not found elsewhere: {listed})", f"（别处没有：{listed}）")


def _strange(tree: Tree, missing: Collection[str]) -> list[Text]:
    """What has the name of a missing exercise and is no file."""
    return [
        Text(f"not graded: {other.en}", f"未评分：{other.zh}")
        for other in tree.others
        if any(f"{name}." in other.en for name in missing)
    ]


def _together(texts: Collection[Text]) -> Text:
    some = list(dict.fromkeys(texts))[:3]
    return Text("; ".join(t.en for t in some), "；".join(t.zh for t in some))
