"""``python -m grader.worker``: the zygote (on an inherited socket) or one spawned worker.

zygote DESCRIPTOR [LAYERS TO LEAVE OUT]
spawn PORT [LAYERS TO LEAVE OUT] [DEVICE] with a token on standard input
"""

from __future__ import annotations

import gc
import sys

from grader.worker import rights

gc.disable()  # while torch is imported: a tenth of a second


def main(arguments: list[str]) -> None:
    """Takes its place, before torch is imported, and serves."""
    what, number = arguments[0], int(arguments[1])
    without = frozenset(filter(None, arguments[2].split(","))) if len(arguments) > 2 else frozenset()
    layers = []
    if what == "zygote" and "namespaces" not in without and rights.without_network():
        layers.append("network-namespace")
    from grader.worker.zygote import run_spawned, run_zygote

    if what == "zygote":
        run_zygote(number, without, layers)
    else:
        run_spawned(number, sys.stdin.readline().strip(), without, "".join(arguments[3:4]))


if __name__ == "__main__":
    main(sys.argv[1:])
