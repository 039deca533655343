# fault: not-implemented
# line: 13
# what: the TODO is still there
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    # TODO: mask, softmax, output
    raise NotImplementedError
