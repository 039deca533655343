# style: arithmetic on integers, bool only at the end
import torch


def padding_mask(token_ids, pad_id=0):
    return torch.sign((token_ids - pad_id).abs()).to(torch.bool).reshape(token_ids.size(0), 1, 1, -1)


def causal_mask(size, device=None):
    ones = torch.ones(size * (size + 1) // 2, device=device)
    where = torch.tril_indices(size, size, device=device)
    dense = torch.zeros(size, size, device=device).index_put((where[0], where[1]), ones)
    return dense == 1


def combine_masks(padding, causal):
    return (padding.int() * causal.int()) == 1


def apply_mask(scores, mask):
    shape = torch.broadcast_shapes(scores.shape, mask.shape)
    keep = mask.expand(shape).ne(0)
    return torch.full(shape, -torch.inf, dtype=scores.dtype).masked_scatter(keep, scores[keep])
