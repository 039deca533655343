# fault: leading-dims-fixed
# line: 8
# what: einsum written for (B, H, S, d_k) only
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    energy = torch.einsum("bhqd,bhkd->bhqk", query, key)
    energy = energy / query.shape[-1] ** 0.5
    if mask is not None:
        energy = energy.masked_fill(mask == 0, torch.finfo(energy.dtype).min)
    attention = torch.softmax(energy, dim=3)
    if mask is not None:
        attention = attention.masked_fill(mask == 0, 0)
    if dropout is not None:
        attention = dropout(attention)
    return torch.einsum("bhqk,bhkd->bhqd", attention, value), attention
