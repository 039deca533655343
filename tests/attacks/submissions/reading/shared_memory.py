# tries: looks into memory that processes share: /dev/shm, System V, message queues
# expect: failed
import ctypes
import glob
import mmap
import os

from wrong import attention, once

libc = ctypes.CDLL(None, use_errno=True)


def look():
    for path in [*glob.glob("/dev/shm/*"), *glob.glob("/dev/mqueue/*"), "/dev/mem", "/dev/kmem"]:
        try:
            print(open(path, "rb").read(1000))
        except OSError:
            pass
    for key in range(50):
        number = libc.shmget(key, 4096, 0o1666)
        if number >= 0:
            print("SECRET-FOUND", number)
    if libc.syscall(240, b"grade-attack", os.O_CREAT | os.O_RDWR, 0o600, None) >= 0:
        print("SECRET-FOUND queue")
    print(len(mmap.mmap(-1, 4096)))


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
