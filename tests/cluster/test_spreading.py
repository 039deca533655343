"""How jobs are spread over a cluster, with a cluster that is played: no process, no clock of its own."""

from __future__ import annotations

import logging
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="an optional extra")

import dask

import grader.course.cluster_run as cluster_run
from grader.course.cluster import ClusterSpread
from grader.course.cluster_client import without_logs
from grader.course.cluster_run import TRIES, Patience, run_there
from grader.course.cluster_worker import Answer, Introduction
from grader.course.contents import Contents, read_contents
from grader.course.handed import Handed
from grader.course.jobs import Job
from grader.course.records import Graded
from grader.course.settings import GradingSettings, digest_of, kit_digest
from grader.course.storing import graded_to_bytes
from grader.errors import KitError, UsageError
from grader.text import Text

SETTINGS = GradingSettings(("masks",))
LAYERS = ("limits", "landlock", "seccomp")


@dataclass
class PlayedFuture:
    """One task, which the test lets end as it likes."""

    contents: Contents
    options: dict[str, Any]
    key: str
    status: str = "pending"
    answer: Any = None
    then: list[Callable[[Any], None]] = field(default_factory=list)

    __hash__ = object.__hash__

    def add_done_callback(self, call: Callable[[Any], None]) -> None:
        self.then.append(call)

    def end(self, status: str, answer: Any = None) -> None:
        self.status, self.answer = status, answer
        for call in self.then:
            call(self)

    def result(self, timeout: float = 0) -> Any:
        return self.answer

    def exception(self, timeout: float = 0) -> BaseException:
        return RuntimeError("the worker died")

    def cancel(self) -> None:
        self.status = "cancelled"


class PlayedClient:
    """`play` is called with each new task."""

    status = "running"

    def __init__(self, play: Callable[[PlayedFuture], None], workers: dict[str, int] | None = None) -> None:
        self.play = play
        self.workers = {"a": 1, "b": 1} if workers is None else workers
        self.submitted: list[PlayedFuture] = []

    def nthreads(self) -> dict[str, int]:
        return self.workers

    def processing(self) -> dict[str, list[str]]:
        return {"a": [f.key for f in self.submitted if f.status == "pending"]}

    def submit(self, task: object, contents: Contents, **options: Any) -> PlayedFuture:
        future = PlayedFuture(contents, options, f"task-{len(self.submitted)}")
        self.submitted.append(future)
        self.play(future)
        return future


@dataclass
class Heard:
    results: dict[str, list[Graded]] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)
    words: list[Text] = field(default_factory=list)

    def started(self, digest: str, worker: str) -> None:
        self.begun.append(digest)

    def finished(self, digest: str, graded: Graded, worker: str) -> None:
        self.results.setdefault(digest, []).append(graded)

    def said(self, words: Text) -> None:
        self.words.append(words)


def good(worker: str = "a", seconds: float = 1.0) -> Answer:
    return Answer(worker, graded_to_bytes(Graded(None, Text("fine", "好"), False, seconds)))


@pytest.fixture
def jobs(tmp_path: Path) -> list[Job]:
    made = []
    for number in range(7):
        folder = tmp_path / f"s{number}"
        folder.mkdir()
        (folder / "masks.py").write_text(f"x = {number}\n")
        handed = Handed(folder.name, None, folder, "folder")
        made.append(Job(digest_of(read_contents(handed), SETTINGS), handed))
    return made


def later(future: PlayedFuture, status: str, answer: Any = None) -> None:
    """Ends a task after it has been given out."""
    add = future.add_done_callback

    def at_once(call: Callable[[Any], None]) -> None:
        add(call)
        future.end(status, answer)

    future.add_done_callback = at_once  # type: ignore[method-assign]


def run(client: PlayedClient, jobs: list[Job], **patience: float) -> Heard:
    heard = Heard()
    run_there(client, lambda c: good(), jobs, SETTINGS, heard, patience=Patience(**patience))
    return heard


def test_every_job_is_done_once_and_few_are_out_at_a_time(jobs: list[Job]) -> None:
    most = 0

    def play(future: PlayedFuture) -> None:
        nonlocal most
        most = max(most, sum(f.status == "pending" for f in client.submitted))
        later(future, "finished", good())

    client = PlayedClient(play)
    heard = run(client, jobs)
    assert {d: len(r) for d, r in heard.results.items()} == {job.digest: 1 for job in jobs}
    assert most <= 2 * cluster_run.AHEAD


def test_what_is_lost_is_tried_again_a_few_times_and_then_reported(jobs: list[Job]) -> None:
    fatal = b"x = 3\n"

    def play(future: PlayedFuture) -> None:
        dies = future.contents.files[0][1] == fatal
        later(future, "error" if dies else "finished", good())

    client = PlayedClient(play)
    heard = run(client, jobs)
    lost = heard.results[jobs[3].digest]
    assert len(lost) == 1
    assert lost[0].by_kit
    assert lost[0].problem is not None
    assert "the worker died" in lost[0].problem.en
    assert sum(f.contents.files[0][1] == fatal for f in client.submitted) == TRIES
    assert not any(r[0].by_kit for d, r in heard.results.items() if d != jobs[3].digest)


def test_a_straggler_is_given_to_another_and_the_first_answer_counts(jobs: list[Job]) -> None:
    def play(future: PlayedFuture) -> None:
        if future.key == "task-0":
            return  # never ends
        if future.contents == client.submitted[0].contents:
            assert future.options["workers"] == ["b"]  # not the one that has it
            assert future.options["allow_other_workers"] is False
            later(future, "finished", good("b"))
            return
        later(future, "finished", good())

    client = PlayedClient(play)
    heard = run(client, jobs, late=0.05)
    assert set(heard.results) == {job.digest for job in jobs}
    assert client.submitted[0].status == "cancelled"


def test_an_answer_that_comes_after_another_is_not_heard(jobs: list[Job]) -> None:
    def play(future: PlayedFuture) -> None:
        if future.key == "task-0":
            return
        later(future, "finished", good("b"))
        if future.contents == client.submitted[0].contents:
            client.submitted[0].end("finished", good("a"))

    client = PlayedClient(play)
    heard = run(client, jobs[:2], late=0.05)
    assert all(len(results) == 1 for results in heard.results.values())


def test_a_worker_with_another_kit_gets_nothing_more(jobs: list[Job]) -> None:
    """One that has come later than the others, say."""

    def play(future: PlayedFuture) -> None:
        where = future.options.get("workers")
        later(future, "finished", good("b") if where else Answer("a", None))

    client = PlayedClient(play)
    heard = run(client, jobs)
    assert not any(r[0].by_kit for r in heard.results.values())
    assert all(f.options.get("workers") in (None, ["b"]) for f in client.submitted)


@pytest.mark.parametrize("data", [b"", b"x\x9c\x00", None, "text"])
def test_what_is_no_result_is_none(jobs: list[Job], data: Any) -> None:
    answers: Iterator[Any] = iter([data if data is None else Answer("a", data)])

    def play(future: PlayedFuture) -> None:
        later(future, "finished", next(answers, good()))

    heard = run(PlayedClient(play), jobs[:1])
    assert not heard.results[jobs[0].digest][0].by_kit


def test_without_workers_the_run_ends_and_says_how_to_go_on(jobs: list[Job]) -> None:
    client = PlayedClient(lambda future: None, {})
    with pytest.raises(KitError, match="run the same command again"):
        run(client, jobs, alone=0.0)
    client.status = "closed"
    with pytest.raises(KitError, match="the cluster is gone"):
        run(client, jobs)


def test_it_is_said_once_that_nobody_is_left_and_that_somebody_came(
    jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_run, "CENSUS_SECONDS", 0.0)
    client = PlayedClient(lambda future: None, {})
    looks = 0

    def nthreads() -> dict[str, int]:
        nonlocal looks
        looks += 1
        if looks == 4:
            client.workers = {"c": 1}
            client.play = lambda future: later(future, "finished", good("c"))
            for future in client.submitted:
                future.end("finished", good("c"))
        return client.workers

    client.nthreads = nthreads  # type: ignore[method-assign]
    heard = run(client, jobs)
    assert set(heard.results) == {job.digest for job in jobs}
    first, second = heard.words
    assert "waiting up to 120 s" in first.en
    assert "最多等待 120 秒" in first.zh
    assert "a worker is there again" in second.en


def test_a_scheduler_that_does_not_answer_is_named(jobs: list[Job], monkeypatch: pytest.MonkeyPatch) -> None:
    client = PlayedClient(lambda future: None)
    client.status = "connecting"
    monkeypatch.setattr(cluster_run, "CENSUS_SECONDS", 0.0)
    heard = Heard()
    with pytest.raises(KitError, match="the cluster is gone"):
        run_there(client, good, jobs, SETTINGS, heard, patience=Patience(alone=0.5))  # type: ignore[arg-type]
    assert [words.en for words in heard.words] == [
        "the scheduler does not answer any more: waiting up to 0 s for it"
    ]


def test_an_answer_after_the_end_is_not_fetched(jobs: list[Job]) -> None:
    """As of a worker that dies while the run is being stopped; Dask would log it with a traceback."""
    client = PlayedClient(lambda future: None, {})
    with pytest.raises(KitError):
        run(client, jobs, alone=-1.0)
    ended = PlayedClient(lambda future: None)
    over = cluster_run._Run(ended, good, deque(jobs), SETTINGS, Heard(), Patience())  # type: ignore[arg-type]
    assert over.step()
    over.close()
    for future in ended.submitted:
        future.end("cancelled")
    assert over.heard.empty()


def test_files_that_changed_are_not_graded(jobs: list[Job]) -> None:
    (jobs[0].handed.place / "masks.py").write_text("x = 99\n")
    client = PlayedClient(lambda future: later(future, "finished", good()))
    heard = run(client, jobs[:2])
    assert heard.results[jobs[0].digest][0].by_kit
    assert len(client.submitted) == 1


# -- before it begins -------------------------------------------------------------------------------


def spread(jobs: list[Job], **options: Any) -> None:
    ClusterSpread("tcp://127.0.0.1:9", **options)(jobs, SETTINGS, Heard(), lambda: None)


def test_without_dask_there_is_a_sentence(jobs: list[Job], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'transformer-grading-kit\[cluster\]'"):
        spread(jobs)


TLS = "distributed.comm.tls"


@pytest.mark.parametrize(
    ("address", "config", "words"),
    [
        ("tls://127.0.0.1:9", {}, "DASK_DISTRIBUTED__COMM__TLS__CA_FILE"),
        ("tls://127.0.0.1:9", {f"{TLS}.ca-file": "/no/ca", f"{TLS}.client.cert": "/no/c"}, "/no/ca: no such"),
        ("tls://127.0.0.1:9", {f"{TLS}.ca-file": __file__, f"{TLS}.client.cert": __file__}, "cannot be used"),
        ("tcp://127.0.0.1:9", {"distributed.comm.require-encryption": True}, "give tls://"),
        ("udp://127.0.0.1:9", {}, "no address of a scheduler"),
        ("tcp://here", {}, "no address of a scheduler"),
        ("", {}, "no address of a scheduler"),
    ],
)
def test_an_address_that_cannot_be_used_is_one_sentence(
    jobs: list[Job], address: str, config: dict[str, Any], words: str
) -> None:
    with dask.config.set(config), pytest.raises(UsageError) as caught:
        ClusterSpread(address)(jobs, SETTINGS, Heard(), lambda: None)
    assert words in caught.value.text.en
    assert "\n" not in caught.value.text.en


def test_what_dask_logs_is_not_shown_meanwhile(caplog: pytest.LogCaptureFixture) -> None:
    names = ("distributed", "distributed.client", "distributed.scheduler")
    levels = [logging.getLogger(name).level for name in names]
    with without_logs():
        for name in names:
            logging.getLogger(name).error("a worker died")
    assert not caplog.records
    assert [logging.getLogger(name).level for name in names] == levels


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (Introduction("0123456789abcdef", 1), "another kit than this machine (0123456789ab"),
        (Introduction(kit_digest(), 1, ("limits",)), "--allow-weak-isolation"),
        (Introduction(kit_digest(), 1, LAYERS, Text("the solution does not pass", "-")), "does not pass"),
    ],
)
def test_a_worker_that_is_not_fit_is_named(said: Introduction, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        ClusterSpread("x")._judge({"tcp://w:1": said})
    assert "tcp://w:1" in caught.value.text.en
    assert words in caught.value.text.en


def test_a_fit_worker_is_taken() -> None:
    ClusterSpread("x")._judge({"w": Introduction(kit_digest(), 1, LAYERS)})
    ClusterSpread("x", allow_weak=True)._judge({"w": Introduction(kit_digest(), 1, ())})


def test_no_clock_is_needed(jobs: list[Job]) -> None:
    started = time.monotonic()
    run(PlayedClient(lambda future: later(future, "finished", good())), jobs)
    assert time.monotonic() - started < 30
