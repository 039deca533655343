# tries: finds the worker's own objects in memory and makes them lie about changed arguments
# expect: failed
import gc
import sys

from wrong import attention

for found in gc.get_objects():
    kind = type(found)
    if kind.__module__.startswith("grader.worker"):
        for name in ("changed", "still", "restore", "calls"):
            if hasattr(kind, name):
                setattr(kind, name, lambda *args: [])
for module in [m for n, m in sys.modules.items() if n.startswith("grader.worker")]:
    for name in ("_equal", "_bytes", "_layout"):
        if hasattr(module, name):
            setattr(module, name, lambda *args: True)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    query.mul_(0)
    return attention(query, key, value, mask, dropout)
