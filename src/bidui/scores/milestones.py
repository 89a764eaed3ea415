"""What a run knows at each of its milestones: two tables in its folder, written as checkpoints are scored.

`accuracy.tsv` has one row per checkpoint and paradigm: the number of pairs that are right by some linking functions.
`alpha.tsv` has one row per checkpoint and alpha of SLLN-LP, from 0 (LP) to 1 (mean LP). Its pairs are counted by which
sentence is longer, since that is what alpha trades: Liu et al., Figure 2. A tie is worth one half.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.files import write_file
from bidui.scores.links import Totals, parse_link, slln_lp, worth

FILE = "accuracy.tsv"
LINKS = ("lp", "mean_lp", "pen_lp", "slln:0.5", "slor")  # the columns of that file, whatever other links there are
HEAD = ("step", "uid", "phenomenon", "pairs", *LINKS)
ALPHA_FILE = "alpha.tsv"
ALPHAS = tuple(number / 20 for number in range(21))
GROUPS = {"equal": 0, "shorter": -1, "longer": 1}  # the sign of the good sentence's length minus the bad one's
ALPHA_HEAD = ("step", "alpha", *(f"{what}_{group}" for group in GROUPS for what in ("pairs", "right")))
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Milestone:
    """One paradigm at one checkpoint: the number of pairs, and how many are right by each linking function."""

    step: int
    uid: str
    phenomenon: str
    pairs: int
    right: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class AlphaCount:
    """One alpha at one checkpoint: the number of pairs in each of `GROUPS`, and how many of them are right."""

    step: int
    alpha: float
    pairs: tuple[int, ...]
    right: tuple[float, ...]


def milestone_accuracy(
    step: int, uids: Sequence[str], phenomena: Sequence[str], *, good: Totals, bad: Totals
) -> list[Milestone]:
    """Return the accuracy on every paradigm, in order; `uids` and `phenomena` are those of each pair."""
    links = [parse_link(name) for name in LINKS]
    worths = {
        name: worth(link.score(good), link.score(bad))
        for name, link in zip(LINKS, links, strict=True)
        if good.unigram is not None or not link.needs_unigrams
    }
    names: NDArray[np.str_] = np.array(uids)
    milestones = []
    for uid, phenomenon in dict(zip(uids, phenomena, strict=True)).items():
        members = names == uid
        right = {name: float(values[members].sum()) for name, values in worths.items()}
        milestones.append(Milestone(step, uid, phenomenon, int(members.sum()), right))
    return milestones


def write_milestones(folder: Path, milestones: Sequence[Milestone]) -> None:
    """Enter milestones in a run's table, replacing those of the same steps."""
    steps = {milestone.step for milestone in milestones}
    before = [m for m in read_milestones(folder) if m.step not in steps] if (folder / FILE).is_file() else []
    rows = []
    for milestone in sorted([*before, *milestones], key=lambda milestone: milestone.step):
        right = (f"{milestone.right[name]:g}" if name in milestone.right else "" for name in LINKS)
        rows.append((str(milestone.step), milestone.uid, milestone.phenomenon, str(milestone.pairs), *right))
    _write(folder / FILE, HEAD, rows)


def read_milestones(folder: Path) -> list[Milestone]:
    """Read the table of a run."""

    def milestone(names: Sequence[str], cells: Sequence[str]) -> Milestone:
        step, uid, phenomenon, pairs, *right = cells
        values = {name: float(value) for name, value in zip(names[4:], right, strict=True) if value}
        return Milestone(int(step), uid, phenomenon, int(pairs), values)

    return _read(folder / FILE, milestone, fits=lambda names: names[:4] == HEAD[:4])


def alpha_counts(step: int, *, good: Totals, bad: Totals) -> list[AlphaCount]:
    """Return the counts at every alpha; the two sentences of pair n are at n."""
    sign = np.sign(good.length - bad.length)
    pairs = tuple(int((sign == group).sum()) for group in GROUPS.values())
    counts = []
    for alpha in ALPHAS:
        link = slln_lp(alpha)
        values = worth(link.score(good), link.score(bad))
        right = tuple(float(values[sign == group].sum()) for group in GROUPS.values())
        counts.append(AlphaCount(step, alpha, pairs, right))
    return counts


def write_alphas(folder: Path, counts: Sequence[AlphaCount]) -> None:
    """Enter counts in a run's table, replacing those of the same steps."""
    steps = {count.step for count in counts}
    before = [count for count in read_alphas(folder) if count.step not in steps]
    rows = []
    for count in sorted([*before, *counts], key=lambda count: (count.step, count.alpha)):
        cells = (f"{value:.12g}" for group in zip(count.pairs, count.right, strict=True) for value in group)
        rows.append((str(count.step), f"{count.alpha:g}", *cells))
    _write(folder / ALPHA_FILE, ALPHA_HEAD, rows)


def read_alphas(folder: Path) -> list[AlphaCount]:
    """Read the table of a run; a run without one has no counts."""

    def alpha_count(names: Sequence[str], cells: Sequence[str]) -> AlphaCount:
        if len(cells) != len(ALPHA_HEAD):
            raise ValueError
        step, alpha, *values = cells
        return AlphaCount(int(step), float(alpha), tuple(map(int, values[::2])), tuple(map(float, values[1::2])))

    file = folder / ALPHA_FILE
    return _read(file, alpha_count, fits=lambda names: names == ALPHA_HEAD) if file.exists() else []


def _write(file: Path, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    write_file(file, "".join("\t".join(cells) + "\n" for cells in (head, *rows)).encode())


def _read(
    file: Path, row: Callable[[Sequence[str], Sequence[str]], Row], *, fits: Callable[[tuple[str, ...]], bool]
) -> list[Row]:
    """Read a table; `row` makes a value of the names of the columns and the cells of a line."""
    try:
        head, *lines = file.read_text(encoding="utf-8").splitlines() or [""]
    except (OSError, ValueError) as error:
        raise fail("milestones-unreadable", Place(str(file)), {"reason": str(error)}) from error
    names = tuple(head.split("\t"))
    if not fits(names):
        raise fail("milestones-unreadable", Place(str(file), 1), {"reason": head})
    values = []
    for number, line in enumerate(lines, 2):
        try:
            values.append(row(names, line.split("\t")))
        except ValueError as error:
            raise fail("milestones-unreadable", Place(str(file), number), {"reason": line}) from error
    return values
