# tries: leaves some hundred small files in every call
# expect: stopped crash
import uuid

from wrong import attention

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    for _ in range(300):
        with open(uuid.uuid4().hex, "w") as file:
            file.write("x" * 100)
    return attention(query, key, value, mask, dropout)
