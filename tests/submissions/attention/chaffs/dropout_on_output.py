# fault: dropout-on-scores
# line: 17
# what: dropout acts on the output instead of the weights
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    w = query @ key.mT * query.size(-1) ** -0.5
    if mask is not None:
        keep = mask.bool()
        w = torch.where(keep, w, torch.finfo(w.dtype).min)
        w = torch.where(keep, w.softmax(-1), 0)
    else:
        w = w.softmax(-1)
    out = w @ value
    if dropout is not None:
        out = dropout(out)
    return out, w
