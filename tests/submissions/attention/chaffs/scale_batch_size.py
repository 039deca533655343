# fault: scale-by-d-model
# what: the width is taken from axis 0 (the batch)
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scale = query.shape[0] ** -0.5
    att = (query @ key.transpose(-2, -1)) * scale
    if mask is not None:
        att = att.masked_fill(mask == 0, torch.finfo(att.dtype).min)
    att = att.softmax(dim=-1)
    if mask is not None:
        att = att.masked_fill(mask == 0, 0)
    if dropout is not None:
        att = dropout(att)
    return att @ value, att
