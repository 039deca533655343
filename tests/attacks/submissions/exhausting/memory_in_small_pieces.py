# tries: fills the memory piece by piece, and catches the error
# expect: stopped|failed
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    kept = []
    while True:
        try:
            kept.append(bytearray(b"x") * (8 << 20))
        except MemoryError:
            kept.append(b"x" * 4096)
