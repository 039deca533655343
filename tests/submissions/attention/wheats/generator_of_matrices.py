# style: a generator over the matrices of the batch; dropout on each matrix
import itertools
import math

import torch


def _each(query, key, value, keep, dropout):
    for index in itertools.product(*(range(n) for n in query.shape[:-2])):
        q, k, v = query[index], key[index], value[index]
        s = torch.stack([k.mv(row) for row in q.unbind(0)]) / math.sqrt(q.shape[1])
        m = keep[index]
        lowest = torch.finfo(s.dtype).min
        w = s.masked_fill(~m, lowest).softmax(1) * m
        w = dropout(w) if dropout is not None else w
        yield w @ v, w


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    shape = (*query.shape[:-1], key.shape[-2])
    everything = torch.ones((), dtype=torch.bool, device=query.device)
    keep = (everything if mask is None else mask != 0).expand(shape)
    pairs = list(_each(query, key, value, keep, dropout))
    output, weights = (torch.stack(list(x)) for x in zip(*pairs))
    return output.view(*query.shape[:-1], value.shape[-1]), weights.view(shape)
