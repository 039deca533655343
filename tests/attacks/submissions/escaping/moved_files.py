# tries: moves and links files of its folder to elsewhere, and its folder itself
# expect: failed
import os

import grader.worker.server as server
from wrong import attention, once


def escape():
    with open("grade-attack", "w") as file:
        file.write("x")
    package = os.path.dirname(os.path.dirname(server.__file__))
    here = os.getcwd()
    for place in ("/tmp", "/dev/shm", "/var/tmp", package, os.path.dirname(here)):
        for action in (os.rename, os.replace, os.link, os.symlink):
            try:
                action("grade-attack", f"{place}/grade-attack")
                print("SECRET-FOUND", action, place)
            except OSError:
                pass
    try:
        os.rename(here, f"{here}-grade-attack")
        print("SECRET-FOUND moved")
    except OSError:
        pass
    for flags in (os.O_TMPFILE | os.O_RDWR, os.O_CREAT | os.O_RDWR):
        try:
            os.open("/tmp" if flags & os.O_TMPFILE else "/tmp/grade-attack", flags)
            print("SECRET-FOUND /tmp")
        except OSError:
            pass


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
