# tries: wins back rights: another user, capabilities, namespaces, mounts, another root
# expect: failed
import ctypes
import os

from wrong import attention, once


def escape():
    libc = ctypes.CDLL(None, use_errno=True)
    for action in (
        lambda: os.setuid(0),
        lambda: os.setgid(0),
        lambda: os.setresuid(0, 0, 0),
        lambda: os.setgroups([0]),
        lambda: os.chroot("/"),
        lambda: os.mknod("grade-attack-device", 0o60600, os.makedev(254, 0)),
        lambda: os.open("/proc/1/ns/net", os.O_RDONLY),
    ):
        try:
            print("SECRET-FOUND", action())
        except OSError as error:
            print(type(error).__name__)
    for name, *arguments in (
        ("unshare", 0x10000000),
        ("unshare", 0x10000000 | 0x20000),
        ("unshare", 0x40000000),
        ("setns", 3, 0),
        ("mount", b"none", b"/tmp", b"tmpfs", 0, None),
        ("umount2", b"/proc", 2),
        ("pivot_root", b".", b"."),
        ("syscall", 126, (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[2**32 - 1] * 6)),
        ("syscall", 321, 0, None, 0),  # bpf
        ("syscall", 103, 3, ctypes.create_string_buffer(1000), 1000),  # syslog
        ("syscall", 250, 0, 0),  # keyctl
        ("syscall", 298, ctypes.create_string_buffer(128), 0, -1, -1, 0),  # perf_event_open
        ("sethostname", b"grade", 5),
    ):
        if getattr(libc, name, libc.syscall)(*arguments) >= 0:
            print("SECRET-FOUND", name, arguments)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
