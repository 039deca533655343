"""A seccomp filter: system calls that a worker has no use for answer "not permitted".

No new process or program, no socket, no tracing, no signal to anybody, no mount, no namespace, no
key ring, no io_uring.  Threads stay possible.  Classic BPF, for x86-64 and arm64.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys

__all__ = ["install"]

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, JUMP_GREATER_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
EPERM, ENOSYS = 1, 38
CLONE_THREAD = 0x00010000
X32_BIT = 0x40000000
SYSCALL_NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CLONE = {"x86_64": 56, "aarch64": 220}
CLONE3 = {"x86_64": 435, "aarch64": 435}

# name: (x86-64, arm64); None where the architecture has no such call
DENIED: dict[str, tuple[int | None, int | None]] = {
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "connect": (42, 203),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "setpriority": (141, 140),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "ioprio_set": (251, 30),
    "prlimit64": (302, 261),
    "setrlimit": (160, 164),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "sethostname": (170, 161),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "open_by_handle_at": (304, 265),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "link": (86, None),
    "linkat": (265, 37),
    "chmod": (90, None),
    "fchmodat": (268, 53),
    "setuid": (105, 146),
    "setgid": (106, 144),
}


def install() -> bool:
    """Puts the filter on this process for good; False where it cannot be done."""
    machine = platform.machine()
    if not sys.platform.startswith("linux") or machine not in ARCHITECTURES:
        return False
    program = _program(machine)
    buffer = ctypes.create_string_buffer(program)
    header = struct.pack("HL", len(program) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0) == 0)


def _program(machine: str) -> bytes:
    column = 0 if machine == "x86_64" else 1
    denied = sorted(n for row in DENIED.values() if (n := row[column]) is not None)

    def line(code: int, yes: int, no: int, value: int) -> bytes:
        return struct.pack("<HBBI", code, yes, no, value)

    rows = [
        line(LOAD, 0, 0, ARCHITECTURE),
        line(JUMP_EQUAL, 1, 0, ARCHITECTURES[machine]),
        line(RETURN, 0, 0, KILL),
        line(LOAD, 0, 0, SYSCALL_NUMBER),
        # the 32-bit-pointer numbering of x86-64 would be a way round
        line(JUMP_GREATER_EQUAL, 0, 1, X32_BIT),
        line(RETURN, 0, 0, KILL),
        # clone3 hides its flags behind a pointer: "no such call" makes libc fall back on clone
        line(JUMP_EQUAL, 0, 1, CLONE3[machine]),
        line(RETURN, 0, 0, ERRNO | ENOSYS),
        # clone: a thread may be made, a process may not
        line(JUMP_EQUAL, 0, 4, CLONE[machine]),
        line(LOAD, 0, 0, FIRST_ARGUMENT),
        line(JUMP_SET, 1, 0, CLONE_THREAD),
        line(RETURN, 0, 0, ERRNO | EPERM),
        line(RETURN, 0, 0, ALLOW),
    ]
    for number in denied:
        rows += [line(JUMP_EQUAL, 0, 1, number), line(RETURN, 0, 0, ERRNO | EPERM)]
    rows.append(line(RETURN, 0, 0, ALLOW))
    return b"".join(rows)
