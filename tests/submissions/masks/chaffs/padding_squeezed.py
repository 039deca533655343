# fault: padding-mask-squeezed
# line: 8
# what: squeeze drops the batch axis when there is one sample
import torch


def padding_mask(token_ids, pad_id=0):
    real = (token_ids != pad_id).squeeze()
    return real.reshape(-1, 1, 1, real.shape[-1])[: len(token_ids)] if real.dim() > 1 else real[None, None]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
