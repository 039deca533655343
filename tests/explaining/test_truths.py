"""The central number of each demonstration is what its lesson says."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping

import pytest

from grader.explaining.catalogue import THEMES, TOPICS


@functools.cache
def facts(function: str) -> Mapping[str, float]:
    theme = next(t for t in (*THEMES, *TOPICS) if t.function == function)
    return theme.demonstrate().facts


def test_the_variance_of_scores_is_d_k() -> None:
    found = facts("scaling.scale")
    for d_k in (4, 16, 64, 256, 1024):
        assert found[f"variance {d_k}"] == pytest.approx(d_k, rel=0.25)
        assert found[f"scaled {d_k}"] == pytest.approx(1.0, rel=0.25)
    bits = [found[f"entropy {d}"] for d in (4, 16, 64, 256, 1024)]
    assert bits == sorted(bits, reverse=True)
    assert bits[0] > 2.0
    assert bits[-1] < 0.3
    assert found["gradient 1024"] < found["gradient 4"] / 5


def test_what_a_fill_lets_through() -> None:
    found = facts("filling.fill")
    assert found["weight -inf"] == 0
    assert found["weight 0"] == pytest.approx(1 / (math.e + 1 + 1 / math.e + 1), abs=1e-4)
    assert found["weight -1"] == pytest.approx(math.exp(-1) / (math.e + 1 + 2 / math.e), abs=1e-4)
    assert found["low -100"] == pytest.approx(1.0)
    assert found["low -inf"] == 0


def test_weights_masked_too_late() -> None:
    found = facts("filling.after_softmax")
    assert found["sum right"] == pytest.approx(1.0)
    assert found["sum late"] < 0.5
    assert math.isnan(found["lost"])


def test_rows_in_which_all_is_forbidden() -> None:
    found = facts("filling.empty_rows")
    assert found["nan"] == 1
    assert found["even"] == pytest.approx(1 / 3)
    assert found["filled"] == 0
    assert math.isnan(found["added"])


def test_expressions_on_masks() -> None:
    found = facts("filling.kinds_of_mask")
    assert found == {"nan": 1.0, "not one": -2.0, "not zero": -1.0}


def test_the_share_of_padding() -> None:
    found = facts("seeing.inverted")
    assert found["share right"] == 0
    assert 0.4 < found["share none"] < 0.8
    assert found["share inverted"] == pytest.approx(1.0)


def test_only_the_right_triangle_hides_the_future_and_nothing_else() -> None:
    found = facts("seeing.causal")
    assert found["leaks as asked for"] == found["empty as asked for"] == 0
    assert found["leaks one too far"] == 1
    assert found["leaks everything"] == found["leaks turned over"] == 4
    assert found["empty without itself"] == 1


def test_combining_masks() -> None:
    found = facts("seeing.combining")
    assert found["wrong both allow"] == found["lost both allow"] == 0
    assert found["wrong one allows"] > 0
    assert found["lost queries too"] > 0


def test_padding_of_the_shorter_sample() -> None:
    found = dict(facts("seeing.padding"))
    right = found.pop("second keys, each sample its own")
    assert right == 0
    assert all(value > 0.1 for value in found.values())


def test_over_which_axis_the_weights_sum_to_one() -> None:
    found = facts("weighting.softmax_axis")
    assert found["rows"] < 1e-6
    assert found["columns"] < 1e-6
    assert found["off"] > 0.1
    assert found["moved keys"] == 0
    assert found["moved queries"] > 0.01


def test_a_second_softmax_flattens() -> None:
    found = facts("weighting.softmax_shape")
    assert found["sum"] == pytest.approx(1.0)
    assert found["twice"] < found["once"] / 3
    assert found["log"] < 0


def test_where_exponentials_end() -> None:
    found = facts("weighting.overflow")
    assert math.isnan(found["plain"])
    assert found["stable"] == 1
    assert math.isinf(found["half"])


def test_when_a_view_fails() -> None:
    found = facts("heads.views")
    assert found["x (S, H, d_k)"] == found["...contiguous()"] == 0
    assert found["x.transpose(0, 1)"] == 1


def test_cutting_and_joining_heads() -> None:
    found = facts("heads.heads")
    assert found["tokens as asked for"] == 1
    assert found["tokens features first"] > 1
    assert found["merge as asked for"] == 1
    assert found["merge view alone"] < 0.5
    assert found["merge heads interleaved"] < 0.5


def test_one_head_cannot_tell_two_things_apart() -> None:
    found = facts("heads.few_heads")
    assert found["head 0"] > 0.9
    assert found["head 1"] < -0.9
    assert abs(found["single"]) < 1e-5
    assert abs(found["average"]) < 1e-5


def test_a_mask_meets_the_wrong_axis() -> None:
    found = facts("heads.broadcast")
    assert found["raised"] == 3
    assert found["wrong head"] == 1


def test_what_a_norm_leaks() -> None:
    found = facts("norms.norm_axes")
    assert found["leak the features"] == found["padding the features"] == 0
    assert found["leak the positions"] > 0.1
    assert found["padding the positions"] > 0.1
    assert found["leak the batch"] > 0.1


def test_the_factor_of_the_unbiased_variance() -> None:
    found = facts("norms.spread")
    assert found["std as asked for"] == pytest.approx(1.0, abs=1e-5)
    assert found["std divided by d_model - 1"] == pytest.approx(math.sqrt(7 / 8), abs=1e-5)
    assert found["std by the variance"] == pytest.approx(1 / 3, abs=1e-4)
    assert found["std multiplied"] == pytest.approx(9.0, abs=1e-3)
    assert found["factor 2"] == pytest.approx(math.sqrt(2))


def test_where_eps_stands() -> None:
    found = facts("norms.eps")
    assert found["ratio 1"] == pytest.approx(1.0, abs=1e-4)
    assert found["ratio 0"] == pytest.approx(math.sqrt(1e-5) / 1e-5)
    assert found["bare"] == found["gradient"] == 1


def test_the_variance_as_a_difference() -> None:
    found = facts("norms.cancellation")
    assert found["once 0"] == pytest.approx(1.0, abs=1e-4)
    assert found["twice 100000"] == pytest.approx(1.0, abs=1e-2)
    assert abs(found["once 100000"] - 1) > 10


def test_gain_and_bias() -> None:
    found = dict(facts("norms.gains"))
    assert found.pop("off normalised · weight + bias") == 0
    assert min(found.values()) > 0.5


def test_the_gradient_through_depth() -> None:
    found = facts("depth.norm_order")
    for depth in (6, 12, 24):
        assert 0.6 < found[f"post {depth}"] < 1.6
        assert found[f"size post {depth}"] == pytest.approx(1.0, abs=0.01)
    assert found["pre 6"] > found["pre 24"]
    assert found["pre 24"] < 0.4
    assert found["size pre 24"] > 2 * found["size pre 1"]


def test_what_is_left_without_a_residual() -> None:
    found = facts("depth.residuals")
    assert found["kept pre"] > 0.3
    assert found["kept post"] > 0.1
    assert abs(found["kept no x"]) < 0.1
    assert found["size no norm"] > 3
    assert found["size norm within"] > 3


def test_the_order_of_parts() -> None:
    found = facts("depth.order_of_parts")
    assert len(set(found.values())) == len(found)
    assert found["first f, then h"] == 8


def test_only_positions_make_the_order_heard() -> None:
    found = facts("positions.permuted")
    assert found["order positions added"] > 0.1
    for name in ("no positions", "the same row for all", "looked up by token"):
        assert found[f"order {name}"] < 1e-9
    assert found["words positions alone"] == 0


def test_the_product_of_rows_depends_on_the_distance_alone() -> None:
    found = facts("positions.sinusoids")
    assert found["uneven as asked for"] == 0
    assert found["uneven sines only"] > 0.5
    assert found["longest exponent i / d_model"] < found["longest as asked for"] / 10
    assert found["next times 10000^…"] < 0.2
    assert found["next angles in degrees"] > 0.999


def test_positions_in_half_precision() -> None:
    found = facts("positions.precision")
    assert found["different float32"] == 4096
    assert found["different bfloat16"] < 1000
    assert found["different float16"] < 4096
    assert found["error bfloat16"] > 1


def test_words_and_positions_weigh_the_same() -> None:
    found = facts("positions.embedding_scale")
    for d_model in (16, 64, 256, 512):
        assert found[f"right {d_model}"] == pytest.approx(math.sqrt(2), rel=0.15)
        assert found[f"missing {d_model}"] == pytest.approx(math.sqrt(2 / d_model), rel=0.15)


def test_dropout_keeps_the_mean() -> None:
    found = facts("dropping.dropout")
    assert found["mean as asked for"] == pytest.approx(1.0, abs=0.05)
    assert found["mean kept as it is"] == pytest.approx(0.5, abs=0.05)
    assert found["kept twice"] == pytest.approx(0.25, abs=0.05)
    assert found["eval as asked for"] == 0
    assert found["eval in eval mode too"] > 0.5


def test_a_dropped_score_is_no_absent_key() -> None:
    found = facts("dropping.dropout_place")
    assert found["score dropped"] > 3 * found["weight"]
    assert found["left branch"] == 1
    assert found["left sum"] == pytest.approx(found["expected"], abs=0.06)


def test_what_a_module_knows() -> None:
    state = facts("modules.state")
    assert [state[f"saved {n}"] for n in ("plain tensor", "buffer", "nn.Parameter")] == [0, 1, 1]
    assert [state[f"moved {n}"] for n in ("plain tensor", "buffer", "nn.Parameter")] == [0, 1, 1]
    assert [state[f"trained {n}"] for n in ("plain tensor", "buffer", "nn.Parameter")] == [0, 0, 1]
    assert facts("modules.registered") == {"nn.ModuleList": 216.0, "a plain list": 0.0}


def test_shared_weights_are_counted_once() -> None:
    found = facts("modules.shared")
    assert found["parameters three layers"] == 3 * found["parameters one, three times"] == 216


def test_cut_gradients() -> None:
    found = facts("modules.gradients")
    assert found["first nothing cut"] > 0
    assert found["first output detached"] == found["first first layer frozen"] == 0
    assert found["second output detached"] == pytest.approx(found["second nothing cut"])
    assert abs(found["first statistics detached"] - found["first nothing cut"]) > 0.1


def test_the_callers_tensor() -> None:
    found = facts("modules.in_place")
    assert found["a new tensor: x - 1"] == 0
    assert min(v for k, v in found.items() if k != "a new tensor: x - 1") > 0


def test_self_attention_hides_exchanged_inputs() -> None:
    found = facts("parts.projections")
    for name in ("key projected from the query", "key and value exchanged"):
        assert found[f"self {name}"] == 0
        assert found[f"cross {name}"] > 0.1
    assert found["self W_q used for the key"] > 0.1


def test_two_linear_maps_are_one() -> None:
    found = facts("parts.activation")
    assert found["left none"] == 0
    assert found["left ReLU"] > 0.2
    assert found["negative after"] == 0


def test_the_square_law() -> None:
    found = facts("parts.memory")
    assert found["bytes 1024"] == found["measured"] == 8 * 8 * 1024 * 1024 * 4
    assert found["bytes 2048"] == 4 * found["bytes 1024"]


def test_padding_does_not_change_the_mean() -> None:
    found = facts("training.mean")
    assert found["right 0"] == found["right 3"] == found["right 9"] == found["by all 0"]
    assert found["by all 9"] == pytest.approx(found["right 9"] / 4)
    assert found["counted 9"] != pytest.approx(found["right 9"], abs=0.1)


def test_a_softmax_before_the_loss_has_a_floor() -> None:
    found = facts("training.raw_logits")
    assert found["right 20"] < 1e-7
    floor = math.log(1 + 3 / math.e)  # of probabilities that are 1 and 0
    assert found["twice 20"] == pytest.approx(floor, abs=1e-6)
    assert round(floor, 4) == 0.7437


def test_clipping_keeps_the_direction() -> None:
    found = facts("training.clipping")
    assert found["norm"] == pytest.approx(math.hypot(3, 0.5))
    assert found["ratio"] == pytest.approx(6.0)
    assert found["each"] > 1.0


def test_gradients_that_add_up_overshoot() -> None:
    found = facts("training.gradients_add_up")
    assert abs(found["cleared"]) < 0.01
    assert abs(found["kept"]) > 0.3


def test_without_the_shift_the_answer_is_the_question() -> None:
    found = facts("predicting.shifting")
    assert found["copied"] == 3
    assert found["counted"] == 2


def test_the_last_position_predicts_what_comes_next() -> None:
    found = facts("predicting.reading_off")
    assert found["last"] == 5
    assert found["first"] == 3


def test_when_all_rows_have_ended() -> None:
    found = facts("predicting.ends")
    assert found["all"] == 4
    assert found["any"] == found["first"] == 2
    assert found["once"] == found["falsy"] == 5


def test_every_theme_has_its_truth() -> None:
    """No demonstration without a test of its numbers."""
    source = __file__
    with open(source, encoding="utf-8") as file:
        text = file.read()
    assert not [t.function for t in (*THEMES, *TOPICS) if f'facts("{t.function}")' not in text]


def test_what_a_loss_makes_of_probabilities() -> None:
    found = facts("logits.raw")
    assert found["least of softmax"] == pytest.approx(math.log(1 + 7 / math.e), abs=1e-5)
    assert found["loss softmax of them"] > found["least of softmax"] > 10 * found["loss the logits"]
    assert found["loss log-softmax of them"] == pytest.approx(found["loss the logits"], abs=1e-4)
    assert found["loss divided by 8"] > found["loss ReLU of them"] > 10 * found["loss the logits"]


def test_the_shift_is_made_once() -> None:
    found = facts("logits.shifted")
    assert found["gap as asked for"] == 1
    assert found["gap shifted in the model too"] == 2
    assert found["gap moved to the left"] == 0
