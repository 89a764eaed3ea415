"""Accuracy at milestones: how many pairs of each paradigm a run gets right at each checkpoint, a line each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.pairs.atomic import write_file
from bidui.scores.links import Floats, Totals, parse_link

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
        one, other = link.score(good), link.score(bad)
        worths[name] = np.where(one > other, 1.0, np.where(one == other, 0.5, 0.0))
    names: NDArray[np.str_] = np.array(uids)
    found = []
    for uid, phenomenon in dict(zip(uids, phenomena, strict=True)).items():
        own = names == uid
        right = {name: float(worth[own].sum()) for name, worth in worths.items()}
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
