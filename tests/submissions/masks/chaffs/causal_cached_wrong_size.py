# fault: result-kept-between-calls
# line: 16
# what: the first mask is kept and cut or reused for every size
import torch


_cache = {}


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    if "mask" not in _cache:
        _cache["mask"] = torch.ones(size, size, device=device).tril().bool()
    return _cache["mask"][:size, :size]


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
