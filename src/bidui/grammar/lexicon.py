"""The lexicon: words with sets of feature values, selected by conditions; features and relations; their TSV files."""

import re
import sys
import unicodedata
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from html import escape
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

from bidui.errors import InputError, Place, Problem
from bidui.grammar.rules import ESCAPED, KEYWORDS, Condition, Lexical, Phrase, Rule, Words
from bidui.grammar.yaml import read_text
from bidui.notebooks import SHOWN, counted, html_table, to_pandas

if TYPE_CHECKING:
    import pandas
    import polars

Values = frozenset[str]
NO_VALUES: Values = frozenset()
TEXT = "sentence"  # a column for readers, the sentence that a row comes from: one value, with any signs in it
_ZEROS = bytes.maketrans(b"01", b"\0\1")
_CACHED = 4_096  # conditions whose words are cached; an editor asks about others with every key
_ALIKE = 20_000  # rows whose features are shared with later ones that say the same
_CACHED_BITS = 1 << 28  # and of a large lexicon fewer: each takes a bit for each of its words


@dataclass(frozen=True, slots=True)
class Word:
    """One row: a form, and for each feature the set of its values (a blank cell has none)."""

    index: int
    form: str
    values: Mapping[str, Values]
    line: int = 0
    file: str = ""

    def get(self, feature: str) -> Values:
        """Return the values of a feature; `expression` is the form."""
        return frozenset((self.form,)) if feature == "expression" else self.values.get(feature, NO_VALUES)


@dataclass(frozen=True, repr=False)
class Lexicon:
    """All words, with an index from feature values to rows.

    Sets of rows are integers whose n-th bit is the n-th word: intersections of thousands of words cost nothing.
    """

    words: tuple[Word, ...]
    features: tuple[str, ...]
    name: str = "lexicon.tsv"
    open: frozenset[str] = frozenset()  # features that only tables taken from trees have: other trees, other values
    _bits: dict[Condition, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    @property
    def frame(self) -> "polars.DataFrame":
        """A polars data frame with one row per word: its expression and its features, each a list of values."""
        import polars  # here, so that opening a project stays quick

        columns = {feature: [sorted(word.get(feature)) for word in self.words] for feature in self.features}
        lists = dict.fromkeys(self.features, polars.List(polars.String))
        forms = polars.Series("expression", [word.form for word in self.words], polars.String)
        return polars.DataFrame([forms, *(polars.Series(name, columns[name], kind) for name, kind in lists.items())])

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def __repr__(self) -> str:
        return f"<Lexicon {self.name}: {counted(len(self.words), 'word')}, {counted(len(self.features), 'feature')}>"

    def _repr_html_(self) -> str:
        head = ("expression", *self.features)
        rows = ([escape("/".join(sorted(word.get(name)))) for name in head] for word in self.words[:SHOWN])
        return html_table(repr(self), head, rows, count=len(self.words))

    @cached_property
    def _rows(self) -> dict[str, dict[str, list[int]]]:
        """The index, built when it is first needed: a lexicon that is only joined with others needs none."""
        rows: dict[str, dict[str, list[int]]] = {feature: {} for feature in ("expression", *self.features)}
        forms = rows["expression"]
        for word in self.words:
            forms.setdefault(word.form, []).append(word.index)
            for feature, values in word.values.items():
                column = rows[feature]
                for value in values:
                    column.setdefault(value, []).append(word.index)
        return rows

    def has_feature(self, feature: str) -> bool:
        """Tell whether there is such a column."""
        return feature in self._rows

    def knows(self, feature: str, value: str) -> bool:
        """Tell whether some word has this value."""
        return value in self._rows[feature]

    def having(self, feature: str, values: Iterable[str]) -> int:
        """Return the words that have at least one of these values, as a set of rows."""
        column = self._rows[feature]
        return self._as_bits(row for value in values for row in column.get(value, ()))

    def counts(self, feature: str) -> dict[str, int]:
        """Return the values of a feature with the number of words that have each, most frequent first."""
        column = self._rows[feature]
        return {v: len(column[v]) for v in sorted(column, key=lambda v: (-len(column[v]), v))}

    def with_form(self, form: str) -> tuple[Word, ...]:
        """Return the rows whose expression is `form`."""
        return tuple(self.words[i] for i in self._rows["expression"].get(form, ()))

    def select(self, conditions: Iterable[Condition]) -> tuple[Word, ...]:
        """Return the words that meet every condition, in the order of the file."""
        return self.rows(self.bits(conditions))

    def rows(self, bits: int) -> tuple[Word, ...]:
        """Return the words of a set of rows, in the order of the file."""
        return tuple(compress(self.words, f"{bits:b}"[::-1].encode().translate(_ZEROS)))

    def bits(self, conditions: Iterable[Condition]) -> int:
        """Return the words that meet every condition, as a set of rows."""
        rows = (1 << len(self.words)) - 1
        for condition in conditions:
            meeting = self._bits.get(condition)
            if meeting is None:
                meeting = self._condition_bits(condition)
                if len(self._bits) >= min(_CACHED, _CACHED_BITS // (len(self.words) + 1)):
                    self._bits.clear()
                self._bits[condition] = meeting
            rows &= meeting
        return rows

    def _condition_bits(self, condition: Condition) -> int:
        column = self._rows.get(condition.feature, {})
        if condition.test == "has":
            return self._as_bits(row for rows in column.values() for row in rows)
        listed = self._as_bits(row for value in condition.values for row in column.get(value, ()))
        if condition.test == "any":
            return listed
        having = everything = (1 << len(self.words)) - 1
        if condition.feature != "expression":  # which every word has
            having = self.bits((Condition(condition.feature, "has"),))
        return everything & ~having if condition.test == "none" else having & ~listed

    def _as_bits(self, rows: Iterable[int]) -> int:
        mask = bytearray(len(self.words) // 8 + 1)
        for row in rows:
            mask[row >> 3] |= 1 << (row & 7)
        return int.from_bytes(mask, "little")

    def nearest(self, feature: str, value: str) -> tuple[str, ...]:
        """Return up to three values of a feature that the user may have meant."""
        if len(value) > _LONGEST:
            return ()
        values = sorted(other for other in self._rows.get(feature, ()) if len(other) <= _LONGEST)
        close = get_close_matches(value, values, n=3, cutoff=0.6)
        part = [other for other in values if other in value or value in other]
        return tuple(dict.fromkeys((*close, *part)))[:3]

    def nearest_feature(self, feature: str) -> tuple[str, ...]:
        """Return up to three feature names that the user may have meant."""
        return tuple(get_close_matches(feature, list(self._rows), n=3, cutoff=0.5))

    def feature_unknown(self, feature: str, place: Place) -> Problem:
        """Report that there is no such column, with the nearest names or all of them."""
        values = {"feature": feature, "near": self.nearest_feature(feature) or self.features}
        return Problem("feature-unknown", place, values)


# Rules checked against the lexicon: features and values that it lacks, and conditions that no word meets.

MAX_UNKNOWN = 20  # values of one condition that are reported; finding the nearest known ones takes time


def rule_problems(rule: Rule, place: Place, *, lexicon: Lexicon, phrases: Collection[str]) -> Iterator[Problem]:
    """Yield the problems of a rule by itself, for a paradigm that cannot be read or compiled as a whole."""
    for alternative in rule.alternatives:
        body = alternative.rule
        if isinstance(body, Phrase) and body.name not in phrases:
            yield phrase_unknown(body, place, phrases)
        for lexical in alternative.lexicals:
            yield from condition_problems(lexical, lexicon, [place] * len(lexical.conditions))


_LIST = re.compile(r"[^、/／]+(?:[、/／][^、/／]+)+")
_NAME = re.compile(r"[*＊!！-]?[A-Za-z][\w-]*|[*＊].+")


def literal_problems(rule: Rule, place: Place, *, lexicon: Lexicon, separator: str) -> Iterator[Problem]:
    """Yield warnings about words without quotes that look like a list, a value or a feature: they are just printed.

    A Latin word is odd where sentences have no blanks; elsewhere only if it is no word of the lexicon but a value.
    """
    for alternative in rule.alternatives:
        for word, column in alternative.rule.bare if isinstance(alternative.rule, Words) else ():
            if lexicon.with_form(word):
                continue
            if _LIST.fullmatch(word):
                values = {"word": word, "words": re.sub(r"[、/／]", " ", word)}
                yield Problem("literal-list", place.at(column), values, "warning")
            elif _NAME.fullmatch(word):
                features = [feature for feature in lexicon.features if lexicon.knows(feature, word)]
                if features or not separator or not word[0].isalpha():
                    rule_meant = f"{(features or ['pos'])[0]}:{word.lstrip('*＊!！-')}"
                    yield Problem("literal-name", place.at(column), {"word": word, "rule": rule_meant}, "warning")


def phrase_unknown(rule: Phrase, place: Place, phrases: Collection[str]) -> Problem:
    """Report that the project has no such phrase, with the nearest names or all of them."""
    near = get_close_matches(rule.name, list(phrases), n=3, cutoff=0.5) or sorted(phrases)
    return Problem("phrase-unknown", place.at(rule.column), {"phrase": rule.name, "near": near})


def condition_problems(rule: Lexical, lexicon: Lexicon, origins: Sequence[Place]) -> list[Problem]:
    """Return the features and values that the lexicon lacks, with the nearest it has; `origins` are their rules."""
    problems = []
    for condition, origin in zip(rule.conditions, origins, strict=True):
        here = origin.at(condition.column)
        if not lexicon.has_feature(condition.feature):
            problems.append(lexicon.feature_unknown(condition.feature, here))
            continue
        if condition.feature in lexicon.open:
            continue
        unknown = [v for v in condition.values if not lexicon.knows(condition.feature, v)][:MAX_UNKNOWN]
        alone = no_word_values(rule.conditions, lexicon) if unknown else {}
        for value in unknown:
            near = lexicon.nearest(condition.feature, value) or tuple(lexicon.counts(condition.feature))
            values = {**alone, "feature": condition.feature, "value": value, "near": near}
            problems.append(Problem("value-unknown", here, values))
    return problems


def no_word_values(conditions: tuple[Condition, ...], lexicon: Lexicon) -> dict[str, object]:
    """Return how many words meet each condition by itself, for the message that none meets them all."""
    alone = [f"{condition}: {lexicon.bits([condition]).bit_count()}" for condition in conditions]
    return {"rule": " ".join(map(str, conditions)) or "(anything)", "alone": alone, "words": len(lexicon.words)}


# The features file documents the values of each feature: what they mean, and which are kinds of others.

COLUMNS = ("feature", "value", "parent", "means")
ANY = "*"  # documents a feature whose values are not listed, such as words or the author's own keys


@dataclass(frozen=True, slots=True)
class Features:
    """For every documented value of a feature, all the values it is a kind of."""

    ancestors: Mapping[str, Mapping[str, Values]]
    lines: Mapping[tuple[str, str], int]
    name: str


def parse_features(text: str, *, name: str) -> tuple[Features | None, list[Problem]]:
    """Return the table in a TSV text (feature, value, parent, means), or None, and the problems."""
    lines = text.replace("\r\n", "\n").split("\n")
    header = tuple(lines[0].split("\t"))
    if header != COLUMNS:
        return None, [Problem("features-header", Place(name, 1), {"columns": header, "right": COLUMNS})]
    problems: list[Problem] = []
    parents: dict[str, dict[str, Values]] = {}
    places: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != len(COLUMNS) or not all(cells[i] and cells[i] == cells[i].strip() for i in (0, 1, 3)):
            problems.append(Problem("features-row", Place(name, number), {"row": line}))
            continue
        feature, value, parent, _ = cells
        if (feature, value) in places:
            values = {"feature": feature, "value": value, "line": places[feature, value]}
            problems.append(Problem("features-twice", Place(name, number), values))
        places.setdefault((feature, value), number)
        parents.setdefault(feature, {})[value] = frozenset(parent.split("/")) if parent else NO_VALUES
    problems += _parent_problems(parents, places, name)
    if problems:
        return None, problems
    ancestors = {feature: {value: _ancestors(tree, value) for value in tree} for feature, tree in parents.items()}
    return Features(ancestors, places, name), []


def _parent_problems(
    parents: Mapping[str, Mapping[str, Values]], places: Mapping[tuple[str, str], int], name: str
) -> Iterator[Problem]:
    for feature, tree in parents.items():
        for value, above in tree.items():
            place = Place(name, places[feature, value])
            if unknown := sorted(above - tree.keys()):
                yield Problem("features-parent", place, {"feature": feature, "parents": unknown})
            elif value in _ancestors(tree, value):
                yield Problem("features-circle", place, {"feature": feature, "value": value})


def _ancestors(tree: Mapping[str, Values], value: str) -> Values:
    ancestors: set[str] = set()
    agenda = list(tree[value])
    while agenda:
        parent = agenda.pop()
        if parent not in ancestors:
            ancestors.add(parent)
            agenda += tree.get(parent, NO_VALUES)
    return frozenset(ancestors)


def with_ancestors(lexicon: Lexicon, features: Features) -> Lexicon:
    """Return the same words, each also with the values that its values are kinds of."""
    trees = {feature: tree for feature, tree in features.ancestors.items() if any(tree.values())}
    closed: dict[tuple[str, Values], Values] = {}  # many words have the same values
    grown: dict[int, Mapping[str, Values]] = {}  # and share them: by the identity of what they had
    words = list(lexicon.words)
    for number, word in enumerate(words):
        if id(word.values) not in grown:
            grown[id(word.values)] = _grown(word.values, trees, closed)
        values = grown[id(word.values)]
        if values is not word.values:
            words[number] = Word(number, word.form, values, word.line, word.file)
    return replace(lexicon, words=tuple(words))


def _grown(
    values: Mapping[str, Values],
    trees: Mapping[str, Mapping[str, Values]],
    closed: dict[tuple[str, Values], Values],
) -> Mapping[str, Values]:
    """Return values with their ancestors, and the same mapping where there are none."""
    more = {}
    for feature, tree in trees.items():
        if (own := values.get(feature)) is not None:
            key = (feature, own)
            if key not in closed:
                closed[key] = own.union(*(tree.get(value, NO_VALUES) for value in own))
            if closed[key] != own:
                more[feature] = closed[key]
    return {**values, **more} if more else values


def feature_problems(lexicon: Lexicon, features: Features) -> Iterator[Problem]:
    """Yield columns and values that are not documented, and (as warnings) documented values that no word has."""
    for feature in lexicon.features:
        tree = features.ancestors.get(feature)
        if tree is None:
            yield Problem("features-missing", Place(features.name), {"feature": feature})
        elif ANY not in tree and not lexicon.counts(feature).keys() <= tree.keys():
            for word in lexicon.words:
                if unknown := sorted(word.get(feature) - tree.keys()):
                    place = Place(word.file or lexicon.name, word.line, 0, f'column "{feature}"')
                    yield Problem("features-value", place, {"value": unknown, "file": features.name})
    for feature, tree in features.ancestors.items():
        counts = lexicon.counts(feature) if lexicon.has_feature(feature) else {}
        for value in tree:
            if value != ANY and value not in counts:
                place = Place(features.name, features.lines[feature, value])
                yield Problem("features-unused", place, {"feature": feature, "value": value}, "warning")


# Relations: tables of tuples that say which words go together when no feature does.


@dataclass(frozen=True)
class Relation:
    """A table; the n-th cell of a row lists what the n-th slot may be.

    A column called `thing` lists expressions; one called `thing@class` lists values of the feature `class`. A blank
    cell goes with no word.
    """

    name: str
    columns: tuple[str, ...]
    features: tuple[str, ...]
    rows: tuple[tuple[Values, ...], ...]

    @cached_property
    def index(self) -> tuple[dict[str, list[int]], ...]:
        """For each column, the rows of each value."""
        index: tuple[dict[str, list[int]], ...] = tuple({} for _ in self.columns)
        for number, row in enumerate(self.rows):
            for column, values in zip(index, row, strict=True):
                for value in values:
                    column.setdefault(value, []).append(number)
        return index

    def words(self, column: int, *, used: tuple[int, ...]) -> frozenset[str]:
        """Return the values of a column, in rows where none of the columns used is blank."""
        rows = (row for row in self.rows if all(row[other] for other in used))
        return frozenset().union(*(row[column] for row in rows))


def parse_relation(text: str, *, name: str, file: str) -> tuple[Relation | None, list[Problem]]:
    """Return the relation in a TSV text, or None, and the problems."""
    lines = text.replace("\r\n", "\n").split("\n")
    header = lines[0].split("\t")
    first = {column: number for number, column in reversed(list(enumerate(header, start=1)))}
    problems = [
        Problem("relation-column", Place(file, 1, 0, f"column {number}"), {"column": column})
        for number, column in enumerate(header, start=1)
        if not column.strip() or column != column.strip() or first[column] < number
    ]
    rows: list[tuple[Values, ...]] = []
    first_line: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        cells = tuple(line.split("\t"))
        place = Place(file, number)
        if len(cells) != len(header):
            problems.append(Problem("relation-cells", place, {"cells": len(cells), "columns": len(header)}))
        elif any(value != value.strip() or (cell and not value) for cell in cells for value in cell.split("/")):
            problems.append(Problem("relation-blank", place, {"row": line}))
        elif cells in first_line:
            problems.append(Problem("relation-duplicate", place, {"line": first_line[cells]}))
        else:
            first_line[cells] = number
            rows.append(tuple(frozenset(cell.split("/")) if cell else NO_VALUES for cell in cells))
    if problems:
        return None, problems
    features = tuple(column.partition("@")[2] or "expression" for column in header)
    return Relation(name, tuple(header), features, tuple(rows)), []


def relation_problems(relation: Relation, lexicon: Lexicon, *, file: str) -> Iterator[Problem]:
    """Yield columns on features that the lexicon lacks, and (as warnings) values that no word has."""
    for number, feature in enumerate(relation.features):
        place = Place(file, 1, 0, f'column "{relation.columns[number]}"')
        if not lexicon.has_feature(feature):
            yield lexicon.feature_unknown(feature, place)
            continue
        missing = sorted(value for value in relation.index[number] if not lexicon.knows(feature, value))
        if missing:
            yield Problem("relation-values", place, {"feature": feature, "values": missing}, "warning")


# Lexicon files: TSV with a header and one word per row; all problems of a file are reported together.

_FULL_WIDTH = re.compile(r"[\uff01-\uff5e\u3000]")
_LONGEST = 100  # characters of a value for which similar ones are looked for
_FULL_WIDTH_ALNUM = re.compile(r"[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u3000]")


def read_lexicon(path: str | Path) -> Lexicon:
    """Return the lexicon in a TSV file; raise `InputError` with every error in it."""
    lexicon, problems = parse_lexicon(read_text(Path(path), name=str(path)), name=str(path))
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise InputError(errors)
    return lexicon


def parse_lexicon(text: str, *, name: str, known: Lexicon | None = None) -> tuple[Lexicon, list[Problem]]:
    """Return the lexicon in a text as far as it can be read, and all its problems.

    Words that are as in `known`, the lexicon of a text before it, are shared with it: two take little more than one.
    """
    text = text.replace("\r\n", "\n")
    lines = each_line(text)
    header = next(lines).split("\t")
    problems = list(_header_problems(header, name))
    if "expression" not in header:
        return Lexicon((), (), name), problems
    # a column without a usable name is read under a name that no rule can use
    first = {feature: n for n, feature in reversed(list(enumerate(header)))}
    header = [
        f"{feature} {n}" if _unusable(feature) or first[feature] < n else feature for n, feature in enumerate(header)
    ]
    expression = header.index("expression")
    words: list[Word] = []
    first_line: dict[int, int] = {}  # by the hash of a row: the texts of all rows would take much memory
    starts = array("L", (0, 0))  # where each line starts, by its number
    alike: dict[str, Mapping[str, Values]] = {}  # the features of rows by their cells: many words share them
    sets: dict[str, Values] = {}  # and many cells say the same
    last = text.count("\n")
    start = text.find("\n") + 1
    for number, line in enumerate(lines, start=2):
        starts.append(start)
        start += len(line) + 1
        if not line.strip():
            if number <= last:
                problems.append(Problem("lexicon-blank-line", Place(name, number), severity="warning"))
            continue
        cells = line.split("\t")
        form = cells.pop(expression) if expression < len(cells) else ""
        others = "\t".join(cells)
        features, usable = alike.get(others), form
        if features is None or not form or form != form.strip():
            cells = line.split("\t")
            faults = list(_row_problems(cells, header, number, name))
            problems += faults
            if faults:
                cells, usable = [*map(_cleaned, cells)], _cleaned(form)
            features = _features_of(cells, header, sets)
            if not faults and len(alike) < _ALIKE:
                alike[others] = features
        row = _row_text(line, header)
        key = hash(row)
        while (other := first_line.get(key)) and _row_text(_line_at(text, starts[other]), header) != row:
            key += 1  # another row with the same hash
        if other:
            values = {"form": form, "line": other}
            problems.append(Problem("lexicon-duplicate", Place(name, number), values))
        elif form.strip():
            word = Word(len(words), usable, features, number, name)
            words.append(_known_word(word, known) if known is not None else word)
        first_line.setdefault(key, number)
    lexicon = Lexicon(tuple(words), tuple(feature for feature in header if feature != "expression"), name)
    problems += _value_problems(lexicon, name)
    return lexicon, problems


def each_line(text: str) -> Iterator[str]:
    """Yield what `text.split("\\n")` lists; all lines of a large text at once take several times its memory."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _line_at(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]


def _row_text(line: str, header: Sequence[str]) -> str:
    """Return what a row says: cells that are missing are blank, and those beyond the header are not read."""
    if line.count("\t") >= len(header):
        line = "\t".join(line.split("\t")[: len(header)])
    return line.rstrip("\t")


def _known_word(word: Word, known: Lexicon) -> Word:
    """Return a word that was read before, or this one with the features of one that was."""
    for twin in known.with_form(word.form):
        if twin.values == word.values:
            return twin if twin == word else Word(word.index, twin.form, twin.values, word.line, word.file)
    return word


def _features_of(cells: Iterable[str], header: Sequence[str], sets: dict[str, Values]) -> Mapping[str, Values]:
    """Return the values in the cells of a row; `sets` keeps one set for all cells that say the same."""
    features = {}
    for feature, cell in zip(header, cells, strict=False):
        if cell and feature == TEXT:
            features[feature] = frozenset((cell,))
        elif cell and feature != "expression":
            if cell not in sets:
                sets[cell] = frozenset(map(sys.intern, cell.split("/")))
            features[feature] = sets[cell]
    return features


def join_lexicons(parts: Iterable[Lexicon], *, name: str, taken: Collection[str] = ()) -> tuple[Lexicon, list[Problem]]:
    """Join the words of several files; words that two of them have with the same features are problems.

    `taken` are the files with words that come from trees.
    """
    words: list[Word] = []
    problems: list[Problem] = []
    seen: dict[str, list[Word]] = {}
    features: dict[str, None] = {}
    written: set[str] = set()
    for part in parts:
        features |= dict.fromkeys(part.features)
        if part.name not in taken:
            written |= set(part.features)
        for word in part.words:
            alike = seen.setdefault(word.form, [])
            other = next((twin for twin in alike if twin.values == word.values), None)
            if other is None:
                alike.append(word)
            else:
                values = {"form": word.form, "file": other.file, "line": other.line}
                problems.append(Problem("lexicon-in-two-files", Place(word.file, word.line), values))
            same = word.index == len(words)  # as in the first file
            words.append(word if same else Word(len(words), word.form, word.values, word.line, word.file))
    return Lexicon(tuple(words), tuple(features), name, frozenset(features.keys() - written)), problems


def _cleaned(cell: str) -> str:
    """Remove stray blanks, so that a fault in this cell does not make the word missing elsewhere."""
    return "/".join(value.strip() for value in cell.split("/") if value.strip()) or cell.strip()


def _header_problems(header: list[str], name: str) -> Iterator[Problem]:
    if "expression" not in header:
        yield Problem("lexicon-no-expression", Place(name, 1), {"columns": header})
        return
    first = {feature: column for column, feature in reversed(list(enumerate(header)))}
    for column, feature in enumerate(header):
        place = Place(name, 1, 0, f"column {column + 1}")
        if first[feature] < column:
            yield Problem("lexicon-column-twice", place, {"feature": feature})
        elif feature in KEYWORDS:
            yield Problem("lexicon-column-keyword", place, {"feature": feature})
        elif _unusable(feature):
            yield Problem("lexicon-column-name", place, {"feature": feature})


def _unusable(feature: str) -> bool:
    return not feature or feature in KEYWORDS or any(c in ESCAPED or c.isspace() for c in feature)


def _row_problems(cells: list[str], header: list[str], line: int, name: str) -> Iterator[Problem]:
    if len(cells) > len(header):
        values = {"cells": len(cells), "columns": len(header), "extra": tuple(cells[len(header) :])}
        yield Problem("lexicon-too-many-cells", Place(name, line), values)
        return
    if len(cells) <= (expression := header.index("expression")):
        cells = [*cells, *[""] * (expression + 1 - len(cells))]
    for column, cell in zip(header, cells, strict=False):
        place = Place(name, line, 0, f'column "{column}"')
        parts = [cell] if column in {"expression", TEXT} and cell else cell.split("/") if cell else []
        if column == "expression" and not cell.strip():
            yield Problem("lexicon-empty-expression", place)
        elif any(not part or part != part.strip() for part in parts):
            yield Problem("lexicon-whitespace", place, {"cell": repr(cell)})


def _value_problems(lexicon: Lexicon, name: str) -> Iterator[Problem]:
    """Yield warnings about values: probable misspellings, and full-width characters."""
    for word in lexicon.words:
        if _FULL_WIDTH_ALNUM.search(word.form):
            place = Place(name, word.line, 0, 'column "expression"')
            yield _width_problem(place, word.form)
    # not by the index of the lexicon, which would be kept, also where it is only joined with others
    by_feature: dict[str, Counter[str]] = {feature: Counter() for feature in lexicon.features}
    shared = {id(word.values): word.values for word in lexicon.words}
    for number, times in Counter(id(word.values) for word in lexicon.words).items():
        for feature, held in shared[number].items():
            for value in held:
                by_feature[feature][value] += times
    for feature, counts in by_feature.items():
        if feature == TEXT:
            continue
        misspelt = dict(_misspellings(counts))
        odd = {value for value in counts if _FULL_WIDTH.search(value)} | misspelt.keys()
        if not odd:
            continue
        for word in lexicon.words:
            for value in sorted(word.get(feature) & odd):
                place = Place(name, word.line, 0, f'column "{feature}"')
                if value in misspelt:
                    near = misspelt[value]
                    values = {"value": value, "near": near, "count": counts[near]}
                    yield Problem("lexicon-misspelt", place, values, "warning")
                else:
                    yield _width_problem(place, value)


def _width_problem(place: Place, value: str) -> Problem:
    values = {"value": value, "half": unicodedata.normalize("NFKC", value)}
    return Problem("lexicon-full-width", place, values, "warning")


def _misspellings(counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield values used once that are one letter away from a value used three times or more.

    Only values of four or more Latin letters count: short values and Chinese words often differ by one character. Very
    long ones are not compared, which would take long.
    """
    words = {value for value in counts if 4 <= len(value) <= _LONGEST and value.isascii()}
    frequent = {value for value in words if counts[value] >= 3}
    deleted: dict[str, str] = {}
    for value in sorted(frequent):
        for shorter in (value, *_without_one(value)):
            deleted.setdefault(shorter, value)
    for value, n in counts.items():
        if n == 1 and value in words:
            near = next((deleted[v] for v in (value, *_without_one(value)) if v in deleted), None)
            # `person1` beside `person2` is a series, not a misspelling
            if near and re.sub(r"\d", "", near) != re.sub(r"\d", "", value):
                yield value, near


def _without_one(value: str) -> list[str]:
    return [value[:i] + value[i + 1 :] for i in range(len(value))]
