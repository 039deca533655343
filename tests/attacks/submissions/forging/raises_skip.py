# tries: raises what pytest takes for a skipped, an expected or an interrupted test
# expect: failed
import itertools
import unittest


class Skipped(BaseException):
    """As pytest's own, which is derived from BaseException."""

    def __init__(self):
        super().__init__("skipped")
        self.allow_module_level = True


class XFailed(Skipped):
    pass


class Exit(Skipped):
    returncode = 0


kinds = itertools.cycle(
    [Skipped, XFailed, Exit, unittest.SkipTest, KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration]
)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    raise next(kinds)()
