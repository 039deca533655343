# tries: builds an extension in C++, and loads a library that it writes itself
# expect: failed
import ctypes

from wrong import attention, once


def escape():
    try:
        from torch.utils.cpp_extension import load_inline

        load_inline("x", "int f() { return 1; }", functions=["f"])
        print("SECRET-FOUND built")
    except BaseException as error:
        print(type(error).__name__)
    with open("grade-attack.so", "wb") as file:
        file.write(b"\x7fELF" + b"\0" * 100)
    try:
        ctypes.CDLL("./grade-attack.so")
    except OSError as error:
        print(error)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
