# exercise: layer_norm
# tries: calls the kernel of C++ by its symbol
# expect: failed|stopped
import ctypes
import glob
import os

import torch

from readymade import AddNorm as Added
from readymade import Norm


def operation(x, eps):
    folder = os.path.join(os.path.dirname(torch.__file__), "lib")
    for path in glob.glob(f"{folder}/libtorch_cpu*"):
        library = ctypes.CDLL(path)
        for symbol in ("_ZN2at4_ops10layer_norm4callERKNS_6TensorEN3c108ArrayRefINS5_6SymIntEEERKSt8optionalIS2_ESC_db",):
            try:
                print(getattr(library, symbol))
            except AttributeError as error:
                print(type(error).__name__)
    return torch.layer_norm(x, (x.shape[-1],), eps=eps)


Norm.operation = staticmethod(operation)


class LayerNorm(Norm):
    pass


class AddNorm(Added):
    pass
