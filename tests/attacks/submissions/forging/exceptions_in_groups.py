# tries: raises exceptions that hold each other without end, and whose words never end
# expect: failed|stopped
import sys


class Endless(Exception):
    def __str__(self):
        return "x" * (1 << 20)

    __repr__ = __str__


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    error = Endless()
    error.__cause__ = error.__context__ = Endless()
    error.__cause__.__cause__ = error
    error.__notes__ = error
    if sys.version_info >= (3, 11):
        for _ in range(2000):
            error = BaseExceptionGroup("x", [error, KeyboardInterrupt()])
    raise error
