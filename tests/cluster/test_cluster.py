"""A scheduler and workers as processes of their own; one of the workers is killed in the middle."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="an optional extra")

import dask

from grader.course.cluster import ClusterSpread
from grader.course.cluster_run import Patience
from grader.course.contents import read_contents
from grader.course.grading import grade_one
from grader.course.handed import Handed
from grader.course.jobs import Job
from grader.course.records import Graded
from grader.course.settings import GradingSettings, digest_of
from grader.errors import KitError, UsageError
from grader.marking.session import Session
from grader.text import Text
from tests.support import ROOT, SUBMISSIONS

pytestmark = pytest.mark.slow
SETTINGS = GradingSettings(("masks",))
COUNT = 10


class Cluster:
    """The processes, and the address of the scheduler."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        words = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(self.file), *more)
        self._start("scheduler", *words)
        self._wait(self.file.exists)
        self.address = json.loads(self.file.read_text())["address"]

    def worker(self, *more: str, path: str = str(ROOT)) -> subprocess.Popen[bytes]:
        words = ("--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder))
        return self._start("worker", self.address, *words, *more, path=path)

    def _start(self, what: str, *words: str, path: str = str(ROOT)) -> subprocess.Popen[bytes]:
        with (self.folder / f"{what}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_" + what, *words, "--no-dashboard"],
                env={**os.environ, "PYTHONPATH": path},
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        self.processes.append(process)
        return process

    def wait_for(self, count: int) -> None:
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            self._wait(lambda: len(client.nthreads()) >= count)

    @staticmethod
    def _wait(ready: Callable[[], bool]) -> None:
        until = time.monotonic() + 120
        while not ready():
            assert time.monotonic() < until
            time.sleep(0.2)

    def close(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    folder = tmp_path / "cluster"
    folder.mkdir()
    found = Cluster(folder)
    yield found
    found.close()


@pytest.fixture
def jobs(tmp_path: Path) -> list[Job]:
    made = []
    files = [p for kind in ("wheats", "chaffs") for p in sorted((SUBMISSIONS / "masks" / kind).glob("*.py"))]
    for path in files[:: len(files) // COUNT][:COUNT]:
        folder = tmp_path / "class" / path.stem
        folder.mkdir(parents=True)
        shutil.copy(path, folder / "masks.py")
        handed = Handed(path.stem, None, folder, "folder")
        made.append(Job(digest_of(read_contents(handed), SETTINGS), handed))
    return made


class Listening:
    """Keeps results; calls `then` with their number."""

    def __init__(self, then: Callable[[int], None] = lambda count: None) -> None:
        self.then = then
        self.results: dict[str, Graded] = {}
        self.workers: set[str] = set()
        self.words: list[str] = []

    def started(self, digest: str, worker: str) -> None:
        pass

    def finished(self, digest: str, graded: Graded, worker: str) -> None:
        assert digest not in self.results
        self.results[digest] = graded
        self.workers.add(worker)
        self.then(len(self.results))

    def said(self, words: Text) -> None:
        self.words.append(words.en)


def marks(graded: Graded) -> tuple[float, tuple[str, ...]]:
    assert graded.report is not None, graded.problem
    result = graded.report.exercises[0]
    return result.score, tuple(f.id for d in result.diagnoses for f in d.faults)


def test_a_killed_worker_changes_no_mark(cluster: Cluster, jobs: list[Job]) -> None:
    first, _ = cluster.worker(), cluster.worker()
    cluster.wait_for(2)

    def kill(count: int) -> None:
        if count == 3:
            os.kill(first.pid, signal.SIGKILL)

    heard = Listening(kill)
    ClusterSpread(cluster.address, patience=Patience(late=120))(jobs, SETTINGS, heard, lambda: None)
    assert first.wait() == -signal.SIGKILL
    assert set(heard.results) == {job.digest for job in jobs}
    with Session() as session:
        for job in jobs:
            here = grade_one(job.contents(), SETTINGS, session)
            assert marks(heard.results[job.digest]) == marks(here), job.handed.student


def test_a_worker_with_another_kit_is_refused(cluster: Cluster, jobs: list[Job], tmp_path: Path) -> None:
    other = tmp_path / "other"
    for name in ("grader", "skeletons", "solutions"):
        shutil.copytree(ROOT / name, other / name, ignore=shutil.ignore_patterns("__pycache__"))
    with (other / "grader" / "exercises" / "masks" / "suite.py").open("a") as file:
        file.write("# changed\n")
    cluster.worker(path=str(other))
    cluster.wait_for(1)
    heard = Listening()
    with pytest.raises(UsageError, match="another kit"):
        ClusterSpread(cluster.address)(jobs, SETTINGS, heard, lambda: None)
    assert not heard.results


def test_a_cluster_that_is_not_ready_says_so(cluster: Cluster, jobs: list[Job]) -> None:
    with pytest.raises(UsageError, match="has no workers"):
        ClusterSpread(cluster.address)(jobs, SETTINGS, Listening(), lambda: None)
    cluster.worker("--nthreads", "2")
    cluster.wait_for(1)
    with pytest.raises(UsageError, match="has 2 threads"):
        ClusterSpread(cluster.address)(jobs, SETTINGS, Listening(), lambda: None)


def test_when_the_last_worker_dies_it_is_said_at_once(
    cluster: Cluster, jobs: list[Job], capfd: pytest.CaptureFixture[str]
) -> None:
    only = cluster.worker()
    cluster.wait_for(1)
    heard = Listening(lambda count: only.kill())
    with pytest.raises(KitError, match="the cluster is gone"):
        ClusterSpread(cluster.address, patience=Patience(alone=6))(jobs, SETTINGS, heard, lambda: None)
    assert 0 < len(heard.results) < len(jobs)
    assert heard.words == [
        "no worker with this kit is left: waiting up to 6 s for one to come (`dask worker`)"
    ]
    assert capfd.readouterr().err == ""  # no traceback of Dask's


def test_with_certificates_it_is_encrypted(
    tmp_path: Path, jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the variables that docs/platforms.md names, for all three."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl, to make certificates")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    make = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=grading -keyout"
    subprocess.run([*make.split(), key, "-out", cert], check=True, capture_output=True)
    values = {"CA_FILE": cert}
    for role in ("CLIENT", "SCHEDULER", "WORKER"):
        values |= {f"{role}__CERT": cert, f"{role}__KEY": key}
    for name, value in values.items():
        monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{name}", str(value))
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder, "--protocol", "tls")
    try:
        assert cluster.address.startswith("tls://")
        cluster.worker()
        dask.config.refresh()
        cluster.wait_for(1)
        heard = Listening()
        ClusterSpread(cluster.address)(jobs[:2], SETTINGS, heard, lambda: None)
        assert len(heard.results) == 2
    finally:
        cluster.close()
        monkeypatch.undo()
        dask.config.refresh()
