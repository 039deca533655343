"""The groups that pairs form: whoever is alike to a member belongs to them."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["clusters"]


def clusters(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Each group sorted, the largest first."""
    leader: dict[str, str] = {}

    def lead(name: str) -> str:
        while leader.setdefault(name, name) != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for one, other in pairs:
        leader[lead(one)] = lead(other)
    groups: dict[str, list[str]] = {}
    for name in leader:
        groups.setdefault(lead(name), []).append(name)
    return sorted((tuple(sorted(g)) for g in groups.values()), key=lambda g: (-len(g), g))
