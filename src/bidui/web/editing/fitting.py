"""Fitting: which words of the lexicon a rule allows by itself, also while it is half-typed, as sets of rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice
from operator import or_

from bidui.errors import InputError, Place
from bidui.grammar.constraints import Constraint, TableColumn, build_constraints, tables_around
from bidui.grammar.domains import bits_of
from bidui.grammar.draw import choices_of
from bidui.grammar.frames import make_frame
from bidui.grammar.lexicon import Lexicon, Relation, Values
from bidui.grammar.lexicon import Word as Word_usage
from bidui.grammar.network import Network
from bidui.grammar.paradigm import Paradigm, PhraseRule, Variant
from bidui.grammar.rules import Condition, Lexical, Match, Phrase, Rule, Words, parse_rule
from bidui.grammar.tree import MAX_NESTING, Node, Word, endless_phrases, expand, ways
from bidui.grammar.tree import Phrase as Phrase_slot_words
from bidui.grammar.yaml import scalars_of
from bidui.web.editing.edits import try_lay_out
from bidui.web.editing.paradigm import ParadigmRows, is_rule
from bidui.web.editing.pieces import Piece, pieces_of

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


# The words of each slot: how many fit its rule alone, how many have partners in all linked slots, and what is to
# blame where none is left.

_Allowed = tuple[int, tuple[str, ...]]  # rows of the lexicon, and words written in a rule
MAX_FRAMES = 200  # choices of alternatives that are looked at


@dataclass(frozen=True, slots=True)
class Narrowing:
    """A condition or link of a rule: how many words it allows by itself, and how many the rule would without it."""

    text: str
    alone: int
    without: int


@dataclass(frozen=True, slots=True)
class SlotWords:
    """What may fill a slot in one wording; of a phrase, its head.

    `joint` are the words that go with some word of every linked slot; None where the paradigm is not finished.
    """

    slot: str
    wording: int
    alone: int
    joint: int | None = None
    examples: tuple[str, ...] = ()
    narrowings: tuple[Narrowing, ...] = ()  # where no word is left


def slot_words(
    rows: ParadigmRows,
    *,
    fitting: Fitting,
    paradigm: Paradigm | None = None,
    networks: Sequence[Network] = (),
    examples: int = 8,
) -> tuple[SlotWords, ...]:
    """The words of every slot of every wording, shared slots in each; `networks` are those of the whole paradigm.

    Of a slot whose rule says nothing that can be read yet, nothing is said.
    """
    joint = joint_words(paradigm, networks) if paradigm and networks else {}
    found = []
    for number, wording in enumerate(rows.wordings):
        rules = {name: row.rule for name, row in rows.in_scope(wording).items()}
        for name, rule in rules.items():
            alone = _forms(rule, fitting)
            if alone is None:
                continue
            words = joint.get((number, name))
            left = list(words) if words is not None else alone
            if words is None and joint:
                continue  # shared, and not used in this wording
            narrowings = () if left else tuple(_narrowings(rule, rules, fitting))
            count = None if words is None else len(words)
            found.append(SlotWords(name, number, len(alone), count, tuple(left[:examples]), narrowings))
    return tuple(found)


def joint_words(paradigm: Paradigm, networks: Sequence[Network]) -> dict[tuple[int, str], dict[str, None]]:
    """For each wording and slot, the words that have partners everywhere, under some choice of alternatives."""
    found: dict[tuple[int, str], dict[str, None]] = {}
    numbers = [n for n, variant in enumerate(paradigm.variants) for _ in range(1 + variant.crossed)]
    for number, network in zip(numbers, networks, strict=True):
        nodes = network.tree.scope.nodes
        heads = {leaf.index: slot for slot, node in nodes.items() for leaf in _heads(node)}
        for slot in nodes:
            found.setdefault((number, slot), {})
        groups: dict[int, int] = {}
        for choices in islice(choices_of(network), MAX_FRAMES):
            frame = make_frame(network, choices)
            if all(frame.start):
                for column, mask in zip(frame.columns, frame.start, strict=False):
                    groups[column.leaf.index] = groups.get(column.leaf.index, 0) | mask
        for leaf, mask in sorted(groups.items()):
            if leaf in heads:
                domain = network.columns[leaf].domain
                values = sorted(value for group in bits_of(mask) for value in domain.groups[group])
                found[number, heads[leaf]].update(dict.fromkeys(domain.shown[value] for value in values))
    return found


def _heads(node: Node) -> Iterator[Word]:
    """The words that stand for a slot: itself, the head of its phrase, or all parts of a phrase without one."""
    for _, filler in ways(node):
        if isinstance(filler, Word):
            yield filler
        elif isinstance(filler, Phrase_slot_words):
            for part in (filler.parts[filler.head],) if filler.head else filler.parts.values():
                yield from _heads(part)


def _parsed(rule: str) -> Rule | None:
    try:
        return parse_rule(rule, Place())
    except InputError:
        return None


def _forms(rule: str, fitting: Fitting) -> list[str] | None:
    """The different words that fit a rule, those it writes out among them; None where it narrows nothing yet."""
    parsed = _parsed(rule)
    bits, written = (fitting.rule(rule), ()) if parsed is None else _allowed(parsed, fitting, {})
    if not rule.strip() or (parsed is None and bits == fitting.everything):
        return None
    return list(dict.fromkeys((*written, *(word.form for word in fitting.lexicon.rows(bits)))))


def _allowed(rule: Rule, fitting: Fitting, heads: dict[str, _Allowed], depth: int = 0) -> _Allowed:
    """The rows that fit a rule, and the words that it writes out; of phrases the heads, as in `_heads`."""
    bits = 0
    written: list[str] = []
    for alternative in rule.alternatives:
        body = alternative.rule
        if isinstance(body, Words):
            written += body.words
        elif isinstance(body, Lexical):
            bits |= fitting.meeting(body.conditions)
        elif body.name in fitting.phrases and depth < MAX_NESTING:
            rows, words = _phrase(body.name, fitting, heads, depth)
            names = {"head", *(option.head for option in fitting.phrases[body.name].alternatives)}
            more = [condition for part, extra in body.overrides if part in names for condition in extra.conditions]
            bits |= rows & fitting.meeting(more)
            written += words
    return bits, tuple(written)


def _phrase(name: str, fitting: Fitting, heads: dict[str, _Allowed], depth: int) -> _Allowed:
    """The same for a phrase, worked out once; inside itself it adds nothing."""
    if name not in heads:
        heads[name] = (0, ())
        parts = [
            option.parts[part].rule
            for option in fitting.phrases[name].alternatives
            for part in ((option.head,) if option.head else option.parts)
        ]
        found = [_allowed(part, fitting, heads, depth + 1) for part in parts]
        words = dict.fromkeys(word for _, written in found for word in written)
        heads[name] = (reduce(or_, (bits for bits, _ in found), 0), tuple(words))
    return heads[name]


def _narrowings(rule: str, rules: Mapping[str, str], fitting: Fitting) -> Iterator[Narrowing]:
    parsed = _parsed(rule)
    lexicon = fitting.lexicon
    for alternative in parsed.alternatives if parsed else ():
        body = alternative.rule
        if not isinstance(body, Lexical):
            continue
        known = fitting.known(body.conditions)
        for condition in known:
            others = [other for other in known if other is not condition]
            yield Narrowing(str(condition), lexicon.bits([condition]).bit_count(), lexicon.bits(others).bit_count())
        words = lexicon.bits(known)
        for match in body.matches:
            left = _partnered(match, words, rules, fitting)
            yield Narrowing(str(match), left, words.bit_count())


def _partnered(match: Match, words: int, rules: Mapping[str, str], fitting: Fitting) -> int:
    """How many words have a partner under a match, for the property that leaves the fewest."""
    target = fitting.seen(fitting.rule(rules.get(match.target.slot, ""), match.target.path))
    known = [p for p in match.properties if fitting.lexicon.has_feature(p.mine)]
    counts = [fitting.partners(words, p.mine, target.get(p.theirs, set()), same=match.same) for p in known]
    return min(counts, default=0)


# Usage: which slots of which paradigms could take a word, by their rules and the tables they name, without links.


@dataclass(frozen=True, slots=True)
class WordPlace:
    """A place for a word: what it asks of it, whatever the lexicon has."""

    uid: str
    variant: str
    path: str  # of the slot, or of a part of the phrase in it
    conditions: tuple[Condition, ...] = ()
    words: tuple[str, ...] = ()  # one of these, where the rule writes them out
    columns: tuple[TableColumn, ...] = ()  # of relations, in all of which it must stand


def word_places(
    paradigms: Iterable[Paradigm], *, phrases: Mapping[str, PhraseRule], relations: Mapping[str, Relation]
) -> tuple[WordPlace, ...]:
    """All places of some paradigms; variants that cannot be read have none. They do not change with the lexicon."""
    endless = endless_phrases(phrases)
    found: dict[WordPlace, None] = {}
    for paradigm in paradigms:
        for variant in paradigm.variants:
            try:
                places = list(_places(paradigm.uid, variant, phrases, relations, endless))
            except InputError:
                continue
            found.update(dict.fromkeys(places))
    return tuple(found)


def _places(
    uid: str,
    variant: Variant,
    phrases: Mapping[str, PhraseRule],
    relations: Mapping[str, Relation],
    endless: set[str],
) -> Iterable[WordPlace]:
    tree = expand(variant, phrases, endless=endless)
    ends: dict[int, list[tuple[Constraint, int]]] = {leaf.index: [] for leaf in tree.leaves}
    for constraint in build_constraints(tree, relations):
        for number, member in enumerate(constraint.members):
            for leaf in member.leaves:
                ends[leaf.index].append((constraint, number))
    for leaf in tree.leaves:
        if isinstance(leaf.rule, Words):
            yield WordPlace(uid, variant.name, leaf.path, words=leaf.rule.words)
        else:
            columns = tables_around(leaf, ends[leaf.index])
            yield WordPlace(uid, variant.name, leaf.path, leaf.rule.conditions, columns=columns)


def used_by(word: Word_usage, *, places: Iterable[WordPlace], features: tuple[str, ...]) -> tuple[WordPlace, ...]:
    """The places that could take a word; `features` are the columns of the lexicon."""
    alone = Lexicon((Word_usage(0, word.form, word.values),), features)
    known: dict[tuple[Condition, ...] | TableColumn, bool] = {}
    found = []
    for place in places:
        if place.words:
            if word.form in place.words:
                found.append(place)
            continue
        if place.conditions not in known:
            known[place.conditions] = bool(alone.bits(place.conditions))
        for column in place.columns:
            if column not in known:
                values = column.relation.words(column.column, used=column.used)
                known[column] = not values.isdisjoint(word.get(column.relation.features[column.column]))
        if known[place.conditions] and all(known[column] for column in place.columns):
            found.append(place)
    return tuple(found)


def phrase_users(texts: Mapping[str, str], *, phrase: str) -> tuple[str, ...]:
    """The files whose rules name a phrase; of a text that is not YAML, any line may be a rule."""
    return tuple(name for name, text in texts.items() if f"phrase:{phrase}" in text and _names(name, text, phrase))


def _names(name: str, text: str, phrase: str) -> bool:
    document = try_lay_out(text)
    rules: Iterable[str] = map(_rule, text.splitlines())
    if document is not None:
        in_phrases = name == "phrases.yaml"
        rules = (scalar.text for path, scalar in scalars_of(document) if is_rule(path, phrases=in_phrases))
    return any(piece.kind == "phrase" and piece.text == phrase for rule in rules for piece in pieces_of(rule))


def _rule(line: str) -> str:
    """A line without what YAML adds, near enough to see which phrases it names."""
    return line.translate(str.maketrans("'\"{},[]", "       "))
