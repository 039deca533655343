# tries: opens all descriptors that it can get
# expect: failed
import os

from wrong import attention, once


def fill():
    try:
        for _ in range(10**6):
            os.open("/dev/zero", os.O_RDONLY)
    except OSError as error:
        print(error)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(fill)
    return attention(query, key, value, mask, dropout)
