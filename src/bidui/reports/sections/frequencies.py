"""Word frequencies: where the words of the pairs stand in the word list of a corpus."""

import re
from collections.abc import Iterator

from bidui.analysis import frequencies as analysis
from bidui.errors import InputError
from bidui.reports.figures import frequencies
from bidui.reports.section import Absent, Item, Rows, Settings, absent, joined, picture

COMMON = 5_000  # ranks; the paper on CLiMP reports the words within them


def frequencies_section(settings: Settings) -> Iterator[Item]:
    """Yield the bands of ranks as a table and a figure, and every word in a file."""
    say, pairs, listed = settings.say, settings.extras.pairs, settings.extras.frequencies
    if listed is None or pairs is None:
        option = "--frequencies" if listed is None else "--pairs"
        yield absent(say("frequencies"), "report-no-given", {"option": option})
        return
    of_lexicon = all(pair.words for pair in pairs)
    try:
        counts = analysis.lexicon_counts(pairs) if of_lexicon else analysis.jieba_counts(pairs)
        words = analysis.compare_frequencies(counts, reference=listed)
    except InputError as error:
        yield Absent(say("frequencies"), error.problems)
        return
    bands = analysis.rank_bands(words)
    kind = say("words-lexicon" if of_lexicon else "words-jieba")
    rows: Rows = []
    for band, share in bands.items():
        ranks = re.sub(r"\d+", lambda number: f"{int(number[0]):,}", band).replace("-", "–")
        name = say("unlisted") if band == "unlisted" else ranks
        rows.append((name, share.words, share.of_words, share.of_occurrences))
    common, middle = analysis.within_rank(words, COMMON), analysis.median_rank(words)
    note = say("note-frequencies").format(
        kind=kind,
        listed=f"{len(listed):,}",
        words=f"{len(words.words):,}",
        common=f"{100 * common.of_words:.1f}",
        rank=f"{COMMON:,}",
    )
    half = "note-frequencies-half" if middle < float("inf") else "note-frequencies-rare"
    note = joined(note, say(half).format(middle=f"{middle:,.0f}"))
    columns = "band words:count of_words:percent of_occurrences:percent"
    yield settings.table("frequencies", columns, rows, title=say("frequency-bands"), note=note)
    yield picture(
        "frequencies",
        say("figure-frequencies"),
        lambda: frequencies(kind, bands, language=settings.language),
        note=say("note-figure-frequencies"),
    )
    values = zip(words.words, words.counts.tolist(), words.frequencies.tolist(), words.ranks.tolist(), strict=True)
    rows = [(word, count, value if rank else None, rank or None) for word, count, value, rank in values]
    columns = "word count:count frequency:number rank:count"
    yield settings.table("frequencies-words", columns, rows, note=say("note-unlisted"), linked=True)
