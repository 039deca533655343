# tries: returns and raises what it can read, instead of printing it
# expect: failed
import os

import grader.worker.server as server

found = []
package = os.path.dirname(os.path.dirname(server.__file__))
for place in (f"{package}/exercises", package, os.path.dirname(package)):
    try:
        found.append(os.listdir(place))
    except OSError as error:
        found.append(type(error).__name__)
for path in (f"{package}/exercises/attention/suite.py", "/etc/passwd", "/proc/self/maps"):
    try:
        found.append(open(path).read())
    except OSError as error:
        found.append(type(error).__name__)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    if mask is None:
        raise ValueError(str(found))
    return str(found), found
