# style: Chinese comments and names
import torch


def padding_mask(token_ids, pad_id=0):
    """真实的词为 True，填充为 False。"""
    批大小, 长度 = token_ids.shape
    真实 = token_ids != pad_id
    return 真实.view(批大小, 1, 1, 长度) if 真实.is_contiguous() else 真实[:, None, None]


def causal_mask(size, device=None):
    # 下三角（含对角线）可以看
    全一 = torch.ones(size, size, device=device)
    下三角 = 全一.tril(diagonal=0)
    return 下三角 == 1


def combine_masks(padding, causal):
    # 两个都允许才允许
    return (padding * causal) > 0


def apply_mask(scores, mask):
    # 禁止的位置填 -inf，不改动传进来的张量
    结果 = scores.clone()
    禁止 = (mask == 0).expand(scores.shape)
    结果[禁止] = float("-inf")
    return 结果
