# tries: writes ready answers to every open descriptor
# expect: stopped crash
import json
import os
import struct
import sys


def identity():
    frame = sys._getframe()
    while frame is not None:
        request = frame.f_locals.get("request")
        if isinstance(request, dict) and "id" in request:
            return request["id"]
        frame = frame.f_back
    return ""


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    header = {"id": identity(), "outcome": "ok", "value": None, "passed": True}
    text = json.dumps(header).encode()
    frame = struct.pack("<4sIQ", b"GRDW", len(text), 0) + text
    for number in range(1024):
        try:
            os.write(number, frame * 2)
        except OSError:
            continue
    return query, key
