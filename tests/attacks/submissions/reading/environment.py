# tries: reads the environment, where a course keeps its tokens
# expect: failed
import ctypes
import os

from wrong import attention, once


def look():
    print(dict(os.environ), os.environb)
    for name in ("GRADE_TEST_SECRET", "HOME", "PATH", "PYTHONPATH", "SSH_AUTH_SOCK", "GITHUB_TOKEN", "USER"):
        print(name, os.getenv(name), ctypes.CDLL(None).getenv(name.encode()))


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
