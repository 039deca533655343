"""The mistakes people make in `greedy_decode`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import State
from grader.exercises.training.decoding import decode
from grader.exercises.training.train_faults import CATALOGUE

__all__ = ["CATALOGUE"]


def decides(step: str, decision: Any, id: str) -> None:
    """Registers a mistake that decides otherwise."""
    CATALOGUE.replaces(decode, step, id=id)(lambda s: decision)


# -- modes and gradients ----------------------------------------------------------------------------

decides("mode", "as it was", "decodes-in-training-mode")
decides("mode", "train", "decodes-in-training-mode")
for _when in ("eval", "eval once run", "eval after an end", "eval without an end"):
    decides("restored", _when, "mode-not-restored")
decides("restored", "train", "mode-always-training")
decides("restored", "opposite", "mode-not-restored")
decides("built", True, "decodes-with-gradients")

# -- what the model sees, and which logits count ----------------------------------------------------

Look = Callable[[Tensor, int], Tensor]


def _sees(look: Look, id: str) -> None:
    decides("context", look, id)


_sees(lambda tokens, prompted: tokens[:, -1:], "decode-feeds-last-token")
_sees(lambda tokens, prompted: tokens[:, :prompted], "decode-feeds-prompt-only")
_sees(lambda tokens, prompted: tokens[:, 1:] if tokens.shape[1] > 1 else tokens, "decode-loses-first-token")
_sees(lambda tokens, prompted: tokens[:, -prompted:], "decode-loses-first-token")
_sees(
    lambda tokens, prompted: tokens if tokens.shape[1] == prompted else tokens[:, prompted:],
    "decode-forgets-prompt",
)


def _takes(place: Look, id: str) -> None:
    decides("place", place, id)


_takes(lambda logits, prompted: logits[:, 0], "decode-first-position")
_takes(lambda logits, prompted: logits[:, max(logits.shape[1] - 2, 0)], "decode-second-last-position")
_takes(lambda logits, prompted: logits[:, min(prompted, logits.shape[1]) - 1], "decode-fixed-position")
_takes(lambda logits, prompted: logits.mean(dim=1), "decode-mean-position")
_takes(lambda logits, prompted: logits.sum(dim=1), "decode-mean-position")
_takes(lambda logits, prompted: logits[:1, -1].expand(logits.shape[0], -1), "decode-first-row-for-all")
_takes(lambda logits, prompted: logits.max(dim=1).values, "decode-mean-position")

# -- which token ------------------------------------------------------------------------------------


def _chooses(choice: Callable[[Tensor], Tensor], id: str) -> None:
    decides("choice", choice, id)


_chooses(lambda logits: logits.argmin(dim=-1), "decode-least-likely")
_chooses(lambda logits: logits.topk(2, dim=-1).indices[:, 1], "decode-second-choice")
_chooses(lambda logits: logits.flatten().argmax().expand(logits.shape[0]), "decode-argmax-over-batch")
_chooses(
    lambda logits: logits.flatten().argmax().expand(logits.shape[0]) % logits.shape[-1],
    "decode-argmax-over-batch",
)
_chooses(lambda logits: logits[:, 1:].argmax(dim=-1) + 1, "decode-never-token-zero")
_chooses(lambda logits: logits[:, 1:].argmax(dim=-1), "decode-index-shifted")
_chooses(lambda logits: logits.argmax(dim=-1) + 1, "decode-index-shifted")

# -- how many ---------------------------------------------------------------------------------------


def _more(number: int) -> None:
    CATALOGUE.replaces(decode, "most", id="decode-wrong-length")(
        lambda s: max(0, int(s.max_new_tokens) + number)
    )


_more(1)
_more(-1)


@CATALOGUE.replaces(decode, "most")
def decode_length_includes_prompt(s: State) -> Any:
    return max(0, int(s.max_new_tokens) - s.prompt.shape[1])


@CATALOGUE.replaces(decode, "most")
def decode_at_least_one(s: State) -> Any:
    return max(1, int(s.max_new_tokens))


# -- the end ----------------------------------------------------------------------------------------


@CATALOGUE.replaces(decode, "end")
def eos_ignored(s: State) -> Any:
    return None


@CATALOGUE.replaces(decode, "end")
def eos_zero_is_none(s: State) -> Any:
    return s.eos_id or None


def _over(rule: Callable[[Tensor, int, int], bool], id: str) -> None:
    decides("over", rule, id)


def _at_once(tokens: Tensor, prompted: int, end: int) -> bool:
    return bool((tokens[:, -1] == end).all())


_over(lambda tokens, prompted, end: bool((tokens[:, prompted:] == end).any()), "stops-at-first-eos")
_over(_at_once, "eos-all-at-once")
_over(lambda tokens, prompted, end: bool((tokens == end).any(dim=1).all()), "eos-in-prompt-counts")
_over(lambda tokens, prompted, end: bool((tokens == end).any()), "eos-in-prompt-counts")
_over(lambda tokens, prompted, end: bool((tokens[0, prompted:] == end).any()), "eos-of-first-row")
_over(lambda tokens, prompted, end: bool((tokens[0, -1] == end).all()), "eos-of-first-row")
decides("dropped", True, "eos-dropped")


@CATALOGUE.replaces(decode, "over")
def stops_one_late(s: State) -> Any:
    """Seen only at the beginning of the next round."""

    def over(tokens: Tensor, prompted: int, end: int) -> bool:
        before = tokens[:, prompted:-1]
        return before.shape[1] > 0 and bool((before == end).any(dim=1).all())

    return over


# -- what is handed back ----------------------------------------------------------------------------


def _shows(shown: Look, id: str) -> None:
    decides("shown", shown, id)


_shows(lambda tokens, prompted: tokens[:, prompted:], "decode-returns-new-only")
_shows(lambda tokens, prompted: tokens[:, -1:], "decode-returns-last-token")
_shows(lambda tokens, prompted: tokens[:, :prompted], "decode-returns-prompt")
_shows(lambda tokens, prompted: tokens.float(), "decode-dtype-wrong")
_shows(lambda tokens, prompted: tokens.to(torch.int32), "decode-dtype-wrong")
_shows(lambda tokens, prompted: tokens.tolist(), "decode-returns-list")  # type: ignore[arg-type,return-value]
CATALOGUE.replaces(decode, "shown", id="not-implemented")(lambda s: lambda tokens, prompted: None)


@CATALOGUE.replaces(decode, "shown")
def prompt_changed(s: State) -> Any:
    if s.most > 0:
        s.touch("prompt")
    return lambda tokens, prompted: tokens


# -- places -----------------------------------------------------------------------------------------

for _id, *_words in (
    ("decodes-in-training-mode", "own:training=!training", "own:model(", "def"),
    ("mode-not-restored", "leaves:train", "own:eval", "own:train", "def"),
    ("mode-always-training", "own:train"),
    ("decodes-with-gradients", "own:enable_grad", "own:model(", "def"),
    ("decode-feeds-last-token", "own:model("),
    ("decode-feeds-prompt-only", "own:model("),
    ("decode-loses-first-token", "own:model("),
    ("decode-forgets-prompt", "own:model("),
    ("decode-first-position", "own:model(", "own:argmax", "own:max"),
    ("decode-second-last-position", "own:model(", "own:argmax", "own:max"),
    ("decode-fixed-position", "own:model(", "own:argmax", "own:max"),
    ("decode-mean-position", "own:mean", "own:sum", "own:max"),
    ("decode-first-row-for-all", "own:model(", "own:argmax", "own:max"),
    ("decode-least-likely", "own:argmin", "own:min", "own:argsort", "own:sort", "own:topk"),
    ("decode-second-choice", "own:topk", "own:argsort", "own:sort"),
    ("decode-argmax-over-batch", "own:argmax", "own:max"),
    ("decode-never-token-zero", "own:argmax"),
    ("decode-index-shifted", "own:argmax", "own:max"),
    ("decode-wrong-length", "own:range", "own:max_new_tokens"),
    ("decode-length-includes-prompt", "own:range", "own:max_new_tokens"),
    ("decode-at-least-one", "own:max_new_tokens"),
    ("eos-ignored", "own:eos_id", "def"),
    ("eos-zero-is-none", "own:if eos_id", "own:eos_id"),
    ("stops-at-first-eos", "own:any", "own:eos_id"),
    ("eos-all-at-once", "own:all", "own:eos_id"),
    ("eos-in-prompt-counts", "own:any", "own:eos_id"),
    ("eos-of-first-row", "own:done[]", "own:ended[]", "own:finished[]", "own:item", "own:eos_id"),
    ("eos-dropped", "own:if eos_id", "own:eos_id"),
    ("stops-one-late", "own:if eos_id", "own:eos_id"),
    ("decode-returns-new-only", "return"),
    ("decode-returns-last-token", "return"),
    ("decode-returns-prompt", "return"),
    ("decode-dtype-wrong", "own:zeros", "own:float", "own:empty", "own:full", "return"),
    ("decode-returns-list", "return"),
    ("prompt-changed", "in-place", "own:append", "own:resize_", "own:set_", "own:copy_", "own:prompt"),
):
    CATALOGUE.place(_id, *_words)
