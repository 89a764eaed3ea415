"""Domains are built from the lexicon, each once: the words that fit a leaf, grouped by what constraints see."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from bidui.errors import Place, fail
from bidui.grammar.conditions import no_word_values
from bidui.grammar.constraints import Modes, TableColumn
from bidui.grammar.domain import Domain
from bidui.grammar.lexicon import Lexicon, Values, Word
from bidui.grammar.printing import Style
from bidui.grammar.rules import Condition, Lexical, Words

Occurrences = tuple[tuple[int, str], ...]  # side and column of each occurrence in print


@dataclass(slots=True)
class Domains:
    """Builds domains over one lexicon, each only once however many paradigms use it."""

    lexicon: Lexicon
    style: Style
    repeat: tuple[Condition, ...]
    built: dict[object, Domain] = field(default_factory=dict)
    columns: dict[TableColumn, int] = field(default_factory=dict)
    disjoint: dict[tuple[int, int], bool] = field(default_factory=dict)
    singles: dict[Values, Modes] = field(default_factory=dict)

    def domain(
        self,
        rule: Lexical | Words,
        features: tuple[str, ...],
        uses: Occurrences,
        place: Place,
        *,
        lengths: bool,
        within: tuple[TableColumn, ...] = (),
    ) -> Domain:
        """The domain of a leaf whose `features` are compared and which is printed in `uses`.

        With `lengths`, words of different lengths fall into different groups. Words that are not in the columns
        `within` are left out from the start: a table of some hundred rows mentions few of the lexicon's nouns.
        """
        columns = tuple(sorted({column for _, column in uses})) or ("expression",)
        asked = rule.conditions if isinstance(rule, Lexical) else rule.words
        key = (isinstance(rule, Words), asked, features, tuple(sorted(uses if lengths else set(uses))), lengths, within)
        if key not in self.built:
            rows = (
                self._literals(rule, features, place)
                if isinstance(rule, Words)
                else self._rows(rule, columns, place, within)
            )
            self.built[key] = self._build(
                rows, features, uses, columns, literal=isinstance(rule, Words), lengths=lengths
            )
            self.built[key].folded = self._folded(self.built[key].texts)
        return self.built[key]

    def _folded(self, texts: Mapping[str, list[str]]) -> Mapping[str, list[str]]:
        if not self.style.separator and not self.style.capital:
            return texts
        return {column: [self.style.folded(text) for text in found] for column, found in texts.items()}

    def overlap(self, a: Domain, b: Domain) -> bool:
        """Whether the two share a mark."""
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
        # should the tables leave none, the diagnosis must still find the words and say so
        words = self.lexicon.rows(bits & self._mentioned(within) or bits)
        for column in columns:
            several = next((word for word in words if len(word.values.get(column, ())) > 1), None)
            if several:
                values = {"column": column, "form": several.form, "values": sorted(several.get(column))}
                raise fail("column-several", place, values)
        return [(word.form, word) for word in words]

    def _mentioned(self, within: tuple[TableColumn, ...]) -> int:
        """The words that stand in all these columns, as a set of rows."""
        found = -1
        for column in within:
            if column not in self.columns:
                values = column.relation.words(column.column, used=column.used)
                self.columns[column] = self.lexicon.having(column.relation.features[column.column], values)
            found &= self.columns[column]
        return found

    def _literals(self, rule: Words, features: tuple[str, ...], place: Place) -> list[tuple[str, Word | None]]:
        rows: list[tuple[str, Word | None]] = []
        for text in rule.words:
            known = self.lexicon.with_form(text)
            if not known and any(feature != "expression" for feature in features):
                raise fail("literal-not-in-lexicon", place.at(rule.column), {"word": text, "features": features})
            rows += [(text, word) for word in known] or [(text, None)]
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
        """The same for what most leaves are, words of different forms printed as they are; ten times quicker."""
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
            marks = [() if exempt >> word.index & 1 else own for word, own in zip(words, marks, strict=True)]
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
        """What constraints see of rows with one text: one vector where they differ in one feature at most."""
        if len(rows) == 1:
            return [tuple([self._single(values) for values in _seen(*rows[0], features)])]
        different = list(dict.fromkeys(_seen(form, word, features) for form, word in rows))
        differing = [n for n in range(len(features)) if len({vector[n] for vector in different}) > 1]
        if len(differing) > 1:
            return [tuple(self._single(values) for values in vector) for vector in different]
        return [tuple(frozenset(vector[n] for vector in different) for n in range(len(features)))]

    def _single(self, values: Values) -> Modes:
        found = self.singles.get(values)
        if found is None:
            found = self.singles[values] = frozenset((values,))
        return found


def _text(form: str, word: Word | None, column: str) -> str:
    return form if word is None or column == "expression" else next(iter(word.get(column)))


def _seen(form: str, word: Word | None, features: tuple[str, ...]) -> tuple[Values, ...]:
    if word is None:
        return tuple([frozenset((form,)) for _ in features])
    return tuple([word.get(feature) for feature in features])


def _by_marks(
    texts: tuple[str, ...], rows: list[tuple[str, Word | None]], printing: list[tuple[int, int]], exempt: int
) -> dict[tuple[str, ...], list[tuple[str, Word | None]]]:
    """Rows of one text by what may not occur twice on a side with them: form, printed text and concepts.

    `printing` lists the side and the number of the text of each occurrence; the rows in `exempt` may occur twice.
    """
    found: dict[tuple[str, ...], list[tuple[str, Word | None]]] = {}
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
        found.setdefault(tuple(marks), []).append((form, word))
    return found
