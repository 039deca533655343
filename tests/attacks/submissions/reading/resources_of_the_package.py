# tries: reads the package's data through importlib.resources, its metadata and its archive
# expect: failed
import glob
import importlib.metadata
import importlib.resources
import os
import site
import sys
import zipfile

from wrong import attention, once


def _caches():
    place = sys.prefix
    while place != os.path.dirname(place):  # up to the home that Python may lie in
        place = os.path.dirname(place)
        yield from (f"{place}/.cache", f"{place}/.cache/pip")


def look():
    try:
        for part in ("exercises/attention/suite.py", "_data/solutions/attention.py"):
            print(importlib.resources.files("grader").joinpath(part).read_text())
    except BaseException as error:
        print(type(error).__name__)
    try:
        for file in importlib.metadata.files("transformer-grading-kit") or ():
            print(file.read_text())
    except BaseException as error:
        print(type(error).__name__)
    for folder in (*site.getsitepackages(), "/tmp", *_caches()):
        for wheel in glob.glob(f"{folder}/*.whl") + glob.glob(f"{folder}/*/*.whl"):
            try:
                with zipfile.ZipFile(wheel) as archive:
                    for name in archive.namelist():
                        print(archive.read(name).decode(errors="replace")[:2000])
            except BaseException as error:
                print(type(error).__name__)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
