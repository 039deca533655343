# tries: returns views of one storage, the arguments themselves, and a tensor resized to nothing
# expect: failed|stopped
import torch

from wrong import attention

calls = [0]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    calls[0] += 1
    output, weights = attention(query, key, value, mask, dropout)
    if calls[0] % 3 == 0:
        return value, query
    if calls[0] % 3 == 1:
        output = output.detach().clone()
        output.untyped_storage().resize_(0)
        return output, weights
    return torch.cat([output.flatten(), weights.flatten()]).split([output.numel(), weights.numel()])
