# fault: forbidden-api
# line: 10
# what: wraps nn.MultiheadAttention
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.mha = nn.MultiheadAttention(d_model, num_heads, dropout=dropout, bias=bias, batch_first=True)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = ~mask.bool()
        return self.mha(query, key, value, attn_mask=mask, average_attn_weights=False)
