# tries: replaces the builtins that a comparison needs
# expect: stopped crash
import builtins

from wrong import attention

true_isinstance, true_len = builtins.isinstance, builtins.len
builtins.all = builtins.any = lambda values: True
builtins.max = builtins.min = builtins.sum = lambda *values, **settings: 0
builtins.abs = builtins.round = lambda *values: 0
builtins.sorted = lambda values, **settings: []


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)
