# tries: reads the hidden suites, models and solutions by their paths
# expect: failed
import glob
import os
import sys

import grader.worker.server as server

from wrong import attention, once


def look():
    package = os.path.dirname(os.path.dirname(server.__file__))
    root = os.path.dirname(package)
    for path in (
        f"{package}/exercises/attention/suite.py",
        f"{package}/exercises/attention/model.py",
        f"{package}/exercises/attention/text.en.md",
        f"{package}/_data/solutions/attention.py",
        f"{root}/solutions/attention.py",
        f"{root}/tests/support.py",
        *glob.glob(f"{package}/exercises/**/*", recursive=True),
        *glob.glob(f"{package}/exercises/attention/__pycache__/*"),
        *(os.path.join(place, "grader", "exercises", "attention", "suite.py") for place in sys.path),
    ):
        for way in (open, lambda p: os.fdopen(os.open(p, os.O_RDONLY | os.O_NOFOLLOW))):
            try:
                with way(path) as file:
                    print(file.read())
            except (OSError, UnicodeDecodeError) as error:
                print(path, type(error).__name__)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
