"""Where PyTorch keeps the operations that the exercises ask for, ready made.

Three kinds: operators of the dispatcher, functions and classes written in Python that are in memory
once torch is imported, and source files that hold such code (and could be loaded anew).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["CLASSES", "FUNCTIONS", "GROUPS", "HIDDEN", "LIBRARIES", "hidden_files"]

# a group of forbidden operations: what the names of its operators and functions look like
GROUPS: dict[str, re.Pattern[str]] = {
    "attention": re.compile(r"attention|_transformer_encoder_layer_fwd"),
    "normalization": re.compile(r"(?:^|_)(?:layer|group|batch|instance|rms)_norm(?!\w*backward)"),
}

# modules that `import torch` loads, and helpers in them whose names do not give them away
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "torch.nn.functional": (),
    "torch._refs": ("_normalize",),
    "torch._refs.nn.functional": (),
    "torch._decomp.decompositions": ("native_batch_norm_helper",),
    "torch._higher_order_ops.flex_attention": (),
    "torch._native.ops.norm.rmsnorm_impl": (),
}
# classes whose construction and call are taken out, by group
CLASSES: dict[str, tuple[str, ...]] = {
    "attention": (
        "torch.nn.modules.activation.MultiheadAttention",
        "torch.nn.modules.transformer.Transformer",
        "torch.nn.modules.transformer.TransformerEncoder",
        "torch.nn.modules.transformer.TransformerEncoderLayer",
        "torch.nn.modules.transformer.TransformerDecoder",
        "torch.nn.modules.transformer.TransformerDecoderLayer",
        "torch.ao.nn.quantizable.modules.activation.MultiheadAttention",
        "torch.ao.nn.quantized.modules.activation.MultiheadAttention",
    ),
    "normalization": (
        "torch.nn.modules.normalization.LayerNorm",
        "torch.nn.modules.normalization.GroupNorm",
        "torch.nn.modules.normalization.RMSNorm",
        "torch.nn.modules.batchnorm._NormBase",
        "torch.nn.modules.batchnorm._BatchNorm",
        "torch.nn.modules.batchnorm.SyncBatchNorm",
        "torch.nn.modules.instancenorm._InstanceNorm",
        "torch.ao.nn.quantized.modules.normalization.LayerNorm",
        "torch.ao.nn.quantized.modules.normalization.GroupNorm",
    ),
}
# attributes of `torch._C` that run operators past the dispatcher
PAST_THE_DISPATCHER = ("_jit_to_static_module", "_fuse_to_static_module", "StaticModule")

# below the folder of torch: files and folders that compute one of these operations in Python
HIDDEN = (
    "nn/functional.py",
    "nn/attention/experimental",
    "nested/_internal",
    "onnx",
    "ao/nn",
    "_refs",
    "_decomp/decompositions.py",
    "_higher_order_ops/flex_attention.py",
    "_native",
    "_vendor",
    "_inductor",
    "testing/_internal",
)
# other libraries that bring attention or normalisation along
_LIBRARIES = """
allennlp apex bitsandbytes causal_conv1d d2l equinox fairscale fairseq flash_attn flax haiku jax
keras keras_core keras_hub keras_nlp labml_nn mamba_ssm megatron mindspore mlx mxnet nemo onnx
onnxruntime openvino optimum paddle performer_pytorch sentence_transformers spacy_transformers
tensor2tensor tensorflow tf_keras timm tinygrad torchtune trax transformer_lens transformers
unsloth vllm x_transformers xformers
"""
LIBRARIES = frozenset(_LIBRARIES.split())


def hidden_files(torch_folder: Path) -> Iterator[Path]:
    """The files and folders of this torch that must not be read, compiled forms included."""
    for entry in HIDDEN:
        path = torch_folder / entry
        yield path
        if path.suffix == ".py":
            yield from path.parent.glob(f"__pycache__/{path.stem}.*.pyc")
