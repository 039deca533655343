# tries: loops for ever in __del__, and again in a collection
# expect: stopped timeout
import gc

from wrong import attention


class Clinging:
    def __init__(self):
        self.me = self

    def __del__(self):
        while True:
            pass


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    Clinging()
    gc.collect()
    return attention(query, key, value, mask, dropout)
