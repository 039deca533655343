# tries: loops for ever in Python
# expect: stopped timeout
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    while True:
        pass
