# fault: uninitialised-memory
# line: 14
# what: torch.empty instead of ones or zeros
import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    mask = token_ids.ne(pad_id)
    return mask.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    mask = torch.empty(size, size, dtype=torch.int64, device=device)
    for i in range(size):
        mask[i, : i + 1] = 1
    return mask.bool()


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf)
