"""Gives jobs to a Dask cluster a few at a time, and takes the first answer to each.

A worker that dies loses its job to another one (Dask does that, a few times; then we do).  A job that takes
much longer than the others is given to a second worker as well, and whoever answers first is heard.
"""

from __future__ import annotations

import contextlib
import queue
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from distributed import Client, Future

from grader.course.cluster_worker import Answer
from grader.course.contents import Contents
from grader.course.grading import not_graded
from grader.course.jobs import Job, Listener, to_run
from grader.course.records import Graded
from grader.course.settings import GradingSettings
from grader.course.storing import graded_from_bytes
from grader.errors import KitError
from grader.text import Text

__all__ = ["Patience", "run_there"]

AHEAD = 2  # jobs for each worker: one that it is at, one that waits there
TRIES = 3
COPIES = 2  # of a job that is late
LOOK_SECONDS = 0.2
RESULT_SECONDS = 20.0  # for an answer that is there to come over
FETCHERS = 16
CENSUS_SECONDS = 2.0


@dataclass(frozen=True)
class Patience:
    """late: a job is given to another worker after this many seconds, or after `times` the median;
    alone: how long a run waits for a worker when all are gone."""

    late: float = 60.0
    times: float = 6.0
    alone: float = 120.0


@dataclass
class _Given:
    """A job that is out."""

    job: Job
    contents: Contents
    since: float
    futures: list[Future] = field(default_factory=list)
    tries: int = 0
    copies: int = 1


def run_there(
    client: Client,
    task: Callable[[Contents], Answer],
    jobs: Iterable[Job],
    settings: GradingSettings,
    listener: Listener,
    tick: Callable[[], None] = lambda: None,
    patience: Patience | None = None,
) -> None:
    """Runs every job and tells the listener.  Raises `KitError` when the cluster is gone."""
    run = _Run(client, task, deque(jobs), settings, listener, patience or Patience())
    try:
        while run.step():
            tick()
    finally:
        run.close()


class _Run:
    """The jobs that wait, and those that are out."""

    def __init__(
        self,
        client: Client,
        task: Callable[[Contents], Answer],
        waiting: deque[Job],
        settings: GradingSettings,
        listener: Listener,
        patience: Patience,
    ) -> None:
        self.client = client
        self.task = task
        self.waiting = waiting
        self.settings = settings
        self.listener = listener
        self.patience = patience
        self.out: dict[str, _Given] = {}
        self.heard: queue.SimpleQueue[tuple[str, Future, Answer | Exception]] = queue.SimpleQueue()
        self.fetchers = ThreadPoolExecutor(FETCHERS, thread_name_prefix="grade-fetch")
        self.spent: deque[float] = deque(maxlen=200)
        self.refused: set[str] = set()  # workers that turned out to have another kit
        self.workers: list[str] = []
        self.counted = -CENSUS_SECONDS
        self.last_seen = time.monotonic()
        self.alone = False  # no worker is there, and that has been said

    def step(self) -> bool:
        """Waits a moment, and deals with what has come; False when all is done."""
        self._count_workers()
        while self.waiting and len(self.out) < AHEAD * max(1, len(self.workers)):
            self._give(self.waiting.popleft())
        if not self.out:
            return bool(self.waiting)
        with contextlib.suppress(queue.Empty):
            self._hear(*self.heard.get(timeout=LOOK_SECONDS))
            while True:
                self._hear(*self.heard.get_nowait())
        self._hurry()
        return bool(self.out or self.waiting)

    def close(self) -> None:
        for given in self.out.values():
            self._drop(given.futures)
        self.out = {}
        self.fetchers.shutdown(wait=False, cancel_futures=True)

    # -- the workers ----------------------------------------------------------------------------

    def _count_workers(self) -> None:
        now = time.monotonic()
        if now - self.counted < CENSUS_SECONDS:
            return
        self.counted = now
        if self.client.status not in ("running", "connecting"):
            raise KitError(GONE)
        try:
            known = self.client.nthreads() if self.client.status == "running" else {}
        except (OSError, TimeoutError) as error:
            raise KitError(GONE) from error
        self.workers = [address for address in known if address not in self.refused]
        if self.workers:
            self.last_seen = now
            if self.alone:
                self.listener.said(BACK)
        elif now - self.last_seen > self.patience.alone:
            raise KitError(GONE)
        elif not self.alone:
            self.listener.said(_alone(self.patience.alone, answers=self.client.status == "running"))
        self.alone = not self.workers

    # -- one job --------------------------------------------------------------------------------

    def _give(self, job: Job) -> None:
        contents = to_run(job, self.settings, self.listener, "")
        if contents is None:
            return
        self.listener.started(job.digest, "cluster")
        given = self.out[job.digest] = _Given(job, contents, time.monotonic())
        self._submit(given)

    def _submit(self, given: _Given, without: str | None = None) -> None:
        """`without`: a worker that has it already."""
        where: dict[str, Any] = {}
        if without is not None or self.refused:
            others = [w for w in self.workers if w != without]
            where = {"workers": others, "allow_other_workers": False} if others else {}
        future = self.client.submit(self.task, given.contents, pure=False, **where)
        given.futures.append(future)
        digest = given.job.digest
        future.add_done_callback(lambda done: self._fetch_soon(digest, done))

    def _fetch_soon(self, digest: str, future: Future) -> None:
        with contextlib.suppress(RuntimeError):  # the run is over, and nobody asks any more
            self.fetchers.submit(self._fetch, digest, future)

    def _fetch(self, digest: str, future: Future) -> None:
        """In a thread: an answer lies on the worker until it is asked for, and that one may have stopped."""
        try:
            if future.status == "finished":
                self.heard.put((digest, future, future.result(timeout=RESULT_SECONDS)))
                return
            error = future.exception(timeout=RESULT_SECONDS)
            raise error if isinstance(error, Exception) else RuntimeError(future.status)
        except Exception as error:  # noqa: BLE001 (whatever has happened there, it is no result)
            self.heard.put((digest, future, error))

    def _hear(self, digest: str, future: Future, answer: Answer | Exception) -> None:
        given = self.out.get(digest)
        if given is None or future not in given.futures:
            return  # another worker was faster
        try:
            graded = self._graded(answer)
        except Exception as error:  # noqa: BLE001 (nor is what is none)
            self._failed(given, future, error)
            return
        if graded.by_kit and given.tries + 1 < TRIES:
            self._failed(given, future, KitError(graded.problem or _lost("-")))
            return
        self.spent.append(time.monotonic() - given.since)
        self._finish(given, graded, str(getattr(answer, "worker", "")))

    def _graded(self, answer: Answer | Exception) -> Graded:
        if isinstance(answer, Exception):
            raise answer
        if answer.graded is None:
            self.refused.add(answer.worker)
            self.workers = [w for w in self.workers if w not in self.refused]
            raise RuntimeError(f"another kit at {answer.worker}")
        return graded_from_bytes(answer.graded)

    def _failed(self, given: _Given, future: Future, error: Exception) -> None:
        """Once more, a few times, where no other worker is still at it."""
        given.futures.remove(future)
        if given.futures:
            return
        given.tries += 1
        if given.tries < TRIES:
            given.since = time.monotonic()
            given.copies = 1
            self._submit(given)
            return
        why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        self._finish(given, not_graded(_lost(why), time.monotonic() - given.since), "")

    def _finish(self, given: _Given, graded: Graded, worker: str) -> None:
        del self.out[given.job.digest]
        self._drop(given.futures)
        self.listener.finished(given.job.digest, graded, worker)

    def _hurry(self) -> None:
        """Gives jobs that are late to a second worker, where there is one that could be faster."""
        if len(self.workers) < 2:
            return
        limit = self.patience.late
        if len(self.spent) >= 20:
            limit = max(limit, self.patience.times * statistics.median(self.spent))
        now = time.monotonic()
        late = [g for g in self.out.values() if now - g.since > limit and g.copies < COPIES and g.futures]
        if not late:
            return
        places = {key: address for address, keys in self.client.processing().items() for key in keys}
        for given in late:
            given.copies += 1
            self._submit(given, without=places.get(given.futures[0].key, ""))

    def _drop(self, futures: list[Future]) -> None:
        for future in futures:
            with contextlib.suppress(Exception):
                future.cancel()


BACK = Text("a worker is there again: grading goes on", "工作进程又可用了：继续评分")
GONE = Text(
    "the cluster is gone (no scheduler, or no worker with this kit); what is graded is kept: run the same "
    "command again",
    "集群已不可用（没有调度器，或没有装有本工具的工作进程）；已评的结果都已保存：请再次运行同一命令",
)


def _alone(seconds: float, *, answers: bool) -> Text:
    """answers: the scheduler does."""
    if not answers:
        return Text(
            f"the scheduler does not answer any more: waiting up to {seconds:.0f} s for it",
            f"调度器不再应答：最多等待 {seconds:.0f} 秒",
        )
    return Text(
        f"no worker with this kit is left: waiting up to {seconds:.0f} s for one to come (`dask worker`)",
        f"已没有装有本工具的工作进程：最多等待 {seconds:.0f} 秒，等新的加入（`dask worker`）",
    )


def _lost(why: str) -> Text:
    return Text(
        f"the cluster has lost this {TRIES} times, a fault of the kit or of a machine: {why}",
        f"集群 {TRIES} 次未能评完这份提交，是评分工具或机器的问题：{why}",
    )
