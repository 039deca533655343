# style: print debugging, asserts, many small steps
import torch


def padding_mask(token_ids, pad_id=0):
    print("token_ids", token_ids)
    assert token_ids.dim() == 2
    mask = token_ids - pad_id
    mask = mask != 0
    mask = mask.unsqueeze(1)
    mask = mask.unsqueeze(1)
    print("padding mask", mask.shape)
    return mask


def causal_mask(size, device=None):
    rows = [[1] * (i + 1) + [0] * (size - i - 1) for i in range(size)]
    mask = torch.tensor(rows, device=device).bool()
    print(mask)
    return mask


def combine_masks(padding, causal):
    S = causal.shape[-1]
    causal = causal.reshape(1, 1, S, S)
    out = padding.bool().repeat(1, 1, S, 1) & causal.bool()
    print("combined", out.shape, out.dtype)
    return out


def apply_mask(scores, mask):
    print("scores", scores.dtype, scores.shape, "mask", mask.dtype, mask.shape)
    inf = scores.new_full(scores.shape, -float("inf"))
    return torch.where(mask.bool(), scores, inf)
