# tries: puts an object with a metaclass in the place of the function, and the module itself
# expect: incomplete
import sys
import types

from wrong import attention


class Meta(type):
    def __call__(cls, *args, **kwargs):
        return attention(*args, **kwargs)


class Entry(metaclass=Meta):
    pass


class Module(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Entry

    def __getattribute__(self, name):
        if name == "scaled_dot_product_attention":
            return lambda *args, **kwargs: Entry(*args, **kwargs)
        return super().__getattribute__(name)


sys.modules[__name__].__class__ = Module


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    raise NotImplementedError
