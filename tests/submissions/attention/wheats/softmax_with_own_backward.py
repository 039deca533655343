# style: a softmax that is an autograd.Function of its own
import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, keep):
        if keep is not None:
            scores = scores.masked_fill(~keep, -float("inf"))
        top = scores.amax(dim=-1, keepdim=True)
        top = torch.where(torch.isinf(top), torch.zeros_like(top), top)
        raised = torch.exp(scores - top)
        total = raised.sum(dim=-1, keepdim=True)
        weights = raised / torch.where(total == 0, torch.ones_like(total), total)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, upstream):
        (weights,) = ctx.saved_tensors
        inner = (upstream * weights).sum(dim=-1, keepdim=True)
        return weights * (upstream - inner), None


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = Softmax.apply(scores, None if mask is None else mask != 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
