# tries: returns a million things in each other, beside each other, and in a circle
# expect: failed|stopped
import torch

calls = [0]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    calls[0] += 1
    deep = []
    for _ in range(10**5):
        deep = [deep]
    circle = {}
    circle["a"] = [circle] * 4000
    wide = [torch.ones(1)] * 4000
    return [deep, circle, [wide] * 4000][calls[0] % 3]
