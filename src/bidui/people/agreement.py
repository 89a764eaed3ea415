"""Agreement of people with a benchmark, from the files in its folder: `human.tsv` and `review.tsv`.

The human figures were measured on the published pairs, not on ours; wherever they are shown, this must be said.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bidui.errors import Place, fail

HUMAN_FILE, REVIEW_FILE = "human.tsv", "review.tsv"


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often people chose the good sentence: as counts of judgements, or as a percentage printed in a paper."""

    source: str
    level: str  # paradigm, phenomenon, overall
    name: str
    accuracy: float  # in percent
    correct: int | None = None
    judgements: int | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """One paradigm's pairs read blind: how many good sentences were odd, how many bad ones fine, and so on."""

    uid: str
    read: int
    missed: int  # the bad side was preferred, or neither
    odd_good: int
    fine_bad: int
    not_minimal: int
    second_violation: int


def human_agreement(folder: Path) -> tuple[Agreement, ...]:
    """Read `human.tsv` in the folder of a benchmark."""
    file = folder / HUMAN_FILE
    if not file.is_file():
        raise fail("no-human-agreement", Place(str(folder)))
    return tuple(_agreement(*cells) for cells in _rows(file))


def judgement_counts(folder: Path) -> Mapping[str, tuple[int, int]]:
    """Return the judgements of each paradigm that has counts in `human.tsv`: how many were correct, of how many."""
    return {
        row.name: (row.correct, row.judgements)
        for row in human_agreement(folder)
        if row.level == "paradigm" and row.correct is not None and row.judgements is not None
    }


def read_review(folder: Path) -> dict[str, Review]:
    """Read `review.tsv` in the folder of a benchmark, by uid; empty if there was no review."""
    file = folder / REVIEW_FILE
    if not file.is_file():
        return {}
    return {uid: Review(uid, *map(int, counts)) for uid, *counts in _rows(file)}


def pooled(agreements: Iterable[Agreement]) -> float:
    """Return the percentage correct of all judgements together; only rows with counts can be pooled."""
    counted = [(a.correct, a.judgements) for a in agreements if a.correct is not None and a.judgements is not None]
    return 100 * sum(correct for correct, _ in counted) / sum(judgements for _, judgements in counted)


def _agreement(source: str, level: str, name: str, correct: str, judgements: str, accuracy: str) -> Agreement:
    if accuracy:
        return Agreement(source, level, name, float(accuracy))
    right, total = int(correct), int(judgements)
    return Agreement(source, level, name, 100 * right / total, right, total)


def _rows(file: Path) -> list[list[str]]:
    return [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()[1:]]
