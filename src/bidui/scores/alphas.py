"""Alpha at milestones: what a checkpoint gets right by SLLN-LP as alpha goes from 0 (LP) to 1 (mean LP), a line each.

The pairs are counted apart by which side is longer, since that is what alpha trades: Liu et al., Figure 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bidui.errors import Place, fail
from bidui.pairs.atomic import write_file
from bidui.scores.links import Totals, slln_lp

FILE = "alpha.tsv"
ALPHAS = tuple(number / 20 for number in range(21))
GROUPS = {"equal": 0, "shorter": -1, "longer": 1}  # the sign of the good side's length less the bad side's
HEAD = ("step", "alpha", *(f"{what}_{group}" for group in GROUPS for what in ("pairs", "right")))


@dataclass(frozen=True, slots=True)
class AlphaCount:
    """One alpha at one checkpoint: how many pairs each of `GROUPS` has, and how many of them are right."""

    step: int
    alpha: float
    pairs: tuple[int, ...]
    right: tuple[float, ...]  # a tie is worth one half


def alpha_counts(step: int, *, good: Totals, bad: Totals) -> list[AlphaCount]:
    """At every alpha; the two sides of pair n are at n."""
    sign = np.sign(good.length - bad.length)
    pairs = tuple(int((sign == group).sum()) for group in GROUPS.values())
    found = []
    for alpha in ALPHAS:
        link = slln_lp(alpha)
        one, other = link.score(good), link.score(bad)
        worth = np.where(one > other, 1.0, np.where(one == other, 0.5, 0.0))
        right = tuple(float(worth[sign == group].sum()) for group in GROUPS.values())
        found.append(AlphaCount(step, alpha, pairs, right))
    return found


def write_alphas(folder: Path, counts: Sequence[AlphaCount]) -> None:
    """Put counts into a run's table, in the place of those of the same steps."""
    steps = {count.step for count in counts}
    before = [count for count in read_alphas(folder) if count.step not in steps]
    lines = ["\t".join(HEAD)]
    for count in sorted([*before, *counts], key=lambda found: (found.step, found.alpha)):
        cells = (f"{value:.12g}" for group in zip(count.pairs, count.right, strict=True) for value in group)
        lines.append("\t".join((str(count.step), f"{count.alpha:g}", *cells)))
    write_file(folder / FILE, "".join(f"{line}\n" for line in lines).encode())


def read_alphas(folder: Path) -> list[AlphaCount]:
    """The table of a run; nothing where there is none."""
    file = folder / FILE
    if not file.exists():
        return []
    try:
        head, *lines = file.read_text(encoding="utf-8").splitlines() or [""]
    except (OSError, ValueError) as error:
        raise fail("milestones-unreadable", Place(str(file)), {"reason": str(error)}) from error
    if head.split("\t") != list(HEAD):
        raise fail("milestones-unreadable", Place(str(file), 1), {"reason": head})
    found = []
    for number, line in enumerate(lines, 2):
        try:
            step, alpha, *cells = line.split("\t")
            if len(cells) != 2 * len(GROUPS):
                raise ValueError
            pairs, right = tuple(map(int, cells[::2])), tuple(map(float, cells[1::2]))
            found.append(AlphaCount(int(step), float(alpha), pairs, right))
        except ValueError as error:
            raise fail("milestones-unreadable", Place(str(file), number), {"reason": line}) from error
    return found
