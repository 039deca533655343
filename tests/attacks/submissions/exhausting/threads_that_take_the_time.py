# tries: keeps its own main thread from running, so that its clock seems to stand still
# expect: stopped timeout
import threading
import zlib


def spin():
    data = b"x" * (1 << 20)
    while True:
        zlib.crc32(data)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    threading.stack_size(1 << 16)
    for _ in range(20):
        threading.Thread(target=spin, daemon=True).start()
    spin()
