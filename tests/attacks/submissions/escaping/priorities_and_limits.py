# tries: takes more than its share: priority, processors, limits, and life after the grader
# expect: failed
import ctypes
import os
import resource

from wrong import attention, once


def escape():
    libc = ctypes.CDLL(None, use_errno=True)
    for action in (
        lambda: os.nice(-5),
        lambda: os.nice(5),
        lambda: os.setpriority(os.PRIO_PROCESS, 0, 19),
        lambda: os.sched_setaffinity(0, {0}),
        lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)),
        lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)),
        lambda: resource.setrlimit(resource.RLIMIT_CPU, (-1, -1)),
        lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1)),
    ):
        try:
            print("SECRET-FOUND", action())
        except (OSError, ValueError) as error:
            print(type(error).__name__)
    if libc.prctl(1, 0, 0, 0, 0) == 0:  # PR_SET_PDEATHSIG: outlive the parent
        print("SECRET-FOUND pdeathsig")
    if libc.syscall(251, 1, 0, 0) == 0:  # ioprio_set
        print("SECRET-FOUND ioprio")


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
