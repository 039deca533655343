# tries: rewrites the request that it is answering: less is asked, another mode, no gradients
# expect: failed|stopped
import gc

from wrong import attention


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    for found in gc.get_objects():
        if type(found) is dict and "cotangents" in found:
            found["cotangents"] = None
        if type(found) is dict and "op" in found and "id" in found:
            found["poison"] = None
            for referrer in gc.get_referrers(found):
                if type(referrer) is dict:
                    referrer.pop("elsewhere", None)
    return attention(query, key, value, mask, dropout)
