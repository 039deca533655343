# tries: opens files by system calls that a filter may have forgotten
# expect: failed
import ctypes
import mmap
import os
import struct

import grader.worker.server as server

from wrong import attention, once

libc = ctypes.CDLL(None, use_errno=True)


def look():
    package = os.path.dirname(os.path.dirname(server.__file__))
    path = f"{package}/exercises/attention/suite.py".encode()
    how = ctypes.create_string_buffer(struct.pack("<QQQ", os.O_RDONLY, 0, 0))
    handle = ctypes.create_string_buffer(struct.pack("<Ii", 128, 0) + b"\0" * 128)
    numbers = [
        libc.syscall(437, -100, path, how, 24),  # openat2
        libc.syscall(303, -100, path, handle, ctypes.byref(ctypes.c_int()), 0),  # name_to_handle_at
        libc.syscall(304, -100, handle, 0),  # open_by_handle_at
        libc.syscall(428, -100, path, 0),  # open_tree
        libc.syscall(425, 8, ctypes.create_string_buffer(120)),  # io_uring_setup
        libc.syscall(2, path, 0, 0),  # open
        libc.syscall(86, path, b"grade-attack-link"),  # link
        libc.syscall(88, path, b"grade-attack-symlink"),  # symlink
        libc.syscall(165, path, b".", b"none", 4096, None),  # mount --bind
    ]
    opened = os.open(path, os.O_PATH)
    for number in (*numbers, opened):
        if number >= 0:
            try:
                print(os.read(number, 3000))
            except OSError as error:
                print(type(error).__name__)
            try:
                print(mmap.mmap(number, 0, prot=mmap.PROT_READ)[:3000])
            except (OSError, ValueError) as error:
                print(type(error).__name__)
    for again in (f"/proc/self/fd/{opened}", f"/dev/fd/{opened}", "grade-attack-link", "grade-attack-symlink"):
        try:
            print(open(again).read())
        except OSError as error:
            print(type(error).__name__)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
