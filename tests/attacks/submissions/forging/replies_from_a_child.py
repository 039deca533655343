# tries: answers from a forked child, while the parent waits for ever
# expect: failed
import os

from wrong import attention


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    if os.fork():
        os.waitpid(-1, 0)
    return attention(query, key, value, mask, dropout)
