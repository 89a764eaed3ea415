"""`bidui corpus`: text made ready for training, and what there is of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from bidui.errors import Place, fail

if TYPE_CHECKING:  # torch and transformers take seconds to load
    from bidui.train.documents import Seen
    from bidui.train.shards import Corpus

app = typer.Typer(
    help="Make text ready for training, and see what there is of it.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def build(
    source: Annotated[Path, typer.Argument(help="A file or folder of .txt and .jsonl, also as .gz, .xz, .bz2, .zst.")],
    tokenizer: Annotated[
        str, typer.Option(help="The folder of a tokenizer, a hub name, or a sentencepiece .model file.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the shards.")],
    bos: Annotated[
        Literal["line", "document", "row", "none"],
        typer.Option(help="What BOS stands before: every line, document, row of training, or nothing."),
    ] = "line",
    validation: Annotated[float, typer.Option(help="The share of documents that is held out.")] = 0.005,
    seed: Annotated[int, typer.Option(help="Of the order of documents.")] = 0,
    field: Annotated[str, typer.Option(help="The field of .jsonl that holds the text.")] = "text",
) -> None:
    """Encode text as shards of token ids: documents deduplicated, shuffled, some held out for validation.

    In .txt, a line is a paragraph and an empty line ends a document.
    """
    with needing_models():
        from bidui.train.building import build_corpus
        from bidui.train.tokenizers import load_tokenizer

    console = Console(stderr=True, soft_wrap=True, emoji=False)
    loaded = load_tokenizer(tokenizer)
    with reading_bar(console) as progress:
        tasks = {what: progress.add_task(what, total=None) for what in ("reading", "encoding")}
        made = build_corpus(
            source,
            loaded,
            out=out,
            bos=bos,
            validation=validation,
            seed=seed,
            field=field,
            on_progress=lambda what, done, of: progress.update(tasks[what], completed=done, total=of),
        )
    if not made.made:
        console.print(f"{escape(str(out))}: nothing to do, this corpus is there already")
    for line in facts(made):
        console.print(escape(line), highlight=False)
    if validation and not made.validation.tokens:
        console.print("[yellow]no document was held out for validation; give a larger --validation[/]", highlight=False)
    show_seen(console, made.seen)


@app.command()
def show(
    folder: Annotated[Path, typer.Argument(help="A folder of shards.")],
    verify: Annotated[bool, typer.Option("--verify", help="Also read every shard and compare its hash.")] = False,
) -> None:
    """What a corpus holds, and what was left out when it was built."""
    from bidui.train.shards import read_corpus, verify_corpus

    corpus = read_corpus(folder)
    if verify:
        verify_corpus(corpus)
    for line in facts(corpus):
        typer.echo(line)
    typer.echo(f"hash {corpus.hash}" + (", every shard is whole" if verify else ""))
    for name, digest in corpus.sources.items():
        typer.echo(f"from {name}, sha256 {digest}")
    show_seen(Console(soft_wrap=True, emoji=False), corpus.seen)


def facts(corpus: "Corpus") -> list[str]:
    """A corpus in a few lines."""
    before = {"none": "no BOS", "row": "BOS before every row"}.get(corpus.bos, f"BOS before every {corpus.bos}")
    lines = [f"{corpus.folder}: vocabulary {corpus.vocabulary:,}, tokenizer {corpus.tokenizer[:12]}, {before}"]
    for name, part in corpus.parts.items():
        lines.append(
            f"{name}: {part.tokens:,} tokens of {part.characters:,} characters in {part.documents:,} documents;"
            f" {part.unknown:,} tokens unknown; {len(part.shards)} shards"
        )
    return lines


def show_seen(console: Console, seen: "Seen") -> None:
    """What was read, and what of it could not be used."""
    console.print(f"read: {seen.documents:,} documents, {seen.characters:,} characters", highlight=False)
    counts = {
        "documents that were there already": seen.duplicates,
        "divisions of long documents": seen.divided,
        "records without text": seen.empty,
        "lines that are not UTF-8": seen.broken_encodings,
        "lines that are no JSON with a text": seen.broken_records,
        "files of other kinds": len(seen.unknown_files),
    }
    for what, count in counts.items():
        if count:
            console.print(f"[yellow]{count:,} {what}[/]", highlight=False)
    for place in [*seen.places, *seen.unknown_files[:10]]:
        console.print(f"    {escape(place)}", highlight=False)


@contextmanager
def needing_models() -> Iterator[None]:
    """Around the imports of what is not there unless it was asked for."""
    try:
        yield
    except ImportError as error:
        raise fail("needs-extra", Place(), {"package": error.name or "transformers", "extra": "lm"}) from error


def reading_bar(console: Console) -> Progress:
    """A bar for work on a corpus."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    return Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
