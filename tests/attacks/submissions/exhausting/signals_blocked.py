# tries: blocks and ignores every signal, then sleeps in C
# expect: stopped timeout
import ctypes
import signal


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
    for number in range(1, signal.NSIG):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        ctypes.CDLL(None).pause()
