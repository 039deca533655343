# tries: nests folders deeper than any path, and takes away the right to enter them
# slow: yes
# expect: failed|stopped
import os

from wrong import attention, once


def dig():
    os.mkdir("locked", 0o000)
    for _ in range(1100):
        os.mkdir("d", 0o700)
        os.chdir("d")
    os.mkdir("locked", 0o000)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(dig)
    return attention(query, key, value, mask, dropout)
