# style: per row, a softmax over the allowed keys only, written into zeros
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    """No fill value at all: forbidden keys never reach the softmax."""
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        shape = scores.shape
        rows = scores.reshape(-1, shape[-1])
        keep = mask.bool().expand(shape).reshape(-1, shape[-1])
        new_rows = []
        for r, k in zip(rows, keep):
            index = k.nonzero().squeeze(1)
            out = torch.zeros_like(r)
            new_rows.append(out.index_put((index,), r[index].softmax(0)))
        weights = torch.stack(new_rows).reshape(shape)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
