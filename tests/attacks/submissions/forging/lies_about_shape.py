# tries: returns tensors that claim the right shape and dtype, and have neither
# expect: failed
import torch


class Liar(torch.Tensor):
    @property
    def shape(self):
        return torch.Size(self.claimed)

    @property
    def dtype(self):
        return torch.float64

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def numel(self):
        return 1

    def is_contiguous(self):
        return True

    def detach(self):
        return self


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    output = torch.ones(1, dtype=torch.float16).as_subclass(Liar)
    weights = torch.ones(1, dtype=torch.int8).as_subclass(Liar)
    output.claimed = (*query.shape[:-1], value.shape[-1])
    weights.claimed = (*query.shape[:-1], key.shape[-2])
    return output, weights
