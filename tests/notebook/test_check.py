"""`check` and ``%%grade`` in a running notebook."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import grader
from grader.exercises.registry import module_names
from grader.marking.session import Session
from grader.notebook import kernel, magic, process
from grader.notebook.check import Checked, Stopped, check
from grader.notebook.kernel import running_notebook
from grader.notebook.process import GradingProcess
from grader.notebook.server import answer, submission_of
from tests.notebook.making import ATTEND, SOLUTION, WRONG
from tests.support import Grader


def a_request(
    *sources: str, exercise: str = "attention", folder: Path = Path("."), **more: Any
) -> dict[str, Any]:
    cells = list(enumerate(sources, 1))
    return {"exercise": exercise, "cells": cells, "live": {}, "folder": str(folder), "lang": "en", **more}


@pytest.fixture
def session(grader: Grader) -> Iterator[Session]:
    with Session(grader.launcher) as found:
        yield found


# -- the side that grades ---------------------------------------------------------------------------


def test_a_report_for_a_cell(session: Session, tmp_path: Path) -> None:
    found = answer(a_request("x = 1", WRONG, folder=tmp_path, live={ATTEND: 2}), session)
    json.dumps(found)
    assert (found["passed"], found["status"]) == (False, "failed")
    line = WRONG[: WRONG.index("* math.sqrt")].count("\n") + 1
    for shown in (found["html"], found["text"]):
        assert f"In[2]:{line}" in shown
    assert f"Next: change In[2]:{line}, run that cell, then this one again." in found["text"]
    for banned in ("<script", "<style", "http", "class=", "position:"):
        assert banned not in found["html"]


def test_what_the_code_says_is_no_markup(session: Session, tmp_path: Path) -> None:
    hostile = (
        f"def {ATTEND}(query, key, value, mask=None, dropout=None):\n"
        "    print('</pre><script>alert(1)</script>')\n    raise ValueError('<img src=x onerror=alert(1)>')"
    )
    found = answer(a_request(hostile, folder=tmp_path, live={ATTEND: 1}), session)
    assert "<script" not in found["html"]
    assert "<img" not in found["html"]
    assert "&lt;img" in found["html"]


def test_a_passed_exercise_in_chinese(session: Session, tmp_path: Path) -> None:
    request = a_request(SOLUTION["attention"], folder=tmp_path, live={ATTEND: 1}, lang="zh")
    found = answer(request, session)
    assert found["passed"]
    assert "全部正确" in found["html"]
    assert "得分：20 / 20。" in found["text"]


@pytest.mark.parametrize(
    ("sources", "exercise", "en"),
    [
        ((), "attention", f"attention ({ATTEND}) is not defined in this notebook yet"),
        (("x = 1",), "attention", f"attention ({ATTEND}) is not defined in this notebook yet"),
        (("x = 1",), "atention", "there is no exercise or file 'atention'; did you mean attention?"),
    ],
)
def test_nothing_to_grade_is_a_sentence(
    sources: tuple[str, ...], exercise: str, en: str, session: Session, tmp_path: Path
) -> None:
    found = answer(a_request(*sources, exercise=exercise, folder=tmp_path), session)
    assert found["error"][0].startswith(en)
    assert found["error"][1]


def test_a_folder_that_is_gone_does_no_harm(tmp_path: Path) -> None:
    request = a_request(SOLUTION["attention"], folder=tmp_path / "gone", live={ATTEND: 1})
    assert submission_of(request).chosen == ("attention",)


def test_files_beside_the_notebook_may_be_imported(tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text(SOLUTION["attention"], encoding="utf-8")
    live = {"MultiHeadAttention": 1}
    request = a_request(
        SOLUTION["multi_head_attention"], folder=tmp_path, live=live, exercise="multi_head_attention"
    )
    submission = submission_of(request)
    assert submission.files["attention"].places is None
    assert submission.files["multi_head_attention"].imports(["attention"])


# -- the side of the kernel -------------------------------------------------------------------------


class FakeProcess:
    """Answers with what it is given, or raises it."""

    def __init__(self, reply: Any) -> None:
        self.reply = reply
        self.asked: list[dict[str, Any]] = []

    def ask(self, request: dict[str, Any]) -> Any:
        self.asked.append(json.loads(json.dumps(request)))
        if isinstance(self.reply, BaseException):
            raise self.reply
        return self.reply


def a_shell(*sources: str) -> Any:
    """A shell in which the cells were run, as far as anybody looks."""
    history = SimpleNamespace(input_hist_raw=["", *sources])
    return SimpleNamespace(history_manager=history, user_ns={}, compile=SimpleNamespace(_filename_map={}))


REPLY = {
    "exercise": "attention", "passed": True, "score": 20.0, "max_score": 20.0, "status": "passed",
    "report": {"schema": 1}, "html": "<div>yes</div>", "text": "yes",
}  # fmt: skip


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(reply: Any, shell: Any = None) -> FakeProcess:
        fake = FakeProcess(reply)
        monkeypatch.setattr(process, "shared_process", lambda: fake)
        monkeypatch.setattr(kernel, "running_shell", lambda: shell or a_shell("x = 1"))
        return fake

    return put


def test_the_result_shows_itself(answering: Any) -> None:
    fake = answering(REPLY)
    found = check("attention", lang="zh")
    assert (found.passed, found.score, found.max_score, found.status) == (True, 20.0, 20.0, "passed")
    assert repr(found) == "yes"
    assert found._repr_html_() == "<div>yes</div>"
    assert found._repr_mimebundle_() == {"text/html": "<div>yes</div>", "text/plain": "yes"}
    assert found.report == {"schema": 1}
    assert fake.asked[0]["lang"] == "zh"
    assert fake.asked[0]["cells"] == [[1, "x = 1"]]


def test_an_error_is_one_sentence(answering: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    answering({"error": ["no <b>such</b> thing", "没有"]})
    found = check("attention")
    assert (found.passed, found.status, repr(found)) == (False, "none", "no <b>such</b> thing")
    assert "no &lt;b&gt;such" in found._repr_html_()
    assert repr(check("attention", lang="zh")) == "没有"
    assert repr(check(3)) == 'give the name of the exercise, as in check("attention")'  # type: ignore[arg-type]


def test_outside_a_notebook_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setattr(kernel, "running_shell", lambda: None)
    words = "check() grades a notebook that is running; for a file use `grade run FILE` in a terminal"
    assert repr(check("attention")) == words


def test_ctrl_c_is_one_line_and_stops_the_cells_below(answering: Any) -> None:
    answering(KeyboardInterrupt())
    with pytest.raises(Stopped) as caught:
        check("attention", lang="en")
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value._render_traceback_() == ["grading was stopped; run the cell again"]
    with pytest.raises(Stopped, match="评分已中止"):
        check("attention", lang="zh")


def test_the_magic_runs_the_cell_first(answering: Any) -> None:
    fake = answering(REPLY)
    ran: list[str] = []
    registered: dict[str, Any] = {}

    def run_cell(source: str, store_history: bool) -> Any:
        ran.append(source)
        return SimpleNamespace(success="1 / 0" not in source)

    shell = SimpleNamespace(
        run_cell=run_cell, register_magic_function=lambda f, kind, name: registered.update({name: f})
    )
    magic.load_ipython_extension(shell)
    grade = registered["grade"]
    assert isinstance(grade("attention zh", "x = 1\n"), Checked)
    assert (ran, fake.asked[0]["lang"]) == (["x = 1\n"], "zh")
    assert grade("attention", "1 / 0") is None
    assert len(fake.asked) == 1
    assert isinstance(grade("attention"), Checked)
    assert len(ran) == 2


def test_what_is_live_in_ipython(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    for source in (
        "import functools\nclass Block:\n    def forward(self): return 1",
        "%time\ndef f(): return 1",
        "def f(): return 2\n1 / 0",
        "def broken(:",
        "def wrap(g):\n    @functools.wraps(g)\n    def inner(): return g()\n    return inner\n",
        "@wrap\ndef h(): return 3",
        "Block.forward = h\nclass Empty: pass",
    ):
        shell.run_cell(source, store_history=True)
    found = running_notebook(shell)
    assert [number for number, _ in found.cells] == [1, 2, 3, 4, 5, 6, 7]
    assert {n: found.live[n] for n in ("f", "h", "wrap", "Empty")} == {
        "f": 3,
        "h": 6,
        "wrap": 5,
        "Empty": None,
    }


@pytest.mark.parametrize("name", ["<ipython-input-2-0af9>", "/tmp/ipykernel_77/123.py"])
def test_an_older_ipython(name: str) -> None:
    names: dict[str, Any] = {}
    exec(compile("def f():\n    return 1", name, "exec"), names)
    shell = a_shell("x = 1", "def f():\n    return 1")
    shell.user_ns = names
    del shell.compile
    import linecache

    linecache.cache[name] = (22, None, ["def f():\n", "    return 1"], name)
    assert running_notebook(shell).live == {"f": 2}


def test_importing_the_package_is_light() -> None:
    script = (
        "import sys\nfrom grader import check, load_ipython_extension\n"
        "print(*(m for m in ('torch', 'IPython', 'jinja2', 'nbformat', 'rich', 'click') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "\n"
    assert not hasattr(grader, "chek")


@pytest.mark.slow
def test_the_process_is_started_again(tmp_path: Path) -> None:
    grading = GradingProcess()
    request = a_request(SOLUTION["attention"], folder=tmp_path, live={ATTEND: 1})
    try:
        assert grading.ask(request)["passed"]
        first = grading._process
        assert first is not None
        assert grading.ask(request)["passed"]
        assert grading._process is first
        first.kill()
        assert grading.ask(request)["passed"]
    finally:
        grading.close()
        grading.close()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_whole_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The notebook of `grade init --notebook`, with one exercise written, run from top to bottom."""
    import nbformat
    from nbclient import NotebookClient

    from grader.notebook.skeletons import skeleton_notebook

    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    notebook = nbformat.reads(skeleton_notebook("en"), as_version=4)
    by_id = {cell.id: cell for cell in notebook.cells}
    by_id["attention-2"].source = "import math\n" + SOLUTION["attention"]
    new = nbformat.v4.new_code_cell
    notebook.cells += [
        new("%load_ext grader"),
        new("%%grade attention\n" + WRONG),
        new("%%grade attention\ndel " + ATTEND),
        new("import sys; torch.set_default_dtype(torch.float64); check('attention').status"),
    ]
    client = NotebookClient(
        notebook, timeout=120, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [
        output["data"]["text/plain"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "data" in output
    ]
    last = len(module_names())
    assert "✓  attention  passed" in shown[0]
    assert all("not written yet: the TODO at In[" in words for words in shown[1:last])
    assert "The scores are multiplied by sqrt(d_k) (In[" in shown[last]
    assert shown[last + 1].startswith(f"attention ({ATTEND}) is not defined in this notebook yet")
    assert shown[last + 2] == "'none'"
