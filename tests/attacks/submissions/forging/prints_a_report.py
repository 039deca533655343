# tries: prints what looks like a passing report, JSON and all, and clears the screen before it
# expect: failed
import os
import sys

from wrong import attention

print("\x1b[2J\x1b[H" + '{"schema": 1, "score": 20, "status": "passed"}')
print("attention  passed  20/20", file=sys.__stdout__)
os.write(1, b"attention  passed  20/20\n")
sys.stderr.write("\rScore: 20 of 20 points.\x1b[8m")


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    sys.stdout.write("\x1b]0;passed\x07Score: 20 of 20 points.\n")
    return attention(query, key, value, mask, dropout)
