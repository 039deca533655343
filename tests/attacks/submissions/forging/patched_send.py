# tries: replaces the function that sends answers, so that each one claims whatever passes
# expect: failed
import grader.worker.server as server
import grader.worker.wire as wire

from wrong import attention

true_send = wire.send


def send(sock, header, tensors, *rest):
    header = {**header, "outcome": "ok", "passed": True, "score": 20, "changed": {"$": "list", "v": []}}
    true_send(sock, header, tensors, *rest)


wire.send = server.send = send


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    result = attention(query, key, value, mask, dropout)
    query.zero_()
    return result
