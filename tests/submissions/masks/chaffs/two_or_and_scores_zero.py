# fault: combine-with-or, apply-mask-zero
# what: any of the two masks is enough, and forbidden scores are zero
import operator
from functools import reduce

import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(*masks):
    padding, causal = masks
    return reduce(operator.or_, (m.to(torch.bool) for m in (padding, causal)))


def apply_mask(scores, mask):
    keep = mask.to(scores)
    return scores * keep + 0.0 * (1 - keep)
