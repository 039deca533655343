# style: torch.ge on outer views, xor with one
import torch


def padding_mask(token_ids, pad_id=0):
    pad = (token_ids == pad_id).to(torch.uint8)
    return (pad ^ 1).bool()[:, None, None, :]


def causal_mask(size, device=None):
    ramp = torch.linspace(0, max(size - 1, 0), size, device=device).round().long()
    return torch.ge(ramp.reshape(size, 1), ramp.reshape(1, size))


def combine_masks(padding, causal):
    forbidden_key = padding == 0
    return (causal != 0).masked_fill(forbidden_key, False)


def apply_mask(scores, mask):
    low = torch.tensor(float("-inf")).to(scores)
    return scores.where(mask.bool(), low)
