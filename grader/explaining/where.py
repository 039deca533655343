"""In which exercises a mistake can be made, without loading the rooms, which takes half a second.

Every exercise explains its own mistakes in its texts; those that it shares with an earlier one, and leaves
to that one's texts, are listed here.  A test compares this with the catalogues.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from grader.exercises.registry import all_exercises, module_names
from grader.exercises.texts import fault_texts

__all__ = ["SHARED", "exercises_of", "faults_of"]

SHARED: Mapping[str, tuple[str, ...]] = {
    "attention": (
        "shape-error",
        "mask-wrong-axis",
        "length-fixed",
    ),
    "masks": (
        "mask-wrong-axis",
        "mask-needs-full-shape",
        "not-implemented",
        "wrong-signature",
    ),
    "multi_head_attention": (
        "missing-scale",
        "scale-without-sqrt",
        "scale-multiplied",
        "scale-after-softmax",
        "mask-filled-with-zero",
        "mask-zero-times-infinity",
        "mask-inverted",
        "mask-after-softmax",
        "allowed-weights-cleared",
        "mask-multiplied",
        "mask-added-as-bool",
        "mask-bitwise-not-on-integers",
        "softmax-missing",
        "softmax-unstable",
        "fully-masked-row-nan",
        "fully-masked-row-nan-gradient",
        "mask-after-softmax-renormalised",
        "fully-masked-row-uniform",
        "mask-overflow-half",
        "dtype-changed",
        "key-not-transposed",
        "query-key-swapped",
        "value-is-key",
        "weights-transposed",
        "dropout-on-scores",
        "dropout-ignored",
        "softmax-wrong-axis",
        "mask-in-place",
        "wrong-signature",
        "weights-are-scores",
        "weights-returned-before-mask",
        "weights-returned-before-dropout",
        "axes-squeezed",
        "returns-output-only",
        "not-implemented",
        "output-detached",
        "scale-wrong-power",
        "scale-rounded",
        "scale-depends-on-mask",
        "scores-negated",
        "scores-rounded",
        "first-sample-only",
        "mask-needs-full-shape",
        "causal-by-default",
        "softmax-not-normalised",
        "dropout-only-returned",
        "mask-filled-too-small",
        "scale-hard-coded",
        "dropout-not-scaled",
        "half-precision-overflow",
    ),
    "layer_norm": (
        "dropout-keep-probability",
        "shape-error",
    ),
    "encoder": (
        "position-from-one",
        "only-one-position-row",
        "parameters-frozen",
        "attention-over-batch",
        "padding-mask-first-row",
        "padding-mask-assumes-trailing",
        "mask-inverted",
        "mask-transposed",
        "mask-axis-added",
        "num-heads-fixed",
    ),
    "tiny_transformer": (
        "input-modified",
        "embedding-not-scaled",
        "position-not-added",
        "final-norm-missing",
        "final-norm-twice",
        "layers-skipped",
        "mask-in-first-layer-only",
        "mask-first-sample",
        "mask-axis-added",
        "padding-mask-inverted",
        "pad-id-ignored",
        "padding-mask-masks-queries",
        "padding-mask-over-batch",
        "padding-mask-shape",
        "padding-mask-assumes-trailing",
        "returns-tuple",
        "dtype-changed",
        "parameters-frozen",
        "pad-id-fixed",
        "dropout-in-eval",
    ),
    "training": ("not-implemented",),
}


@functools.cache
def faults_of(exercise: str) -> tuple[str, ...]:
    """The ids of the mistakes that can be made in one exercise, its own first."""
    return tuple(dict.fromkeys((*fault_texts(exercise), *SHARED.get(exercise, ()))))


def exercises_of(fault: str) -> tuple[str, ...]:
    """The exercises in which a mistake can be made, in their order; all of them for one of `common`."""
    found = tuple(e.id for e in all_exercises() if fault in faults_of(e.id))
    if fault in fault_texts("common"):
        return module_names()
    return found
