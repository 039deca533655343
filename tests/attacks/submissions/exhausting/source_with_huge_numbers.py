# tries: a source with numbers and strings that are computed when it is compiled
# expect: failed|error
from wrong import attention

a = lambda: 10 ** 10 ** 8
b = lambda: 'x' * 10**10
c = lambda: (1, 2) * 10**9
d = lambda: 1 << 10**10
e = lambda: 2 ** 64 ** 2


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)
