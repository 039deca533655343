# fault: padding-mask-inverted
# line: 10
# what: PyTorch key_padding_mask habit: True means ignore
import torch


def padding_mask(token_ids, pad_id=0):
    keep = token_ids.ne(pad_id)
    ignore = ~keep
    return ignore.unsqueeze(1).unsqueeze(1)


def causal_mask(size, device=None):
    pos = torch.arange(size, device=device)
    return pos[:, None] >= pos[None, :]


def combine_masks(padding, causal):
    # 两个掩码都允许才行
    return (padding != 0) & (causal != 0)


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf)
