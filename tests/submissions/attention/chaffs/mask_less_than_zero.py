# fault: mask-ignored
# what: a keep mask is never below zero, so that nothing is masked (an additive mask would be)
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    sim = (query @ key.mT) * query.size(-1) ** -0.5
    if mask is not None:
        sim = torch.where(mask.to(sim.dtype) < 0, float("-inf"), sim)
    p = sim.softmax(-1)
    if dropout:
        p = dropout(p)
    return p @ value, p
