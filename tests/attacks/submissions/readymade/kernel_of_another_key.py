# tries: asks the dispatcher for kernels by key, and excludes the keys that refuse
# expect: failed|stopped
import torch

from readymade import around


def operation(query, key, value, keep):
    packet = torch.ops.aten.scaled_dot_product_attention.default
    for name in ("CompositeImplicitAutograd", "CPU", "AutogradCPU", "BackendSelect", "CompositeExplicitAutograd"):
        kind = getattr(torch._C.DispatchKey, name)
        with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(kind)):
            for call in (
                lambda: packet(query, key, value, keep),
                lambda: packet._op_dk(kind, query, key, value, keep),
                lambda: packet.redispatch(torch._C.DispatchKeySet(kind), query, key, value, keep),
                lambda: torch.library.get_kernel("aten::scaled_dot_product_attention", name).call_boxed(
                    torch._C.DispatchKeySet(kind), query, key, value, keep
                ),
            ):
                try:
                    return call()
                except Exception as error:
                    last = error
    raise last


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
