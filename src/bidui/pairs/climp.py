"""CLiMP's CSV files: a sentence a row, good and bad in turn, labelled or (ba_construction) bare."""

from collections import Counter
from collections.abc import Iterable, Iterator

from bidui.errors import Place, fail
from bidui.pairs.pair import Pair
from bidui.pairs.record import pairs_of

LABELLED = ["", "0", "1", "2", "3"]  # number, phenomenon, paradigm, sentence, 1 for good and 0 for bad
Row = tuple[Place, list[str]]
Two = tuple[list[str], list[str]]


def from_labelled(rows: Iterable[Row], *, uid: str) -> tuple[Pair, ...]:
    """The pairs of a file whose header is `LABELLED`."""
    return pairs_of(_twos(rows, width=len(LABELLED)), _labelled, uid=uid)


def from_sentences(rows: Iterable[Row], *, uid: str) -> tuple[Pair, ...]:
    """The pairs of a file without header, of one column: the sentences."""
    return pairs_of(_twos(rows, width=1), _sentences, uid=uid)


def _twos(rows: Iterable[Row], *, width: int) -> Iterator[tuple[Place, Two]]:
    waiting: Row | None = None
    for place, row in rows:
        if len(row) != width:
            raise fail("pairs-row-width", place, {"count": len(row), "expected": width})
        if waiting is None:
            waiting = place, row
        else:
            yield waiting[0], (waiting[1], row)
            waiting = None
    if waiting is not None:
        raise fail("pairs-odd", waiting[0], {"sentence": waiting[1][-2 if width > 1 else 0]})


def _labelled(rows: Two, place: Place) -> dict[str, object]:
    (_, phenomenon, paradigm, good, right), (_, other, another, bad, wrong) = rows
    if (right, wrong) != ("1", "0") or (phenomenon, paradigm) != (other, another):
        raise fail("pairs-labels", place, {"first": ",".join(rows[0]), "second": ",".join(rows[1])})
    return {"sentence_good": good, "sentence_bad": bad, "UID": paradigm, "phenomenon": phenomenon}


def _sentences(rows: Two, place: Place) -> dict[str, object]:
    """A list of words or of unrelated sentences is not taken for pairs: half of the characters must be shared."""
    [good], [bad] = rows
    if 2 * (Counter(good) & Counter(bad)).total() < max(len(good), len(bad), 1):
        raise fail("pairs-unlike", place, {"first": good, "second": bad})
    return {"sentence_good": good, "sentence_bad": bad}
