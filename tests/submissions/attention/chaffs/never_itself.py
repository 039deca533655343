# fault: -
# line: 8
# what: a position may not attend to itself
import torch
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    s = query @ key.mT / query.size(-1) ** 0.5
    eye = torch.eye(s.size(-2), s.size(-1), dtype=torch.bool, device=s.device)
    s = s.masked_fill(eye, -1e4)
    if mask is not None:
        s = s.masked_fill(mask == 0, float("-inf"))
    w = torch.nan_to_num(s.softmax(-1), nan=0.0)
    if dropout is not None:
        w = dropout(w)
    return w @ value, w
