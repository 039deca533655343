# tries: never comes to the end of its import
# expect: stopped timeout
import time

time.sleep(10**6)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return query, key
