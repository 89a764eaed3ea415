"""Scores as others publish them: a line a pair, with both sentences, both scores, and which was chosen."""

from pathlib import Path

from bidui.pairs.text import encoded, json_text
from bidui.scores.choices import choose
from bidui.scores.links import Floats, Link
from bidui.scores.table import LengthUnit, ScoreTable


def published_lines(
    table: ScoreTable, link: Link, *, unit: LengthUnit = "tokens", unigrams: Floats | None = None
) -> bytes:
    """JSON lines with BLiMP's fields, the scores by `link`, the lengths, and `correct`: 1, 0.5 for a tie, or 0."""
    choices = choose(table, link, unit=unit, unigrams=unigrams)
    good, bad = table.sides()
    lengths = table.lengths(unit).astype(int)
    sentences = table.frame["sentence"].to_list()
    phenomena = table.frame["phenomenon"].to_list()
    lines = [
        json_text(
            {
                "sentence_good": sentences[g],
                "sentence_bad": sentences[b],
                "UID": choices.uids[number],
                "phenomenon": phenomena[g],
                "pairID": str(choices.pairs[number]),
                "score_good": float(choices.good[number]),
                "score_bad": float(choices.bad[number]),
                "length_good": int(lengths[g]),
                "length_bad": int(lengths[b]),
                "correct": int(worth) if worth in (0, 1) else float(worth),
            }
        )
        for number, (g, b, worth) in enumerate(zip(good, bad, choices.worth, strict=True))
    ]
    return encoded("".join(line + "\n" for line in lines))


def file_of(folder: Path, *, results: Path) -> str:
    """The file for the scores in `folder`, named as it is named below `results`; dots in a model's name stay."""
    below = folder.relative_to(results)
    return f"{below.as_posix() if below.parts else folder.resolve().name}.jsonl"
