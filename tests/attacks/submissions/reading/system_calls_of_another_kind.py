# tries: makes system calls by the numbers of 32-bit programs, which a filter may not know
# expect: stopped crash
import ctypes
import mmap

from wrong import attention, once


def look():
    # mov eax, 5 (open); int 0x80; ret
    code = b"\xb8\x05\x00\x00\x00\xcd\x80\xc3"
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    print(ctypes.CFUNCTYPE(ctypes.c_int)(address)())
    print(ctypes.CDLL(None).syscall(0x40000000 + 2, b"/etc/passwd", 0, 0))


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    once(look)
    return attention(query, key, value, mask, dropout)
