"""Waiting for a socket.  Without torch: the grader waits for the zygote before it has imported that."""

from __future__ import annotations

import select
import socket

__all__ = ["readable"]


def readable(sock: socket.socket, seconds: float) -> bool:
    """Whether there is something to read within so many seconds."""
    if not hasattr(select, "poll"):
        return bool(select.select([sock], [], [], seconds)[0])
    poll = select.poll()  # `select` knows only the first thousand descriptors
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(seconds * 1000))
