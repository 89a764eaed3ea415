"""Fitting: which words of the lexicon a rule allows by itself, also while it is half-typed, as sets of rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bidui.errors import InputError, Place
from bidui.grammar.expansion import MAX_NESTING
from bidui.grammar.lexicon import Lexicon, Values
from bidui.grammar.paradigm import PhraseRule
from bidui.grammar.relations import Relation
from bidui.grammar.rule_parser import parse_rule
from bidui.grammar.rules import Condition, Lexical, Phrase, Rule, Words
from bidui.web.editing.rule_pieces import Piece, pieces_of

_Open = dict[tuple[str, tuple[str, ...]], int]
MAX_SEEN = 64  # sets of words whose values are kept


@dataclass(slots=True)
class Fitting:
    """The words that rules, phrases and relations allow; what was worked out is kept."""

    lexicon: Lexicon
    phrases: Mapping[str, PhraseRule]
    relations: Mapping[str, Relation]
    known_parts: dict[tuple[str, tuple[str, ...]], int] = field(default_factory=dict)
    known_columns: dict[tuple[str, int], int] = field(default_factory=dict)
    known_counts: dict[str, dict[str, int]] = field(default_factory=dict)
    known_seen: dict[int, dict[str, set[Values]]] = field(default_factory=dict)

    @property
    def everything(self) -> int:
        """All words."""
        return (1 << len(self.lexicon.words)) - 1

    def rule(self, rule: str, path: Sequence[str] = ()) -> int:
        """The words that a rule's text allows, or a part of the phrase that it names; half of it may be missing."""
        try:
            return self.parsed(parse_rule(rule, Place()), tuple(path))
        except InputError:
            pieces = pieces_of(rule)
            numbers = {piece.alternative for piece in pieces}
            return _union(self.alternative(rule, pieces, number, path=tuple(path)) for number in numbers)

    def alternative(
        self,
        rule: str,
        pieces: Sequence[Piece],
        number: int,
        *,
        without: tuple[int, int] = (-1, -1),
        path: tuple[str, ...] = (),
    ) -> int:
        """The words that the finished conditions of one alternative allow, but for the token `without`."""
        mine = [piece for piece in pieces if piece.alternative == number and not piece.inside]
        phrase = next((piece.text for piece in mine if piece.kind == "phrase"), None)
        if phrase is not None:
            return self.part(phrase, path or ("head",))
        words = [piece for piece in mine if piece.kind == "word"]
        if words and len(words) == len(mine):
            return self.forms(piece.text.strip('"') for piece in words)
        return self.lexicon.bits(self.conditions(rule, mine, without=without))

    def conditions(self, rule: str, pieces: Iterable[Piece], *, without: tuple[int, int] = (-1, -1)) -> list[Condition]:
        """The conditions among some pieces that are finished and that the lexicon knows."""
        found = []
        for token in dict.fromkeys(piece.token for piece in pieces if piece.kind == "value"):
            if token == without:
                continue
            try:
                body = parse_rule(rule[slice(*token)], Place()).alternatives[0].rule
            except InputError:
                continue
            if isinstance(body, Lexical):
                found += self.known(body.conditions)
        return found

    def parsed(self, rule: Rule, path: tuple[str, ...] = ()) -> int:
        """The words that a rule allows, or a part of the phrase that it names."""
        return self._rule(rule, path, {}, 0)

    def part(self, phrase: str, path: tuple[str, ...]) -> int:
        """The words that may stand in a part of a phrase, over all its alternatives."""
        key = (phrase, path)
        if key not in self.known_parts:
            self.known_parts[key] = self._part(phrase, path, {}, 0)
        return self.known_parts[key]

    def _rule(self, rule: Rule, path: tuple[str, ...], open_parts: _Open, depth: int) -> int:
        return _union(self._body(alternative.rule, path, open_parts, depth) for alternative in rule.alternatives)

    def _body(self, body: Lexical | Words | Phrase, path: tuple[str, ...], open_parts: _Open, depth: int) -> int:
        if isinstance(body, Words):
            return self.forms(body.words)
        if isinstance(body, Phrase):
            words = self._part(body.name, path or ("head",), open_parts, depth + 1)
            for part, more in body.overrides:
                if tuple(part.split(".")) == (path or ("head",)):
                    words &= self.meeting(more.conditions)
            return words
        return self.meeting(body.conditions) if path in ((), ("head",)) else 0

    def _part(self, phrase: str, path: tuple[str, ...], open_parts: _Open, depth: int) -> int:
        """Worked out once in a call; inside itself a phrase adds nothing."""
        key = (phrase, path)
        if key not in open_parts and phrase in self.phrases and path and depth < MAX_NESTING:
            open_parts[key] = total = 0
            for alternative in self.phrases[phrase].alternatives:
                name = alternative.head if path[0] == "head" and alternative.head else path[0]
                if name in alternative.parts:
                    total |= self._rule(alternative.parts[name].rule, path[1:], open_parts, depth)
            open_parts[key] = total
        return open_parts.get(key, 0)

    def known(self, conditions: Iterable[Condition]) -> list[Condition]:
        """The conditions on features that the lexicon has."""
        return [condition for condition in conditions if self.lexicon.has_feature(condition.feature)]

    def meeting(self, conditions: Iterable[Condition]) -> int:
        """The words that meet them."""
        return self.lexicon.bits(self.known(conditions))

    def parts(self, phrase: str) -> list[str]:
        """The parts that every alternative of a phrase has, `head` first where every alternative has one."""
        alternatives = self.phrases[phrase].alternatives if phrase in self.phrases else ()
        if not alternatives:
            return []
        common = [n for n in alternatives[0].parts if all(n in other.parts for other in alternatives)]
        return ["head"] * all(bool(a.head) for a in alternatives) + [n for n in common if n != "word"]

    def forms(self, forms: Iterable[str]) -> int:
        """The rows of some forms."""
        return self.lexicon.having("expression", forms)

    def column(self, relation: Relation, column: int) -> int:
        """The words that stand in a column of a relation."""
        key = (relation.name, column)
        if key not in self.known_columns:
            feature = relation.features[column]
            known = self.lexicon.has_feature(feature)
            self.known_columns[key] = self.lexicon.having(feature, relation.index[column]) if known else 0
        return self.known_columns[key]

    def having(self, words: int) -> dict[str, int]:
        """How many of some words have a value of each feature, in the order of the lexicon."""
        lexicon = self.lexicon
        counts = {f: (words & lexicon.bits([Condition(f, "has")])).bit_count() for f in lexicon.features}
        return {"expression": words.bit_count(), **counts}

    def counts(self, feature: str, words: int) -> dict[str, int]:
        """The values of a feature, with how many of some words have each."""
        if words == self.everything:
            if feature not in self.known_counts:
                self.known_counts[feature] = self.lexicon.counts(feature)
            return self.known_counts[feature]
        counts: dict[str, int] = {}
        for word in self.lexicon.rows(words):
            for value in (word.form,) if feature == "expression" else word.values.get(feature, ()):
                counts[value] = counts.get(value, 0) + 1
        return counts

    def seen(self, words: int) -> dict[str, set[Values]]:
        """For each feature, the different sets of values that some words have."""
        if words not in self.known_seen:
            found: dict[str, set[Values]] = {"expression": set()}
            for word in self.lexicon.rows(words):
                found["expression"].add(word.get("expression"))
                for feature, values in word.values.items():
                    found.setdefault(feature, set()).add(values)
            if len(self.known_seen) >= MAX_SEEN:
                self.known_seen.clear()
            self.known_seen[words] = found
        return self.known_seen[words]

    def partners(self, words: int, feature: str, others: Iterable[Values], *, same: bool, most: int = -1) -> int:
        """How many of some words share a value of a feature with one of these sets, or share none with one of them.

        With `most`, only so many words are looked at.
        """
        sets = [values for values in others if values]
        union = frozenset().union(*sets)
        rows = self.lexicon.rows(words)
        mine = (values for word in (rows[:most] if most >= 0 else rows) if (values := word.get(feature)))
        if same:
            return sum(not union.isdisjoint(values) for values in mine)
        return sum(any(map(values.isdisjoint, sets)) for values in mine)


def _union(sets: Iterable[int]) -> int:
    total = 0
    for rows in sets:
        total |= rows
    return total
