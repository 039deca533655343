# style: causal mask by a cumulative sum over the identity
import torch


def padding_mask(token_ids, pad_id=0):
    return ~(token_ids == pad_id).unsqueeze(-2).unsqueeze(-2)


def causal_mask(size, device=None):
    eye = torch.eye(size, dtype=torch.int64, device=device)
    return torch.cumsum(eye, dim=0).bool()


def combine_masks(padding, causal):
    return (padding.int() + causal.int()) == 2


def apply_mask(scores, mask):
    return scores + torch.log(mask.to(scores.dtype))
