# tries: recurses until the stack is used up, in Python and in C
# expect: stopped|failed
import sys

sys.setrecursionlimit(10**9)
sys.stdout.write("")


def deeper(value):
    return deeper([value]) + [repr([value])]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return deeper(query), key
