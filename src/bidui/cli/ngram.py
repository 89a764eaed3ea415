"""`bidui ngram`: n-gram language models from text, as KenLM estimates them."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import TaskID

from bidui.cli.corpus import reading_bar, show_seen
from bidui.errors import Place, fail

if TYPE_CHECKING:  # numpy takes a tenth of a second to load, and other commands do without
    from bidui.train.ngram import NgramTraining

LEAST_MEMORY = 16 << 20
SCORED = {"char": "", "jieba": "?unit=jieba", "blank": "?unit=lexicon"}  # how `bidui score` is to divide sentences


def ngram(
    corpus: Annotated[Path, typer.Argument(help="A file or folder of .txt and .jsonl, also as .gz, .xz, .bz2, .zst.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The ARPA file; .gz at its end compresses it.")],
    order: Annotated[int, typer.Option(min=2, max=6, help="The length of the longest n-grams.")] = 5,
    unit: Annotated[
        Literal["char", "jieba", "blank"],
        typer.Option(help="Characters, words that jieba finds, or what stands between blanks."),
    ] = "char",
    memory: Annotated[str, typer.Option(help="To be used at a time, like 500M or 2G; files do the rest.")] = "1G",
    discount_fallback: Annotated[
        bool,
        typer.Option("--discount-fallback", help="Use 0.5, 1 and 1.5 for orders whose discounts cannot be estimated."),
    ] = False,
    field: Annotated[str, typer.Option(help="The field of .jsonl that holds the text.")] = "text",
) -> None:
    """Estimate an n-gram model with interpolated modified Kneser-Ney smoothing, equal to that of KenLM's lmplz.

    Every line of the text is a sentence; empty lines are none.
    """
    from bidui.train.documents import Seen
    from bidui.train.kneser_ney import FALLBACK
    from bidui.train.ngram import train_ngram

    console = Console(stderr=True, soft_wrap=True, emoji=False)
    seen = Seen()
    size = _bytes(memory)
    tasks: dict[str, TaskID] = {}
    with reading_bar(console) as progress:

        def show(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(step)
            progress.update(tasks[step], completed=done, total=total)

        made = train_ngram(
            corpus,
            out,
            order=order,
            unit=unit,
            memory=size,
            fallback=FALLBACK if discount_fallback else None,
            field=field,
            seen=seen,
            on_progress=show,
        )
    show_seen(console, replace(seen, divided=0))  # between lines, so it makes no difference to sentences
    _show(console, made, out)


def _bytes(text: str) -> int:
    """The number of bytes that `500M` or `2G` means."""
    units = {"K": 10, "M": 20, "G": 30}
    number, unit = text[:-1], text[-1:].upper()
    found = int(number) << units[unit] if unit in units and number.isascii() and number.isdecimal() else 0
    if found < LEAST_MEMORY:
        raise fail("ngram-memory", Place("", part="--memory"), {"value": text, "least": f"{LEAST_MEMORY >> 20}M"})
    return found


def _show(console: Console, made: "NgramTraining", out: Path) -> None:
    lines = [f"{out}: {made.sentences:,} sentences, {made.tokens:,} tokens ({made.unit}), {made.words:,} distinct"]
    for order, (count, discounts) in enumerate(zip(made.ngrams, made.smoothing.discounts, strict=True), start=1):
        lines.append(f"{order}-grams: {count:,}; discounts {', '.join(f'{value:.4f}' for value in discounts)}")
    for line in lines:
        console.print(escape(line), highlight=False)
    if made.smoothing.fallen_back:
        orders = ", ".join(map(str, made.smoothing.fallen_back))
        console.print(f"[yellow]the text gives no discounts for the orders {orders}[/]", highlight=False)
    console.print(f"to score: --model 'ngram:{escape(str(out))}{SCORED[made.unit]}'", highlight=False)
