# tries: gives a million different warnings
# expect: failed|stopped
import warnings

from wrong import attention, once


def warn():
    warnings.simplefilter("always")
    for number in range(20_000):
        warnings.warn(f"{number} " + "\n" * 100 + "w" * 2000)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(warn)
    return attention(query, key, value, mask, dropout)
