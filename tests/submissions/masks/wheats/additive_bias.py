# style: an additive bias of 0 and -inf
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.not_equal(pad_id)[:, None, None]


def causal_mask(size, device=None):
    i = torch.arange(size, device=device).unsqueeze(1).expand(size, size)
    j = i.t()
    return j <= i


def combine_masks(padding, causal):
    return torch.minimum(padding.to(torch.uint8), causal.to(torch.uint8)).bool()


def apply_mask(scores, mask):
    bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    bias = bias.masked_fill(mask == 0, float("-inf"))
    return scores + bias
