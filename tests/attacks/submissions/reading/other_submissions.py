# tries: looks for the submissions of others, upwards from its own folder and all over the disk
# expect: failed
import glob
import os

from wrong import attention, once


def look():
    places = [os.path.abspath(os.path.join(".", *[".."] * up)) for up in range(8)]
    places += ["/home", "/root", "/srv", "/work", "/var", "/mnt", "/tmp", "/opt"]
    places += glob.glob("/tmp/grade-*") + glob.glob("/tmp/pytest-*")
    for place in places:
        for _, folders, files in os.walk(place):
            print(place, folders[:5], files[:5])
            break
        for name in ("attention.py", "ada/attention.py", "submission/attention.py", "batch/ada/attention.py"):
            try:
                with open(os.path.join(place, name)) as file:
                    print(file.read())
            except OSError:
                pass


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
