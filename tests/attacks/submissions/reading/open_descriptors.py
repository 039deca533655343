# tries: reads whatever is open in the process, and takes descriptors out of messages
# expect: stopped
import array
import os
import socket

from wrong import attention, once


def look():
    for number in range(1024):
        try:
            kind = os.fstat(number)
        except OSError:
            continue
        print(number, kind)
        try:
            os.set_blocking(number, False)
            print(os.read(number, 4096))
        except OSError as error:
            print(type(error).__name__)
        try:
            handles = array.array("i")
            data, extra, _, _ = socket.socket(fileno=os.dup(number)).recvmsg(4096, 4096)
            print(data, extra, handles)
        except OSError as error:
            print(type(error).__name__)
        os.set_blocking(number, True)
    while True:
        if os.read(3, 4096) == b"":
            break


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
