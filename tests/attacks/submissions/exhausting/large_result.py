# tries: returns a hundred megabytes in every call
# slow: yes
# expect: stopped
import torch

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return torch.zeros(100 << 20, dtype=torch.uint8), query
