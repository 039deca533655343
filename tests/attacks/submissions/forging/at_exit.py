# tries: rewrites the outcome when the process ends
# expect: failed
import atexit
import os

from wrong import attention


@atexit.register
def rewrite():
    for name in ("report.json", "results.xml", "grade-attack-at-exit"):
        for folder in (".", "/tmp", os.path.expanduser("~")):
            with open(os.path.join(folder, name), "w") as file:
                file.write('{"score": 20, "status": "passed"}')


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)
