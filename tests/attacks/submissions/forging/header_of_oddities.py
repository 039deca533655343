# tries: answers with keys twice, numbers beyond all, lone surrogates, words without end
# expect: failed|stopped
import json

from grader.worker import server, wire
from wrong import attention

calls = [0]
ODD = [
    '"id":"0","id":%(id)s,"outcome":"raised","outcome":"ok","value":null',
    '"id":%(id)s,"outcome":"ok","value":1e999,"grads":NaN,"changed":-Infinity',
    '"id":%(id)s,"outcome":"raised","error":{"type":"\\ud800","message":"\\udfff\\u202e","frames":[]}',
    '"id":%(id)s,"outcome":"raised","error":{"type":"E","message":"m","frames":[{"file":"\\u0000/etc/passwd",'
    '"line":1099511627775,"function":"\\u001b]0;x\\u0007","shapes":[["\\u202e",[1099511627775,0]]]}]}',
    '"id":%(id)s,"outcome":"raised","error":{"type":"E","bases":["NotImplementedError","ImportError"],'
    '"message":"::error file=a::b\\n::set-env name=PATH::x","frames":[{"file":"attention.py","line":1e2}]}',
    '"id":%(id)s,"outcome":"ok","value":{"$":"dict","v":[["\\ud800",1.0],["\\ud800",2]]},"printed":"\\ud800"',
    '"id":%(id)s,"outcome":"ok","value":-0.0,"warnings":["\\u001b[2J"],"globals":["::error::\\u2028"]',
    '"id":%(id)s,"outcome":"ok","value":{"$":"opaque","type":"\\u001b[31m\\u202e\\ud800<script>"}',
]


def send(sock, header, tensors, timeout=None):
    calls[0] += 1
    words = "{" + ODD[calls[0] % len(ODD)] % {"id": json.dumps(header.get("id"))} + "}"
    sock.sendall(wire.PREFIX.pack(wire.MAGIC, len(words), 0) + words.encode())


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    server.send = send
    return attention(query, key, value, mask, dropout)
