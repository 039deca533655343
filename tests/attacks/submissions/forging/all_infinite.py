# tries: returns infinities, which swallow every difference
# expect: failed
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    weights = query.new_full((*query.shape[:-1], key.shape[-2]), float("inf"))
    return value.new_full((*query.shape[:-1], value.shape[-1]), float("inf")), weights
