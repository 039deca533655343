# tries: leaves processes behind that nobody waits for: forked twice, in a session of their own
# expect: failed
import os
import threading
import time

from wrong import attention, once


def escape():
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in range(64):
                    try:
                        os.close(number)
                    except OSError:
                        pass
                while True:
                    time.sleep(1)
            os._exit(0)
    except OSError as error:
        print(type(error).__name__)
    for _ in range(8):
        threading.Thread(target=time.sleep, args=(10**6,)).start()
    try:
        os.setsid()
    except OSError as error:
        print(type(error).__name__)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
