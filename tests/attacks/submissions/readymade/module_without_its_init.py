# tries: makes the module without its __init__, and calls its forward
# expect: failed forbidden-api
import torch

from readymade import around


class Layer(torch.nn.MultiheadAttention):
    def __init__(self, width, dtype):
        torch.nn.Module.__init__(self)
        self.embed_dim = self.kdim = self.vdim = width
        self._qkv_same_embed_dim, self.num_heads, self.dropout, self.head_dim = True, 1, 0.0, width
        self.batch_first, self.add_zero_attn = True, False
        same = torch.eye(width, dtype=dtype)
        self.in_proj_weight = torch.nn.Parameter(torch.cat([same, same, same]))
        self.out_proj = torch.nn.Linear(width, width, bias=False, dtype=dtype)
        self.in_proj_bias = self.bias_k = self.bias_v = None


def operation(query, key, value, keep):
    return Layer(query.shape[-1], query.dtype).forward(query, key, key)[1] @ value


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
