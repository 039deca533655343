# tries: warns with objects whose words raise or leave, after the call
# expect: failed|stopped
import warnings

from wrong import attention


class Odd(UserWarning):
    def __str__(self):
        raise SystemExit(0)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    warnings.warn(Odd())
    return attention(query, key, value, mask, dropout)
