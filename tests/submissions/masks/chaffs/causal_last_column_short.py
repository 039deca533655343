# fault: causal-mask-row-left-out
# line: 15
# what: the inner loop never reaches the last column

import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    mask = torch.zeros(size, size, dtype=torch.bool, device=device)
    for row in range(size):
        for col in range(size - 1):
            if col <= row:
                mask[row, col] = True
    return mask


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
