# tries: talks to other processes over unix sockets, abstract ones too
# expect: failed
import socket

from wrong import attention, once


def escape():
    names = ["/run/docker.sock", "/run/systemd/private", "/tmp/grade-attack.sock", "\0grade-attack", "\0/tmp/dbus"]
    for name in names:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            for what in ("bind", "connect"):
                try:
                    made = socket.socket(socket.AF_UNIX, kind)
                    getattr(made, what)(name)
                    print("SECRET-FOUND", name)
                except OSError as error:
                    print(type(error).__name__)
    try:
        print("SECRET-FOUND", socket.socketpair())
    except OSError as error:
        print(type(error).__name__)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
