"""What readers found in a benchmark's pairs, per paradigm."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Of the pairs read blind: how many good sentences were odd, bad ones fine, and so on."""

    uid: str
    read: int
    missed: int  # the bad side was preferred, or neither
    odd_good: int
    fine_bad: int
    not_minimal: int
    second_violation: int


def read_review(folder: Path) -> dict[str, Reviewed]:
    """The rows of `review.tsv` in the folder of a benchmark, by uid; none if there was no review."""
    file = folder / "review.tsv"
    if not file.is_file():
        return {}
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    return {row[0]: Reviewed(row[0], *map(int, row[1:])) for row in rows}
