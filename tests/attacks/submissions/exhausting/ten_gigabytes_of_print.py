# tries: prints ten gigabytes
# expect: stopped
import sys

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    line = "SENTINEL" * 1000 + "\n"
    for _ in range(10**9 // 800):
        sys.stdout.write(line)
        sys.stderr.write(line)
    print("x" * 10**10)
    return query, key
