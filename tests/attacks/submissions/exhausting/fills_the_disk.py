# tries: fills the disk, in files that are each below the limit
# expect: stopped crash
import os

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    for number in range(10**4):
        handle = os.open(f"{number}", os.O_CREAT | os.O_WRONLY)
        os.write(handle, b"x" * 1_000_000)
        os.close(handle)
    return query, key
