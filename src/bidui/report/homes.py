"""Homes: the phenomenon of every paradigm that was scored."""

from collections.abc import Iterable

from bidui.analysis.strata import stratify
from bidui.scores.choices import Choices


def homes(chosen: Iterable[Choices]) -> dict[str, str]:
    """By uid, phenomenon after phenomenon in the order of their names."""
    found: dict[str, str] = {}
    for choices in chosen:
        strata = stratify(choices)
        found |= dict(zip(strata.uids, strata.phenomena, strict=True))
    return dict(sorted(found.items(), key=lambda one: (one[1], one[0])))
