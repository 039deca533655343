# tries: returns a list that holds itself, and a dictionary with keys that cannot be written
# expect: stopped crash
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    endless = []
    endless += [endless, {"\ud800": endless, b"x": 1, None: query}]
    return endless, endless
