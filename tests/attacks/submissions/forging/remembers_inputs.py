# tries: remembers every input, and answers a call that it has seen with what it gave before
# expect: failed
from wrong import attention


seen = {}


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    name = (tuple(query.shape), float(query.sum()), mask is None)
    if name not in seen:
        seen[name] = attention(query, key, value, mask, dropout)
    seen[id(query)] = (query, key, value, mask)
    return seen[name]
