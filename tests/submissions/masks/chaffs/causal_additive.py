# fault: mask-not-boolean
# line: 15
# what: an additive float mask of 0 and -inf, as nn.Transformer makes it
import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    mask = token_ids.ne(pad_id)
    return mask.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    mask = torch.full((size, size), float("-inf"), device=device)
    return torch.triu(mask, diagonal=1)


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf)
