# style: a namespace class with static methods, exported by name
import math

import torch


class Masks:
    FORBIDDEN = -math.inf

    @staticmethod
    def padding(token_ids, pad_id=0):
        return (token_ids - pad_id).bool()[:, None, None]

    @staticmethod
    def causal(size, device=None):
        steps = torch.arange(size, device=device)
        return (steps.view(-1, 1) - steps.view(1, -1)).ge(0)

    @staticmethod
    def combine(padding, causal):
        return padding.type(torch.bool).mul(causal.type(torch.bool))

    @classmethod
    def apply(cls, scores, mask):
        return scores.masked_fill(mask.bool().bitwise_not(), cls.FORBIDDEN)


padding_mask = Masks.padding
causal_mask = Masks.causal
combine_masks = Masks.combine
apply_mask = Masks.apply
