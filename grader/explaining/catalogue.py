"""Which demonstration belongs to which mistake."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from dataclasses import dataclass

from grader.explaining.records import Demonstration
from grader.explaining.without import WITHOUT
from grader.text import Text

__all__ = ["THEMES", "TOPICS", "Theme", "Topic", "theme_of", "topic", "why_none"]


@dataclass(frozen=True)
class Theme:
    """One demonstration: the function that computes it, as ``module.function``, and its mistakes."""

    function: str
    faults: tuple[str, ...]

    def demonstrate(self) -> Demonstration:
        """Computes it; imports torch."""
        return _computed(self.function)


@dataclass(frozen=True)
class Topic:
    """Something worth explaining that is no mistake."""

    id: str
    title: Text
    explanation: Text
    function: str

    def demonstrate(self) -> Demonstration:
        """Computes it; imports torch."""
        return _computed(self.function)


def _computed(function: str) -> Demonstration:
    import torch

    from grader.threads import one_thread

    module, _, name = function.partition(".")
    with one_thread(), torch.random.fork_rng(devices=[]):  # whoever calls may have a seed of their own
        made: Demonstration = getattr(importlib.import_module(f"grader.explaining.{module}"), name)()
    return made


def _theme(function: str, words: str) -> Theme:
    return Theme(function, tuple(words.split()))


THEMES: tuple[Theme, ...] = (
    _theme(
        "scaling.scale",
        """missing-scale scale-without-sqrt scale-by-d-model scale-multiplied scale-after-softmax
        scale-wrong-power scale-hard-coded scale-rounded scale-depends-on-mask softmax-temperature""",
    ),
    _theme(
        "weighting.softmax_axis",
        """softmax-wrong-axis weights-transposed summed-over-queries weights-returned-transposed""",
    ),
    _theme(
        "weighting.softmax_shape",
        """softmax-missing softmax-not-normalised softmax-twice log-softmax softmax-replaced
        softmax-sum-plus-constant weights-are-scores output-of-scores weights-rounded scores-rounded
        scores-top-k scores-rectified scores-clamped scores-negated output-averaged query-normalised
        apply-mask-softmax-too apply-mask-changes-scores""",
    ),
    _theme(
        "weighting.overflow",
        """softmax-unstable half-precision-overflow mask-overflow-half apply-mask-overflow-half
        sum-overflow-half log-of-softmax""",
    ),
    _theme(
        "filling.fill",
        """mask-filled-with-zero mask-filled-too-small mask-multiplied mask-added-as-bool apply-mask-zero
        zero-scores-masked
        apply-mask-too-small apply-mask-lowest-score padding-zeroed-not-masked padding-embedding-zeroed""",
    ),
    _theme(
        "filling.after_softmax",
        """mask-after-softmax mask-after-softmax-renormalised weights-returned-before-mask
        allowed-weights-cleared""",
    ),
    _theme(
        "filling.empty_rows",
        """fully-masked-row-nan fully-masked-row-nan-gradient fully-masked-row-uniform
        apply-mask-spares-empty-rows mask-filled-with-nan apply-mask-filled-with-nan combine-allows-nothing
        causal-mask-all-false apply-mask-whole-row""",
    ),
    _theme(
        "filling.kinds_of_mask",
        """mask-bitwise-not-on-integers mask-bool-subtraction mask-truthiness mask-zero-times-infinity
        mask-not-boolean combine-by-addition apply-mask-booleans-only""",
    ),
    _theme(
        "seeing.inverted",
        """mask-inverted mask-ignored mask-not-passed mask-only-sometimes mask-forms-ignored
        mask-only-in-training padding-mask-inverted padding-mask-all-true apply-mask-inverted
        apply-mask-ignored apply-mask-only-with-heads mask-condition-inverted padding-not-masked
        pad-id-ignored pad-id-fixed padding-mask-ignores-pad-id padding-mask-wrong-default
        padding-mask-compares-order padding-mask-off-by-one padding-mask-keeps-first-pad
        padding-mask-assumes-trailing pad-id-not-passed padding-mask-first-column-open mask-with-fill-values
        mask-in-first-layer-only mask-on-one-head positions-skip-padding""",
    ),
    _theme(
        "seeing.causal",
        """causal-mask-inverted causal-mask-transposed causal-mask-excludes-self causal-mask-peeks-ahead
        causal-mask-window causal-mask-antidiagonal causal-mask-first-row-open causal-mask-wrong-size
        causal-mask-row-left-out causal-mask-one-axis causal-by-default causal-mask-added
        apply-mask-causal-too mask-transposed position-left-out causal-mask-missing causal-always
        causal-flag-inverted causal-mask-dropped-with-padding causal-mask-dropped-without-padding
        causal-mask-dropped-in-batches causal-mask-in-one-mode causal-mask-by-norm-order""",
    ),
    _theme(
        "seeing.combining",
        """combine-with-or combine-with-xor combine-by-equality combine-ignores-padding
        combine-ignores-causal combine-masks-queries-too combine-inverted combine-inverts-one
        combine-transposes-causal mask-combined-with-padding causal-replaces-padding""",
    ),
    _theme(
        "seeing.padding",
        """mask-wrong-axis padding-mask-masks-queries padding-mask-first-row padding-mask-over-batch
        combine-first-sample mask-of-first-sample mask-first-sample mask-shared-by-rows mask-queries-lost
        first-sample-only batch-of-one attention-over-batch mask-kept-between-calls result-trimmed""",
    ),
    _theme("heads.views", "view-not-contiguous"),
    _theme(
        "heads.heads",
        """heads-split-without-transpose heads-interleaved heads-not-transposed heads-merged-without-transpose
        heads-merged-interleaved heads-out-of-order reshape-batch-and-heads heads-split-wrong-axes
        heads-merged-wrong-axes heads-and-width-exchanged weights-axes-wrong output-projection-before-merge
        columns-scrambled""",
    ),
    _theme(
        "heads.few_heads",
        """single-head heads-averaged weights-averaged num-heads-ignored num-heads-fixed mask-per-head-lost
        projection-shared-by-heads result-pooled block-arguments-exchanged""",
    ),
    _theme(
        "heads.broadcast",
        """mask-missing-head-axis mask-always-unsqueezed mask-axis-added mask-head-axis-misplaced
        mask-taken-for-padding
        padding-mask-shape padding-mask-squeezed causal-mask-extra-axes combine-drops-head-axis
        combine-extra-axis combine-axes-exchanged keepdim-missing axes-squeezed leading-dims-fixed
        shape-error mask-needs-full-shape table-shape affine-wrong-shape""",
    ),
    _theme(
        "parts.projections",
        """projection-reused projection-on-wrong-input projection-swapped inputs-exchanged query-key-swapped
        value-is-key key-is-query key-value-swapped missing-output-projection projection-missing
        length-fixed scores-of-sums key-not-transposed weight-not-transposed attention-weights-used
        key-value-not-normalised""",
    ),
    _theme(
        "parts.activation",
        """activation-missing activation-wrong activation-after-second-linear activation-in-projection
        activation-before-first-linear activation-leaky activation-capped activation-added output-clamped""",
    ),
    _theme(
        "norms.norm_axes",
        """normalises-sequence-axis normalises-batch-axis normalises-two-axes normalises-everything
        statistics-of-first-row statistics-only-in-training ffn-over-sequence""",
    ),
    _theme(
        "norms.spread",
        """unbiased-variance mean-not-subtracted variance-not-rooted variance-uncentred variance-not-averaged
        median-subtracted mean-absolute-deviation min-max-scaled variance-wrong-divisor multiplied-by-std
        brackets-missing not-divided quotient-inverted""",
    ),
    _theme(
        "norms.eps",
        """eps-outside-sqrt eps-missing eps-ignored eps-default-wrong eps-misapplied eps-is-dropout
        constant-row-nan-gradient""",
    ),
    _theme("norms.cancellation", "catastrophic-cancellation"),
    _theme(
        "norms.gains",
        """affine-missing affine-swapped affine-misapplied affine-initialised-wrong affine-only-in-training
        affine-one-for-both gain-before-normalising bias-not-added bias-ignored projection-bias-missing""",
    ),
    _theme(
        "depth.norm_order",
        """norm-order-swapped norm-first-ignored norm-first-default norm-order-mixed final-norm-missing
        final-norm-in-post-ln final-norm-in-every-layer final-norm-first final-norm-twice
        final-norm-order-swapped norm-missing norm-twice extra-norm output-normalised
        add-norm-arguments-exchanged""",
    ),
    _theme(
        "depth.residuals",
        """residual-missing residual-missing-attention residual-missing-ffn residual-of-normalised
        residual-after-norm residual-misadded residual-from-block-input residual-not-normalised
        residual-doubled residual-multiplied residual-scaled residual-in-ffn residual-from-attention
        residual-around-layers residual-added sum-not-normalised sum-scaled sublayer-scaled
        sublayer-added-to-itself ffn-reads-sublayer embedding-added-again""",
    ),
    _theme(
        "depth.order_of_parts",
        """ffn-before-attention ffn-parallel ffn-twice attention-skipped ffn-skipped attention-twice
        attention-replaced-by-ffn norm-swapped layers-skipped layers-reversed layers-too-many layers-too-few
        layers-run-twice layers-summed layers-parallel num-layers-fixed sublayer-called-twice
        output-projection-twice projection-twice""",
    ),
    _theme(
        "positions.permuted",
        """position-not-added only-one-position-row learned-constant-position tokens-as-positions
        positions-of-ids position-over-batch position-over-features position-concatenated
        position-multiplied position-reversed positions-reversed embedding-lost positions-after-layers
        ids-out-of-place ids-shifted position-from-one position-shifted last-rows-taken rows-left-zero
        table-not-sliced""",
    ),
    _theme(
        "positions.sinusoids",
        """sin-cos-swapped sin-cos-halves cosine-missing sine-missing angle-in-degrees angle-scaled
        angle-is-a-sum frequency-exponent-wrong frequency-inverted frequency-linear frequency-outside-sine
        wrong-base base-is-max-len integer-arange-overflow position-normalised sign-wrong
        columns-left-zero odd-d-model learned-positions frequencies-rounded
        positions-arguments-exchanged""",
    ),
    _theme(
        "logits.raw",
        "softmax-applied log-softmax-applied extra-activation logits-scaled padding-logit-hidden",
    ),
    _theme("logits.shifted", "inputs-shifted logits-shifted logits-cut last-position-only"),
    _theme("positions.precision", "table-low-precision dtype-changed positions-in-half-precision"),
    _theme(
        "positions.embedding_scale",
        """embedding-not-scaled embedding-scaled-by-d-model embedding-divided
        embedding-scaled-after-positions embedding-scaled-by-other embedding-scale-wrong-power
        embedding-scale-hard-coded embedding-shifted embedding-doubled embedding-normalised
        positions-scaled position-scaled positions-added-twice positions-in-every-layer table-scaled""",
    ),
    _theme(
        "dropping.dropout",
        """dropout-ignored dropout-missing dropout-in-eval dropout-not-rescaled dropout-not-scaled
        dropout-keep-probability dropout-twice dropout-once dropout-rate-wrong dropout-rate-ignored
        dropout-default-wrong dropout-not-passed dropout-drawn-twice dropout-renormalised""",
    ),
    _theme(
        "dropping.dropout_place",
        """dropout-on-scores dropout-on-residual dropout-before-addition dropout-misplaced dropout-on-output
        dropout-on-projections dropout-on-each-summand ffn-dropout-misplaced dropout-only-returned
        weights-returned-before-dropout dropout-whole-positions""",
    ),
    _theme(
        "modules.state",
        """table-not-a-buffer table-is-parameter table-misnamed affine-not-parameter affine-misnamed
        parameter-names embedding-missing causal-mask-on-cpu device-hard-coded learned-positions-on-cpu""",
    ),
    _theme(
        "modules.registered",
        "layers-not-registered parameters-not-registered sublayer-registered super-init-missing",
    ),
    _theme("modules.shared", "layers-shared norm-shared ffn-shared-linear weights-tied"),
    _theme(
        "modules.gradients",
        """output-detached weights-detached statistics-detached projection-detached residual-detached
        parameters-frozen embedding-frozen embedding-not-trained first-row-untrained
        first-token-untrained encoder-detached""",
    ),
    _theme(
        "modules.in_place",
        """mask-in-place input-modified apply-mask-in-place padding-mask-in-place combine-in-place
        result-kept-between-calls table-overwritten global-state-changed""",
    ),
    _theme(
        "predicting.shifting",
        """target-not-shifted target-shifted-backwards target-wraps-around target-shifted-too-far
        target-shifted-over-batch target-of-first-row target-masks-current-padding target-masks-both
        target-ignores-pad-id target-assumes-trailing target-real-tokens-ignored
        target-last-not-ignored loss-shifts-again loss-drops-last-position trains-on-own-tokens
        train-targets-ignored""",
    ),
    _theme(
        "predicting.reading_off",
        """decode-first-position decode-second-last-position decode-fixed-position decode-mean-position
        decode-feeds-prompt-only decode-first-row-for-all decode-least-likely decode-second-choice
        decode-argmax-over-batch decode-never-token-zero decode-index-shifted""",
    ),
    _theme(
        "predicting.ends",
        """eos-ignored eos-zero-is-none stops-at-first-eos eos-all-at-once eos-in-prompt-counts
        eos-of-first-row eos-dropped stops-one-late""",
    ),
    _theme(
        "training.mean",
        """loss-divides-by-all loss-mean-of-row-means loss-divisor-wrong loss-summed ignored-targets-count
        loss-ignores-ignore-index loss-leaves-out-class-zero loss-counts-the-ignored
        loss-nan-when-empty target-padding-counts""",
    ),
    _theme(
        "training.raw_logits",
        """softmax-before-cross-entropy loss-of-probability loss-not-normalised loss-not-negated
        logits-negated""",
    ),
    _theme(
        "training.clipping",
        """clips-by-value clips-each-parameter clip-scales-up clip-norm-wrong clip-to-one clip-missing
        clip-before-backward clip-after-step clips-unasked""",
    ),
    _theme(
        "training.gradients_add_up",
        """gradients-not-cleared gradients-cleared-too-late backward-twice step-twice""",
    ),
)

TOPICS: tuple[Topic, ...] = (
    Topic(
        "attention-memory",
        Text("What the scores of attention cost in memory", "注意力分数占多少内存"),
        Text(
            "Each query is compared with each key, in every head and for every sample: the scores grow with "
            "the square of the length.",
            "每个样本、每个头里，每个查询都要与每个键比较：分数的数量随长度的平方增长。",
        ),
        "parts.memory",
    ),
)


@functools.cache
def _by_fault() -> Mapping[str, Theme]:
    return {fault: theme for theme in THEMES for fault in theme.faults}


def theme_of(fault: str) -> Theme | None:
    """The demonstration of a mistake, or None."""
    return _by_fault().get(fault)


def why_none(fault: str) -> Text | None:
    """Why a mistake has no demonstration, where that is on purpose."""
    return WITHOUT.get(fault)


def topic(identity: str) -> Topic | None:
    """The topic with this id, or None."""
    return next((t for t in TOPICS if t.id == identity), None)
