# tries: imports the function under another name
# expect: failed forbidden-api
import importlib

from readymade import around


def operation(query, key, value, keep):
    module = importlib.import_module("torch." + "nn.functional")
    return module.scaled_dot_product_attention(query, key, value, keep)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
