# fault: -
# line: 12
# what: the output is divided by sqrt(d_k) as well
import torch
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    s = query @ key.mT / query.size(-1) ** 0.5
    if mask is not None:
        s = s.masked_fill(mask == 0, float("-inf"))
    w = torch.nan_to_num(s.softmax(-1), nan=0.0)
    if dropout is not None:
        w = dropout(w)
    return w @ value / query.size(-1) ** 0.5, w
