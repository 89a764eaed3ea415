"""`bidui diversity`: how varied the words and sentences of pairs are."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bidui.pairs import measure_diversity, read_pairs


def diversity(pairs: Annotated[Path, typer.Argument(help="A file or folder of pairs.")]) -> None:
    """Count character n-grams, word types, words of the lexicon, and length groups."""
    found = measure_diversity(read_pairs(pairs))
    table = Table(show_header=False, box=None)
    rows = [
        ("pairs", f"{found.pairs:,}"),
        ("sentences, distinct", f"{found.sentences:,}, {found.distinct_sentences:,}"),
        *((f"character {n}-gram types", f"{count:,}") for n, count in enumerate(found.ngrams, start=1)),
        ("word types (jieba)", f"{found.jieba_words:,}"),
        ("lexicon words used", f"{found.lexicon_words:,}"),
        ("length, mean and median", f"{found.mean_length:.1f}, {found.median_length:g}"),
        ("D= (equal length)", f"{found.equal:,} ({found.shares.equal:.0%})"),
        ("D< (good shorter)", f"{found.good_shorter:,} ({found.shares.good_shorter:.0%})"),
        ("D> (good longer)", f"{found.good_longer:,} ({found.shares.good_longer:.0%})"),
    ]
    for name, value in rows:
        table.add_row(name, value)
    Console().print(table)
