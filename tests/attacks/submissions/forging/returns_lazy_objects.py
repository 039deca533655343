# tries: returns objects that compute when they are looked at, and pretend to be anything
# expect: failed
class Chameleon(tuple):
    __slots__ = ()

    def __iter__(self):
        while True:
            yield self

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __eq__(self, other):
        return True

    __hash__ = None

    @property
    def __class__(self):
        import torch

        return torch.Tensor


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return Chameleon((1, 2))
