"""A seccomp filter: system calls that a worker has no use for answer "not permitted".

No new process or program, no socket, no tracing, no signal to anybody, no change of a file's owner,
mode or times, no mount, no namespace, no key ring, no queue or event of the system, no io_uring.
Threads stay possible.  Classic BPF, for x86-64 and arm64.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
from functools import cache

__all__ = ["install", "program"]

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, AND, JUMP_EQUAL, JUMP_GREATER_EQUAL, JUMP_SET, RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
EPERM, ENOTTY, ENOSYS = 1, 25, 38
CLONE_THREAD = 0x00010000
X32_BIT = 0x40000000
NEWEST = 472  # calls from this number on are newer than this table
SYSCALL_NUMBER, ARCHITECTURE = 0, 4
ARGUMENTS = (16, 24, 32)  # the lower halves of the first three

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
SECCOMP = {"x86_64": 317, "aarch64": 277}  # the call itself
SET_MODE_FILTER, TO_ALL_THREADS = 1, 1
CLONE3 = 435  # on every architecture

# name: (x86-64, arm64); None where the architecture has no such call
DENIED: dict[str, tuple[int | None, int | None]] = {
    # processes and programs
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "personality": (135, 92),
    # sockets
    "socket": (41, 198),
    "socketpair": (53, 199),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "connect": (42, 203),
    # other processes: their memory, signals, priority
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
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
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "prlimit64": (302, 261),
    "setrlimit": (160, 164),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "open_tree_attr": (467, 467),
    # files: what Landlock does not know, or older versions of it do not
    "openat2": (437, 437),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "truncate": (76, 45),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "link": (86, None),
    "linkat": (265, 37),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "sync": (162, 81),
    "syncfs": (306, 267),
    # memory that no limit counts, and what belongs to the whole system or user
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "io_setup": (206, 0),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # the kernel
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "syslog": (103, 116),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "vhangup": (153, 58),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "ioperm": (173, None),
    "iopl": (172, None),
    "modify_ldt": (154, None),
    # users and rights
    "setuid": (105, 146),
    "setgid": (106, 144),
    "setreuid": (113, 145),
    "setregid": (114, 143),
    "setresuid": (117, 147),
    "setresgid": (119, 149),
    "setfsuid": (122, 151),
    "setfsgid": (123, 152),
    "setgroups": (116, 159),
    "capset": (126, 91),
}
CLONE = (56, 220)
PRCTL, FCNTL, IOCTL = (157, 167), (72, 25), (16, 29)
OPEN, OPENAT = (2, None), (257, 56)
PR_SET_PDEATHSIG = 1  # whoever clears it outlives the grader
# who is sent a signal when a file changes, leases, notes on folders, and the size of a pipe
DENIED_FCNTL = (8, 10, 15, 1024, 1026, 1031)
# asking for a terminal, how much there is to read, blocking, closing on exec
ALLOWED_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
O_ACCMODE, O_TRUNC = 0o3, 0o1000

Row = tuple[int, int, int, int]


def install(*, accelerator: bool = False) -> bool:
    """Puts the filter on this process for good; False where it cannot be done.

    `accelerator`: its driver is spoken to by `ioctl`, and has threads already, which get the filter too.
    """
    machine = platform.machine()
    if not sys.platform.startswith("linux") or machine not in ARCHITECTURES:
        return False
    filter_ = program(machine, accelerator)
    buffer = ctypes.create_string_buffer(filter_)
    header = struct.pack("HL", len(filter_) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    if accelerator:
        number, mode, flags = SECCOMP[machine], ctypes.c_uint(SET_MODE_FILTER), ctypes.c_uint(TO_ALL_THREADS)
        return bool(libc.syscall(number, mode, flags, header) == 0)
    return bool(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0) == 0)


@cache
def program(machine: str, accelerator: bool = False) -> bytes:
    """The filter for this kind of machine (the zygote makes it once, for all workers)."""
    column = 0 if machine == "x86_64" else 1
    denied = sorted(n for row in DENIED.values() if (n := row[column]) is not None)
    rows: list[Row] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, ARCHITECTURES[machine]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, SYSCALL_NUMBER),
        # the 32-bit-pointer numbering of x86-64 would be a way round
        (JUMP_GREATER_EQUAL, 0, 1, X32_BIT),
        (RETURN, 0, 0, KILL),
        (JUMP_GREATER_EQUAL, 0, 1, NEWEST),
        (RETURN, 0, 0, ERRNO | ENOSYS),
        # clone3 hides its flags behind a pointer: "no such call" makes libc fall back on clone
        (JUMP_EQUAL, 0, 1, CLONE3),
        (RETURN, 0, 0, ERRNO | ENOSYS),
    ]
    # a thread may be made, a process may not
    rows += _if_call(CLONE[column], [*_argument(0), (JUMP_SET, 1, 0, CLONE_THREAD), *_deny(), *_allow()])
    rows += _if_call(PRCTL[column], [*_argument(0), *_unless((PR_SET_PDEATHSIG,)), *_allow()])
    rows += _if_call(FCNTL[column], [*_argument(1), *_unless(DENIED_FCNTL), *_allow()])
    if not accelerator:
        rows += _if_call(IOCTL[column], [*_argument(1), *_only(ALLOWED_IOCTL), *_deny(ENOTTY)])
    # opened for reading and cut to nothing: no right to write is asked for
    cut = [(AND, 0, 0, O_ACCMODE | O_TRUNC), *_unless((O_TRUNC,)), *_allow()]
    for number, flags in ((OPEN[column], 1), (OPENAT[column], 2)):
        if number is not None:
            rows += _if_call(number, [*_argument(flags), *cut])
    rows += _unless(denied)
    rows += _allow()
    return b"".join(struct.pack("<HBBI", *row) for row in rows)


def _if_call(number: int, body: list[Row]) -> list[Row]:
    """Runs `body`, which returns, for this call only."""
    return [(JUMP_EQUAL, 0, len(body), number), *body]


def _argument(which: int) -> list[Row]:
    return [(LOAD, 0, 0, ARGUMENTS[which])]


def _allow() -> list[Row]:
    return [(RETURN, 0, 0, ALLOW)]


def _deny(why: int = EPERM) -> list[Row]:
    return [(RETURN, 0, 0, ERRNO | why)]


def _unless(values: list[int] | tuple[int, ...]) -> list[Row]:
    """Denies when what was loaded is one of the values."""
    return [row for value in values for row in ((JUMP_EQUAL, 0, 1, value), *_deny())]


def _only(values: tuple[int, ...]) -> list[Row]:
    """Allows when what was loaded is one of the values."""
    return [row for value in values for row in ((JUMP_EQUAL, 0, 1, value), *_allow())]
