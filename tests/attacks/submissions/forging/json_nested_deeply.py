# tries: an answer nested deeper than any parser goes
# expect: stopped crash
import gc
import struct
import sys

from grader.worker.server import Server


def request_id():
    frame = sys._getframe()
    while frame is not None:
        request = frame.f_locals.get("request")
        if isinstance(request, dict) and "id" in request:
            return request["id"]
        frame = frame.f_back


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    server = next(o for o in gc.get_objects() if isinstance(o, Server))
    text = b"[" * 2_000_000 + b"]" * 2_000_000
    server.sock.sendall(struct.pack("<4sIQ", b"GRDW", len(text), 0) + text)
    while True:
        pass
