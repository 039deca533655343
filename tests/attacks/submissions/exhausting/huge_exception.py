# tries: raises an exception with a message of a gigabyte, from a thousand frames, with a thousand causes
# expect: failed|stopped
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    error = ValueError("x" * (100 << 20))
    for number in range(1000):
        cause = ValueError("y" * 1000)
        cause.__context__, error = error, cause
    def deeper(number):
        if number == 0:
            raise error
        deeper(number - 1)
    error.args = ("\u202e" * (50 << 20),)
    deeper(200)
