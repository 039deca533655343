# tries: reads all of its own memory, for what was left there by the process that it was forked from
# expect: failed
import ctypes
import re

from wrong import attention, once

WORDS = (b"def test_" + b"scales", b"lab.agrees" + b"(", b"@replaces" + b"(", b"low_" + b"logits(")


def look():
    libc = ctypes.CDLL(None)
    libc.sbrk.restype = ctypes.c_void_p
    end = libc.sbrk(0)
    for start in range(end - (64 << 20), end, 1 << 20):
        buffer = ctypes.create_string_buffer(4096)
        if libc.mincore(ctypes.c_void_p(start & ~4095), 1 << 20, buffer) != 0:
            continue
        data = ctypes.string_at(start & ~4095, 1 << 20)
        for word in WORDS:
            for found in re.finditer(re.escape(word), data):
                print("SECRET-FOUND", data[found.start() : found.start() + 80])


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
