# style: loops over positions and tokens
import torch


def padding_mask(token_ids, pad_id=0):
    rows = []
    for row in token_ids:
        rows.append(torch.tensor([[[t != pad_id for t in row.tolist()]]], dtype=torch.bool))
    return torch.stack(rows).to(token_ids.device)


def causal_mask(size, device=None):
    mask = torch.zeros(size, size, dtype=torch.bool, device=device)
    for i in range(size):
        for j in range(i + 1):
            mask[i, j] = True
    return mask


def combine_masks(padding, causal):
    result = []
    for p in padding:  # p: (1, 1, S)
        result.append(torch.stack([p[0, 0].bool() & row.bool() for row in causal])[None])
    return torch.stack(result)


def apply_mask(scores, mask):
    forbidden = mask.to(torch.bool).logical_not().broadcast_to(scores.shape)
    out = scores + 0
    out.masked_fill_(forbidden, float("-inf"))
    return out
