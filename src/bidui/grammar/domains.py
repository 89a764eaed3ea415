"""Domains: the words that fit a leaf, in groups that no constraint can tell apart, and which groups go together.

Each domain is built from the lexicon once, however many paradigms use it; so is each table between two domains.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import chain
from operator import or_

from bidui.errors import Place, fail
from bidui.files import sha256
from bidui.grammar.constraints import Holders, Modes, TableColumn, values_of
from bidui.grammar.lexicon import Lexicon, Relation, Values, Word, no_word_values
from bidui.grammar.printing import Style
from bidui.grammar.rules import Condition, Lexical, Words
from bidui.grammar.tree import Word as Leaf

INDEXED = 32  # characters at the beginning of a text by which it is found; some texts are megabytes long


@dataclass(eq=False)
class Texts:
    """Different texts of which any may be said, found by their beginnings."""

    texts: tuple[str, ...]

    @cached_property
    def name(self) -> object:
        """What these texts are known by: a single one by itself, since many lines have the same literals."""
        return self.texts[0] if len(self.texts) == 1 else self

    @cached_property
    def members(self) -> frozenset[str]:
        """The texts as a set."""
        return frozenset(self.texts)

    @cached_property
    def lengths(self) -> list[int]:
        """The lengths of the texts, shortest first; a text that says nothing has none."""
        return sorted({len(text) for text in self.texts if text})

    @cached_property
    def _starts(self) -> dict[str, list[str]]:
        starts: dict[str, list[str]] = {}
        for text in self.texts:
            for cut in range(1, min(len(text), INDEXED) + 1):
                starts.setdefault(text[:cut], []).append(text)
        return starts

    def starting(self, start: str) -> list[str]:
        """Return the texts that begin with `start`, itself included."""
        texts = self._starts.get(start[:INDEXED], [])
        return texts if len(start) <= INDEXED else [text for text in texts if text.startswith(start)]

    def beginnings(self, whole: str) -> list[str]:
        """Return the texts that `whole` begins with, itself included, shortest first."""
        members, size = self.members, len(whole)
        return [whole[:cut] for cut in self.lengths if cut <= size and whole[:cut] in members]


@dataclass(slots=True)
class Overlaps:
    """How the texts of two edges begin alike, worked out once for each two."""

    known: dict[tuple[object, object], tuple[bool, list[tuple[str, bool]]]] = field(default_factory=dict)

    def between(self, one: Texts, other: Texts) -> tuple[bool, list[tuple[str, bool]]]:
        """Return whether they share a text, and what a text of one says more than a text of the other.

        With each of these comes whether it is the other that says more.
        """
        key = (one.name, other.name)
        if key not in self.known:
            fewer = len(other.texts) < len(one.texts)  # the other has fewer texts
            few, many = (other, one) if fewer else (one, other)
            rests: dict[tuple[str, bool], None] = {}
            for text in few.texts:
                for begun in many.beginnings(text):
                    rests[text[len(begun) :], fewer] = None
                for longer in many.starting(text):
                    rests[longer[len(text) :], not fewer] = None
            shared = not one.members.isdisjoint(other.members)
            self.known[key] = (shared, [(rest, swapped) for rest, swapped in rests if rest])
        return self.known[key]


@dataclass(eq=False)
class Domain:
    """The values that a leaf may hold. A value is one form in print, however many rows of the lexicon have it."""

    texts: Mapping[str, list[str]]  # printed column -> text of each value
    words: list[tuple[Word, ...]]  # the rows of each value; none for literals that are not in the lexicon
    marks: list[tuple[str, ...]]  # what may not occur twice, each with the side it is on
    diffs: list[int]  # length each value adds to the good side less that to the bad
    group: list[int]
    groups: list[list[int]]
    modes: list[tuple[Modes, ...]]  # of each group, for each feature that is compared
    ambiguous: bool = False  # one form stands for several values, because its rows differ in several respects
    all_marks: frozenset[str] = frozenset()
    shown: list[str] = field(default_factory=list)  # what a pair's record says filled the slot
    _edges: dict[str, tuple[frozenset[str], frozenset[str]]] = field(default_factory=dict)
    _starts: dict[str, tuple[Texts, dict[str, list[int]]]] = field(default_factory=dict)
    said: dict[tuple[str, bool], Texts] = field(
        default_factory=dict
    )  # as they stand in a sentence, by column and place
    folded: Mapping[str, list[str]] = field(default_factory=dict)  # the texts without separators and capitals

    def fitting(self, column: str, over: str) -> list[int]:
        """Return the values whose folded text begins with `over`, or is a beginning of it."""
        if not over:
            return list(range(len(self.words)))
        if column not in self._starts:
            values: dict[str, list[int]] = {}
            for value, text in enumerate(self.folded[column]):
                values.setdefault(text, []).append(value)
            self._starts[column] = (Texts(tuple(values)), values)
        texts, values = self._starts[column]
        shorter = [value for text in texts.beginnings(over) if text != over for value in values[text]]
        return shorter + sorted(value for text in texts.starting(over) for value in values[text])

    def values_in(self, mask: int) -> list[int]:
        """Return the values of these groups, in the order of the lexicon."""
        return sorted(value for group in bits_of(mask) for value in self.groups[group])

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that counting sees of these values: those of two lexicons with the same hash count the same."""
        modes = [[sorted(map(sorted, each)) for each in vector] for vector in self.modes]
        seen = (self.texts, self.marks, self.diffs, self.group, modes, self.ambiguous)
        return sha256(json.dumps(seen, ensure_ascii=False, separators=(",", ":")).encode())

    @cached_property
    def forms(self) -> list[str]:
        """The expression of each value; an empty text for a literal that is not in the lexicon."""
        return [words[0].form if words else "" for words in self.words]

    def edges(self, column: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the characters that texts begin and end with."""
        if column not in self._edges:
            texts = self.texts[column]
            edges = frozenset(text[0] for text in texts), frozenset(text[-1] for text in texts)
            self._edges[column] = edges
        return self._edges[column]


Occurrences = tuple[tuple[int, str], ...]  # side and column of each occurrence in print


@dataclass(slots=True)
class Domains:
    """Builds domains over one lexicon, each only once."""

    lexicon: Lexicon
    style: Style
    repeat: tuple[Condition, ...]
    built: dict[object, Domain] = field(default_factory=dict)
    columns: dict[TableColumn, int] = field(default_factory=dict)
    disjoint: dict[tuple[int, int], bool] = field(default_factory=dict)
    singles: dict[Values, Modes] = field(default_factory=dict)

    def domain(
        self,
        leaf: Leaf,
        features: tuple[str, ...],
        uses: Occurrences,
        within: tuple[TableColumn, ...],
        *,
        lengths: bool,
    ) -> Domain:
        """Return the domain of a leaf whose `features` are compared and which is printed in `uses`.

        With `lengths`, words of different lengths fall into different groups. Words that are not in the columns
        `within` are left out from the start: a table of a few hundred rows mentions few of the lexicon's nouns.
        """
        rule, place = leaf.rule, leaf.place
        columns = tuple(sorted({column for _, column in uses})) or ("expression",)
        literal = isinstance(rule, Words)
        content = rule.words if isinstance(rule, Words) else rule.conditions
        key = (literal, content, features, tuple(sorted(uses if lengths else set(uses))), lengths, within)
        if key not in self.built:
            if isinstance(rule, Words):
                rows = self._literals(rule, features, columns, place)
            else:
                rows = self._rows(rule, columns, place, within)
            domain = self._build(rows, features, uses, columns, literal=literal, lengths=lengths)
            domain.folded = domain.texts
            if self.style.separator or self.style.capital:
                domain.folded = {column: list(map(self.style.folded, texts)) for column, texts in domain.texts.items()}
            self.built[key] = domain
        return self.built[key]

    def overlap(self, a: Domain, b: Domain) -> bool:
        """Tell whether the two share a mark."""
        key = (id(a), id(b))
        if key not in self.disjoint:
            self.disjoint[key] = a.all_marks.isdisjoint(b.all_marks)
        return not self.disjoint[key]

    def _rows(
        self, rule: Lexical, columns: tuple[str, ...], place: Place, within: tuple[TableColumn, ...]
    ) -> list[tuple[str, Word | None]]:
        conditions = (*rule.conditions, *(Condition(column, "has") for column in columns if column != "expression"))
        bits = self.lexicon.bits(conditions)
        if not bits:
            raise fail("no-word-fits", place, no_word_values(conditions, self.lexicon))
        # if the tables leave no word, the diagnosis still needs the words to report it
        words = self.lexicon.rows(bits & self._mentioned(within) or bits)
        _refuse_several(words, columns, place)
        return [(word.form, word) for word in words]

    def _mentioned(self, within: tuple[TableColumn, ...]) -> int:
        """Return the words that stand in all these columns, as a set of rows."""
        rows = -1
        for column in within:
            if column not in self.columns:
                values = column.relation.words(column.column, used=column.used)
                self.columns[column] = self.lexicon.having(column.relation.features[column.column], values)
            rows &= self.columns[column]
        return rows

    def _literals(
        self, rule: Words, features: tuple[str, ...], columns: tuple[str, ...], place: Place
    ) -> list[tuple[str, Word | None]]:
        rows: list[tuple[str, Word | None]] = []
        needed = tuple(column for column in columns if column != "expression")
        for text in rule.words:
            words = self.lexicon.with_form(text)
            if not words and any(feature != "expression" for feature in (*features, *needed)):
                missing = features if any(feature != "expression" for feature in features) else needed
                raise fail("literal-not-in-lexicon", place.at(rule.column), {"word": text, "features": missing})
            printed = tuple(word for word in words if all(word.get(column) for column in needed))
            _refuse_several(printed, columns, place)
            rows += [(text, word) for word in printed] if words else [(text, None)]
        if not rows:
            values = {"words": list(rule.words), "columns": list(needed)}
            raise fail("literal-without-column", place.at(rule.column), values)
        return rows

    def _build(
        self,
        rows: list[tuple[str, Word | None]],
        features: tuple[str, ...],
        uses: Occurrences,
        columns: tuple[str, ...],
        *,
        literal: bool,
        lengths: bool,
    ) -> Domain:
        exempt = -1 if literal else self.lexicon.bits(self.repeat) if self.repeat else 0
        plain = [word for _, word in rows if word is not None]
        if columns == ("expression",) and len(plain) == len(rows) == len({form for form, _ in rows}):
            return self._build_plain(plain, features, uses, exempt, lengths=lengths)
        by_text: dict[tuple[str, ...], list[tuple[str, Word | None]]] = {}
        for form, word in rows:
            texts = (form,) if columns == ("expression",) else tuple([_text(form, word, column) for column in columns])
            by_text.setdefault(texts, []).append((form, word))
        printing = sorted({(side, columns.index(column)) for side, column in uses})
        signs = [sum(1 - 2 * side for side, used in uses if used == column) for column in columns]
        domain = Domain({column: [] for column in columns}, [], [], [], [], [], [])
        numbers: dict[tuple[tuple[Modes, ...], int], int] = {}
        for texts, same in by_text.items():
            diff = 0
            if lengths:
                diff = sum([self.style.length(text) * sign for text, sign in zip(texts, signs, strict=True)])
            for marks, alike in _by_marks(texts, same, printing, exempt).items():
                for vector in self._vectors(alike, features):
                    number = numbers.setdefault((vector, diff), len(numbers))
                    if number == len(domain.groups):
                        domain.groups.append([])
                        domain.modes.append(vector)
                    domain.groups[number].append(len(domain.words))
                    domain.group.append(number)
                    domain.words.append(tuple([word for _, word in alike if word]))
                    domain.marks.append(marks)
                    domain.diffs.append(diff)
                    for column, text in zip(columns, texts, strict=True):
                        domain.texts[column].append(text)
        domain.ambiguous = len(domain.words) > len(by_text)
        domain.shown = domain.texts.get("expression") or domain.texts[columns[0]]
        domain.all_marks = frozenset(chain.from_iterable(domain.marks))
        return domain

    def _build_plain(
        self, words: list[Word], features: tuple[str, ...], uses: Occurrences, exempt: int, *, lengths: bool
    ) -> Domain:
        """Do the same, ten times faster, for the usual leaf: words of different forms, printed as they are."""
        forms = [word.form for word in words]
        sides = sorted({side for side, _ in uses})
        marks: list[tuple[str, ...]] = [()] * len(words)
        if sides == [0, 1]:
            marks = [(f"0 {form}", f"1 {form}") for form in forms]
        elif sides:
            marks = [(f"{sides[0]} {form}",) for form in forms]
        for at, word in enumerate(words):
            if "concept" in word.values:
                concepts = sorted(word.values["concept"])
                marks[at] += tuple(f"{side} concept {concept}" for side in sides for concept in concepts)
        if exempt:
            marks = [() if exempt >> word.index & 1 else each for word, each in zip(words, marks, strict=True)]
        sign = sum(1 - 2 * side for side, _ in uses) if lengths else 0
        diffs = [self.style.length(form) * sign for form in forms] if sign else [0] * len(forms)
        single = self._single
        seen = [[single(word.get(feature)) for word in words] for feature in features]
        domain = Domain({"expression": forms}, [(word,) for word in words], marks, diffs, [], [], [], shown=forms)
        numbers: dict[tuple[tuple[Modes, ...], int], int] = {}
        vectors = list(zip(*seen, strict=True)) if features else [()] * len(words)
        for value, key in enumerate(zip(vectors, diffs, strict=True)):
            number = numbers.get(key)
            if number is None:
                number = numbers[key] = len(numbers)
                domain.groups.append([])
                domain.modes.append(key[0])
            domain.groups[number].append(value)
            domain.group.append(number)
        domain.all_marks = frozenset(chain.from_iterable(marks))
        return domain

    def _vectors(self, rows: list[tuple[str, Word | None]], features: tuple[str, ...]) -> list[tuple[Modes, ...]]:
        """Return what constraints see of rows with one text: one vector if they differ in at most one feature."""
        if len(rows) == 1:
            return [tuple([self._single(values) for values in _seen(*rows[0], features)])]
        different = list(dict.fromkeys(_seen(form, word, features) for form, word in rows))
        differing = [n for n in range(len(features)) if len({vector[n] for vector in different}) > 1]
        if len(differing) > 1:
            return [tuple(self._single(values) for values in vector) for vector in different]
        return [tuple(frozenset(vector[n] for vector in different) for n in range(len(features)))]

    def _single(self, values: Values) -> Modes:
        modes = self.singles.get(values)
        if modes is None:
            modes = self.singles[values] = frozenset((values,))
        return modes


def _refuse_several(words: Iterable[Word], columns: tuple[str, ...], place: Place) -> None:
    """Raise an error if a word has several texts in a column that is printed."""
    for column in columns:
        several = next((word for word in words if len(word.values.get(column, ())) > 1), None)
        if several:
            values = {"column": column, "form": several.form, "values": sorted(several.get(column))}
            raise fail("column-several", place, values)


def _text(form: str, word: Word | None, column: str) -> str:
    return form if word is None or column == "expression" else next(iter(word.get(column)))


def _seen(form: str, word: Word | None, features: tuple[str, ...]) -> tuple[Values, ...]:
    if word is None:
        return tuple([frozenset((form,)) for _ in features])
    return tuple([word.get(feature) for feature in features])


def _by_marks(
    texts: tuple[str, ...], rows: list[tuple[str, Word | None]], printing: list[tuple[int, int]], exempt: int
) -> dict[tuple[str, ...], list[tuple[str, Word | None]]]:
    """Group rows of one text by what may not occur twice on a side: form, printed text and concepts.

    `printing` lists the side and the number of the text of each occurrence; the rows in `exempt` may occur twice.
    """
    groups: dict[tuple[str, ...], list[tuple[str, Word | None]]] = {}
    for form, word in rows:
        marks: dict[str, None] = {}
        if word is not None and not exempt >> word.index & 1:
            for side, number in printing:
                marks[f"{side} {texts[number]}"] = None
                if texts[number] != form:
                    marks[f"{side} {form}"] = None
                if "concept" in word.values:
                    for concept in sorted(word.values["concept"]):
                        marks[f"{side} concept {concept}"] = None
        groups.setdefault(tuple(marks), []).append((form, word))
    return groups


# Supports: which groups of one domain go with which groups of another.


@dataclass(slots=True, eq=False)
class Support:
    """For each group of one leaf, the groups of another that go with it, as bits."""

    groups: list[int]
    unions: dict[int, int] = field(default_factory=dict)

    def union(self, mine: int) -> int:
        """Return what any of the groups in `mine` allows."""
        if mine not in self.unions:
            self.unions[mine] = reduce(or_, [self.groups[group] for group in bits_of(mine)], 0)
        return self.unions[mine]


@dataclass(slots=True, eq=False)
class End:
    """For each group of a leaf, the values or rows it can take part in; and for each of these, the groups."""

    groups: list[int]
    holders: dict[int, int]
    width: int  # bits that all values or rows need
    _allowed: dict[int, int] = field(default_factory=dict)
    _held: dict[int, int] = field(default_factory=dict)

    def allowed(self, live: int) -> int:
        """Return the groups that can take part in one of the values or rows in `live`."""
        if live not in self._allowed:
            self._allowed[live] = reduce(or_, [self.holders.get(value, 0) for value in bits_of(live)], 0)
        return self._allowed[live]

    def held(self, groups: int) -> int:
        """Return the values or rows that one of these groups can take part in."""
        if groups not in self._held:
            self._held[groups] = reduce(or_, [self.groups[group] for group in bits_of(groups)], 0)
        return self._held[groups]


def bits_of(mask: int) -> list[int]:
    """Return the numbers of the bits that are set; fast for many bits and for few."""
    if mask.bit_count() > 24:
        return [n for n, bit in enumerate(f"{mask:b}"[::-1]) if bit == "1"]
    numbers = []
    while mask:
        low = mask & -mask
        numbers.append(low.bit_length() - 1)
        mask ^= low
    return numbers


@dataclass(slots=True)
class Supports:
    """The tables between domains that have been computed so far."""

    holders: dict[tuple[int, int], Holders] = field(default_factory=dict)
    tables: dict[tuple[int, int, int, int, bool], Support] = field(default_factory=dict)
    rows: dict[tuple[str, int, int, int], End] = field(default_factory=dict)
    in_rows: dict[tuple[str, int, int, int, int, int, int], Support] = field(default_factory=dict)
    overlaps: Overlaps = field(default_factory=Overlaps)

    def between(self, a: Domain, at_a: int, b: Domain, at_b: int, *, same: bool) -> Support:
        """Return what each group of `a` allows in `b`; `at_a` and `at_b` number the features that are compared."""
        name = (id(a), at_a, id(b), at_b, same)
        if name not in self.tables:
            if (id(b), at_b) not in self.holders:
                self.holders[id(b), at_b] = Holders([vector[at_b] for vector in b.modes])
            holders = self.holders[id(b), at_b]
            masks: dict[Modes, int] = {}
            for vector in a.modes:
                modes = vector[at_a]
                if modes not in masks:
                    masks[modes] = holders.sharing(modes) if same else holders.differing(modes)
            self.tables[name] = Support([masks[vector[at_a]] for vector in a.modes])
        return self.tables[name]

    def in_relation(self, domain: Domain, at: int, relation: Relation, column: int) -> End:
        """Return the rows of a relation that each group of a domain can stand in."""
        name = (relation.name, column, id(domain), at)
        if name not in self.rows:
            index = relation.index[column]
            groups = []
            for vector in domain.modes:
                mask = 0
                for value in values_of(vector[at]):
                    for row in index.get(value, ()):
                        mask |= 1 << row
                groups.append(mask)
            self.rows[name] = _end(groups)
        return self.rows[name]

    def in_one_row(self, a: tuple[Domain, int, int], b: tuple[Domain, int, int], relation: Relation) -> Support:
        """Return what each group of `a` allows in `b` if both must stand in one row; each with its end and column."""
        name = (relation.name, id(a[0]), *a[1:], id(b[0]), *b[1:])
        if name not in self.in_rows:
            mine, theirs = (self.in_relation(domain, at, relation, column) for domain, at, column in (a, b))
            self.in_rows[name] = Support([theirs.allowed(rows) for rows in mine.groups])
        return self.in_rows[name]


def shared_ends(ends: list[tuple[Domain, int]]) -> list[End]:
    """Return the values that each group can share, for a match of three or more slots."""
    numbers: dict[str, int] = {}
    tables = []
    for domain, at in ends:
        groups = []
        for vector in domain.modes:
            values = sorted(values_of(vector[at]))
            groups.append(sum(1 << numbers.setdefault(value, len(numbers)) for value in values))
        tables.append(_end(groups))
    return tables


def both_ends(one: End, other: End) -> End:
    """Return the end of a leaf that is two ends of one constraint."""
    return _end([a & b for a, b in zip(one.groups, other.groups, strict=True)])


def _end(groups: list[int]) -> End:
    holders: dict[int, int] = {}
    for group, mask in enumerate(groups):
        for value in bits_of(mask):
            holders[value] = holders.get(value, 0) | 1 << group
    return End(groups, holders, max(holders, default=-1) + 1)
