"""What must hold before a batch begins; each guard can fail."""

from __future__ import annotations

import ast

import pytest

from grader.course.guards import check_isolation, check_marks, made_wrong, refuse_weak
from grader.course.settings import GradingSettings
from grader.data import solution_folder
from grader.errors import KitError, UsageError
from grader.exercises.registry import module_names
from grader.marking.records import Report
from grader.submission.source import Submission
from tests.course.making import FakeSession, a_report, result_of

SETTINGS = GradingSettings(("attention", "masks"))


class Honest(FakeSession):
    """Sees the wrong one by what makes it wrong."""

    def grade(self, submission: Submission, *, only: tuple[str, ...]) -> Report:
        wrong = "_off(" in "".join(f.text for f in submission.files.values())
        return a_report(*(result_of(name, ["missing-scale"] if wrong else ()) for name in only))


class Strict(FakeSession):
    """Nothing is ever right."""

    def grade(self, submission: Submission, *, only: tuple[str, ...]) -> Report:
        return a_report(*(result_of(name, ["missing-scale"]) for name in only))


def test_both_guards_hold() -> None:
    check_marks(SETTINGS, Honest())


def test_a_machine_on_which_nothing_fails_is_refused() -> None:
    with pytest.raises(KitError, match="a wrong solution does not fail here"):
        check_marks(SETTINGS, FakeSession())


def test_a_machine_on_which_the_solution_fails_is_refused() -> None:
    with pytest.raises(KitError, match=r"the solution does not pass here \(attention, masks\)"):
        check_marks(SETTINGS, Strict())


def test_a_session_that_breaks_says_why() -> None:
    class Broken(FakeSession):
        def grade(self, submission: Submission, *, only: tuple[str, ...]) -> Report:
            raise ValueError("no zygote")

    with pytest.raises(KitError, match="no zygote"):
        check_marks(SETTINGS, Broken())


def test_isolation() -> None:
    assert check_isolation(("limits", "landlock", "seccomp")) is None
    refuse_weak(("landlock", "seccomp"))
    with pytest.raises(UsageError, match="without seccomp"):
        refuse_weak(("landlock", "limits"))
    with pytest.raises(UsageError, match="without landlock, seccomp"):
        refuse_weak(())


@pytest.mark.parametrize("name", module_names())
def test_the_wrong_one_is_a_program_with_the_same_names(name: str) -> None:
    text = (solution_folder() / f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(made_wrong(name, text))
    assert len(tree.body) > len(ast.parse(text).body)


@pytest.mark.slow
def test_the_wrong_one_fails_and_the_solution_passes_for_real() -> None:
    from grader.marking.session import Session

    with Session() as session:
        for name in ("attention", "masks", "layer_norm"):
            check_marks(GradingSettings((name,)), session)
