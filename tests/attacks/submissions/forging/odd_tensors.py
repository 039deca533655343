# tries: returns every kind of tensor that there is, one after the other
# expect: failed|stopped
import warnings

import torch

calls = [0]


def odd():
    base = torch.ones(2, 3)
    yield lambda: torch.empty(0, 1 << 39, 0)
    yield lambda: torch.empty(0).expand(1 << 40, 0)
    yield lambda: torch.ones(1).expand(1 << 40)
    yield lambda: torch.ones(1).expand(1 << 23)
    yield lambda: torch.arange(9.0).as_strided((5, 5), (1, 1))
    yield lambda: base.to(torch.complex128).conj()
    yield lambda: torch.quantize_per_tensor(base, 0.1, 0, torch.qint8)
    yield lambda: base.to_sparse()
    yield lambda: base.to_sparse_csr()
    yield lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    yield lambda: base.to("meta")
    yield lambda: torch.full((2, 3), 1e-40, dtype=torch.bfloat16)
    yield lambda: base.to(torch.float8_e4m3fn)
    yield lambda: torch._neg_view(base)
    yield lambda: torch.empty(1, dtype=torch.uint16)
    yield lambda: torch.ones(*[1] * 60)
    yield lambda: torch.ones(2, requires_grad=True).view(-1).detach().requires_grad_()
    yield lambda: torch.full((2, 3), 2, dtype=torch.uint8).view(torch.bool)


ODD = list(odd())


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    warnings.simplefilter("ignore")
    calls[0] += 1
    made = ODD[calls[0] % len(ODD)]()
    return made, made
