# style: apply_mask with a backward of its own: nothing flows to forbidden scores
import torch


class _Fill(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, keep):
        ctx.save_for_backward(keep)
        return scores.masked_fill(~keep, float("-inf"))

    @staticmethod
    def backward(ctx, upstream):
        (keep,) = ctx.saved_tensors
        return upstream * keep, None


def padding_mask(token_ids, pad_id=0):
    B = token_ids.size(0)
    return (token_ids != pad_id).contiguous().view(B, 1, 1, -1)


def causal_mask(size, device=None):
    future = torch.triu(torch.full((size, size), float("-inf"), device=device), diagonal=1)
    return future == 0


def combine_masks(padding, causal):
    return torch.where(padding.bool(), causal.bool(), torch.zeros_like(causal, dtype=torch.bool))


def apply_mask(scores, mask):
    return _Fill.apply(scores, mask != 0)
