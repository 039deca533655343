# tries: claims tensors of negative, huge and contradictory sizes in the answer's header
# expect: stopped crash
import gc
import itertools
import json
import struct
import sys

from grader.worker.server import Server

tables = itertools.cycle(
    [
        {"0": {"dtype": "F64", "shape": [-1], "data_offsets": [0, 8]}},
        {"0": {"dtype": "F64", "shape": [2**62, 2**62], "data_offsets": [0, 8]}},
        {"0": {"dtype": "F64", "shape": [0, 2**60], "data_offsets": [0, 0]}},
        {"0": {"dtype": "F64", "shape": [1] * 2000, "data_offsets": [0, 8]}},
        {"0": {"dtype": "F64", "shape": [1], "data_offsets": [8, 0]}},
        {"0": {"dtype": "F64", "shape": [1], "data_offsets": [0, 2**63]}},
        {"0": {"dtype": "NONE", "shape": [1], "data_offsets": [0, 8]}},
        {"0": 7},
    ]
)


def request_id():
    frame = sys._getframe()
    while frame is not None:
        request = frame.f_locals.get("request")
        if isinstance(request, dict) and "id" in request:
            return request["id"]
        frame = frame.f_back


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    server = next(o for o in gc.get_objects() if isinstance(o, Server))
    tensor = {"$": "tensor", "n": "0"}
    text = json.dumps({"id": request_id(), "outcome": "ok", "value": tensor}).encode()
    head = json.dumps(next(tables)).encode()
    payload = struct.pack("<Q", len(head)) + head + b"\0" * 8
    server.sock.sendall(struct.pack("<4sIQ", b"GRDW", len(text), len(payload)) + text + payload)
    while True:
        pass
