"""Our errors.  Each class owns its exit code, and its message says what was wrong and what to do next.

GraderError                  exit 2
├── UsageError               the command was asked for something that does not exist
│   └── InterviewRunning     it has to wait until the interview is over
├── SubmissionError          what was handed in cannot be read
│   └── AmbiguousError       two files could be meant: whoever handed them in has to say which
├── MachineError             the machine has no room: disk, open files
├── KitError                 a fault of the kit itself, never a zero for the learner
│   ├── ExerciseError        an exercise folder is incomplete or contradicts itself
│   └── ZygoteError          no worker can be started on this machine
└── Interrupted              exit 130, the run was stopped by the user
"""

from __future__ import annotations

from grader.text import Text

__all__ = [
    "AmbiguousError",
    "ExerciseError",
    "GraderError",
    "InterviewRunning",
    "Interrupted",
    "KitError",
    "MachineError",
    "SubmissionError",
    "UsageError",
    "ZygoteError",
]


class GraderError(Exception):
    """Base class: `text` is the sentence that the user reads, in both languages."""

    exit_code = 2

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


class UsageError(GraderError):
    """The command line names something that does not exist."""


class InterviewRunning(UsageError):
    """What gives help waits until the interview is over."""


class SubmissionError(GraderError):
    """A handed-in file or folder cannot be read at all."""


class AmbiguousError(SubmissionError):
    """Two files could be meant, and the kit does not choose between them."""


class MachineError(GraderError):
    """The machine lacks what starting a submission takes: room on the disk, open files."""


class KitError(GraderError):
    """A fault of the kit.  It must never be reported as the learner's."""


class ExerciseError(KitError):
    """An exercise folder lacks something, or contradicts itself."""


class ZygoteError(KitError):
    """The process that workers are forked from does not start or does not answer."""


class Interrupted(GraderError):
    """The user stopped the run."""

    exit_code = 130
