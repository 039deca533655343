# tries: forks for ever
# expect: failed
import os

from wrong import attention

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    for _ in range(1000):
        try:
            os.fork()
        except OSError:
            pass
    return attention(query, key, value, mask, dropout)
