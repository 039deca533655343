# tries: goes on changing what it has returned, and what it was given, from a thread
# expect: failed
import threading

from wrong import attention

held = []


def change():
    while True:
        for tensor in list(held):
            try:
                tensor.data.mul_(-1)
            except RuntimeError:
                pass


threading.Thread(target=change, daemon=True).start()


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    result = attention(query, key, value, mask, dropout)
    held[:] = [*result, query]
    return result
