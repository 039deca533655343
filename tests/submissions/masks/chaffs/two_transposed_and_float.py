# fault: causal-mask-transposed, mask-not-boolean
# what: upper triangle kept, and a float padding mask
import torch


def padding_mask(token_ids, pad_id=0):
    return torch.where(token_ids == pad_id, 0.0, 1.0).reshape(len(token_ids), 1, 1, -1)


def causal_mask(size, device=None):
    r = torch.arange(size, device=device)
    return torch.stack([r >= i for i in range(size)])


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
