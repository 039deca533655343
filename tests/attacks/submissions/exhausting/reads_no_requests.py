# tries: answers once, and never reads what it is asked next
# expect: stopped timeout
import gc
import sys
import time

from grader.worker.server import Server
from grader.worker.wire import Packer, send


def request_id():
    frame = sys._getframe()
    while frame is not None:
        request = frame.f_locals.get("request")
        if isinstance(request, dict) and "id" in request:
            return request["id"]
        frame = frame.f_back


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    server = next(o for o in gc.get_objects() if isinstance(o, Server))
    packer = Packer()
    value = packer.pack((query, key))
    send(server.sock, {"id": request_id(), "outcome": "ok", "value": value}, packer.tensors)
    time.sleep(10**6)
