# fault: causal-mask-inverted
# line: 16
# what: subsequent_mask with the comparison against 1 instead of 0
import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    mask = token_ids.ne(pad_id)
    return mask.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    attn_shape = (size, size)
    subsequent = torch.triu(torch.ones(attn_shape, device=device), diagonal=1)
    return subsequent == 1


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf)
