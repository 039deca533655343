# tries: loops for ever in a signal handler that fires between the calls, and ignores what would end it
# expect: stopped
import signal

from wrong import attention

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass


def forever(number, frame):
    while True:
        pass


signal.signal(signal.SIGALRM, forever)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    return attention(query, key, value, mask, dropout)
