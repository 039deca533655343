# tries: prints a hundred megabytes in one piece, in every call
# slow: yes
# expect: failed|stopped
import sys

from wrong import attention, once

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    sys.stdout.write("\u202e\x1b[2J\0" * 5_000_000 if mask is None else "more")
    return attention(query, key, value, mask, dropout)
