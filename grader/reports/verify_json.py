"""The JSON of `grade verify`: ids, order and names of keys never change with the language."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import grader
from grader.reports.verify import titles
from grader.text import Text
from grader.verifying.records import ExerciseProof, Groups, PairFigures, Proof

__all__ = ["as_json"]

SCHEMA = 1


def as_json(
    proofs: Sequence[ExerciseProof], synonyms: Mapping[str, Mapping[frozenset[str], Text]], language: str
) -> str:
    """All proofs as JSON text; `synonyms`: by exercise, the faults declared the same and why."""
    whole = {
        "schema": SCHEMA,
        "kit": grader.__version__,
        "proved": all(e.holds for e in proofs),
        "exercises": [_exercise(e, synonyms.get(e.id, {}), language) for e in proofs],
    }
    return json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=2)


def _exercise(
    proved: ExerciseProof, synonyms: Mapping[frozenset[str], Text], language: str
) -> dict[str, Any]:
    return {
        "id": proved.id,
        "proved": proved.holds,
        "proofs": [_proof(p, language) for p in proved.proofs],
        "synonyms": [
            {"faults": sorted(ids), "reason": reason.in_(language)} for ids, reason in synonyms.items()
        ],
    }


def _proof(proof: Proof, language: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": proof.id,
        "title": titles()[proof.id].in_(language),
        "checked": proof.checked,
        "proved": proof.holds,
        "note": proof.note.in_(language) if proof.note is not None else None,
        "findings": [
            {"text": f.text.in_(language), "fault": f.fault, "other": f.other, "probe": f.probe}
            for f in proof.findings
        ],
    }
    if proof.pairs is not None:
        found["pairs"] = _pairs(proof.pairs)
    return found


def _pairs(figures: PairFigures) -> dict[str, Any]:
    return {
        "possible": figures.possible,
        "tried": figures.tried - figures.impossible,
        "impossible": figures.impossible,
        "exact": figures.exact,
        "hidden": figures.hidden,
        "equivalent": figures.equivalent,
        "wrong": figures.wrong,
        "share": round(figures.share, 4),
        "hidden_as": _groups(figures.smaller),
        "equivalent_to": _groups(figures.alike),
        "wrong_as": _groups(figures.missed),
    }


def _groups(groups: Groups) -> list[dict[str, Any]]:
    return [
        {"faults": list(pair), "named": None if named is None else list(named), "times": times}
        for (pair, named), times in sorted(groups.items(), key=lambda item: (-item[1], item[0][0]))
    ]
