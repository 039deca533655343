"""The kit's own parts, for a learner who goes on before an earlier exercise can run."""

from __future__ import annotations

import base64
import functools
import marshal
from collections.abc import Sequence
from dataclasses import replace

from grader.data import solution_folder
from grader.submission.decoding import parse_source
from grader.submission.files import SourceFile
from grader.text import Text
from grader.worker.loading import REFERENCE

__all__ = ["compiled", "note_of", "reference"]


@functools.cache
def reference(name: str) -> SourceFile:
    """The solution of an exercise as a file that others can import; its name says whose it is."""
    path = solution_folder() / f"{name}.py"
    file = parse_source(name, path.name, path.read_bytes())
    return replace(file, name=f"{REFERENCE}{path.name}")


@functools.cache
def compiled(name: str) -> tuple[str, str]:
    """The name and the code of a reference, as a worker gets it: without a line of its text."""
    file = reference(name)
    code = compile(file.text, file.name, "exec", dont_inherit=True, optimize=2)
    return file.name, base64.b64encode(marshal.dumps(code)).decode()


def note_of(names: Sequence[str]) -> Text:
    """What a report says of an exercise that was marked with them."""
    files = ", ".join(f"{n}.py" for n in names)
    return Text(
        f"marked with the kit's own part in place of your {files}, which cannot run yet",
        f"你的 {files} 还不能运行，这里用本工具自带的部分代替它来评分",
    )
