"""The desk without a terminal: what a save or a key leads to."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from grader.data import skeleton_folder
from grader.errors import KitError, SubmissionError
from grader.exercises.registry import exercise, module_names
from grader.marking.records import Diagnosis, ExerciseResult, NamedFault
from grader.submission.source import Submission
from grader.text import Text
from grader.watch.desk import Desk
from grader.watch.view import View
from grader.workspace.place import Workspace
from grader.workspace.runs import runs_of

WRONG = NamedFault("mask-inverted", Text.same("wrong"), Text("", ""), (Text.same("a"), Text.same("b")))


class FakeScreen:
    """Keeps what it is told to show."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.pages: list[tuple[str, ...]] = []

    def show(self, view: View) -> None:
        self.views.append(view)

    def busy(self, name: str) -> None: ...

    def explain(self, fault: str, name: str) -> None:
        self.pages.append((fault, name))

    def trace(self, name: str) -> None:
        self.pages.append((name,))


def verdict(submission: Submission, name: str) -> ExerciseResult:
    """Graded by the first word of the file."""
    file = submission.files.get(name)
    word = file.text.split()[1] if file is not None and file.text.startswith("#") else "incomplete"
    if word == "kit":
        raise KitError(Text("a fault of the kit", "工具自身的错误"))
    diagnoses = (Diagnosis((WRONG,), "core", "confirmed", Text("e", "e")),) if word == "failed" else ()
    score = 20.0 if word == "passed" else 0.0
    title = exercise(name).title
    return ExerciseResult(name, title, word, score, 20.0, 0.1, diagnoses=diagnoses, note=Text("n", "n"))


class Room:
    """A workspace with a desk in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.graded: list[str] = []
        self.late: list[tuple[str, str]] = []  # what an editor writes while the desk waits for it
        Workspace.make(folder)
        for source in skeleton_folder().glob("*.py"):
            (folder / source.name).write_bytes(source.read_bytes())
        self.open()

    def open(self, *chosen: str) -> None:
        self.screen = FakeScreen()
        self.desk = Desk(self.folder, chosen or module_names(), self.screen, self._grade, self._settle)

    def _grade(self, submission: Submission, name: str) -> ExerciseResult:
        self.graded.append(name)
        return verdict(submission, name)

    def _settle(self) -> Collection[str]:
        names = [name for name, _ in self.late]
        for name, text in self.late:
            (self.folder / f"{name}.py").write_text(text, encoding="utf-8")
        self.late = []
        return names

    def save(self, name: str, text: str) -> View:
        (self.folder / f"{name}.py").write_text(text, encoding="utf-8")
        self.desk.saved({name})
        return self.view

    def rest(self) -> View:
        while self.desk.idle():
            pass
        return self.view

    @property
    def view(self) -> View:
        return self.screen.views[-1]


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def test_it_starts_with_the_first_that_is_not_passed(room: Room) -> None:
    room.desk.start()
    assert room.graded == ["attention"]
    assert (room.view.current, room.view.passed, room.view.total) == ("attention", 0, len(module_names()))
    room.rest()
    assert sorted(room.graded) == sorted(module_names())
    assert room.view.also == ()


def test_a_pass_is_celebrated_and_the_next_one_follows(room: Room) -> None:
    room.desk.start()
    room.rest()
    view = room.save("attention", "# failed")
    assert view.result is not None
    assert (view.current, view.result.status, view.celebrated) == ("attention", "failed", None)
    view = room.save("attention", "# passed")
    assert view.celebrated is not None
    assert (view.celebrated.id, view.current, view.passed) == ("attention", "masks", 1)
    assert view.result is not None  # known already: nothing else was graded
    assert room.graded[-1] == "attention"
    view = room.save("attention", "# passed again")
    assert (view.celebrated, view.still, view.current) == (None, "attention", "masks")


def test_all_passed_is_the_end(room: Room) -> None:
    room.desk.start()
    for name in module_names():
        view = room.save(name, "# passed")
    assert (view.done, view.current) == (True, None)
    room.desk.key("n")
    assert room.view.done
    assert room.desk.key("h")
    assert room.desk.key("e")
    assert room.desk.key("r")
    assert room.desk.key("t")
    view = room.save("masks", "# failed")
    assert (view.done, view.current) == (False, "masks")


def test_the_same_text_again_is_not_graded(room: Room) -> None:
    room.desk.start()
    room.rest()
    count = len(room.graded)
    room.desk.saved({"attention"})
    room.desk.saved({"no_exercise"})
    assert len(room.graded) == count


def test_later_exercises_are_looked_at_again(room: Room) -> None:
    room.desk.start()
    room.rest()
    room.save("multi_head_attention", "# failed")
    room.save("encoder", "# passed")
    room.graded.clear()
    room.save("attention", "# failed")
    view = room.rest()
    assert room.graded == ["attention", "multi_head_attention", "encoder"]  # what is not begun is not
    assert view.also == (("multi_head_attention", "failed"), ("encoder", "passed"))
    assert view.current == "attention"


def test_a_helper_file_concerns_the_exercise_at_work(room: Room) -> None:
    room.desk.start()
    room.rest()
    room.graded.clear()
    room.save("helper", "x = 1")
    assert room.graded == ["attention"]


def test_half_a_save_is_given_time(room: Room) -> None:
    room.desk.start()
    room.late = [("attention", "# passed")]
    view = room.save("attention", "def broken(")
    assert view.celebrated is not None
    (room.folder / "attention.py").unlink()
    room.late = [("attention", "# failed")]
    room.desk.saved({"attention"})
    assert room.view.result is not None
    assert room.view.result.status == "failed"


def test_a_file_that_vanishes_is_incomplete(room: Room) -> None:
    room.desk.start()
    room.save("attention", "# passed")
    (room.folder / "attention.py").unlink()
    room.desk.saved({"attention"})
    assert room.view.result is not None
    assert (room.view.result.status, room.view.passed) == ("incomplete", 0)


def test_what_is_remembered_is_not_graded_again(room: Room) -> None:
    room.desk.start()
    room.save("attention", "# passed")
    room.rest()
    room.graded.clear()
    room.open()
    room.desk.greet()
    assert (room.view.current, room.view.passed) == ("masks", 1)
    room.desk.start()
    room.rest()
    assert "attention" not in room.graded
    (room.folder / "attention.py").write_text("# failed")
    room.open()
    room.desk.greet()
    assert (room.view.current, room.view.passed) == ("attention", 0)


def test_next_goes_round_what_is_not_passed(room: Room) -> None:
    room.desk.start()
    room.save("masks", "# passed")
    room.save("attention", "# failed")
    assert room.desk.key("n")
    assert room.view.current == "positional_encoding"
    for _ in range(len(module_names()) - 2):
        room.desk.key("n")
    assert room.view.current == "attention"


def test_hints_are_climbed_and_shared_with_the_command(room: Room) -> None:
    room.desk.start()
    room.save("attention", "# failed")
    room.desk.key("h")
    hint = room.view.hint
    assert hint is not None
    assert (hint.kind, hint.rung) == ("hint", 2)  # the first one stands under the verdict
    room.desk.key("h")
    assert room.view.hint is not None
    assert room.view.hint.kind == "exhausted"
    room.desk.key("x")
    assert room.view.hint is None
    workspace = Workspace.find(room.folder)
    assert workspace is not None
    assert [e.number("rung") for e in workspace.events("hint")] == [2.0]


def test_pages_list_and_leaving(room: Room) -> None:
    room.desk.start()
    room.desk.key("e")
    assert room.view.message is not None
    room.save("attention", "# failed")
    room.desk.key("e")
    room.desk.key("t")
    assert room.screen.pages == [("mask-inverted", "attention"), ("attention",)]
    room.desk.key("l")
    assert room.view.listed
    room.desk.key("l")
    assert not room.view.listed
    assert not room.desk.key("q")
    assert not room.desk.key("\x04")


def test_reset_asks_first(room: Room) -> None:
    room.desk.start()
    room.save("attention", "# failed")
    room.desk.key("r")
    assert room.view.question is not None
    assert room.desk.key("q")  # an answer: no
    assert (room.folder / "attention.py").read_text() == "# failed"
    room.desk.key("r")
    room.desk.key("y")
    assert (room.folder / "attention.py").read_bytes() == (skeleton_folder() / "attention.py").read_bytes()
    assert room.view.message is not None
    assert ".grade/backups/attention." in room.view.message.en
    assert room.view.result is not None
    assert room.view.result.status == "incomplete"


def test_a_mistake_that_was_met_before_is_pointed_out(room: Room, tmp_path: Path) -> None:
    moments = iter(range(1000, 10**6, 10))
    room.desk.now = lambda: float(next(moments))
    room.desk.start()
    room.save("attention", "# failed")
    assert room.view.met is None
    room.save("attention", "# failed still")
    assert room.view.met is None
    view = room.save("masks", "# failed")
    assert view.met is not None
    assert view.met.exercise == "attention"


def test_a_fault_of_the_kit_does_not_end_the_watch(room: Room) -> None:
    room.desk.start()
    view = room.save("attention", "# kit")
    assert view.message == Text("a fault of the kit", "工具自身的错误")
    view = room.save("attention", "# passed")
    assert view.message is None
    assert view.passed == 1


def test_runs_are_remembered(room: Room) -> None:
    room.desk.start()
    room.save("attention", "# failed")
    workspace = Workspace.find(room.folder)
    assert workspace is not None
    assert [(r.exercise, r.status) for r in runs_of(workspace)] == [
        ("attention", "incomplete"),
        ("attention", "failed"),
    ]


def test_outside_a_workspace_nothing_is_made(tmp_path: Path) -> None:
    (tmp_path / "masks.py").write_text("# failed")
    screen = FakeScreen()
    desk = Desk(tmp_path, ("masks",), screen, verdict)
    desk.start()
    assert screen.views[-1].lost
    desk.key("h")
    desk.key("r")
    assert screen.views[-1].message is not None
    assert [p.name for p in tmp_path.iterdir()] == ["masks.py"]


def test_a_notebook_is_any_exercise_and_half_of_one_is_said(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.desk.start()
    (room.folder / "masks.py").write_text("# failed")  # as if it had come out of the notebook
    room.desk.saved({"*"})
    assert room.view.current == "masks"

    def broken() -> Submission:
        raise SubmissionError(Text("no notebook", "不是 notebook"))

    monkeypatch.setattr(room.desk, "_read", broken)
    room.desk.saved({"*"})
    assert room.view.message == Text("no notebook", "不是 notebook")
