# tries: puts a pytest, a hypothesis and a grader of its own in place, in which nothing fails
# expect: failed
import sys
import types

from wrong import attention


class Agreeable(types.ModuleType):
    def __getattr__(self, name):
        return lambda *args, **kwargs: args[0] if args else None


for name in (
    "pytest",
    "_pytest",
    "_pytest.outcomes",
    "hypothesis",
    "grader.marking",
    "grader.marking.lab",
    "grader.marking.compare",
    "grader.exercises",
    "grader.exercises.attention.suite",
):
    sys.modules[name] = Agreeable(name)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)
