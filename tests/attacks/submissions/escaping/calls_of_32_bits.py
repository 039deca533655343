# tries: makes system calls by the numbers of 32 bits, and of x32
# expect: failed|stopped crash
import ctypes
import mmap
import platform

from wrong import attention, once


def escape():
    if platform.machine() != "x86_64":
        ctypes.string_at(0)
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(b"\xb8\x14\0\0\0\xcd\x80\xc3")
    found = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()
    print("SECRET-FOUND", found)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
