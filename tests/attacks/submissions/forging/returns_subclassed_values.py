# tries: returns integers, strings and dictionaries whose methods lie
# expect: stopped crash
class Number(int):
    def __eq__(self, other):
        return True

    def __le__(self, other):
        return True

    __hash__ = int.__hash__


class Words(str):
    def __len__(self):
        return 10**9

    def encode(self, *args):
        return b"\0" * 10


class Mapping(dict):
    def items(self):
        return [(Words("a"), self)]

    def __len__(self):
        return 1


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return Mapping(module=False), [Number(2**70), Words("x"), 10**5000, float("nan"), Mapping()]
