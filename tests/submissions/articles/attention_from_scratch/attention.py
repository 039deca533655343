import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    # query, key, value: (batch, length, d_k or d_v)
    d_k = query.shape[-1]

    scores = torch.einsum('blk,bmk->blm', query, key)
    scores = scores / (d_k ** 0.5)

    # masking comes later:
    # scores = scores.masked_fill(mask == 0, float('-inf'))

    attn_weights = F.softmax(scores, dim=-1)
    context = torch.einsum('blm,bmv->blv', attn_weights, value)
    return context, attn_weights
