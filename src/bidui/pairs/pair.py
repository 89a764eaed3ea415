"""A minimal pair, the stretches in which its sentences differ, a collection of pairs, and how sentences are written.

The last is what a language tag says about blanks, capitals and words, and with them about the lengths of sentences.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Literal, overload

from bidui.errors import Place, Problem, fail
from bidui.notebooks import SHOWN, counted, html_table, to_pandas

if TYPE_CHECKING:
    import pandas
    import polars

Side = Literal["good", "bad"]
# What further columns of a file cannot be called, since files of pairs, tables of scores and averages have these names.
TAKEN = frozenset(
    {
        *("sentence_good", "sentence_bad", "UID", "phenomenon", "Phenomenon", "pairID", "variant", "edit", "regions"),
        *("slots", "words", "uid", "paradigm", "pair", "good", "bad", "side", "sentence", "tokens", "ids", "starts"),
        *("ends", "logprobs", "correct", "length_sign", "score_good", "score_bad", "length_good", "length_bad"),
        *("overall", "macro_paradigm", "macro_phenomenon"),
    }
)
# Columns in which people name their pairs. In BLiMP, which has the first, they are whole numbers.
IDS = ("pairID", "pair_ID", "pair_id", "id", "ID")


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of one sentence that differs from the other sentence; empty where something was dropped."""

    side: Side
    start: int  # characters, half-open
    end: int
    slot: str  # the slot or literal that it came from
    edit: str  # move, copy, drop, add, replace, agree


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences that differ in one contrast, and where they came from.

    Further columns of a table, such as the conditions of an experiment, are texts by name; a mapping is taken too.
    """

    good: str
    bad: str
    uid: str
    phenomenon: str
    pair_id: int
    variant: str = ""
    edit: str = ""  # order, insertion, deletion, substitution, agreement; several are joined by +
    regions: tuple[Region, ...] = ()
    slots: tuple[tuple[str, str], ...] = ()  # the path of a slot, and the form that filled it
    words: tuple[str, ...] = ()  # expressions of the lexicon rows used
    columns: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if self.columns:
            values = dict(self.columns)
            if taken := [name for name in values if name in TAKEN or not name]:
                raise fail("column-taken", Place(), {"columns": taken})
            object.__setattr__(self, "columns", tuple((name, str(value)) for name, value in values.items()))


def column_names(pairs: Iterable[Pair]) -> tuple[str, ...]:
    """Return the names of the further columns of pairs, in the order in which they first occur."""
    sets = dict.fromkeys(tuple(name for name, _ in pair.columns) for pair in pairs if pair.columns)
    return tuple(dict.fromkeys(name for names in sets for name in names))


@dataclass(frozen=True, slots=True)
class Short:
    """A paradigm that gave fewer pairs than were asked for, and why."""

    asked: int
    given: int
    uid: str
    reason: str


@dataclass(frozen=True, slots=True)
class Origin:
    """The benchmark or project that pairs were made from: its name, its version if it has one, and a hash of its files.

    The hash is the same whether the files lie in a folder, a zip or a package.
    """

    name: str
    version: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Pairs(Sequence[Pair]):
    """Pairs in order, with the paradigms that fell short; a slice has the pairs only.

    The notes of pairs that were read from files say which layouts were recognised, and what could not be read as pairs.
    The benchmarks are those that the pairs were generated from, as far as this is known.
    """

    items: tuple[Pair, ...] = ()
    short: tuple[Short, ...] = ()
    notes: tuple[Problem, ...] = field(default=(), compare=False)
    benchmarks: tuple[Origin, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.items)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> "Pairs": ...
    def __getitem__(self, index: int | slice) -> "Pair | Pairs":
        return Pairs(self.items[index]) if isinstance(index, slice) else self.items[index]

    def by_uid(self) -> dict[str, tuple[Pair, ...]]:
        """Group the pairs by paradigm, in the order in which paradigms first occur."""
        groups: dict[str, list[Pair]] = {}
        for pair in self.items:
            groups.setdefault(pair.uid, []).append(pair)
        return {uid: tuple(group) for uid, group in groups.items()}

    @property
    def frame(self) -> "polars.DataFrame":
        """A polars data frame of one row per pair; `uid` and `pair` join it with tables of scores.

        Further columns of the pairs come last; a pair that lacks one has an empty text there.
        """
        import polars  # here, so that `import bidui` stays quick

        text = polars.String
        number = polars.Int32 if all(pair.pair_id < 2**31 for pair in self.items) else polars.Int64
        region = polars.Struct({"side": text, "start": polars.Int32, "end": polars.Int32, "slot": text, "edit": text})
        slot = polars.Struct({"slot": text, "form": text})
        nested = {"regions": polars.List(region), "slots": polars.List(slot), "words": polars.List(text)}
        plain = dict.fromkeys(("variant", "edit", "good", "bad"), text)
        names = column_names(self.items)
        schema = {"uid": text, "phenomenon": text, "pair": number, **plain, **nested, **dict.fromkeys(names, text)}
        rows = [
            (
                *(pair.uid, pair.phenomenon, pair.pair_id, pair.variant, pair.edit, pair.good, pair.bad),
                [{name: getattr(region, name) for name in Region.__slots__} for region in pair.regions],
                [{"slot": path, "form": form} for path, form in pair.slots],
                list(pair.words),
                *map(dict(pair.columns).get, names, [""] * len(names)),
            )
            for pair in self.items
        ]
        return polars.DataFrame(rows, schema=schema, orient="row")

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def __repr__(self) -> str:
        return f"<Pairs: {self._summary()}>"

    def _repr_html_(self) -> str:
        rows = (
            (escape(pair.uid), str(pair.pair_id), _marked(pair, "good"), _marked(pair, "bad"))
            for pair in self.items[:SHOWN]
        )
        return html_table(self._summary(), ("paradigm", "pair", "good", "bad"), rows, count=len(self))

    def _summary(self) -> str:
        uids = {pair.uid for pair in self.items}
        phenomena = {pair.phenomenon for pair in self.items if pair.phenomenon}
        parts = [counted(len(self), "pair"), counted(len(uids), "paradigm")]
        parts += [counted(len(phenomena), "phenomenon", "phenomena")] if phenomena else []
        parts += [f"{counted(len(self.short), 'paradigm')} short"] if self.short else []
        return ", ".join(parts)


def _marked(pair: Pair, side: Side) -> str:
    """Write a sentence as HTML with its regions marked."""
    sentence = pair.good if side == "good" else pair.bad
    text, at = "", 0
    for start, end in sorted((region.start, region.end) for region in pair.regions if region.side == side):
        if at <= start < end:  # regions may overlap, and an empty one has nothing to mark
            text += f"{escape(sentence[at:start])}<mark>{escape(sentence[start:end])}</mark>"
            at = end
    return text + escape(sentence[at:])


# How languages are written: whether blanks separate words and sentences begin with a capital, and what a word is.
#
# A language is a tag of BCP 47, such as `de`, `ja` or `zh-Hant-TW`. If the tag names a script, the script decides;
# otherwise the script that the language is usually written in. What is not listed here has blanks and capitals, as most
# languages have; capitals change nothing in a script that has none.

_TAG = re.compile(
    r"[a-z]{2,3}(-[a-z]{3}){0,3}"  # a language, and its extension: zh, zh-yue
    r"(-(?P<script>[a-z]{4}))?(-([a-z]{2}|\d{3}))?(-([a-z0-9]{5,8}|\d[a-z0-9]{3}))*"  # script, region, variants
    r"(-[a-wyz0-9](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?",  # extensions, and what is private
    re.IGNORECASE,
)
_NAMES = re.compile(r"\w+")
# Chinese and its relatives, Japanese, Thai, Lao, Khmer, Burmese, Shan, Tibetan, Dzongkha; and their scripts
_UNSPACED = frozenset(
    _NAMES.findall("zh cmn yue wuu hak gan hsn cdo cjy cpx mnp nan lzh ja th lo km my shn bo dz")
    + _NAMES.findall("hani hans hant bopo jpan hira kana hrkt thai laoo khmr mymr tibt")
)
# Korean, Arabic, Hebrew, Hindi, Amharic and others without capitals; and Georgian, whose capitals begin no sentences
_UNCASED = _UNSPACED | frozenset(
    _NAMES.findall("ko ar fa ur ps ckb sd ug he yi hi mr ne sa bn as pa gu or ta te kn ml si am ti dv ka xmf sva")
    + _NAMES.findall("kore hang arab hebr deva beng guru gujr orya taml telu knda mlym sinh ethi thaa geor")
)
_TURKIC = frozenset(("tr", "az", "crh", "tt-latn", "kk-latn"))  # i has the capital İ
CLOSING = frozenset(".,!?;:)]}'”’%，。！？；：、）")
SAMPLE = 1_000  # sentences from which a language is guessed
_HAN, _KANA = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]"), re.compile(r"[\u3041-\u30ff]")


@dataclass(frozen=True, slots=True)
class Writing:
    """How sentences of a language are put together; `language` is the first part of its tag."""

    language: str
    separator: str  # between words
    capital: bool  # whether sentences begin with one

    @property
    def spaced(self) -> bool:
        """Whether words are separated by blanks, so that lengths are counted in words."""
        return bool(self.separator)


def is_tag(lang: str) -> bool:
    """Return whether a text has the form of a tag of BCP 47."""
    return _TAG.fullmatch(lang) is not None


def writing_of(lang: str) -> Writing:
    """Return how a language is written, by its tag."""
    tag = _TAG.fullmatch(lang)
    language = lang.lower().partition("-")[0]
    key = (tag["script"] or language).lower() if tag else language
    return Writing(language, "" if key in _UNSPACED else " ", key not in _UNCASED)


def guess_writing(sentences: Iterable[str]) -> Writing:
    """Return how sentences seem to be written, for pairs whose language nobody named; blanks decide, and characters."""
    sample = [sentence.strip() for sentence in islice(sentences, SAMPLE)]
    letters = sum(char.isalpha() for sentence in sample for char in sentence)
    if any(map(_KANA.search, sample)):
        return writing_of("ja")
    if sum(len(_HAN.findall(sentence)) for sentence in sample) > letters / 2:
        return writing_of("zh")
    spaced = sum(" " in sentence for sentence in sample) >= len(sample) / 2
    return Writing("und", " " if spaced else "", spaced)


def count_words(text: str) -> int:
    """Count the words that are separated by blanks; closing punctuation is not a word."""
    return sum(not CLOSING.issuperset(word) for word in text.split())


def words(sentence: str) -> list[tuple[str, int, int]]:
    """Return the words that blanks separate, with their starts and ends; punctuation around a word stands alone.

    Punctuation and symbols are known by their Unicode category, so that vowel signs stay in their words.
    """
    tokens: list[tuple[str, int, int]] = []
    for match in re.finditer(r"\S+", sentence):
        start, end = match.span()
        while start < end and _is_mark(sentence[start]):
            tokens.append((sentence[start], start, start + 1))
            start += 1
        last = end
        while last > start and _is_mark(sentence[last - 1]):
            last -= 1
        if start < last:
            tokens.append((sentence[start:last], start, last))
        tokens += [(sentence[at], at, at + 1) for at in range(last, end)]
    return tokens


def capitalized(text: str, lang: str = "") -> str:
    """Return a sentence with a capital at its beginning, of the same length; i is İ in Turkish, and ij IJ in Dutch."""
    first, lower = text[:1], lang.lower()
    if first == "i" and (lower.partition("-")[0] in _TURKIC or lower in _TURKIC):
        return "İ" + text[1:]
    if text[:2] == "ij" and lower.partition("-")[0] == "nl":
        return "IJ" + text[2:]
    return first.upper() + text[1:] if len(first.upper()) == 1 else text


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"
