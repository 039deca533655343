# tries: loops for ever when the process ends
# expect: failed
import atexit
import sys
import threading

from wrong import attention


def forever(*args):
    while True:
        pass


atexit.register(forever)
threading._register_atexit(forever)
sys.excepthook = sys.unraisablehook = forever


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)
