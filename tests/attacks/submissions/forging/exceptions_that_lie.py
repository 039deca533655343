# tries: raises exceptions whose name, text and bases lie, from code that claims to be the grader's
# expect: failed
import itertools


class Meta(type):
    @property
    def __name__(cls):
        raise RuntimeError("no name")


class CheckFailed(Exception):
    fault = None
    text = "passed"

    def __str__(self):
        return "\x1b[2J\x1b]0;passed\x07" + "\u202e" + "Traceback (most recent call last):\n" + "x" * 100_000


class Unnamed(Exception, metaclass=Meta):
    def __str__(self):
        raise SystemExit(0)


kinds = itertools.cycle([CheckFailed, Unnamed, type("A" * 100_000, (Exception,), {})])
code = compile("def fail(kind):\n    raise kind()", "/grader/exercises/attention/suite.py", "exec")
space = {}
exec(code, space)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    space["fail"](next(kinds))
