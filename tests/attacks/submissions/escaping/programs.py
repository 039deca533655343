# tries: starts programs in every way that Python and the C library have
# expect: failed
import ctypes
import multiprocessing
import os
import pty
import subprocess
import sys

from wrong import attention, once


def escape():
    command = ["/bin/sh", "-c", "echo SECRET-FOUND > grade-attack-program; touch /tmp/grade-attack-program"]
    libc = ctypes.CDLL(None)
    for action in (
        lambda: subprocess.run(command, timeout=5),
        lambda: os.system(" ".join(command)),
        lambda: os.popen("echo SECRET-FOUND").read(),
        lambda: os.posix_spawn(command[0], command, {}),
        lambda: os.spawnv(os.P_WAIT, command[0], command),
        lambda: os.execv(sys.executable, [sys.executable, "-c", "print(1)"]),
        lambda: multiprocessing.get_context("spawn").Process(target=print).start(),
        lambda: pty.fork(),
        lambda: libc.system(b"touch /tmp/grade-attack-program"),
        lambda: libc.syscall(58),  # vfork
        lambda: libc.syscall(435, ctypes.create_string_buffer(88), 88),  # clone3
        lambda: libc.syscall(56, 17, None, None, None, None),  # clone, without CLONE_THREAD
        lambda: libc.syscall(322, -100, b"/bin/true", None, None, 0),  # execveat
        lambda: os.memfd_create("grade-attack"),
    ):
        try:
            print(action())
        except OSError as error:
            print(type(error).__name__)
    print(os.path.exists("grade-attack-program"))


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
