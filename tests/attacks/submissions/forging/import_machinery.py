# tries: changes how modules are found, compiled and named, for whatever the worker imports later
# expect: stopped crash
import builtins
import importlib
import sys

from wrong import attention

true_import = builtins.__import__


class Finder:
    def find_spec(self, name, path=None, target=None):
        print(name)
        return None


def bring(name, *args, **kwargs):
    return true_import(name, *args, **kwargs)


builtins.__import__ = bring
builtins.compile = lambda *args, **kwargs: None
builtins.isinstance = lambda value, kind: True
sys.meta_path.insert(0, Finder())
sys.path_hooks.insert(0, lambda path: Finder())
importlib.invalidate_caches()
for name in [n for n in sys.modules if n.startswith("grader.worker")]:
    sys.modules.pop(name)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)
