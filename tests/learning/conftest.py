"""Training of changed solutions, quick (a few steps, so that only how it learns is judged) or in full."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.learning.records import TaskResult
from grader.learning.run import train
from grader.learning.tasks import TASKS
from tests.learning.making import submission
from tests.support import Grader

Trained = Callable[..., TaskResult]
QUICK = {"steps": 3, "exam": 8, "trial": 8}


@pytest.fixture
def trained(grader: Grader, tmp_path: Path) -> Trained:
    """Trains the model of these texts on one task."""

    def run(
        texts: dict[str, str], task: str = "copy", *, quick: bool = True, **options: object
    ) -> TaskResult:
        chosen = TASKS[task].but(**QUICK) if quick else TASKS[task]
        handed = submission(texts, tmp_path)
        return train(handed, grader.launcher, [chosen], **options).results[0]  # type: ignore[arg-type]

    return run
