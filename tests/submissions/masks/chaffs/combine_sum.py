# fault: combine-by-addition
# line: 18
# what: the sum of the masks, values 0 to 2
import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    mask = token_ids.ne(pad_id)
    return mask.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    return torch.tril(torch.ones(size, size, dtype=torch.bool, device=device))


def combine_masks(padding, causal):
    return padding.int() + causal.int()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, -torch.inf)
