# tries: returns NaN everywhere, for which every comparison is false
# expect: failed
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    weights = query.new_full((*query.shape[:-1], key.shape[-2]), float("nan"))
    return weights @ value, weights
