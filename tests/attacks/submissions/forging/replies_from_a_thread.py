# tries: answers from a thread that goes on between the requests
# expect: stopped crash
import gc
import threading

from grader.worker.server import Server
from grader.worker.wire import send

from wrong import attention

started = []


def answer_for_ever(server):
    while True:
        send(server.sock, {"id": "0" * 16, "outcome": "ok", "value": None}, {})


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    if not started:
        server = next(o for o in gc.get_objects() if isinstance(o, Server))
        started.append(threading.Thread(target=answer_for_ever, args=(server,), daemon=True))
        started[0].start()
    return attention(query, key, value, mask, dropout)
