# tries: sends each answer slowly, and finishes just within the time of a call
# expect: stopped timeout
# slow: yes
import time

from grader.worker import server, wire
from wrong import attention

true_send = wire.send


def send(sock, header, tensors, timeout=None):
    frame = bytearray()

    class Into:
        def sendall(self, data):
            frame.extend(data)

    true_send(Into(), header, tensors)
    for start in range(0, 40):
        sock.sendall(bytes(frame[start : start + 1]))
        time.sleep(0.02)
    sock.sendall(bytes(frame[40:]))


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    server.send = send
    return attention(query, key, value, mask, dropout)
