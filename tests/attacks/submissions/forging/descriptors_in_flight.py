# tries: passes open files to the grader with its answers
# expect: failed|stopped
import os
import socket

from grader.worker import server, wire
from wrong import attention

true_send = wire.send


def send(sock, header, tensors, timeout=None):
    null = [os.open(os.devnull, os.O_RDONLY) for _ in range(30)]
    socket.send_fds(sock, [b"G"], null)
    for number in null:
        os.close(number)
    frame = bytearray()

    class Into:
        def sendall(self, data):
            frame.extend(data)

    true_send(Into(), header, tensors)
    sock.sendall(bytes(frame[1:]))


server.send = send


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)
