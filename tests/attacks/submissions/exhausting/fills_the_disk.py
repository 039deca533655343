# tries: fills the disk, in files that are each below the limit
# expect: stopped crash
import os

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    for number in range(10**4):
        handle = os.open(f"{number}", os.O_CREAT | os.O_WRONLY)
        for _ in range(15):
            os.write(handle, b"x" * (1 << 20))
        os.close(handle)
    return query, key
