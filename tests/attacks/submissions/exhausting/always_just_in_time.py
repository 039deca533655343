# tries: takes nine tenths of the time that a call may take, in every call
# expect: stopped timeout
# slow: yes
import time

from wrong import attention

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    time.sleep(0.9)
    return attention(query, key, value, mask, dropout)
