# tries: nothing: what a wrong file gets that does not cheat
# expect: failed
from wrong import attention


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)
