# style: products of booleans, subtraction of positions
import torch
import torch.nn.functional as F


def padding_mask(token_ids, pad_id=0):
    return ((token_ids < pad_id) | (token_ids > pad_id))[:, None, None, :]


def causal_mask(size, device=None):
    t = torch.arange(size, device=device)
    distance = t.view(-1, 1) - t.view(1, -1)  # query - key
    return distance >= 0


def combine_masks(padding, causal):
    return padding.bool() * causal.bool()


def apply_mask(scores, mask):
    # threshold trick: a row of scores without its forbidden entries
    out = torch.empty_like(scores).fill_(float("-inf"))
    keep = mask.bool().expand(scores.shape)
    return out.masked_scatter(keep, scores.masked_select(keep))
