# tries: answers once more when what it returned, or the worker's request, is thrown away
# expect: failed|stopped
import gc
import socket
import weakref

from wrong import attention

FRAME = b"GRDW\2\0\0\0\0\0\0\0\0\0\0\0{}"


class Loud:
    def __del__(self):
        reply()


def reply():
    try:
        socket.socket(fileno=3).send(FRAME)
    except OSError:
        pass


gc.callbacks.append(lambda phase, info: reply() if phase == "stop" else None)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    result = attention(query, key, value, mask, dropout)
    for tensor in (*result, query):
        weakref.finalize(tensor, reply)
    loud = Loud()
    loud.itself = loud
    return result
