# tries: asks for far more memory than there is, at once
# expect: stopped out-of-memory
import torch

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return torch.ones(1 << 40), bytearray(1 << 40)
