"""Word frequencies: where the words of the pairs stand in the word list of a corpus."""

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
from bidui.reports.figures import frequencies
from bidui.reports.section import Absent, Item, Rows, Section, Settings, absent, picture, section
from bidui.reports.tables import Table

COMMON = 5_000  # ranks; the paper on CLiMP reports the words within them
WORDS = "frequencies-words"


def frequencies_section(settings: Settings) -> Section:
    """Return the bands of ranks as a table and a figure, and every word in a file."""
    return section("frequencies", settings, _items(settings), linked=lambda table: table.name == WORDS)


def _items(settings: Settings) -> Iterator[Item]:
    say, pairs, listed = settings.say, settings.extras.pairs, settings.extras.frequencies
    if listed is None or pairs is None:
        option = "--frequencies" if listed is None else "--pairs"
        yield absent(say("frequencies"), "report-no-given", {"option": option})
        return
    of_lexicon = all(pair.words for pair in pairs)
    try:
        counts = lexicon_counts(pairs) if of_lexicon else jieba_counts(pairs)
        words = compare_frequencies(counts, reference=listed)
    except InputError as error:
        yield Absent(say("frequencies"), error.problems)
        return
    bands = rank_bands(words)
    kind = say("words-lexicon" if of_lexicon else "words-jieba")
    yield _bands(words, bands, kind, len(listed), settings)
    yield picture(
        "frequencies",
        say("figure-frequencies"),
        lambda: frequencies({kind: bands}, language=settings.language),
        note=say("note-figure-frequencies"),
    )
    yield _words(words, settings)


def _bands(words: WordFrequencies, bands: Mapping[str, Share], kind: str, listed: int, settings: Settings) -> Table:
    say = settings.say
    rows: Rows = []
    for band, share in bands.items():
        ranks = re.sub(r"\d+", lambda number: f"{int(number[0]):,}", band).replace("-", "–")
        name = say("unlisted") if band == "unlisted" else ranks
        rows.append((name, share.words, share.of_words, share.of_occurrences))
    common, middle = within_rank(words, COMMON), rank_quantiles(words)[0.5]
    note = say("note-frequencies").format(
        kind=kind,
        listed=f"{listed:,}",
        words=f"{len(words.words):,}",
        common=f"{100 * common.of_words:.1f}",
        rank=f"{COMMON:,}",
        middle="∞" if middle == float("inf") else f"{middle:,.0f}",
    )
    columns = "band words:count of_words:percent of_occurrences:percent"
    return settings.table("frequencies", columns, rows, title=say("frequency-bands"), note=note)


def _words(words: WordFrequencies, settings: Settings) -> Table:
    values = zip(words.words, words.counts.tolist(), words.frequencies.tolist(), words.ranks.tolist(), strict=True)
    rows: Rows = [(word, count, value if rank else None, rank or None) for word, count, value, rank in values]
    columns = "word count:count frequency:number rank:count"
    return settings.table(WORDS, columns, rows, note=settings.say("note-unlisted"))
