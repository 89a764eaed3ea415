"""Word frequencies: where the words of the pairs stand in the list of a corpus."""

import re
from collections.abc import Iterator, Mapping

from bidui.analysis.frequencies import (
    Share,
    WordFrequencies,
    compare_frequencies,
    jieba_counts,
    lexicon_counts,
    rank_bands,
    rank_quantiles,
    within_rank,
)
from bidui.errors import InputError
from bidui.reports.section import Absent, Asked, Item, Picture, Section, absent
from bidui.reports.tables import Column, Table, Value

COMMON = 5_000  # ranks; the paper on CLiMP reports the words within them


def frequencies_section(asked: Asked) -> Section:
    """The bands of ranks as a table and a figure, and every word in a file."""
    found = tuple(_items(asked))
    items = tuple(item for item in found if not (isinstance(item, Table) and item.name == "frequencies-words"))
    files = tuple(item for item in found if isinstance(item, Table) and item not in items)
    return Section("frequencies", asked.say("frequencies"), asked.say("about-frequencies"), items, files)


def _items(asked: Asked) -> Iterator[Item]:
    title, pairs, listed = asked.say("frequencies"), asked.given.pairs, asked.given.frequencies
    if listed is None or pairs is None:
        yield absent(title, "report-no-given", {"option": "--frequencies" if listed is None else "--pairs"})
        return
    of_lexicon = all(pair.words for pair in pairs)
    try:
        counts = lexicon_counts(pairs) if of_lexicon else jieba_counts(pairs)
        found = compare_frequencies(counts, reference=listed)
    except InputError as error:
        yield Absent(title, error.problems)
        return
    bands = rank_bands(found)
    kind = asked.say("words-lexicon" if of_lexicon else "words-jieba")
    yield _bands(found, bands, kind, len(listed), asked)
    yield _figure(bands, kind, asked)
    yield _words(found, asked)


def _bands(found: WordFrequencies, bands: Mapping[str, Share], kind: str, listed: int, asked: Asked) -> Table:
    say = asked.say
    columns = (
        Column("band", say("band")),
        Column("words", say("words"), "count"),
        Column("of_words", say("of-words"), "percent"),
        Column("of_occurrences", say("of-occurrences"), "percent"),
    )
    rows: list[tuple[Value, ...]] = []
    for band, share in bands.items():
        ranks = re.sub(r"\d+", lambda found: f"{int(found[0]):,}", band).replace("-", "–")
        rows.append(
            (say("unlisted") if band == "unlisted" else ranks, share.words, share.of_words, share.of_occurrences)
        )
    common, middle = within_rank(found, COMMON), rank_quantiles(found)[0.5]
    note = say("note-frequencies").format(
        kind=kind,
        listed=f"{listed:,}",
        words=f"{len(found.words):,}",
        common=f"{100 * common.of_words:.1f}",
        rank=f"{COMMON:,}",
        middle="∞" if middle == float("inf") else f"{middle:,.0f}",
    )
    return Table("frequencies", say("frequency-bands"), columns, tuple(rows), note)


def _figure(bands: Mapping[str, Share], kind: str, asked: Asked) -> Picture:
    from bidui.reports.figures import frequencies

    drawing = frequencies({kind: bands}, language=asked.language)
    return Picture("frequencies", asked.say("figure-frequencies"), drawing, asked.say("note-figure-frequencies"))


def _words(found: WordFrequencies, asked: Asked) -> Table:
    say = asked.say
    columns = (
        Column("word", say("word")),
        Column("count", say("count"), "count"),
        Column("frequency", say("frequency"), "number"),
        Column("rank", say("rank"), "count"),
    )
    values = zip(found.words, found.counts.tolist(), found.frequencies.tolist(), found.ranks.tolist(), strict=True)
    rows: list[tuple[Value, ...]] = [
        (word, count, frequency if rank else None, rank or None) for word, count, frequency, rank in values
    ]
    return Table("frequencies-words", say("frequencies-words"), columns, tuple(rows), say("note-unlisted"))
