"""Tries whether a worker is confined as it says: one attempt for each thing that it should not do."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path

import grader
from grader.submission.client import Budget, Client
from grader.submission.launcher import Launcher

__all__ = ["attempt"]

SOURCE = Path(__file__).with_name("trial_attempts.py")
SECRET = Path(grader.__file__).parent / "exercises" / "attention" / "suite.py"
MEMORY = 512 << 20
THREADS = 32


def attempt(launcher: Launcher) -> tuple[tuple[str, ...], Mapping[str, bool]]:
    """The layers that a worker names, and for each attempt whether it was refused."""
    budget = Budget(memory=MEMORY, processes=THREADS)
    sources = {"attempts": (SOURCE.name, SOURCE.read_text(encoding="utf-8"))}
    client = Client(launcher, "attempts", sources, budget=budget)
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        os.chmod(folder, 0o777)  # so that only a layer of ours can stand in the way
        arguments: dict[str, list[object]] = {
            "read": [str(SECRET)],
            "write": [str(Path(folder) / "out")],
            "process": [],
            "network": [server.getsockname()[1]],
            "signal": [os.getpid()],
            "threads": [THREADS * 2],
            "memory": [MEMORY * 4],
        }
        try:
            loaded = client.load()
            layers = client.layers
            refused = {name: not client.call(name, given).ok for name, given in arguments.items()}
        finally:
            client.close()
    return layers, refused if loaded.ok else {}
