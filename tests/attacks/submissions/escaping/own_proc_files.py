# tries: writes through the files of its own process: memory, descriptors, limits, namespaces
# expect: failed
import os

from wrong import attention, once


def escape():
    for path in (
        "/proc/self/mem",
        "/proc/self/fd/3",
        "/proc/self/oom_score_adj",
        "/proc/self/uid_map",
        "/proc/self/coredump_filter",
        "/proc/self/attr/current",
        "/proc/self/timerslack_ns",
        "/proc/sys/kernel/core_pattern",
        "/proc/sysrq-trigger",
        "/dev/fd/3",
        "/dev/tty",
        "/dev/mem",
        "/dev/kmsg",
        "/dev/full",
        "/sys/fs/cgroup/cgroup.procs",
    ):
        for flags in (os.O_RDWR, os.O_WRONLY | os.O_CREAT, os.O_RDONLY):
            try:
                handle = os.open(path, flags)
            except OSError:
                continue
            print("SECRET-FOUND", path, flags, handle)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
