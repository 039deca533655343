# style: a class of static methods, and the function delegates to it
import torch
from torch import Tensor


class _Attention:
    NEGATIVE = -1e4

    @staticmethod
    def scores(q: Tensor, k: Tensor) -> Tensor:
        return torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5

    @classmethod
    def probabilities(cls, scores: Tensor, keep: "Tensor | None") -> Tensor:
        if keep is None:
            return scores.softmax(dim=-1)
        hidden = scores.masked_fill(~keep, cls.NEGATIVE)
        return hidden.softmax(dim=-1).masked_fill(~keep, 0.0)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    keep = mask if mask is None else mask.ne(0)
    p = _Attention.probabilities(_Attention.scores(query, key), keep)
    p = p if dropout is None else dropout(p)
    return torch.einsum("...qk,...kv->...qv", p, value), p
