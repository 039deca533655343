# tries: returns four gigabytes that take no memory
# expect: failed|stopped
import torch

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    wide = torch.zeros(1, dtype=torch.float64).expand(1 << 29)
    return wide, wide
