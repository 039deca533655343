# tries: fills the disk with files that have no name any more
# expect: failed|stopped
import os

from wrong import attention, once

LIMIT = 300 << 20  # of all of them together: more is a hole


def fill():
    size = 0
    try:
        for number in range(10**4):
            handle = os.open(f"x{number}", os.O_CREAT | os.O_WRONLY)
            os.unlink(f"x{number}")
            try:
                for _ in range(64):
                    size += os.write(handle, b"x" * (1 << 18))
            except OSError:
                pass
            if size > LIMIT:
                print("SECRET-FOUND a disk without end")
                return
    except OSError as error:
        print(error)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(fill)
    return attention(query, key, value, mask, dropout)
