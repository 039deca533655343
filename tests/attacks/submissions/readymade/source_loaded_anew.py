# tries: runs the source of torch.nn.functional under another name, for its attention in Python
# expect: failed
import importlib.util

import torch

from readymade import around


def operation(query, key, value, keep):
    path = torch.nn.functional.__file__
    for source in (path, importlib.util.cache_from_source(path)):
        try:
            spec = importlib.util.spec_from_file_location("fresh", source)
            fresh = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(fresh)
            break
        except OSError as error:
            print(type(error).__name__)
    width = query.shape[-1]
    same = torch.eye(width, dtype=query.dtype)
    return fresh.multi_head_attention_forward(
        query.transpose(0, 1), key.transpose(0, 1), key.transpose(0, 1), width, 1,
        None, None, None, None, False, 0.0, same, None, use_separate_proj_weight=True,
        q_proj_weight=same, k_proj_weight=same, v_proj_weight=same,
    )[1] @ value


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
