"""What `grade doctor` has a worker try.  Sent there as text, like a submission; never imported here."""

import os
import socket
import threading
import time


def read(path: str) -> None:
    with open(path, "rb") as file:
        file.read(16)


def write(path: str) -> None:
    with open(path, "w") as file:
        file.write("x")


def process() -> None:
    child = os.fork() if hasattr(os, "fork") else os.spawnl(os.P_NOWAIT, os.environ["COMSPEC"], "/c exit")
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def network(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), timeout=2).close()


def signal(pid: int) -> None:
    os.kill(pid, 0)


def threads(number: int) -> None:
    threading.stack_size(1 << 17)
    for _ in range(number):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


def memory(size: int) -> None:
    bytearray(size)
