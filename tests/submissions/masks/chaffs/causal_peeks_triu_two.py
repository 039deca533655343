# fault: causal-mask-peeks-ahead
# line: 14
# what: triu(diagonal=2) forbids too little
import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    # (B, S) -> (B, 1, 1, S)
    return (token_ids != pad_id).reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    banned = torch.ones(size, size, dtype=torch.bool, device=device).triu(2)
    return ~banned


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    out = scores.clone()
    out[(mask == 0).expand(scores.shape)] = float("-inf")
    return out
