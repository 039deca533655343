# tries: a small answer that mentions one large tensor a hundred thousand times, to keep the grader busy
# expect: stopped crash
import gc
import json
import struct
import sys

import torch

from grader.worker.server import Server
from grader.worker.wire import _save


def request_id():
    frame = sys._getframe()
    while frame is not None:
        request = frame.f_locals.get("request")
        if isinstance(request, dict) and "id" in request:
            return request["id"]
        frame = frame.f_back


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    server = next(o for o in gc.get_objects() if isinstance(o, Server))
    tree = {"$": "list", "v": [{"$": "tensor", "n": "0"}] * 100_000}
    text = json.dumps({"id": request_id(), "outcome": "ok", "value": tree}).encode()
    payload = _save({"0": torch.zeros(1 << 20)})
    server.sock.sendall(struct.pack("<4sIQ", b"GRDW", len(text), len(payload)) + text + payload)
    while True:
        pass
