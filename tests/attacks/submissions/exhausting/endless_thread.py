# tries: answers, and leaves threads that compute for ever
# slow: yes
# expect: failed|stopped
import threading

from wrong import attention

started = []


def spin():
    while True:
        sum(range(10**5))


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    if not started:
        for _ in range(4):
            started.append(threading.Thread(target=spin))
            try:
                started[-1].start()
            except RuntimeError:
                break
    return attention(query, key, value, mask, dropout)
