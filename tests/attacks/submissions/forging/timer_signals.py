# tries: lets a timer interrupt the worker outside its calls, to change what it sends
# expect: failed|stopped
import signal
import sys

from wrong import attention


def ring(number, frame):
    while frame is not None:
        for name in ("reply", "header", "found"):
            value = frame.f_locals.get(name)
            if isinstance(value, dict):
                value.clear()
                value.update(outcome="ok", value=None, id="0", globals=[], warnings=[], printed="")
        frame = frame.f_back


signal.signal(signal.SIGALRM, ring)
signal.signal(signal.SIGVTALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.0003, 0.0003)
signal.setitimer(signal.ITIMER_VIRTUAL, 0.0003, 0.0003)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)
