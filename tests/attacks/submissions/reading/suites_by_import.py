# tries: imports the suites, the models and the solutions in every way that Python has
# expect: failed
import importlib
import importlib.machinery
import importlib.util
import inspect
import os
import pkgutil
import sys

import grader

from wrong import attention, once


def look():
    worker = os.path.dirname(sys.modules["grader.worker"].__file__)
    grader.__path__ = [os.path.dirname(worker)]
    sys.path.insert(0, os.path.dirname(os.path.dirname(worker)))
    importlib.invalidate_caches()
    for name in ("grader.exercises.attention.suite", "grader.exercises.attention.model", "solutions.attention"):
        for way in (importlib.import_module, __import__, pkgutil.resolve_name, inspect.getsource):
            try:
                print(inspect.getsource(way(name)))
            except BaseException as error:
                print(name, type(error).__name__)
        path = os.path.join(os.path.dirname(os.path.dirname(worker)), *name.split(".")) + ".py"
        try:
            print(importlib.machinery.SourceFileLoader(name, path).get_source(name))
        except BaseException as error:
            print(type(error).__name__)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
