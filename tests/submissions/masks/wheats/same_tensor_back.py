# style: apply_mask through torch.masked_fill and vmap over the batch
import torch


def padding_mask(token_ids, pad_id=0):
    return torch.vmap(lambda row: (row != pad_id)[None, None])(token_ids)


def causal_mask(size, device=None):
    position = torch.arange(size, device=device)
    return torch.vmap(lambda q: q >= position)(position)


def combine_masks(padding, causal):
    return torch.einsum("bxyk,qk->bxqk", padding.double(), causal.double()).bool()


def apply_mask(scores, mask):
    return torch.masked_fill(input=scores, mask=torch.eq(mask, 0), value=-float("inf"))
