# style: device objects and strings; a loop of rows
import torch


def padding_mask(token_ids, *, pad_id=0):
    return (token_ids != pad_id)[:, None, None]


def padding_mask(token_ids, pad_id=0):  # noqa: F811
    keep = token_ids.new_zeros((len(token_ids), 1, 1, token_ids.shape[-1])).bool()
    for b, row in enumerate(token_ids):
        keep[b, 0, 0] = row != pad_id
    return keep


def causal_mask(size, device=None):
    device = torch.device("cpu") if device is None else torch.device(device)
    return torch.cat([(torch.arange(size, device=device) <= i)[None] for i in range(size)])


def combine_masks(padding, causal):
    batch = [torch.minimum(p.long(), causal.long()).bool() for p in padding]
    return torch.stack(batch)


def apply_mask(scores, mask):
    with torch.no_grad():
        hidden = (mask != 0).logical_not()
    return torch.where(hidden, float("-inf"), scores)
