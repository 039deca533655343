# tries: takes attention out of another library, where one is installed
# expect: failed
import importlib

import torch

from readymade import around


def operation(query, key, value, keep):
    for name in ("transformers", "xformers.ops", "flash_attn", "keras.layers", "tensorflow", "jax.nn", "onnx.reference"):
        try:
            print("SECRET-FOUND", importlib.import_module(name))
        except (ImportError, RuntimeError) as error:
            print(type(error).__name__)
    return torch.onnx.ops.attention(query, key, value)[0]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
