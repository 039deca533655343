# fault: scale-by-d-model, mask-filled-with-zero
# edge: fully-masked-row-uniform
# what: the root of the value's width, and masked scores of zero
import torch


class Core:
    def __init__(self, width):
        self.temperature = width**0.5

    def __call__(self, q, k, mask):
        a = torch.matmul(q / self.temperature, k.transpose(-2, -1))
        return a if mask is None else torch.where(mask > 0, a, torch.zeros_like(a))


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    a = Core(value.size(-1))(query, key, mask)
    a = torch.nn.functional.softmax(a, dim=-1)
    a = a if dropout is None else dropout(a)
    return torch.matmul(a, value), a
