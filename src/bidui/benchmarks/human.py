"""Published human agreement with a benchmark, to stand beside models; it was measured on the published pairs."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bidui.errors import Place, fail

PUBLISHED_PAIRS = "published pairs"  # the label that must stand beside these figures: they are not about our pairs


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often people chose the good sentence: as counts of judgements, or as a percentage somebody printed."""

    source: str
    level: str  # paradigm, phenomenon, overall
    name: str
    accuracy: float  # in per cent
    correct: int | None = None
    judgements: int | None = None


def human_agreement(folder: Path) -> tuple[Agreement, ...]:
    """What `human.tsv` in the folder of a benchmark holds."""
    file = folder / "human.tsv"
    if not file.is_file():
        raise fail("no-human-agreement", Place(str(folder)))
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(_row(line.split("\t")) for line in lines[1:])


def _row(cells: list[str]) -> Agreement:
    source, level, name, correct, judgements, accuracy = cells
    if accuracy:
        return Agreement(source, level, name, float(accuracy))
    right, asked = int(correct), int(judgements)
    return Agreement(source, level, name, 100 * right / asked, right, asked)


def pooled(agreements: Iterable[Agreement]) -> float:
    """Per cent correct of all judgements together; only rows with counts can be pooled."""
    counted = [(a.correct, a.judgements) for a in agreements if a.correct is not None and a.judgements is not None]
    return 100 * sum(correct for correct, _ in counted) / sum(asked for _, asked in counted)
