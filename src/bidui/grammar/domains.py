"""Domains: the words that fit a leaf, as values in groups that no constraint can tell apart."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bidui.errors import Place, Problem, fail
from bidui.grammar.constraints import Modes
from bidui.grammar.lexicon import Lexicon, Values, Word
from bidui.grammar.printing import Style
from bidui.grammar.rules import Condition, Lexical, Words

Occurrences = tuple[tuple[int, str], ...]  # side and column of each occurrence in print


@dataclass(slots=True, eq=False)
class Domain:
    """What a leaf may hold. A value is what can be told apart in print: one form, however many rows it has."""

    texts: Mapping[str, list[str]]  # printed column -> text of each value
    words: list[tuple[Word, ...]]  # the rows of each value; none for literals that are not in the lexicon
    marks: list[tuple[str, ...]]  # what may not occur twice, each with the side it is on
    diffs: list[int]  # length each value adds to the good side less that to the bad
    group: list[int]
    groups: list[list[int]]
    modes: list[tuple[Modes, ...]]  # of each group, for each feature asked for
    ambiguous: bool  # one form stands for several values, because its rows differ in more than one respect
    all_marks: frozenset[str] = frozenset()
    shown: list[str] = field(default_factory=list)  # what a pair's record says filled the slot


@dataclass(slots=True)
class Domains:
    """Builds domains over one lexicon, each only once however many paradigms use it."""

    lexicon: Lexicon
    style: Style
    repeat: tuple[Condition, ...]
    built: dict[object, Domain] = field(default_factory=dict)
    disjoint: dict[tuple[int, int], bool] = field(default_factory=dict)

    def domain(
        self, rule: Lexical | Words, features: tuple[str, ...], uses: Occurrences, place: Place, *, lengths: bool
    ) -> Domain:
        """The domain of a leaf whose `features` are compared and which is printed in `uses`.

        With `lengths`, words of different lengths fall into different groups.
        """
        columns = tuple(sorted({column for _, column in uses})) or ("expression",)
        asked = rule.conditions if isinstance(rule, Lexical) else rule.words
        key = (isinstance(rule, Words), asked, features, tuple(sorted(uses if lengths else set(uses))), lengths)
        if key not in self.built:
            rows = self._literals(rule, features, place) if isinstance(rule, Words) else self._rows(rule, columns, place)
            self.built[key] = self._build(rows, features, uses, columns, literal=isinstance(rule, Words), lengths=lengths)
        return self.built[key]

    def overlap(self, a: Domain, b: Domain) -> bool:
        """Whether the two share a mark."""
        key = (id(a), id(b))
        if key not in self.disjoint:
            self.disjoint[key] = a.all_marks.isdisjoint(b.all_marks)
        return not self.disjoint[key]

    def _rows(self, rule: Lexical, columns: tuple[str, ...], place: Place) -> list[tuple[str, Word | None]]:
        printed = tuple(Condition(column, "has") for column in columns if column != "expression")
        words = self.lexicon.select((*rule.conditions, *printed))
        for column in columns:
            several = next((word for word in words if len(word.get(column)) > 1), None)
            if several:
                values = {"column": column, "form": several.form, "values": sorted(several.get(column))}
                raise fail("column-several", place, values)
        if not words:
            raise fail("no-word-fits", place, no_word_values((*rule.conditions, *printed), self.lexicon))
        return [(word.form, word) for word in words]

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
        by_text: dict[tuple[str, ...], list[tuple[str, Word | None]]] = {}
        for form, word in rows:
            texts = tuple(_text(form, word, column) for column in columns)
            by_text.setdefault(texts, []).append((form, word))
        exempt = 0 if literal or not self.repeat else self.lexicon.bits(self.repeat)
        domain = Domain({column: [] for column in columns}, [], [], [], [], [], [], ambiguous=False)
        numbers: dict[tuple[object, ...], int] = {}
        for texts, same in by_text.items():
            by_column = dict(zip(columns, texts, strict=True))
            signed = [self.style.length(by_column[column]) * (1 - 2 * side) for side, column in uses]
            diff = sum(signed) if lengths else 0
            printed = {(side, by_column[column]) for side, column in uses}
            found = []
            for marks, rows_alike in _by_marks(printed, same, exempt, literal=literal).items():
                words = tuple(word for _, word in rows_alike if word)
                vectors = _merged([_vector(form, word, features) for form, word in rows_alike])
                found += [(marks, words, vector) for vector in vectors]
            domain.ambiguous |= len(found) > 1
            for marks, words, vector in found:
                number = numbers.setdefault((vector, diff), len(numbers))
                if number == len(domain.groups):
                    domain.groups.append([])
                    domain.modes.append(vector)
                domain.groups[number].append(len(domain.words))
                domain.group.append(number)
                domain.words.append(words)
                domain.marks.append(marks)
                domain.diffs.append(diff)
                for column, text in by_column.items():
                    domain.texts[column].append(text)
        domain.shown = domain.texts.get("expression") or domain.texts[columns[0]]
        domain.all_marks = frozenset(mark for marks in domain.marks for mark in marks)
        return domain


def _text(form: str, word: Word | None, column: str) -> str:
    return form if word is None or column == "expression" else next(iter(word.get(column)))


def _vector(form: str, word: Word | None, features: tuple[str, ...]) -> tuple[Values, ...]:
    if word is None:
        return tuple(frozenset((form,)) for _ in features)
    return tuple(word.get(feature) for feature in features)


def _merged(vectors: list[tuple[Values, ...]]) -> list[tuple[Modes, ...]]:
    """The rows of one form as one value, where they differ in one feature only: either row will do there."""
    different = list(dict.fromkeys(vectors))
    differing = [n for n in range(len(different[0])) if len({vector[n] for vector in different}) > 1]
    if len(differing) > 1:
        return [tuple(frozenset((values,)) for values in vector) for vector in different]
    return [tuple(frozenset(vector[n] for vector in different) for n in range(len(different[0])))]


def _by_marks(
    printed: set[tuple[int, str]], rows: list[tuple[str, Word | None]], exempt: int, *, literal: bool
) -> dict[tuple[str, ...], list[tuple[str, Word | None]]]:
    """Rows of one text by what may not occur twice on a side with them: form, printed text and concepts."""
    found: dict[tuple[str, ...], list[tuple[str, Word | None]]] = {}
    for form, word in rows:
        marks: set[str] = set()
        if not literal and word is not None and not exempt >> word.index & 1:
            named = {form, *(f"concept {concept}" for concept in word.get("concept"))}
            marks = {f"{side} {name}" for side, _ in printed for name in named}
            marks |= {f"{side} {text}" for side, text in printed}
        found.setdefault(tuple(sorted(marks)), []).append((form, word))
    return found


def condition_problems(rule: Lexical, lexicon: Lexicon, place: Place) -> list[Problem]:
    """Features and values that the lexicon does not know, with the nearest it does."""
    problems = []
    for condition in rule.conditions:
        here = place.at(condition.column)
        if not lexicon.has_feature(condition.feature):
            values: dict[str, object] = {
                "feature": condition.feature,
                "near": lexicon.nearest_feature(condition.feature) or lexicon.features,
            }
            problems.append(Problem("feature-unknown", here, values))
            continue
        known = lexicon.counts(condition.feature)
        for value in condition.values:
            if value not in known:
                values = no_word_values(rule.conditions, lexicon)
                near = lexicon.nearest(condition.feature, value) or tuple(known)
                values |= {"feature": condition.feature, "value": value, "near": near}
                problems.append(Problem("value-unknown", here, values))
    return problems


def no_word_values(conditions: tuple[Condition, ...], lexicon: Lexicon) -> dict[str, object]:
    """How many words each condition leaves by itself, for the message that none meets them all."""
    alone = [f"{condition}: {lexicon.bits([condition]).bit_count()}" for condition in conditions]
    return {"rule": " ".join(map(str, conditions)) or "(anything)", "alone": alone, "words": len(lexicon.words)}
