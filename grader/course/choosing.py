"""Which of the files of a submission count, where exercises are there twice, or under other names.

The folder with most exercises counts; what it lacks is taken from elsewhere.  Of two files of one exercise
the kit takes the one that lies higher, or beside more of the others, and says so; where that leaves two,
it does not choose.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from grader.course.trees import Leaf, Tree
from grader.course.zips import Refused
from grader.data import skeleton_folder
from grader.errors import KitError
from grader.exercises.registry import module_names
from grader.submission.notebook import SUFFIX
from grader.submission.renamed import Candidate, Matched, aside, left_aside, matched, named_in
from grader.text import Text

__all__ = ["Chosen", "choose", "other_versions"]

PYTHON = (".py", SUFFIX)
SHOWN = 5
MOST_RENAMED = 200  # files that are looked at


@dataclass
class Chosen:
    """files: those that count, by the names under which they are graded; notes: what people should know;
    doubts: exercises of which the kit cannot tell which file counts, in words; found: the exercises that
    have a file of their name now."""

    files: list[tuple[str, Leaf]] = field(default_factory=list)
    notes: list[Text] = field(default_factory=list)
    doubts: list[Text] = field(default_factory=list)
    found: set[str] = field(default_factory=set)


def choose(tree: Tree, wanted: Collection[str]) -> Chosen:
    """wanted: the exercises that count.  Raises `Refused` where there is nothing to grade."""
    python = [leaf for leaf in tree.leaves if leaf.path.suffix.lower() in PYTHON]
    named = [leaf for leaf in python if leaf.path.stem in module_names() and leaf.path.suffix in PYTHON]
    own = set(map(id, named))
    others = [leaf for leaf in python if id(leaf) not in own]
    if len(python) == 1 and not named:
        return Chosen([(_plain(python[0].name), python[0])])
    chosen = Chosen()
    versions = _of_exercises(named, wanted, chosen)
    renamed = _renamed(others, versions, chosen, wanted)
    for leaf in versions:
        if leaf.path.suffix != ".py" or leaf.path.stem not in renamed:
            chosen.files.append((leaf.name, leaf))
    chosen.files += [(f"{name}.py", leaf) for name, leaf in renamed.items()]
    chosen.found |= set(renamed)
    if chosen.doubts:
        return chosen
    folders = [leaf.path.parent for leaf in [*versions, *renamed.values()]]
    notebooks = [leaf for leaf in others if leaf.path.suffix.lower() == SUFFIX]
    if notebooks and not folders:  # no file has an exercise's name, but these may hold some
        first = min(notebooks, key=lambda leaf: (len(leaf.path.parts), str(leaf.path)))
        folders = [first.path.parent]
    if not notebooks and not chosen.found & set(wanted):
        raise _nothing(tree, wanted, chosen)
    _helpers(list(dict.fromkeys(folders)), others, chosen)
    return chosen


# -- exercises --------------------------------------------------------------------------------------


def _of_exercises(named: Sequence[Leaf], wanted: Collection[str], chosen: Chosen) -> list[Leaf]:
    """One file of each exercise (or a file and a notebook of one folder), the main folder's first."""
    twice = len({leaf.path.stem for leaf in named}) < len(named)
    begun = [leaf for leaf in named if not (twice and _untouched(leaf))]
    worked_on = {leaf.path.stem for leaf in begun}
    counted = [*begun, *(leaf for leaf in named if leaf.path.stem not in worked_on)]
    held: dict[PurePosixPath, set[str]] = {}
    for leaf in counted:  # a skeleton counts where there is nothing else of its name
        held.setdefault(leaf.path.parent, set()).add(leaf.path.stem)

    def worth(folder: PurePosixPath) -> int:
        return len(held[folder] & set(wanted))

    ranked = sorted(held, key=lambda f: (-worth(f), len(f.parts), -len(held[f]), str(f)))
    order = {folder: number for number, folder in enumerate(ranked)}
    found: list[Leaf] = []
    for name in module_names():
        versions = [leaf for leaf in counted if leaf.path.stem == name]
        if not versions:
            continue
        folder = min((leaf.path.parent for leaf in versions), key=order.__getitem__)
        here = [leaf for leaf in named if leaf.path.stem == name and leaf.path.parent == folder]
        found += here
        chosen.found.add(name)
        if name in wanted:
            rest = [leaf for leaf in versions if leaf.path.parent != folder and not _same(leaf, here)]
            _compare(name, here[0], rest, worth, chosen)
    return sorted(found, key=lambda leaf: order[leaf.path.parent])


def _compare(
    name: str, first: Leaf, rest: Sequence[Leaf], worth: Callable[[PurePosixPath], int], chosen: Chosen
) -> None:
    """Says which of several files of one exercise counts, or that it cannot be told."""
    folder = first.path.parent
    for leaf in rest:
        other = leaf.path.parent
        deeper = len(other.parts) - len(folder.parts)
        if deeper < 0 or (deeper == 0 and worth(other) >= worth(folder)):
            chosen.doubts.append(_twice(name, first, leaf))
            return
    chosen.notes += [aside(str(first.path), str(leaf.path)) for leaf in rest[:SHOWN]]


def _twice(name: str, first: Leaf, second: Leaf) -> Text:
    both = f"{first.path}, {second.path}"
    return Text(
        f"{name} is there twice, and not the same ({both}): keep the one that counts",
        f"{name} 有两个不同的版本（{both}）：请只保留要评分的一个",
    )


def _untouched(leaf: Leaf) -> bool:
    """A link, or the skeleton as everybody was given it."""
    if leaf.link:
        return True
    return leaf.path.suffix == ".py" and leaf.read().split() == _skeleton(leaf.path.stem)


@functools.cache
def _skeleton(name: str) -> list[bytes] | None:
    """Its words, whatever stands between them."""
    try:
        return (skeleton_folder() / f"{name}.py").read_bytes().split()
    except (OSError, KitError):
        return None


def _same(leaf: Leaf, others: Sequence[Leaf]) -> bool:
    return any(leaf.path.suffix == o.path.suffix and leaf.read() == o.read() for o in others)


# -- other names ------------------------------------------------------------------------------------


def _renamed(
    others: Sequence[Leaf], versions: Sequence[Leaf], chosen: Chosen, wanted: Collection[str]
) -> dict[str, Leaf]:
    """The files that are meant to be exercises, by exercise: those beside the others, or anywhere."""
    beside = {leaf.path.parent for leaf in versions}
    nearest = sorted(others, key=lambda f: (f.path.parent not in beside, len(f.path.parts), str(f.path)))
    by_name: dict[str, Leaf] = {}
    candidates = []
    for leaf in [f for f in nearest if f.path.suffix.lower() == ".py" and not f.link][:MOST_RENAMED]:
        with contextlib.suppress(Refused):
            candidates.append(Candidate(str(leaf.path), leaf.path.stem, leaf.read()))
            by_name[str(leaf.path)] = leaf
    if not candidates:
        return {}
    meant = {name for one in candidates for name in named_in(one.stem)}
    there = chosen.found - {
        leaf.path.stem for leaf in versions if leaf.path.stem in meant and _untouched(leaf)
    }
    near = [c for c in candidates if by_name[c.name].path.parent in beside]
    missing = [name for name in module_names() if name not in there]
    found = matched(near, missing)
    rest = [name for name in missing if name not in found.taken and name not in found.doubtful]
    far = matched(candidates, rest)
    taken, doubtful = found.taken | far.taken, found.doubtful | far.doubtful
    chosen.doubts += [Matched(doubtful=doubtful).doubt(name) for name in doubtful if name in wanted]
    lost = {name: one for name, one in far.aside.items() if name in wanted and name not in chosen.found}
    told = {name: one for name, one in taken.items() if name in wanted}
    chosen.notes += Matched(told, aside=lost).notes()
    return {name: by_name[one.name] for name, one in taken.items()}


def _helpers(folders: Sequence[PurePosixPath], others: Sequence[Leaf], chosen: Chosen) -> None:
    """The other files of the folders that count: what exercises import.  Two of one name cannot both be
    there; where an exercise uses the second one, nobody knows what it would be graded with."""
    graded = {name.lower(): leaf for name, leaf in chosen.files}
    taken: dict[str, Leaf] = {}
    used = {folder: [leaf for _, leaf in chosen.files if leaf.path.parent == folder] for folder in folders}
    for leaf in sorted(others, key=lambda leaf: leaf.path.parent not in folders[:1]):
        folder, name = leaf.path.parent, _plain(leaf.name)
        if folder not in used:
            continue
        own = graded.get(name.lower())  # the same name, where a system does not tell capital letters
        if own is not None:
            if own.read() != leaf.read():
                chosen.notes.append(aside(str(own.path), str(leaf.path)))
            continue
        before = taken.setdefault(name.lower(), leaf)
        if before is leaf:
            chosen.files.append((name, leaf))
        elif _uses(used[folder], leaf.path.stem) and before.read() != leaf.read():
            both = f"{before.path}, {leaf.path}"
            chosen.doubts.append(
                Text(
                    f"{name} is there twice, and not the same ({both}): hand in one folder",
                    f"{name} 有两个不同的版本（{both}）：请只提交一个文件夹",
                )
            )


def _uses(leaves: Sequence[Leaf], module: str) -> bool:
    word = re.compile(rf"\bimport\b[^\n]*\b{re.escape(module)}\b|\bfrom[ \t]+{re.escape(module)}\b")
    return module != "__init__" and any(word.search(leaf.read().decode("latin-1")) for leaf in leaves)


def _plain(name: str) -> str:
    """With an ending in small letters, as Python wants it."""
    path = PurePosixPath(name)
    return path.stem + path.suffix.lower()


# -- what is left ----------------------------------------------------------------------------------------


def _nothing(tree: Tree, wanted: Collection[str], chosen: Chosen) -> Refused:
    expected = ", ".join(f"{name}.py" for name in module_names() if name in wanted)
    python = [leaf for leaf in tree.leaves if leaf.path.suffix.lower() in PYTHON]
    there = [Text.same(leaf.name) for leaf in python]
    there = (there or [*(Text.same(leaf.name) for leaf in tree.leaves), *tree.others])[:SHOWN]
    if not there:
        return Refused(Text("nothing is in it", "其中什么都没有"), empty=True)
    en, zh = ", ".join(t.en for t in there), "、".join(t.zh for t in there)
    text = Text(
        f"no exercise file among what was handed in ({en}): expected any of {expected}",
        f"提交的内容（{zh}）中没有练习文件：应有 {expected} 之一",
    )
    for note in chosen.notes[:1]:
        text += Text(f"; {note.en}", f"；{note.zh}")
    return Refused(text, empty=True)


def other_versions(chosen: Chosen, files: Mapping[str, bytes], wanted: Collection[str]) -> list[Text]:
    """Files beside those that are graded which would be another version of them."""
    graded = {name: files[f"{name}.py"] for name in chosen.found & set(wanted) if f"{name}.py" in files}
    paths = [(PurePosixPath(name), data) for name, data in files.items()]
    return left_aside([Candidate(p.name, p.stem, d) for p, d in paths if p.suffix == ".py"], graded)
