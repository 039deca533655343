# tries: returns a hundred thousand tensors
# slow: yes
# expect: failed|stopped
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return [query[..., :1]] * 100_000, [query.clone() for _ in range(4000)]
