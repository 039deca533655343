# tries: gets at the source of the grader through linecache, inspect and tracebacks
# expect: failed
import inspect
import linecache
import sys
import traceback

from wrong import attention, once


def look():
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("grader", "tests", "solutions"):
            try:
                print(inspect.getsource(module))
            except BaseException as error:
                print(name, type(error).__name__)
    for filename in list(linecache.cache):
        if "torch" not in filename:
            print(filename, "".join(linecache.getlines(filename))[:2000])
    print("".join(traceback.format_stack()))


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
