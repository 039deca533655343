# tries: a source with an elif of three thousand branches
# expect: failed|error
from wrong import attention

if 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 0:
    pass
elif 2999:
    pass


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)
