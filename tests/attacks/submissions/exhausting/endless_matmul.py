# tries: multiplies matrices that keep a core busy for hours
# expect: stopped timeout
import torch

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    large = torch.ones(4000, 4000)
    for _ in range(10**6):
        large = large @ large / 4000
    return large, large
