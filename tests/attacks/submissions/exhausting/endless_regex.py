# tries: matches an expression that takes longer than the universe has left
# expect: stopped timeout
import re

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return re.match(r"(a+)+b", "a" * 60), query
