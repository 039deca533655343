# style: NumPy inside, moved to where the input is
import numpy as np
import torch


def padding_mask(token_ids, pad_id=0):
    return torch.from_numpy(np.asarray(token_ids.cpu()) != pad_id)[:, None, None, :].to(token_ids.device)


def causal_mask(size, device=None):
    return torch.from_numpy(np.tril(np.ones((size, size), dtype=bool))).to(device or "cpu")


def combine_masks(padding, causal):
    return padding.to(torch.bool).logical_and(causal.to(torch.bool))


def apply_mask(scores, mask):
    return torch.where(mask.to(torch.bool), scores, scores.new_tensor(-np.inf))
