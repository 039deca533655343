# tries: writes machine code into its own memory and makes its system calls from there
# expect: failed
import ctypes
import mmap
import os
import platform

from wrong import attention, once

# mov eax, number; syscall; ret
CODE = b"\xb8%c%c\0\0\x0f\x05\xc3"
# int 0x80: the 32-bit way in, where the numbers are others (2 is fork, 5 is open)
OLD = b"\xb8\x14\0\0\0\xcd\x80\xc3"


def call(code):
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return ctypes.CFUNCTYPE(ctypes.c_long)(address)()


def escape():
    if platform.machine() != "x86_64":
        return
    for number in (57, 58, 41, 319, 425):  # fork, vfork, socket, memfd_create, io_uring_setup
        here = os.getpid()
        found = call(CODE % (number & 255, number >> 8))
        if os.getpid() != here:
            os._exit(0)
        if found >= 0:
            print("SECRET-FOUND", number)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
