"""The skeleton of one exercise back in a notebook: its cells, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from grader.errors import GraderError, UsageError
from grader.notebook.restoring import restored
from grader.notebook.skeletons import skeleton_codes, skeleton_notebook
from grader.submission.source import read_submission
from grader.workspace.place import Workspace
from grader.workspace.resetting import reset_to_skeleton
from tests.notebook.making import ATTEND, SOLUTION, code, notebook, saved

NAME = "transformer.ipynb"
MINE = f"def {ATTEND}(query, key, value, mask=None, dropout=None):\n    return value, query\n"


def begun(**cells: str) -> dict[str, Any]:
    """The notebook of `grade init` after some work; cells: new texts by their ids."""
    content: dict[str, Any] = json.loads(skeleton_notebook("en"))
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["ü 1e-05 é\n"]}]
            cell["execution_count"] = 3
            cell["metadata"]["mine"] = {"x": 1.5}
        name = cell["id"].replace("-", "_")
        if name in cells:
            cell["source"] = cells[name].splitlines(keepends=True)
    return content


def reset(content: dict[str, Any], exercise: str = "attention") -> dict[str, Any]:
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    found: dict[str, Any] = json.loads(restored(NAME, text.encode(), exercise))
    return found


def sources(content: dict[str, Any]) -> list[str]:
    return ["".join(cell["source"]) for cell in content["cells"]]


def test_nothing_else_is_touched() -> None:
    content = begun(attention_2=MINE, masks_2="x = 1")
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    new = restored(NAME, text.encode(), "attention").decode()
    old_lines, new_lines = text.split("\n"), new.split("\n")
    start = next(i for i, (a, b) in enumerate(zip(old_lines, new_lines)) if a != b)
    back = next(i for i, (a, b) in enumerate(zip(old_lines[::-1], new_lines[::-1])) if a != b)
    changed = json.loads("[" + "\n".join(new_lines[start : len(new_lines) - back]).rstrip(",") + "]")
    assert "".join(changed) in skeleton_codes("attention")[1]
    found = json.loads(new)
    assert [c["id"] for c in found["cells"]] == [c["id"] for c in content["cells"]]
    for one, other in zip(found["cells"], content["cells"]):
        if one["id"] != "attention-2":
            assert one == other
        else:
            assert {**one, "source": None} == {**other, "source": None}
    nbformat.validate(nbformat.from_dict(found))
    assert restored(NAME, new.encode(), "attention") == new.encode()  # and again: not a byte


@pytest.mark.parametrize("indent", [1, 2, None])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_form_of_the_file_stays(indent: int | None, ascii_only: bool) -> None:
    content = begun(attention_2=MINE)
    text = json.dumps(content, indent=indent, ensure_ascii=ascii_only)
    new = restored(NAME, text.encode(), "attention")
    assert new.decode() == json.dumps(json.loads(new), indent=indent, ensure_ascii=ascii_only)


def test_half_a_character_in_an_output_is_no_obstacle() -> None:
    content = begun(attention_2=MINE)
    text = json.dumps(content, indent=1, ensure_ascii=False).replace("1e-05", "\\ud83d")
    new = json.loads(restored(NAME, text.encode(), "attention"))
    assert "\ud83d" in new["cells"][2]["outputs"][0]["text"][0]
    assert sources(new) == sources(json.loads(skeleton_notebook("en")))


def test_cells_that_have_lost_their_names() -> None:
    """As in Colab, which gives them others: the tags tell, and what they define."""
    content = begun(attention_2=MINE, masks_2="de padding_mask(x:\n")
    for number, cell in enumerate(content["cells"]):
        cell["id"] = f"n{number}"
    wanted = sources(json.loads(skeleton_notebook("en")))
    assert sources(reset(content))[3] == wanted[3]
    for cell in content["cells"]:
        cell["metadata"] = {}
    assert sources(reset(content))[3] == wanted[3]


def test_a_later_definition_goes_since_it_is_what_counts() -> None:
    content = begun(attention_2=MINE)
    content["cells"][5:5] = [
        {**code(f"%%grade attention\n{MINE}"), "id": "again"},
        {**code("plot(scores)"), "id": "plot"},
        {**code(f"def {ATTEND}(query,\n"), "id": "broken"},
    ]
    found = reset(content)
    names = [c["id"] for c in found["cells"]]
    assert "again" not in names
    assert "broken" not in names
    assert "plot" in names
    assert sources(found)[3] == skeleton_codes("attention")[1]


def test_cells_that_were_deleted_come_back_in_their_place(tmp_path: Path) -> None:
    content = begun(masks_2="x = 1")
    whole = [c["id"] for c in content["cells"]]
    content["cells"] = [c for c in content["cells"] if not c["id"].startswith("masks")]
    found = reset(content, "masks")
    assert [c["id"] for c in found["cells"]] == whole
    content = begun()
    content["cells"] = [c for c in content["cells"] if c["id"] not in ("masks-1", "masks-3")]
    assert [c["id"] for c in reset(content, "masks")["cells"]] == whole
    content["cells"][2]["id"] = "masks-1"  # somebody else has the name
    nbformat.validate(nbformat.from_dict(reset(content, "masks")))
    content = begun()
    content["cells"] = content["cells"][:1]
    content["nbformat_minor"] = 4
    assert all("id" not in c for c in reset(content, "encoder")["cells"][1:])


def test_a_cell_with_two_exercises_is_not_torn_apart() -> None:
    text = notebook("import torch", SOLUTION["attention"] + SOLUTION["masks"])
    with pytest.raises(UsageError, match=r"work.ipynb\[cell 2\] holds attention together with masks"):
        restored("work.ipynb", text.encode(), "attention")
    assert restored("work.ipynb", text.encode(), "encoder")


def test_before_version_4() -> None:
    cells = [{"cell_type": "code", "input": MINE, "outputs": [], "language": "python"}]
    old = {"metadata": {}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": cells}]}
    found = json.loads(restored(NAME, json.dumps(old).encode(), "attention"))
    imports, attention = found["worksheets"][0]["cells"]
    assert [imports["input"], attention["input"]] == skeleton_codes("attention")


# -- in a workspace ---------------------------------------------------------------------------------


def test_reset_of_a_workspace_with_a_notebook(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path)
    path = tmp_path / NAME
    path.write_text(json.dumps(begun(attention_2=MINE, masks_2="x = 1")), encoding="utf-8")
    before = path.read_bytes()
    done = reset_to_skeleton(workspace, "attention")
    assert done.name == NAME
    assert done.backup is not None
    assert (tmp_path / done.backup).read_bytes() == before
    assert f"attention in {NAME} is the skeleton again" in done.words().en
    assert f"{NAME} 中的 attention 已恢复为骨架" in done.words().zh
    assert not (tmp_path / "attention.py").exists()
    assert sources(json.loads(path.read_text(encoding="utf-8")))[7] == "x = 1"
    assert reset_to_skeleton(workspace, "attention").same
    files = read_submission(tmp_path).files
    assert "TODO" in files["attention"].text


def test_an_exercise_that_the_notebook_lacks_comes_back_there(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path)
    path = saved(tmp_path / "mine.ipynb", SOLUTION["attention"])
    done = reset_to_skeleton(workspace, "masks")
    assert (done.name, (tmp_path / "masks.py").exists()) == ("mine.ipynb", False)
    assert set(read_submission(path).files) == {"attention", "masks"}


def test_a_file_is_reset_where_the_work_is_in_a_file(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path)
    (tmp_path / NAME).write_text(skeleton_notebook("en"), encoding="utf-8")
    (tmp_path / "attention.py").write_text(SOLUTION["attention"], encoding="utf-8")
    assert reset_to_skeleton(workspace, "attention").name == "attention.py"


def test_a_notebook_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path)
    (tmp_path / NAME).write_text('{"cells": [', encoding="utf-8")
    with pytest.raises(GraderError, match="it ends too early"):
        reset_to_skeleton(workspace, "attention")
    assert sorted(p.name for p in tmp_path.iterdir()) == [".grade", NAME]
    assert workspace.events("reset") == []
