# tries: returns a generator that would run in whoever iterates over it
# expect: failed
from wrong import attention


def results(query, key, value):
    yield from attention(query, key, value)
    while True:
        yield query


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return results(query, key, value)
