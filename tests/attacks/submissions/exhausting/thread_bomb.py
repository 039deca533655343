# tries: starts threads for ever
# expect: failed
import threading
import time

from wrong import attention, once


def bomb():
    threading.stack_size(1 << 16)
    started = 0
    try:
        for _ in range(20_000):
            threading.Thread(target=time.sleep, args=(10**6,), daemon=True).start()
            started += 1
    except RuntimeError:
        pass
    print("SECRET-FOUND thousands of threads" if started > 1000 else "few")


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(bomb)
    return attention(query, key, value, mask, dropout)
