# tries: stays in C for hours, where no signal handler of Python runs
# expect: stopped timeout
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return sum(range(10**12)), 9 ** 9**9
