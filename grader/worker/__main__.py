"""``python -I -m grader.worker``: the zygote (on an inherited socket) or one spawned worker."""

from __future__ import annotations

import gc
import sys

gc.disable()  # while torch is imported: a tenth of a second

from grader.worker.zygote import run_spawned, run_zygote  # noqa: E402

if __name__ == "__main__":
    if sys.argv[1] == "zygote":
        run_zygote(int(sys.argv[2]))
    else:
        run_spawned(int(sys.argv[2]), sys.stdin.readline().strip())
