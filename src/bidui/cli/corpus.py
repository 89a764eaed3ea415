"""`bidui corpus`, `tokenizer` and `ngram`: prepare text for training, train tokenizers and n-gram models."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from typer.core import TyperCommand

import bidui
from bidui.cli import count, messages, show_hint

if TYPE_CHECKING:
    from bidui.training.corpus import Corpus
    from bidui.training.documents import SourceCounts
    from bidui.training.ngram import NgramTraining

WAITING = "another process is building this corpus; waiting until it is done"

app = typer.Typer(
    help="Prepare text for training, and describe a prepared corpus.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def build(
    source: Annotated[
        Path, typer.Argument(help="File or folder of .txt and .jsonl, plain or compressed (.gz, .xz, .bz2, .zst).")
    ],
    tokenizer: Annotated[str, typer.Option(help="Tokenizer folder, Hugging Face name, or sentencepiece .model file.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Output folder for the shards.")],
    bos: Annotated[
        Literal["line", "document", "row", "none"],
        typer.Option(help="Where to insert BOS: before every line, document or training row, or nowhere."),
    ] = "line",
    validation: Annotated[
        float,
        typer.Option(help="Fraction of documents held out for validation; at least a few are, unless it is 0."),
    ] = 0.005,
    seed: Annotated[int, typer.Option(help="Random seed for the order of documents.")] = 0,
    field: Annotated[str, typer.Option(help="Field of .jsonl records that holds the text.")] = "text",
) -> None:
    """Encode text as shards of token ids, with documents deduplicated, shuffled and some held out for validation.

    In .txt files, a line is a paragraph and an empty line ends a document.
    """
    console = messages()
    with needing_models():
        loaded = bidui.load_tokenizer(tokenizer)
    with reading_bar(console) as progress:
        tasks = {what: progress.add_task(what, total=None) for what in ("reading", "encoding")}

        def show(activity: str, done: int, total: int) -> None:
            if activity == "waiting":
                console.print(WAITING, highlight=False)
            else:
                progress.update(tasks[activity], completed=done, total=total)

        corpus = bidui.build_corpus(
            source,
            loaded,
            out=out,
            bos=bos,
            validation=validation,
            seed=seed,
            field=field,
            on_progress=show,
        )
    show_corpus(console, corpus)


@app.command()
def show(
    folder: Annotated[Path, typer.Argument(help="Folder of shards.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Read every shard, compare its hash, and count its tokens again.")
    ] = False,
) -> None:
    """Show what a corpus contains, and what was skipped when it was built."""
    corpus = bidui.read_corpus(folder, verify=verify)
    for line in facts(corpus):
        typer.echo(line)
    typer.echo(f"hash {corpus.hash}" + (", all shards are intact and complete" if verify else ""))
    for name, digest in corpus.sources.items():
        typer.echo(f"from {name}, sha256 {digest}")
    show_seen(Console(soft_wrap=True, emoji=False), corpus.seen)


def show_corpus(console: Console, corpus: "Corpus") -> None:
    """Print what a corpus that was just built contains."""
    if not corpus.made:
        console.print(f"{escape(str(corpus.folder))}: nothing to do, this corpus already exists")
    for line in facts(corpus):
        console.print(escape(line), highlight=False)
    if corpus.asked["validation"] and not corpus.validation.tokens:
        console.print("[yellow]no document was held out for validation; more documents are needed[/]", highlight=False)
    show_seen(console, corpus.seen)


def facts(corpus: "Corpus") -> list[str]:
    """Describe a corpus in a few lines."""
    before = {"none": "no BOS", "row": "BOS before every row"}.get(corpus.bos, f"BOS before every {corpus.bos}")
    lines = [f"{corpus.folder}: vocabulary {corpus.vocabulary:,}, tokenizer {corpus.tokenizer[:12]}, {before}"]
    for name, part in corpus.parts.items():
        lines.append(
            f"{name}: {count(part.tokens, 'token')} from {count(part.characters, 'character')} in"
            f" {count(part.documents, 'document')}; {count(part.unknown, 'unknown token')};"
            f" {count(len(part.shards), 'shard')}"
        )
    return lines


def show_seen(console: Console, seen: "SourceCounts") -> None:
    """Print what was read, and what could not be used."""
    console.print(f"read: {count(seen.documents, 'document')}, {count(seen.characters, 'character')}", highlight=False)
    counts = {
        ("duplicate document", "duplicate documents"): seen.duplicates,
        ("split in a long document", "splits in long documents"): seen.divided,
        ("record without text", "records without text"): seen.empty,
        ("line that is not UTF-8", "lines that are not UTF-8"): seen.broken_encodings,
        ("line that is not JSON with a text field", "lines that are not JSON with a text field"): seen.broken_records,
        ("file of an unsupported type", "files of unsupported types"): len(seen.unknown_files),
    }
    for (one, many), number in counts.items():
        if number:
            console.print(f"[yellow]{count(number, one, many)}[/]", highlight=False)
    for place in [*seen.places, *seen.unknown_files[:10]]:
        console.print(f"    {escape(place)}", highlight=False)


@contextmanager
def needing_models() -> Iterator[None]:
    """Turn a failed import of an optional package into a message that says what to install."""
    try:
        yield
    except ImportError as error:
        raise bidui.import_failed(error, extra="lm") from error


def reading_bar(console: Console) -> Progress:
    """Return a progress bar for work on a corpus."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    return Progress(*columns, TimeRemainingColumn(), console=console, transient=True)


# `bidui tokenizer`: train tokenizers on a corpus, and describe any tokenizer.

SENTENCE = "王奶奶昨天在图书馆看完了三本有趣的小说。"

tokenizer_app = typer.Typer(
    help="Train tokenizers, and show how they split text.", no_args_is_help=True, rich_markup_mode=None
)


@tokenizer_app.command()
def train(
    kind: Annotated[
        Literal["char", "word", "jieba"],
        typer.Argument(help="char: one token per character; word: BPE over characters; jieba: jieba words (for lstm)."),
    ],
    corpus: Annotated[Path, typer.Option(help="File or folder of text, as for `bidui corpus build`.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Output folder for the tokenizer.")],
    size: Annotated[
        int | None, typer.Option(min=1, help="Vocabulary size. Default: 20,000 for word, 50,000 for jieba.")
    ] = None,
    least: Annotated[
        int, typer.Option(min=1, help="Minimum count of a character or jieba word; rarer ones are unknown tokens.")
    ] = 8,
    field: Annotated[str, typer.Option(help="Field of .jsonl records that holds the text.")] = "text",
) -> None:
    """Train a tokenizer on text. Hugging Face's AutoTokenizer can load the output folder."""
    with needing_models():
        train_tokenizer = bidui.train_tokenizer

    console = messages()
    seen = bidui.SourceCounts()
    with reading_bar(console) as progress:
        task = progress.add_task("reading")

        def show(activity: str, done: int, total: int) -> None:
            progress.update(task, description=activity, completed=done, total=total or None)

        tokenizer = train_tokenizer(
            kind, corpus, out=out, size=size, least=least, field=field, seen=seen, on_progress=show
        )
    console.print(f"{escape(str(out))}: {count(len(tokenizer), 'entry', 'entries')}", highlight=False)
    show_seen(console, seen)


@tokenizer_app.command("show")
def show_tokenizer(
    tokenizer: Annotated[
        str, typer.Argument(help="Tokenizer folder, Hugging Face name, or sentencepiece .model file.")
    ],
    sentence: Annotated[str, typer.Option(help="Sentence to tokenize.")] = SENTENCE,
) -> None:
    """Show the size of a tokenizer's vocabulary, how much of it is Chinese, and how it splits a sentence."""
    with needing_models():
        description = bidui.describe_tokenizer(tokenizer, sentence=sentence)
    typer.echo(f"entries           {description.counts.all:,}")
    typer.echo(f"single-character  {description.counts.single_character:,}")
    typer.echo(f"multi-character   {description.counts.multi_character:,}")
    typer.echo(f"BOS {description.bos}, EOS {description.eos}, unknown {description.unknown}")
    typer.echo(f"hash {description.hash}")
    typer.echo(" ".join(description.tokens))


# `bidui ngram`: estimate n-gram language models from text, as KenLM does.


class PruneCommand(TyperCommand):
    """A command whose option --prune takes several numbers, as that of lmplz does: `--prune 0 0 1`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--prune" in args:
            start = args.index("--prune") + 1
            stop = next((n for n in range(start, len(args)) if not args[n].isdecimal()), len(args))
            args = [*args[:start], *([" ".join(args[start:stop])] if stop > start else []), *args[stop:]]
        return super().parse_args(ctx, args)


# How `bidui score` must tokenize sentences.
SCORED = {"char": "", "word": "?unit=word", "jieba": "?unit=jieba", "blank": "?unit=lexicon"}


def ngram(
    corpus: Annotated[
        Path, typer.Argument(help="File or folder of .txt and .jsonl, plain or compressed (.gz, .xz, .bz2, .zst).")
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Output file in ARPA format; compressed if the name ends in .gz.")
    ],
    order: Annotated[int, typer.Option(min=2, max=6, help="Length of the longest n-grams.")] = 5,
    unit: Annotated[
        Literal["char", "word", "jieba", "blank"],
        typer.Option(
            help="Token unit. char: characters; word: words between blanks, and punctuation, as for English; jieba: "
            "Chinese words; blank: text that is already divided by blanks."
        ),
    ] = "char",
    prune: Annotated[
        str,
        typer.Option(
            metavar="COUNTS",
            help="Leave out n-grams that occur at most this often, by order: 0 0 1; the last is for higher orders.",
        ),
    ] = "",
    memory: Annotated[
        str, typer.Option(help="Memory limit, such as 500M or 2G; the rest goes to temporary files.")
    ] = "1G",
    discount_fallback: Annotated[
        bool,
        typer.Option(
            "--discount-fallback", help="Use discounts 0.5, 1 and 1.5 for orders whose discounts cannot be estimated."
        ),
    ] = False,
    field: Annotated[str, typer.Option(help="Field of .jsonl records that holds the text.")] = "text",
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a file that was made with different settings or otherwise.")
    ] = False,
) -> None:
    """Estimate an n-gram model with interpolated modified Kneser-Ney smoothing, as KenLM's lmplz does.

    Every non-empty line of the text is a sentence. A model that was made from the same text and settings is left as it
    is.
    """
    console = messages()
    seen = bidui.SourceCounts()
    tasks: dict[str, TaskID] = {}
    with reading_bar(console) as progress:

        def show(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(step)
            progress.update(tasks[step], completed=done, total=total)

        training = bidui.train_ngram(
            corpus,
            out,
            order=order,
            unit=unit,
            prune=prune,
            memory=memory,
            fallback=discount_fallback,
            field=field,
            force=force,
            seen=seen,
            on_progress=show,
        )
    if training.new:
        show_seen(console, replace(seen, divided=0))  # long documents are split between lines, so sentences stay whole
    else:
        console.print(f"{escape(str(out))}: nothing to do, this model already exists", highlight=False)
    _show(console, training, out)


def _show(console: Console, made: "NgramTraining", out: Path) -> None:
    lines = [f"{out}: {made.sentences:,} sentences, {made.tokens:,} tokens ({made.unit}), {made.words:,} types"]
    rows = zip(made.ngrams, made.counted, made.smoothing.discounts, strict=True)
    for order, (ngrams, counted, discounts) in enumerate(rows, start=1):
        pruned = f" of {counted:,}" if counted != ngrams else ""
        lines.append(f"{order}-grams: {ngrams:,}{pruned}; discounts {', '.join(f'{value:.4f}' for value in discounts)}")
    for line in lines:
        console.print(escape(line), highlight=False)
    if made.smoothing.fallen_back:
        orders = ", ".join(map(str, made.smoothing.fallen_back))
        console.print(
            f"[yellow]the text is too small to estimate the discounts of order {orders}; used 0.5, 1 and 1.5[/]",
            highlight=False,
        )
    show_hint(console, f"ngram:{out}")
    console.print(f"to score: --model 'ngram:{escape(str(out))}{SCORED[made.unit]}'", highlight=False)
