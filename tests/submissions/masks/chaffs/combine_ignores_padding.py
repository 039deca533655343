# fault: combine-ignores-padding
# line: 21
# what: the padding is dropped
import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    mask = token_ids.ne(pad_id)
    return mask.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    # 下三角矩阵
    return torch.ones((size, size), device=device).tril().bool()


def combine_masks(padding, causal):
    B = padding.size(0)
    S = causal.size(-1)
    return causal.bool().expand(B, 1, S, S)


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf)
