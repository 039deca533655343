# tries: returns sequences and mappings that lie about their length, and never end
# expect: stopped|failed
import itertools


class Short(list):
    def __len__(self):
        return 2

    def __iter__(self):
        return itertools.repeat(None)


class Map(dict):
    def __len__(self):
        return 1

    def items(self):
        return ((str(n), None) for n in itertools.count())


calls = [0]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    calls[0] += 1
    return Short([1]) if calls[0] % 2 else Map(a=1)
