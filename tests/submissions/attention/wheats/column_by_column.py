# style: a loop over the keys, an explicit maximum, `max(dim=...)[0]`
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    L, S = query.shape[-2], key.shape[-2]
    cols = [(query * key[..., j : j + 1, :]).sum(-1) for j in range(S)]
    s = torch.stack(cols, dim=-1) / query.shape[-1] ** 0.5
    dead = None
    if mask is not None:
        m = torch.as_tensor(mask, device=s.device).ne(0)
        m = torch.broadcast_to(m, s.shape)
        dead = ~m.any(-1)
        s = torch.where(m, s, torch.full_like(s, -float("inf")))
        s = torch.where(dead[..., None], torch.zeros_like(s), s)
    mx = s.max(dim=-1, keepdim=True)[0]
    e = (s - mx).exp()
    w = e / e.sum(-1, keepdim=True)
    if dead is not None:
        w = w * (~dead)[..., None].to(w.dtype)
    if dropout:
        w = dropout(w)
    out = sum(w[..., j : j + 1] * value[..., j : j + 1, :] for j in range(S))
    return out, w
