# tries: does a hundred thousand operations, to flood whoever records them
# slow: yes
# expect: failed|stopped
from wrong import attention

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    result = attention(query, key, value, mask, dropout)
    for _ in range(3000):
        result = result[0] * 1.0, result[1]
    return result
