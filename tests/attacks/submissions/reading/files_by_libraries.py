# tries: lets libraries open the files: torch, numpy, sqlite, mmap, the dynamic linker, zip, locale
# expect: failed
import ctypes
import os

import numpy
import torch

import grader.worker.server as server
from wrong import attention, once


def look():
    package = os.path.dirname(os.path.dirname(server.__file__))
    path = f"{package}/exercises/attention/suite.py"
    parent = os.path.dirname(os.path.dirname(os.getcwd()))
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    for action in (
        lambda: bytes(torch.from_file(path, size=3000, dtype=torch.uint8).tolist()),
        lambda: bytes(torch.UntypedStorage.from_file(path, False, 3000)),
        lambda: torch.load(path),
        lambda: torch.jit.load(path),
        lambda: torch._C.PyTorchFileReader(path),
        lambda: bytes(numpy.memmap(path, mode="r")),
        lambda: numpy.fromfile(path, dtype=numpy.uint8).tobytes(),
        lambda: __import__("sqlite3").connect(f"file:{path}?mode=ro", uri=True).execute("select 1").fetchall(),
        lambda: __import__("zipfile").ZipFile(path).namelist(),
        lambda: __import__("fileinput").input(path).readline(),
        lambda: __import__("linecache").getlines(path)[0],
        lambda: __import__("tokenize").open(path).read(),
        lambda: __import__("runpy").run_path(path),
        lambda: __import__("shutil").copy(path, "copy"),
        lambda: os.listdir(parent)[0],
        lambda: os.listdir("/proc")[0],
        lambda: ctypes.CDLL(path),
        lambda: libc.fopen(path.encode(), b"r") or 1 / 0,
    ):
        try:
            found = action()
            if found:
                print("SECRET-FOUND", found)
        except Exception as error:
            print(type(error).__name__)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
