# tries: reaches the network over TCP, UDP, raw, netlink and packet sockets, and resolves names
# expect: failed
import socket
import urllib.request

from wrong import attention, once


def escape():
    families = [socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET, 40, 38]
    for family in families:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            try:
                made = socket.socket(family, kind)
                print("SECRET-FOUND", family, kind, made)
                made.connect(("127.0.0.1", 9))
            except OSError as error:
                print(type(error).__name__)
    for action in (
        lambda: socket.create_connection(("127.0.0.1", 22), timeout=0.1),
        lambda: socket.getaddrinfo("example.org", 80),
        lambda: urllib.request.urlopen("http://127.0.0.1:9/", timeout=0.1),
        lambda: socket.create_server(("127.0.0.1", 0)),
    ):
        try:
            print("SECRET-FOUND", action())
        except OSError as error:
            print(type(error).__name__)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
