# tries: closes the connection to the grader, and goes on for ever
# expect: stopped crash
import os

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    os.closerange(0, 1024)
    while True:
        pass
