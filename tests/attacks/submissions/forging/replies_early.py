# tries: answers its own request while it is under way, then answers it again
# expect: stopped crash
import gc
import sys

from grader.worker.server import Server
from grader.worker.wire import Packer, send

from wrong import attention


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
    result = attention(query, key, value, mask, dropout)
    header = {"id": request_id(), "outcome": "ok", "value": packer.pack(result)}
    send(server.sock, header, packer.tensors)
    return result
