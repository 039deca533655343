# tries: takes off what confines it: another filter, another ruleset, another limit
# expect: failed
import ctypes
import struct

from wrong import attention, once


def escape():
    libc = ctypes.CDLL(None, use_errno=True)
    allow = ctypes.create_string_buffer(struct.pack("<HBBI", 0x06, 0, 0, 0x7FFF0000))
    program = struct.pack("HL", 1, ctypes.addressof(allow))
    print(libc.prctl(22, 2, program, 0, 0))  # a filter that allows everything
    print(libc.prctl(22, 0, 0, 0, 0))  # none at all
    print(libc.prctl(38, 0, 0, 0, 0))  # new privileges
    print(libc.syscall(444, struct.pack("<Q", 1), 8, 0))  # a ruleset of Landlock
    for path in ("/etc/passwd", "/proc/self/maps"):
        try:
            print("SECRET-FOUND", open(path).read(10))
        except OSError as error:
            print(type(error).__name__)
    if libc.syscall(57) >= 0:
        print("SECRET-FOUND fork")


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
