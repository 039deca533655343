# tries: sends its answer one byte at a time
# expect: stopped timeout
import gc
import time

from grader.worker.server import Server

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    server = next(o for o in gc.get_objects() if isinstance(o, Server))
    for byte in b"GRDW" + b"\0\0\1\0" + b"\0" * 8 + b" " * 65536:
        server.sock.send(bytes([byte]))
        time.sleep(0.05)
