# tries: maps, locks, advises and grows memory in every way that the system knows
# expect: failed|stopped
import ctypes
import mmap

import torch

from wrong import attention, once


def fill():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    for flags in (0x22, 0x4022, 0x40022, 0x8022):  # private; no reserve; huge pages; populated
        found = libc.mmap(None, 64 << 30, 3, flags, -1, 0)
        if found not in (None, 2**64 - 1):
            print("SECRET-FOUND", hex(flags))
    print(libc.mlockall(7))
    kept = []
    try:
        while True:
            block = mmap.mmap(-1, 32 << 20)
            block.madvise(mmap.MADV_WILLNEED)
            block[:: 4096] = b"x" * len(range(0, 32 << 20, 4096))
            kept.append(block)
            if len(kept) > 64:
                print("SECRET-FOUND two gigabytes")
                break
    except (OSError, MemoryError, ValueError) as error:
        print(type(error).__name__)
    kept.clear()
    try:
        torch.empty(1 << 60, dtype=torch.uint8)
    except RuntimeError as error:
        print(str(error)[:100])


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(fill)
    return attention(query, key, value, mask, dropout)
