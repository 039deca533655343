# tries: writes where others would find it: home, temporary folders, packages, the submission itself
# expect: failed
import os
import pathlib
import site
import sys

import grader.worker.server as server
import torch

from wrong import attention, once


def escape():
    package = os.path.dirname(os.path.dirname(server.__file__))
    places = ["/", "/tmp", "/var/tmp", "/dev/shm", "/etc", "/etc/cron.d", "/run", "/home"]
    places += [package, os.path.dirname(package), os.path.dirname(torch.__file__), *site.getsitepackages()]
    places += [os.path.abspath(os.path.join(*[".."] * up)) for up in range(1, 6)]
    for home in {*pathlib.Path(sys.base_prefix).parents, *pathlib.Path(sys.prefix).parents}:  # homes among them, often
        places += [home, os.path.join(home, ".config"), os.path.join(home, ".local")]
    places.append(os.path.dirname(sys.executable))
    for place in places:
        for action in (
            lambda path: open(path, "w").write("x"),
            lambda path: os.mkdir(path),
            lambda path: os.symlink("/etc/passwd", path),
            lambda path: os.mkfifo(path),
            lambda path: os.close(os.open(os.path.dirname(path), os.O_TMPFILE | os.O_RDWR)),
            lambda path: os.link(torch.__file__, path),
            lambda path: os.rename("mine", path),
        ):
            try:
                with open("mine", "w") as file:
                    file.write("x")
                action(os.path.join(place, "grade-attack-file"))
                print("SECRET-FOUND", place)
            except OSError as error:
                print(type(error).__name__)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
