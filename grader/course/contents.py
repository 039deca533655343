"""What was handed in, as bytes: the files that count, out of a folder, a zip, or single files.

Nothing is ever unpacked to disk: the members of a zip that count are read, up to a limit each, and
their folders and names decide nothing but which of them belong together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.course.handed import Handed
from grader.course.trees import Leaf, Refused, tree_of
from grader.exercises.registry import module_names
from grader.submission.notebook import MAX_NOTEBOOK, SUFFIX
from grader.text import Text

__all__ = ["Contents", "choose", "read_contents"]

MAX_FILES = 200
MAX_BYTES = MAX_NOTEBOOK + (16 << 20)  # of everything that counts


@dataclass(frozen=True)
class Contents:
    """files: name and bytes; links: files that are links to elsewhere, which are not followed; problem: why
    there is nothing to grade; by_kit: the problem is ours or the machine's, not the learner's."""

    files: tuple[tuple[str, bytes], ...] = ()
    links: tuple[str, ...] = ()
    problem: Text | None = None
    by_kit: bool = False


def read_contents(handed: Handed) -> Contents:
    """Reads a submission.  Never raises: what cannot be read is the submission's own problem."""
    if handed.problem is not None:
        return Contents(problem=handed.problem, by_kit=True)
    try:
        chosen = choose(tree_of(handed))
        files = []
        room = MAX_BYTES
        for leaf in chosen:
            if leaf.link:
                continue
            data = leaf.read()
            room -= len(data)
            if room < 0:
                size = MAX_BYTES >> 20
                raise Refused(
                    Text(f"its files are larger than {size} MiB together", f"其中的文件总计超过 {size} MiB")
                )
            files.append((leaf.name, data))
    except Refused as refusal:
        return Contents(problem=refusal.text)
    except OSError as error:
        why = error.strerror or type(error).__name__
        text = Text(f"{handed.place.name} cannot be read: {why}", f"无法读取 {handed.place.name}：{why}")
        return Contents(problem=text, by_kit=True)
    return Contents(tuple(files), tuple(leaf.name for leaf in chosen if leaf.link))


def choose(leaves: Sequence[Leaf]) -> list[Leaf]:
    """The Python files and notebooks that belong together.

    Those of the folder with most exercises; of several folders where they complete each other; or the
    only file there is.  Raises `Refused` where there is none, or where two folders hold the same.
    """
    wanted = [leaf for leaf in leaves if leaf.path.suffix in (".py", SUFFIX)]
    folders: dict[PurePosixPath, list[Leaf]] = {}
    for leaf in wanted:
        folders.setdefault(leaf.path.parent, []).append(leaf)
    held = {folder: _exercises(inside) for folder, inside in folders.items()}
    with_exercises = [folder for folder in folders if held[folder]]
    if not with_exercises:
        return _without_names(wanted, leaves)
    together = [leaf for folder in with_exercises for leaf in folders[folder]]
    if len({leaf.path.stem for leaf in together}) == len(together):
        return _limited(together)
    best = min(with_exercises, key=lambda f: (-len(held[f]), len(f.parts), str(f)))
    rivals = [f for f in with_exercises if f != best and len(held[f]) == len(held[best])]
    rivals = [f for f in rivals if len(f.parts) == len(best.parts) and not _same(folders[f], folders[best])]
    if rivals:
        names = f"{best}, {rivals[0]}"
        raise Refused(
            Text(
                f"two folders hold the same exercises ({names}): hand in one of them",
                f"两个文件夹中有相同的练习（{names}）：请只提交其中一个",
            )
        )
    return _limited(folders[best])


def _exercises(inside: Sequence[Leaf]) -> set[str]:
    return {leaf.path.stem for leaf in inside} & set(module_names())


def _without_names(wanted: Sequence[Leaf], leaves: Sequence[Leaf]) -> list[Leaf]:
    """No file has an exercise's name: notebooks, or the only file, are recognised by what they define."""
    notebooks = [leaf for leaf in wanted if leaf.path.suffix == SUFFIX]
    if notebooks:
        first = min(notebooks, key=lambda leaf: (len(leaf.path.parts), str(leaf.path)))
        return _limited([leaf for leaf in wanted if leaf.path.parent == first.path.parent])
    if len(wanted) == 1:
        return list(wanted)
    expected = ", ".join(f"{name}.py" for name in module_names())
    listed = ", ".join(leaf.name for leaf in (wanted or leaves)[:5])
    if not listed:
        raise Refused(Text("nothing is in it", "其中什么都没有"))
    raise Refused(
        Text(
            f"no exercise file among what was handed in ({listed}): expected any of {expected}",
            f"提交的内容（{listed}）中没有练习文件：应有 {expected} 之一",
        )
    )


def _limited(leaves: Sequence[Leaf]) -> list[Leaf]:
    """Exercises first, so that a crowd of other files cannot hide them; in a fixed order."""
    ids = module_names()
    return sorted(leaves, key=lambda leaf: (leaf.path.stem not in ids, str(leaf.path)))[:MAX_FILES]


def _same(some: Sequence[Leaf], others: Sequence[Leaf]) -> bool:
    """Two folders with the very same exercise files: a copy, and no question."""
    ids = set(module_names())
    held = [{leaf.name: leaf.read() for leaf in part if leaf.path.stem in ids} for part in (some, others)]
    return held[0] == held[1]
