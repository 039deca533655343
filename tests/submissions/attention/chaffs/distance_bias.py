# fault: -
# line: 8
# what: a bias by distance is subtracted from the scores
import torch
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    s = query @ key.mT / query.size(-1) ** 0.5
    i = torch.arange(s.size(-2), device=s.device)[:, None]; j = torch.arange(s.size(-1), device=s.device)
    s = s - 0.5 * (i - j).abs()
    if mask is not None:
        s = s.masked_fill(mask == 0, float("-inf"))
    w = torch.nan_to_num(s.softmax(-1), nan=0.0)
    if dropout is not None:
        w = dropout(w)
    return w @ value, w
