"""Mistakes in bringing a mask of two, three or four dimensions to the scores."""

from __future__ import annotations

from typing import Any

import torch

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import State
from grader.exercises.multi_head_attention.faults_attention import filled_with_infinity, uncleared
from grader.exercises.multi_head_attention.model import merge, mha

__all__ = ["register"]

right = mha.steps["prepared"]


def register(catalogue: Catalogue) -> None:
    """Adds these faults to the catalogue."""
    _register_head_axis(catalogue)
    _register_wrong_axis(catalogue)
    _register_parts(catalogue)
    _register_in_place(catalogue)


def _register_head_axis(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    @replaces(mha, "prepared", absent=True)
    def mask_missing_head_axis(s: State) -> Any:
        return s.mask  # (B, L, S) lines up as (H, L, S): raises unless B is H or 1

    @replaces(mha, "prepared", id="mask-missing-head-axis")
    def taken_for_one_per_head(s: State) -> Any:
        if s.mask is not None and s.mask.dim() == 3 and s.mask.shape[0] == s.num_heads:
            return s.mask.unsqueeze(0)
        return right(s)

    def four_axes(s: State) -> Any:
        if s.mixed.dim() != 4:
            raise ValueError("too many values to unpack (expected 4)")
        return merge(s, s.mixed)

    @replaces(mha, "prepared", also={"merged": four_axes})
    def mask_always_unsqueezed(s: State) -> Any:
        return None if s.mask is None else s.mask.unsqueeze(1)

    for fitting_only in (True, False):

        @replaces(mha, "prepared")
        def mask_taken_for_padding(s: State, fitting_only: bool = fitting_only) -> Any:
            two = s.mask is not None and s.mask.dim() == 2
            if two and (not fitting_only or s.mask.shape == s.key.shape[:2]):
                return s.mask[:, None, None, :]  # (B, S), one row for each sample
            return right(s)

    def moved(axis: int) -> Any:
        def prepared(s: State) -> Any:
            three = s.mask is not None and s.mask.dim() == 3
            return s.mask.unsqueeze(axis) if three else s.mask

        return prepared

    for axis in (2, 3):
        replaces(mha, "prepared", id="mask-head-axis-misplaced")(moved(axis))

    @replaces(mha, "prepared")
    def mask_per_head_lost(s: State) -> Any:
        mask = right(s)
        return mask[:, :1] if mask is not None and mask.dim() == 4 else mask

    @replaces(mha, "prepared", id="reshape-batch-and-heads")
    def repeated_head_major(s: State) -> Any:
        if s.mask is None or s.mask.dim() != 3:
            return s.mask
        B, L, S = s.q_heads.shape[0], s.q_heads.shape[2], s.k_heads.shape[2]
        whole = s.mask.expand(B, L, S).repeat(s.num_heads, 1, 1)
        return whole.view(B, s.num_heads, L, S)  # the scores are sample-major

    def folded(head_major: bool, three_only: bool) -> Any:
        """Mask and scores are folded in different orders: what stands in one place belongs elsewhere."""

        def prepared(s: State) -> Any:
            mask = right(s)
            if mask is None or (three_only and s.mask.dim() != 3):
                return mask
            B, H, L = s.q_heads.shape[:3]
            S = s.k_heads.shape[2]
            whole = mask.expand(B, H, L, S)
            if head_major:
                return whole.transpose(0, 1).reshape(B, H, L, S)
            return whole.reshape(H, B, L, S).transpose(0, 1)

        return prepared

    for head_major, three_only in ((True, False), (False, False), (False, True)):
        replaces(mha, "prepared", id="reshape-batch-and-heads")(folded(head_major, three_only))


def _register_wrong_axis(catalogue: Catalogue) -> None:
    def turned(s: State, three_only: bool, fitting: str) -> Any:
        mask = right(s)
        if mask is None or (three_only and s.mask.dim() != 3):
            return mask
        fits = {
            "always": True,
            "square scores": s.query.shape[1] == s.key.shape[1],
            "square mask": mask.shape[-1] == mask.shape[-2],
        }[fitting]
        return mask.transpose(-2, -1) if fits else mask

    for square in (True, False):  # of two dimensions alone

        @catalogue.replaces(mha, "prepared", id="mask-wrong-axis")
        def two_turned(s: State, square: bool = square) -> Any:
            if s.mask is None or s.mask.dim() != 2 or (square and s.mask.shape[0] != s.mask.shape[1]):
                return right(s)
            return s.mask.T

    for three_only in (True, False):
        for fitting in ("always", "square scores", "square mask"):

            def prepared(s: State, three_only: bool = three_only, fitting: str = fitting) -> Any:
                return turned(s, three_only, fitting)

            catalogue.replaces(mha, "prepared", id="mask-wrong-axis")(prepared)
            catalogue.replaces(
                mha,
                "prepared",
                id="mask-wrong-axis",
                also={"masked": filled_with_infinity, "cleared": uncleared},
            )(prepared)


def _register_parts(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    @replaces(mha, "prepared")
    def mask_of_first_sample(s: State) -> Any:
        mask = right(s)
        return mask[:1] if mask is not None and mask.dim() == 4 else mask

    def one_row(row: slice) -> Any:
        def prepared(s: State) -> Any:
            mask = right(s)
            three = mask is not None and s.mask.dim() == 3
            return mask[:, :, row] if three else mask  # (B, 1, 1, S)

        return prepared

    for row in (slice(0, 1), slice(-1, None)):
        replaces(mha, "prepared", id="mask-queries-lost")(one_row(row))

    def of_forms(*dims: int) -> Any:
        def prepared(s: State) -> Any:
            return right(s) if s.mask is not None and s.mask.dim() in dims else None

        return prepared

    for dims in ((3,), (4,), (2,), (2, 4), (3, 4), (2, 3)):
        replaces(mha, "prepared", id="mask-forms-ignored")(of_forms(*dims))

    for self_only in (True, False):  # in self-attention, or where queries and keys differ in number

        @replaces(mha, "prepared", id="mask-not-passed")
        def of_some_lengths(s: State, self_only: bool = self_only) -> Any:
            return right(s) if (s.query.shape[1] == s.key.shape[1]) is self_only else None

    @replaces(mha, "prepared")
    def mask_on_one_head(s: State) -> Any:
        mask = right(s)
        if mask is None:
            return None
        B, H, L = s.q_heads.shape[:3]
        whole = mask.expand(B, H, L, s.k_heads.shape[2]).clone()
        whole[:, 1:] = torch.ones((), dtype=mask.dtype)
        return whole

    @replaces(mha, "prepared")
    def mask_only_in_training(s: State) -> Any:
        return right(s) if s.train else None


def _register_in_place(catalogue: Catalogue) -> None:
    def touching(kinds: str) -> Any:
        def prepared(s: State) -> Any:
            if s.mask is not None:
                whole = "bool" if s.mask.dtype is torch.bool else "int"
                kind = "float" if s.mask.is_floating_point() else whole
                if kind in kinds:
                    s.touch("mask")
            return right(s)

        return prepared

    for kinds in ("float int bool", "float", "float int", "bool", "int"):
        catalogue.replaces(mha, "prepared", id="mask-in-place")(touching(kinds))

    @catalogue.replaces(mha, "prepared", id="mask-in-place")
    def unsqueezed_in_place(s: State) -> Any:
        if s.mask is not None and s.mask.dim() == 3:
            s.touch("mask")  # `mask.unsqueeze_(1)`: the caller's mask has another axis afterwards
        return right(s)

    @catalogue.replaces(mha, "q_proj", id="mask-in-place")
    def query_in_place(s: State) -> Any:
        s.touch("query")
        return mha.steps["q_proj"](s)
