"""A session that is started when it is first needed: a command that waits for saves opens at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from grader.closing import Closing

if TYPE_CHECKING:
    from grader.marking.session import Session
    from grader.submission.launcher import Launcher

__all__ = ["WarmSession"]


class WarmSession(Closing):
    """Keeps torch and the zygote loaded from one save to the next."""

    def __init__(self, budget: Mapping[str, float]) -> None:
        self.budget = budget
        self._session: Session | None = None

    def open(self) -> Session:
        """The session; a new one after `close`."""
        if self._session is None:
            from grader.submission.launcher import default_launcher

            launcher = default_launcher()  # imports torch on another core while we do
            try:
                from grader.marking.session import Session

                self._session = Session(launcher, budget=self.budget, prompt=True)
            except BaseException:
                launcher.close()
                raise
        return self._session

    @property
    def launcher(self) -> Launcher | None:
        """What pages that run code may use as well; None while nothing was graded."""
        return self._session.launcher if self._session is not None else None

    def rest(self) -> None:
        """Makes ready for the next save, while nobody waits."""
        if self._session is not None:
            self._session.rest()

    def close(self) -> None:
        """Ends the session and what it has started."""
        session, self._session = self._session, None
        if session is not None:
            session.close()
            session.launcher.close()
