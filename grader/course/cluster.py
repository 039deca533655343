"""Jobs on the machines of a Dask cluster (the extra `cluster`).

What crosses to the workers is what every worker gets from Dask: pickled, between machines that trust each
other.  It holds a submission's files as bytes, never as objects of its own, and what comes back is JSON
(`storing.py`).  The code of a submission runs behind the wall of the worker's machine, as everywhere.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.course.guards import check_isolation
from grader.course.jobs import Job, Listener
from grader.course.settings import GradingSettings, kit_digest
from grader.errors import UsageError
from grader.text import Text

if TYPE_CHECKING:
    from distributed import Client

    from grader.course.cluster_run import Patience
    from grader.course.cluster_worker import Introduction

__all__ = ["ClusterSpread"]

CONNECT_SECONDS = 15
READY_SECONDS = 180
LOOK_SECONDS = 0.2


@dataclass(frozen=True)
class ClusterSpread:
    """address: of the scheduler, such as ``tcp://host:8786``; allow_weak: also where submitted code is not
    well confined; patience: see `cluster_run`."""

    address: str
    allow_weak: bool = False
    patience: Patience | None = field(default=None)

    def __call__(
        self, jobs: Sequence[Job], settings: GradingSettings, listener: Listener, tick: Callable[[], None]
    ) -> None:
        """Raises `UsageError` where the cluster cannot be reached, or is not fit."""
        try:
            import distributed  # noqa: F401
        except ImportError:
            raise UsageError(
                Text(
                    "--scheduler needs Dask: pip install 'transformer-grading-kit[cluster]'",
                    "--scheduler 需要 Dask：pip install 'transformer-grading-kit[cluster]'",
                )
            ) from None
        from grader.course.cluster_client import connected
        from grader.course.cluster_run import run_there
        from grader.course.cluster_worker import PLUGIN, grade_there

        with connected(self.address, CONNECT_SECONDS) as client:
            try:
                self._prepare(client, settings, tick)
                run_there(client, grade_there, jobs, settings, listener, tick, self.patience)
            finally:
                with contextlib.suppress(Exception):  # it ends with the workers at the latest
                    client.unregister_worker_plugin(PLUGIN)

    def _prepare(self, client: Client, settings: GradingSettings, tick: Callable[[], None]) -> None:
        """Every worker has this kit, confines submissions, and marks the solutions as they must be."""
        from grader.course.cluster_worker import GradingPlugin, introduce

        workers = client.nthreads()
        if not workers:
            raise UsageError(
                Text(
                    f"the scheduler at {self.address} has no workers: start them with `dask worker "
                    f"{self.address} --nthreads 1`",
                    f"{self.address} 的调度器没有工作进程：请用 `dask worker {self.address} "
                    "--nthreads 1` 启动",
                )
            )
        many = [address for address, threads in workers.items() if threads != 1]
        if many:
            raise UsageError(
                Text(
                    f"the worker {many[0]} has {workers[many[0]]} threads: start it with --nthreads 1 (and "
                    "--nworkers for more at once)",
                    f"工作进程 {many[0]} 有 {workers[many[0]]} 个线程：请用 --nthreads 1 启动"
                    "（需要更多并行时用 --nworkers）",
                )
            )
        try:
            client.register_plugin(GradingPlugin(settings, kit_digest()))
            said = _introductions(client, list(workers), introduce, tick)
        except (ImportError, AttributeError) as error:
            raise UsageError(_another_kit("", str(error))) from error
        except (OSError, TimeoutError) as error:
            raise UsageError(_no_answer(self.address, type(error).__name__)) from error
        if not said:
            raise UsageError(
                Text(
                    f"all workers of {self.address} ended before grading began: start them again with "
                    f"`dask worker {self.address} --nthreads 1`, and look at what they say",
                    f"{self.address} 的工作进程在评分开始前都已结束：请用 `dask worker {self.address} "
                    "--nthreads 1` 重新启动，并查看它们的输出",
                )
            )
        self._judge(said)

    def _judge(self, said: Mapping[str, Introduction]) -> None:
        for address, introduction in said.items():
            if introduction.kit != kit_digest():
                raise UsageError(_another_kit(address, introduction.kit[:12]))
            if introduction.problem is not None:
                why = introduction.problem
                raise UsageError(Text(f"the worker {address}: {why.en}", f"工作进程 {address}：{why.zh}"))
            weak = check_isolation(introduction.layers)
            if weak is not None and not self.allow_weak:
                raise UsageError(
                    Text(f"the worker {address}: {weak.en}", f"工作进程 {address}：{weak.zh}")
                    + Text(
                        "; --allow-weak-isolation goes on all the same",
                        "；--allow-weak-isolation 可强制继续",
                    )
                )


def _introductions(
    client: Client, workers: Sequence[str], introduce: Callable[[], Introduction], tick: Callable[[], None]
) -> dict[str, Introduction]:
    """What each worker says; one that dies meanwhile is left out."""
    asked = {w: client.submit(introduce, workers=[w], pure=False) for w in workers}
    until = time.monotonic() + READY_SECONDS
    said: dict[str, Introduction] = {}
    while asked:
        there = client.nthreads()
        for worker, future in list(asked.items()):
            if future.done():
                said[worker] = future.result(timeout=CONNECT_SECONDS)
            if future.done() or worker not in there:
                del asked[worker]
        if time.monotonic() > until:
            raise TimeoutError
        tick()
        time.sleep(LOOK_SECONDS)
    return said


def _no_answer(address: str, why: str) -> Text:
    return Text(f"the workers of {address} do not answer ({why})", f"{address} 的工作进程没有应答（{why}）")


def _another_kit(address: str, what: str) -> Text:
    ours = kit_digest()[:12]
    who = (
        Text(f"the worker {address} has", f"工作进程 {address} 使用")
        if address
        else Text("a worker has", "有工作进程使用")
    )
    return who + Text(
        f" another kit than this machine ({what}, here {ours}): install the same version of the kit, "
        "of torch and of Python there, and start it again",
        f"与本机不同的评分工具（{what}，本机 {ours}）：请在那里安装相同版本的本工具、torch 和 Python，"
        "然后重新启动",
    )
