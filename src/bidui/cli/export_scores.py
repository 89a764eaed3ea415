"""`bidui export-scores`: stored scores as the JSON lines that others publish and check."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from bidui.pairs import check_new_folder, write_new_folder


def export_scores(
    results: Annotated[Path, typer.Argument(help="A folder of scores, or of several.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="A new folder, for one JSONL file a model.")],
    link: Annotated[str, typer.Option("--link", help="The linking function of the scores.")] = "lp",
    unit: Annotated[
        Literal["tokens", "characters", "bytes"], typer.Option(help="What lengths are counted in.")
    ] = "tokens",
    unigrams: Annotated[Path | None, typer.Option(help="Unigram counts of the model's tokenizer.")] = None,
    smoothing: Annotated[float, typer.Option(min=0, help="Added to every unigram count.")] = 1.0,
) -> None:
    """Write a line a pair, for each model: both sentences, scores and lengths, and whether good was chosen.

    The fields are sentence_good, sentence_bad, UID, phenomenon, pairID, score_good, score_bad, length_good,
    length_bad, and correct: 1, 0.5 for a tie, or 0.
    """
    # here, since polars takes a third of a second to load and other commands do without
    from bidui.scores.export import file_of, published_lines
    from bidui.scores.links import parse_link
    from bidui.scores.run import read_scores, score_folders
    from bidui.scores.unigrams import read_unigrams

    check_new_folder(out)
    chosen = parse_link(link)

    def files() -> Iterator[tuple[str, bytes]]:
        for folder in score_folders(results):
            manifest, scores = read_scores(folder)
            known = None
            if unigrams is not None:
                wanted = str(manifest.declared.get("tokenizer", ""))
                known = read_unigrams(unigrams, tokenizer=wanted).logprobs(smoothing=smoothing)
            yield file_of(folder, results=results), published_lines(scores, chosen, unit=unit, unigrams=known)

    count = write_new_folder(out, files())
    console = Console(stderr=True, soft_wrap=True, emoji=False)
    console.print(f"{escape(str(out))}: scores of {count} models by {escape(chosen.name)}", highlight=False)
