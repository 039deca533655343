# style: log of zero as the bias; the empty row needs no care here
import torch


def padding_mask(token_ids, pad_id=0):
    return torch.isin(token_ids, torch.tensor([pad_id]), invert=True)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.block_diag(torch.ones(size, size)).to(device).tril().type(torch.bool)


def combine_masks(padding, causal):
    return (padding.float() + causal.float()) > 1.5


def apply_mask(scores, mask):
    return scores + mask.ne(0).to(scores.dtype).log()
