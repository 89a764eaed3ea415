"""Accuracy at milestones: how many pairs of each paradigm a run gets right at each checkpoint, a line each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.files import write_file
from bidui.scores.links import Floats, Totals, parse_link, slln_lp, worth

FILE = "accuracy.tsv"
LINKS = ("lp", "mean_lp", "pen_lp", "slln:0.5", "slor")
HEAD = ("step", "uid", "phenomenon", "pairs", *LINKS)


@dataclass(frozen=True, slots=True)
class Milestone:
    """One paradigm at one checkpoint: how many pairs there are, and how many are right by each linking function."""

    step: int
    uid: str
    phenomenon: str
    pairs: int
    right: Mapping[str, float]  # a tie is worth one half


def milestone_accuracy(
    step: int, uids: Sequence[str], phenomena: Sequence[str], *, good: Totals, bad: Totals
) -> list[Milestone]:
    """Of every paradigm in its order; `uids` and `phenomena` are those of each pair."""
    worths: dict[str, Floats] = {}
    for name in LINKS:
        link = parse_link(name)
        if link.needs_unigrams and good.unigram is None:
            continue
        worths[name] = worth(link.score(good), link.score(bad))
    names: NDArray[np.str_] = np.array(uids)
    found = []
    for uid, phenomenon in dict(zip(uids, phenomena, strict=True)).items():
        own = names == uid
        right = {name: float(values[own].sum()) for name, values in worths.items()}
        found.append(Milestone(step, uid, phenomenon, int(own.sum()), right))
    return found


def write_milestones(folder: Path, milestones: Sequence[Milestone]) -> None:
    """Put milestones into a run's table, in the place of those of the same steps."""
    steps = {milestone.step for milestone in milestones}
    before = [m for m in read_milestones(folder) if m.step not in steps] if (folder / FILE).is_file() else []
    lines = ["\t".join(HEAD)]
    for milestone in sorted([*before, *milestones], key=lambda found: found.step):
        right = (f"{milestone.right[name]:g}" if name in milestone.right else "" for name in LINKS)
        known = (str(milestone.step), milestone.uid, milestone.phenomenon, str(milestone.pairs))
        lines.append("\t".join((*known, *right)))
    write_file(folder / FILE, "".join(f"{line}\n" for line in lines).encode())


def read_milestones(folder: Path) -> list[Milestone]:
    """The table of a run."""
    file = folder / FILE
    try:
        head, *lines = file.read_text(encoding="utf-8").splitlines() or [""]
    except (OSError, ValueError) as error:
        raise fail("milestones-unreadable", Place(str(file)), {"reason": str(error)}) from error
    names = head.split("\t")
    if names[:4] != list(HEAD[:4]):
        raise fail("milestones-unreadable", Place(str(file), 1), {"reason": head})
    found = []
    for number, line in enumerate(lines, 2):
        try:
            step, uid, phenomenon, pairs, *right = line.split("\t")
            values = {name: float(value) for name, value in zip(names[4:], right, strict=True) if value}
            found.append(Milestone(int(step), uid, phenomenon, int(pairs), values))
        except ValueError as error:
            raise fail("milestones-unreadable", Place(str(file), number), {"reason": line}) from error
    return found


# Alpha at milestones: what a checkpoint gets right by SLLN-LP as alpha goes from 0 (LP) to 1 (mean LP), a line each.
#
# The pairs are counted apart by which side is longer, since that is what alpha trades: Liu et al., Figure 2.

ALPHA_FILE = "alpha.tsv"
ALPHAS = tuple(number / 20 for number in range(21))
GROUPS = {"equal": 0, "shorter": -1, "longer": 1}  # the sign of the good side's length less the bad side's
ALPHA_HEAD = ("step", "alpha", *(f"{what}_{group}" for group in GROUPS for what in ("pairs", "right")))


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
        values = worth(link.score(good), link.score(bad))
        right = tuple(float(values[sign == group].sum()) for group in GROUPS.values())
        found.append(AlphaCount(step, alpha, pairs, right))
    return found


def write_alphas(folder: Path, counts: Sequence[AlphaCount]) -> None:
    """Put counts into a run's table, in the place of those of the same steps."""
    steps = {count.step for count in counts}
    before = [count for count in read_alphas(folder) if count.step not in steps]
    lines = ["\t".join(ALPHA_HEAD)]
    for count in sorted([*before, *counts], key=lambda found: (found.step, found.alpha)):
        cells = (f"{value:.12g}" for group in zip(count.pairs, count.right, strict=True) for value in group)
        lines.append("\t".join((str(count.step), f"{count.alpha:g}", *cells)))
    write_file(folder / ALPHA_FILE, "".join(f"{line}\n" for line in lines).encode())


def read_alphas(folder: Path) -> list[AlphaCount]:
    """The table of a run; nothing where there is none."""
    file = folder / ALPHA_FILE
    if not file.exists():
        return []
    try:
        head, *lines = file.read_text(encoding="utf-8").splitlines() or [""]
    except (OSError, ValueError) as error:
        raise fail("milestones-unreadable", Place(str(file)), {"reason": str(error)}) from error
    if head.split("\t") != list(ALPHA_HEAD):
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
