"""Strata: the paradigms of scored pairs, and the averages that are made of their sums.

Every average is made here, of real sums and of resampled ones alike, so that the two cannot differ in what they mean.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bidui.errors import fail
from bidui.scores.choices import Choices
from bidui.scores.links import Floats

Average = Literal["overall", "macro_paradigm", "macro_phenomenon"]
Level = Literal["paradigm", "phenomenon", "overall", "macro_paradigm", "macro_phenomenon"]

NAMES: dict[Level, str] = {"overall": "all"}
PARTS: dict[Level, Level] = {"macro_paradigm": "paradigm", "macro_phenomenon": "phenomenon"}


@dataclass(frozen=True, slots=True)
class Strata:
    """The paradigm and phenomenon of each stratum, its pairs, and the stratum of each pair; by first appearance."""

    uids: tuple[str, ...]
    phenomena: tuple[str, ...]
    sizes: Floats
    codes: NDArray[np.intp]

    def sums(self, values: Floats) -> Floats:
        """The sum of one value a pair over each stratum."""
        summed: Floats = np.bincount(self.codes, values, len(self.sizes)).astype(np.float64)
        return summed


def stratify(choices: Choices) -> Strata:
    """The strata of scored pairs; a paradigm that is in two phenomena makes two."""
    if not len(choices.uids):
        raise fail("no-choices")
    # pairs come in runs of one paradigm, so that a few hundred names are looked up and not all
    new = (choices.uids[1:] != choices.uids[:-1]) | (choices.phenomena[1:] != choices.phenomena[:-1])
    starts = np.concatenate([[0], np.flatnonzero(new) + 1])
    keys = list(zip(choices.uids[starts].tolist(), choices.phenomena[starts].tolist(), strict=True))
    order = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    codes = np.repeat([order[key] for key in keys], np.diff(starts, append=len(choices.uids)))
    uids, phenomena = zip(*order, strict=True)
    return Strata(uids, phenomena, np.bincount(codes).astype(np.float64), codes)


def totals(sums: Floats, strata: Strata, *, by: Level) -> dict[str, Floats]:
    """The sums of all pairs of each paradigm or phenomenon, or of all; the last axis is that of the strata."""
    if by not in ("paradigm", "phenomenon"):
        return {NAMES.get(by, by): sums.sum(-1)}
    names = np.array(strata.uids if by == "paradigm" else strata.phenomena, object)
    return {name: sums[..., names == name].sum(-1) for name in dict.fromkeys(names.tolist())}


def means(sums: Floats, strata: Strata, *, by: Level) -> dict[str, Floats]:
    """The mean over all pairs of each paradigm or phenomenon, or one average.

    `overall` is over pairs (micro): paradigms with more pairs, and phenomena with more paradigms, weigh more.
    `macro_paradigm` is the mean of the paradigms' means, `macro_phenomenon` of the phenomena's.
    """
    parts = PARTS.get(by, by)
    sizes = totals(strata.sizes, strata, by=parts)
    found = {name: total / sizes[name] for name, total in totals(sums, strata, by=parts).items()}
    return found if parts == by else {by: np.mean(list(found.values()), axis=0)}
