# tries: the layers of torch.nn through sys.modules, by subclassing, copying, and without their guards
# expect: failed
import copy
import sys

import torch

from readymade import around

layers = sys.modules["torch.nn.modules.transformer"]
activation = sys.modules["torch.nn.modules.activation"]


class Mine(activation.MultiheadAttention):
    def __init__(self, width):
        torch.nn.Module.__init__(self)
        self.__dict__.update(embed_dim=width, kdim=width, vdim=width, num_heads=1, dropout=0.0)
        self.__dict__.update(batch_first=True, head_dim=width, add_zero_attn=False)
        self._qkv_same_embed_dim = True
        self.in_proj_weight = torch.nn.Parameter(torch.eye(width).repeat(3, 1))
        self.register_parameter("in_proj_bias", None)
        self.bias_k = self.bias_v = None
        self.out_proj = torch.nn.Linear(width, width, bias=False)


def operation(query, key, value, keep):
    ways = (
        lambda: Mine(query.shape[-1])(query, key, value, need_weights=False)[0],
        lambda: layers.F.scaled_dot_product_attention(query, key, value),
        lambda: activation.F.multi_head_attention_forward(query, key, value, query.shape[-1], 1, *[None] * 9),
        lambda: copy.copy(layers.TransformerEncoderLayer)(query.shape[-1], 1)(query),
        lambda: layers.TransformerDecoderLayer.__new__(layers.TransformerDecoderLayer)._sa_block(query),
        lambda: torch._transformer_encoder_layer_fwd(query, query.shape[-1], 1, *[value] * 12),
    )
    for way in ways:
        try:
            return way()
        except Exception as error:
            print(type(error).__name__, str(error)[:60])
    raise LookupError


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
