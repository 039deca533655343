# tries: damages files that it may read: cuts them to nothing, changes mode, owner, times and attributes
# expect: failed
import ctypes
import fcntl
import os
import struct

import torch

from wrong import attention, once


def escape():
    libc = ctypes.CDLL(None, use_errno=True)
    path = torch.__file__
    before = os.stat(path)
    handle = os.open(path, os.O_RDONLY)
    for action in (
        lambda: os.open(path, os.O_RDONLY | os.O_TRUNC),
        lambda: os.truncate(path, 0),
        lambda: os.chmod(path, 0),
        lambda: os.fchmod(handle, 0),
        lambda: libc.syscall(452, -100, path.encode(), 0, 0),  # fchmodat2
        lambda: os.chown(path, 1, 1),
        lambda: os.fchown(handle, os.getuid(), os.getgid()),
        lambda: os.utime(path, (0, 0)),
        lambda: os.utime(handle, (0, 0)),
        lambda: os.setxattr(path, "user.grade", b"x"),
        lambda: fcntl.ioctl(handle, 0x40086602, struct.pack("l", 0x10)),  # FS_IOC_SETFLAGS: immutable
        lambda: fcntl.ioctl(handle, 0x40806685, b"\0" * 128),  # FS_IOC_ENABLE_VERITY
        lambda: os.unlink(path),
        lambda: os.rename(path, path + ".grade-attack"),
        lambda: os.posix_fallocate(handle, 0, 10),
    ):
        try:
            print(action())
        except OSError as error:
            print(type(error).__name__)
    after = os.stat(path)
    if (before.st_size, before.st_mode, before.st_uid, before.st_mtime) != (
        after.st_size,
        after.st_mode,
        after.st_uid,
        after.st_mtime,
    ):
        print("SECRET-FOUND changed")


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
