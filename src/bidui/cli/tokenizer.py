"""`bidui tokenizer`: tokenizers trained on a corpus, and what any tokenizer has."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from bidui.cli.corpus import needing_models, reading_bar, show_seen
from bidui.errors import Place, fail
from bidui.pairs import check_new_folder

SENTENCE = "王奶奶昨天在图书馆看完了三本有趣的小说。"

app = typer.Typer(help="Train tokenizers, and see how they divide.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def train(
    kind: Annotated[
        Literal["char", "word", "jieba"],
        typer.Argument(help="A token a character, words merged by BPE, or (for lstm) the words that jieba finds."),
    ],
    corpus: Annotated[Path, typer.Option(help="A file or folder of text, as for bidui corpus build.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the tokenizer.")],
    size: Annotated[
        int | None, typer.Option(min=1, help="Entries: 20,000 for word, 50,000 for jieba, unless given.")
    ] = None,
    least: Annotated[int, typer.Option(min=1, help="Rarer characters, or words of jieba, are unknown.")] = 8,
    field: Annotated[str, typer.Option(help="The field of .jsonl that holds the text.")] = "text",
) -> None:
    """Train a tokenizer on text; Hugging Face's AutoTokenizer loads the folder."""
    with needing_models():
        from bidui.train.documents import Seen, read_documents, source_files
        from bidui.train.tokenizer_training import train_char, train_jieba, train_word
        from bidui.train.tokenizers import save_tokenizer

    if kind == "char" and size is not None:
        raise fail("tokenizer-no-size", Place(), {})
    check_new_folder(out)
    console = Console(stderr=True, soft_wrap=True, emoji=False)
    seen = Seen()
    total = sum(path.stat().st_size for path in source_files(corpus)[0].values())
    with reading_bar(console) as progress:
        task = progress.add_task("reading", total=total)

        def texts() -> Iterator[str]:
            yield from read_documents(
                corpus, field=field, seen=seen, on_bytes=lambda count: progress.update(task, completed=count)
            )
            progress.update(task, description="merging" if kind == "word" else "reading", total=None)

        if kind == "char":
            made = train_char(texts(), least=least)
        elif kind == "word":
            made = train_word(texts(), size=size or 20_000, least=least)
        else:
            made = train_jieba(texts(), size=size or 50_000, least=least)
    if not seen.documents:
        values = {"broken": seen.broken_encodings + seen.broken_records, "empty": seen.empty}
        raise fail("source-no-text", Place(str(corpus)), values)
    save_tokenizer(made, out)
    console.print(f"{escape(str(out))}: {len(made):,} entries", highlight=False)
    show_seen(console, seen)


@app.command()
def show(
    tokenizer: Annotated[str, typer.Argument(help="A folder, a hub name, or a sentencepiece .model file.")],
    sentence: Annotated[str, typer.Option(help="A sentence to divide.")] = SENTENCE,
) -> None:
    """The size of a tokenizer's vocabulary, how much of it is Chinese, and how it divides a sentence."""
    with needing_models():
        from bidui.models.huggingface import tokenizer_hash
        from bidui.models.lstm import encode_words
        from bidui.models.tokenizing import declared_kind, encode
        from bidui.train.tokenizers import load_tokenizer, vocabulary_counts

    loaded = load_tokenizer(tokenizer)
    counts = vocabulary_counts(loaded)
    typer.echo(f"entries           {counts.all:,}")
    typer.echo(f"single-character  {counts.single_character:,}")
    typer.echo(f"multi-character   {counts.multi_character:,}")
    typer.echo(f"BOS {loaded.bos_token}, EOS {loaded.eos_token}, unknown {loaded.unk_token}")
    typer.echo(f"hash {tokenizer_hash(loaded)}")
    (found,) = (encode_words if declared_kind(loaded) == "jieba" else encode)(loaded, [sentence])
    typer.echo(" ".join(loaded.convert_ids_to_tokens(found.ids)))
