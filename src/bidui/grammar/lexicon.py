"""The lexicon: words with sets of feature values, selected by conditions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import compress

from bidui.grammar.rules import Condition

Values = frozenset[str]
NO_VALUES: Values = frozenset()
_ZEROS = bytes.maketrans(b"01", b"\0\1")
_KEPT = 4_096  # conditions whose words are remembered; an editor asks for others with every key


@dataclass(frozen=True, slots=True)
class Word:
    """One row: a form, and for each feature the set of its values (a blank cell has none)."""

    index: int
    form: str
    values: Mapping[str, Values]
    line: int = 0
    file: str = ""

    def get(self, feature: str) -> Values:
        """The word's values of a feature; its `expression` is its form."""
        return frozenset((self.form,)) if feature == "expression" else self.values.get(feature, NO_VALUES)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All words, with an index from feature values to rows.

    Sets of rows are integers whose n-th bit is the n-th word: intersections of thousands of words cost nothing.
    """

    words: tuple[Word, ...]
    features: tuple[str, ...]
    name: str = "lexicon.tsv"
    _index: dict[str, dict[str, list[int]]] = field(init=False, repr=False, compare=False, default_factory=dict)
    _bits: dict[Condition, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    @property
    def _rows(self) -> dict[str, dict[str, list[int]]]:
        """The index, made when it is first asked for: a lexicon that is only joined with others needs none."""
        if not self._index:
            self._index.update(_index_of(self.words, self.features))
        return self._index

    def has_feature(self, feature: str) -> bool:
        """Whether there is such a column."""
        return feature in self._rows

    def knows(self, feature: str, value: str) -> bool:
        """Whether some word has this value."""
        return value in self._rows[feature]

    def having(self, feature: str, values: Iterable[str]) -> int:
        """The words that have at least one of these values, as a set of rows."""
        column = self._rows[feature]
        return self._as_bits(row for value in values for row in column.get(value, ()))

    def counts(self, feature: str) -> dict[str, int]:
        """The values of a feature with the number of words that have each, most frequent first."""
        column = self._rows[feature]
        return {v: len(column[v]) for v in sorted(column, key=lambda v: (-len(column[v]), v))}

    def with_form(self, form: str) -> tuple[Word, ...]:
        """The rows whose expression is `form`."""
        return tuple(self.words[i] for i in self._rows["expression"].get(form, ()))

    def select(self, conditions: Iterable[Condition]) -> tuple[Word, ...]:
        """The words that meet every condition, in the order of the file."""
        return self.rows(self.bits(conditions))

    def rows(self, bits: int) -> tuple[Word, ...]:
        """The words of a set of rows, in the order of the file."""
        return tuple(compress(self.words, f"{bits:b}"[::-1].encode().translate(_ZEROS)))

    def bits(self, conditions: Iterable[Condition]) -> int:
        """The same as a set of rows."""
        found = (1 << len(self.words)) - 1
        for condition in conditions:
            known = self._bits.get(condition)
            if known is None:
                known = self._condition_bits(condition)
                if len(self._bits) >= _KEPT:
                    self._bits.clear()
                self._bits[condition] = known
            found &= known
        return found

    def _condition_bits(self, condition: Condition) -> int:
        column = self._rows.get(condition.feature, {})
        everything = (1 << len(self.words)) - 1
        if condition.test == "any":
            return self._as_bits(row for value in condition.values for row in column.get(value, ()))
        if condition.test == "has":
            return self._as_bits(row for rows in column.values() for row in rows)
        having = everything
        if condition.feature != "expression":  # which every word has
            having = self.bits((Condition(condition.feature, "has"),))
        if condition.test == "none":
            return everything & ~having
        return having & ~self._as_bits(row for value in condition.values for row in column.get(value, ()))

    def _as_bits(self, rows: Iterable[int]) -> int:
        mask = bytearray(len(self.words) // 8 + 1)
        for row in rows:
            mask[row >> 3] |= 1 << (row & 7)
        return int.from_bytes(mask, "little")

    def nearest(self, feature: str, value: str) -> tuple[str, ...]:
        """Up to three values of a feature that the user may have meant."""
        known = sorted(self._rows.get(feature, ()))
        close = get_close_matches(value, known, n=3, cutoff=0.6)
        part = [other for other in known if other in value or value in other]
        return tuple(dict.fromkeys((*close, *part)))[:3]

    def nearest_feature(self, feature: str) -> tuple[str, ...]:
        """Up to three feature names that the user may have meant."""
        return tuple(get_close_matches(feature, list(self._rows), n=3, cutoff=0.5))


def _index_of(words: Iterable[Word], features: Iterable[str]) -> dict[str, dict[str, list[int]]]:
    rows: dict[str, dict[str, list[int]]] = {feature: {} for feature in ("expression", *features)}
    forms = rows["expression"]
    for word in words:
        forms.setdefault(word.form, []).append(word.index)
        for feature, values in word.values.items():
            column = rows[feature]
            for value in values:
                column.setdefault(value, []).append(word.index)
    return rows
