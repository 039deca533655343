# tries: hides the call in a text that is run
# expect: failed forbidden-api
import base64

from readymade import around


TEXT = "aW1wb3J0IHRvcmNoCmZvdW5kID0gdG9yY2gubm4uZnVuY3Rpb25hbC5zY2FsZWRfZG90X3Byb2R1Y3RfYXR0ZW50aW9u"


def operation(query, key, value, keep):
    space = {}
    exec(base64.b64decode(TEXT), space)
    return eval("found", space)(query, key, value, keep)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
