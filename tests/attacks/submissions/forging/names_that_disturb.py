# tries: raises and prints names with escapes, reversed text, commands of GitHub, markup, and no end
# expect: failed
import warnings

from wrong import attention

NAME = "\u202e\x1b[2J\x1b]0;x\x07<script>alert(1)</script>%0A::error::" + "A" * 10000
Odd = type(NAME, (RuntimeError,), {})


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    print("::error file=attention.py,line=1::forged")
    print("::set-output name=score::20")
    print("::add-mask::a")
    print("\r##[error]forged\r\n::stop-commands::x\x85::error::y\u2028::error::z\x0b::error::w\x0c::error::v")
    print("Score: 20 of 20 points.\x1b[1A\x1b[2K")
    warnings.warn(NAME)
    if mask is not None:
        raise Odd(f"::error::x\n::warning::y\r::error::z{NAME}")
    return attention(query, key, value, mask, dropout)
