"""The mistakes people make in positional encodings: those around the table, then those of the table."""

from __future__ import annotations

from grader.exercises.positional_encoding import (
    module_faults,
    module_sums,
    state_faults,
    table_columns,
    table_faults,
    table_rows,
)
from grader.exercises.positional_encoding.catalogue import CATALOGUE

__all__ = [
    "CATALOGUE",
    "module_faults",
    "module_sums",
    "state_faults",
    "table_columns",
    "table_faults",
    "table_rows",
]

# where in the source (see grader.diagnosis.places)
CATALOGUE.place("table-is-parameter", "init:Parameter", "pe=")
CATALOGUE.place("table-not-a-buffer", "pe=", "def __init__")
CATALOGUE.place("table-shape", "pe=")
CATALOGUE.place("wrong-base", "BASE=", "base=", "?**", "?pow", "?log", "?exp")
CATALOGUE.place("frequency-exponent-wrong", "**", "pow", "exp")
CATALOGUE.place("frequency-inverted", "**", "pow", "exp")
CATALOGUE.place("position-from-one", "?arange", "?range")
CATALOGUE.place("sin-cos-swapped", "?sin")
CATALOGUE.place("columns-left-zero", "?in-place")
CATALOGUE.place("sign-wrong", "?cos")
CATALOGUE.place("dropout-rate-wrong", "Dropout(", "F.dropout(!p")
CATALOGUE.place("dropout-twice", "dropout()")
CATALOGUE.place("dropout-whole-positions", "Dropout1d", "Dropout2d", "Dropout")
CATALOGUE.place("rows-left-zero", "?range")
CATALOGUE.place("learned-table-size", "embedding=")
CATALOGUE.place("first-row-untrained", "embedding=")
CATALOGUE.place("embedding-missing", "embedding=", "Embedding(")
CATALOGUE.place("columns-scrambled", "?reshape", "?view")
CATALOGUE.place(
    "table-overwritten", *(f"forward:{n}=" for n in ("pe", "ids", "positions", "position_ids", "pos"))
)
CATALOGUE.place("position-over-features", "seq_len=", "S=", "length=")
CATALOGUE.place("sin-cos-halves", "cat", "?sin")
CATALOGUE.place("table-misnamed", "register_buffer")
CATALOGUE.place("dropout-on-each-summand", "dropout()")
CATALOGUE.place("frequencies-rounded", "int", "round", "floor", "trunc")
CATALOGUE.place("angle-in-degrees", "deg2rad", "rad2deg", "radians", "degrees")
CATALOGUE.place("dropout-default-wrong", "default:dropout=0.0", "def __init__")
CATALOGUE.place("max-len-default-wrong", "default:max_len=5000", "def __init__")
CATALOGUE.place("super-init-missing", "def __init__")
CATALOGUE.place("embedding-frozen", "requires_grad", "requires_grad_", "from_pretrained", "detach", "data")
CATALOGUE.place("dropout-not-rescaled", "rand_like", "rand", "bernoulli", "dropout()")
