"""Fitting: which words of the lexicon a rule allows, also while it is half-typed.

`Fitting` finds the words that a rule allows by itself, as sets of rows of the lexicon (bits of an integer).
`slot_words` adds how many of them have partners in all linked slots, and which condition is to blame where no word is
left. `word_places` and `used_by` go the other way: which slots of a project could take a word; `emptied` names those
that an edit of the lexicon has left without words. `relation_users` names the paradigms that use a table.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial, reduce
from itertools import combinations, islice
from operator import or_

from bidui.errors import InputError
from bidui.grammar.constraints import Constraint, TableColumn, build_constraints, tables_around
from bidui.grammar.domains import bits_of
from bidui.grammar.draw import choices_of
from bidui.grammar.frames import make_frame
from bidui.grammar.lexicon import Lexicon, Relation, Values
from bidui.grammar.lexicon import Word as LexiconWord
from bidui.grammar.network import Network
from bidui.grammar.paradigm import Paradigm, PhraseRule
from bidui.grammar.rules import Condition, Lexical, Phrase, Rule, Words
from bidui.grammar.tree import MAX_NESTING, Node, Tree, Word, endless_phrases, expand, ways
from bidui.grammar.tree import Phrase as PhraseFiller
from bidui.grammar.yaml import scalars_of
from bidui.web.editing.edits import try_read_tree
from bidui.web.editing.paradigm import ParadigmRows, is_rule
from bidui.web.editing.pieces import Piece, parsed, pieces_of

_Open = dict[tuple[str, tuple[str, ...]], int]
MAX_SETS = 64  # sets of words whose values are kept
MAX_FORMS = 5_000  # rules of which the number of words is kept
EXAMPLES = 8  # words that a page shows of a slot
Forms = tuple[int, tuple[str, ...]]  # how many different words, and the first of them


@dataclass(slots=True)
class Fitting:
    """The words that rules, phrases and relations of a project allow; results are kept."""

    lexicon: Lexicon
    phrases: Mapping[str, PhraseRule]
    relations: Mapping[str, Relation]
    part_words: dict[tuple[str, tuple[str, ...]], int] = field(default_factory=dict)
    column_words: dict[tuple[str, int], int] = field(default_factory=dict)

    value_sets: dict[int, dict[str, set[Values]]] = field(default_factory=dict)
    forms: dict[str, Forms | None] = field(default_factory=dict)  # by rule

    @property
    def everything(self) -> int:
        """All words of the lexicon."""
        return (1 << len(self.lexicon.words)) - 1

    def rule(self, rule: str, path: Sequence[str] = ()) -> int:
        """Return the words that a rule's text allows, or a part of the phrase that it names; it may be half-typed."""
        if read := parsed(rule):
            return self._rule(read, tuple(path), {}, 0)
        pieces = pieces_of(rule)
        numbers = {piece.alternative for piece in pieces}
        alternatives = [[p for p in pieces if p.alternative == number and not p.inside] for number in numbers]
        return _union(self._unfinished(rule, alternative, tuple(path)) for alternative in alternatives)

    def _unfinished(self, rule: str, pieces: Sequence[Piece], path: tuple[str, ...]) -> int:
        """Return the words that the finished conditions among the pieces of an alternative allow."""
        phrase = next((piece.text for piece in pieces if piece.kind == "phrase"), None)
        if phrase is not None:
            return self.part(phrase, path or ("head",))
        if pieces and all(piece.kind == "word" for piece in pieces):
            return self.lexicon.having("expression", (piece.text.strip('"') for piece in pieces))
        return self.lexicon.bits(self.conditions(rule, pieces))

    def conditions(self, rule: str, pieces: Iterable[Piece], *, without: tuple[int, int] = (-1, -1)) -> list[Condition]:
        """Return the finished conditions among some pieces, on features that the lexicon has."""
        conditions: list[Condition] = []
        for token in dict.fromkeys(piece.token for piece in pieces if piece.kind == "value"):
            read = None if token == without else parsed(rule[slice(*token)])
            body = read.alternatives[0].rule if read else None
            if isinstance(body, Lexical):
                conditions += self.applicable(body.conditions)
        return conditions

    def part(self, phrase: str, path: tuple[str, ...]) -> int:
        """Return the words that may stand in a part of a phrase, over all its alternatives."""
        key = (phrase, path)
        if key not in self.part_words:
            self.part_words[key] = self._part(phrase, path, {}, 0)
        return self.part_words[key]

    def _rule(self, rule: Rule, path: tuple[str, ...], open_parts: _Open, depth: int) -> int:
        return _union(self._body(alternative.rule, path, open_parts, depth) for alternative in rule.alternatives)

    def _body(self, body: Lexical | Words | Phrase, path: tuple[str, ...], open_parts: _Open, depth: int) -> int:
        if isinstance(body, Words):
            return self.lexicon.having("expression", body.words)
        if isinstance(body, Phrase):
            words = self._part(body.name, path or ("head",), open_parts, depth + 1)
            for part, more in body.overrides:
                if tuple(part.split(".")) == (path or ("head",)):
                    words &= self.meeting(more.conditions)
            return words
        return self.meeting(body.conditions) if path in ((), ("head",)) else 0

    def _part(self, phrase: str, path: tuple[str, ...], open_parts: _Open, depth: int) -> int:
        """Return the words of a part; inside itself a phrase adds nothing."""
        key = (phrase, path)
        if key not in open_parts and phrase in self.phrases and path and depth < MAX_NESTING:
            open_parts[key] = total = 0
            for alternative in self.phrases[phrase].alternatives:
                name = alternative.head if path[0] == "head" and alternative.head else path[0]
                if name in alternative.parts:
                    total |= self._rule(alternative.parts[name].rule, path[1:], open_parts, depth)
            open_parts[key] = total
        return open_parts.get(key, 0)

    def applicable(self, conditions: Iterable[Condition]) -> list[Condition]:
        """Return the conditions on features that the lexicon has."""
        return [condition for condition in conditions if self.lexicon.has_feature(condition.feature)]

    def meeting(self, conditions: Iterable[Condition]) -> int:
        """Return the words that meet all conditions on features that the lexicon has."""
        return self.lexicon.bits(self.applicable(conditions))

    def parts(self, phrase: str) -> list[str]:
        """Return the parts that all alternatives of a phrase have, first `head` if all have a head."""
        alternatives = self.phrases[phrase].alternatives if phrase in self.phrases else ()
        if not alternatives:
            return []
        common = [n for n in alternatives[0].parts if all(n in other.parts for other in alternatives)]
        return ["head"] * all(bool(a.head) for a in alternatives) + [n for n in common if n != "word"]

    def column(self, relation: Relation, column: int) -> int:
        """Return the words that stand in a column of a relation."""
        key = (relation.name, column)
        if key not in self.column_words:
            feature = relation.features[column]
            words = self.lexicon.having(feature, relation.index[column]) if self.lexicon.has_feature(feature) else 0
            self.column_words[key] = words
        return self.column_words[key]

    def having(self, words: int) -> dict[str, int]:
        """Return how many of some words have a value of each feature, in the order of the lexicon."""
        lexicon = self.lexicon
        counts = {f: (words & lexicon.bits([Condition(f, "has")])).bit_count() for f in lexicon.features}
        return {"expression": words.bit_count(), **counts}

    def counts(self, feature: str, words: int) -> dict[str, int]:
        """Return the values of a feature, with how many of some words have each."""
        if words == self.everything:
            return self.lexicon.counts(feature)
        return Counter(value for word in self.lexicon.rows(words) for value in word.get(feature))

    def seen(self, words: int) -> dict[str, set[Values]]:
        """Return for each feature the different sets of values that some words have."""
        if words not in self.value_sets:
            sets: dict[str, set[Values]] = {"expression": set()}
            for word in self.lexicon.rows(words):
                sets["expression"].add(word.get("expression"))
                for feature, values in word.values.items():
                    sets.setdefault(feature, set()).add(values)
            if len(self.value_sets) >= MAX_SETS:
                self.value_sets.clear()
            self.value_sets[words] = sets
        return self.value_sets[words]

    def partners(self, words: int, feature: str, others: Iterable[Values], *, same: bool, most: int = -1) -> int:
        """Count the words that share a value of a feature with any of the sets (`same`), or none with some set.

        Only the first `most` words are looked at, if given.
        """
        sets = [values for values in others if values]
        union = frozenset().union(*sets)
        rows = self.lexicon.rows(words)
        mine = (values for word in (rows[:most] if most >= 0 else rows) if (values := word.get(feature)))
        if same:
            return sum(not union.isdisjoint(values) for values in mine)
        return sum(any(map(values.isdisjoint, sets)) for values in mine)


def _union(sets: Iterable[int]) -> int:
    return reduce(or_, sets, 0)


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
    """The words that may fill a slot in a wording; of a phrase, its head.

    `joint` counts the words that go with some word of every linked slot; it is null while the paradigm is unfinished,
    and where links of another slot leave nothing at all. Where no word is left, `narrowings` are the conditions or, if
    words fit the rule by itself, the links that could be to blame.
    """

    slot: str
    wording: int
    alone: int
    joint: int | None = None
    examples: tuple[str, ...] = ()
    narrowings: tuple[Narrowing, ...] = ()


def slot_words(
    rows: ParadigmRows,
    *,
    fitting: Fitting,
    paradigm: Paradigm | None = None,
    networks: Sequence[Network] = (),
) -> tuple[SlotWords, ...]:
    """Return the words of every slot of every wording, shared slots in each; `networks` are those of the paradigm.

    A slot whose rule cannot be read yet, or is empty, is left out.
    """
    together = joint_words(paradigm, networks) if paradigm and networks else []
    slots = []
    for number, wording in enumerate(rows.wordings):
        rules = {name: row.rule for name, row in rows.in_scope(wording).items()}
        joint = together[number] if together else None
        for name, rule in rules.items():
            alone = _forms(rule, fitting)
            if alone is None or (joint and name not in joint.words):  # shared, and not used in this wording
                continue
            words = joint.words[name] if joint else None
            left = alone[1] if words is None else words
            narrowings = joint.culprits.get(name, ()) if joint else ()
            narrowings = narrowings or (() if left else tuple(_narrowings(rule, rules, fitting)))
            count = None if words is None else len(words)
            slots.append(SlotWords(name, number, alone[0], count, tuple(left[:EXAMPLES]), narrowings))
    return tuple(slots)


@dataclass(frozen=True, slots=True)
class JointWords:
    """For each slot of a wording the words that have partners everywhere, for some choice of alternatives.

    Where that leaves no filling at all, `culprits` are the slots whose links are to blame; those of all others are
    null, and so are all where there are too many choices to look at.
    """

    words: Mapping[str, list[str] | None]
    culprits: Mapping[str, tuple[Narrowing, ...]]


def joint_words(paradigm: Paradigm, networks: Sequence[Network]) -> list[JointWords]:
    """Return for each wording the words that fit together."""
    numbers = [n for n, variant in enumerate(paradigm.variants) for _ in range(1 + variant.crossed)]
    directions: list[list[Network]] = [[] for _ in paradigm.variants]
    for number, network in zip(numbers, networks, strict=True):
        directions[number].append(network)
    return [_joint(each) for each in directions]


def _joint(directions: Sequence[Network]) -> JointWords:
    words: dict[str, dict[str, None]] = {slot: {} for network in directions for slot in network.tree.scope.nodes}
    if any(len([*islice(choices_of(network), MAX_FRAMES + 1)]) > MAX_FRAMES for network in directions):
        return JointWords(dict.fromkeys(words), {})
    for network in directions:
        for slot, fillers in _together(network).items():
            words[slot].update(fillers)
    if any(words.values()):
        return JointWords({slot: list(fillers) for slot, fillers in words.items()}, {})
    culprits = _culprits(directions[0])
    return JointWords({slot: [] if slot in culprits else None for slot in words}, culprits)


def _together(network: Network) -> dict[str, dict[str, None]]:
    """Return for each slot of a network the words that fit together with all others."""
    nodes = network.tree.scope.nodes
    heads = {leaf.index: slot for slot, node in nodes.items() for leaf in _heads(node)}
    words: dict[str, dict[str, None]] = {slot: {} for slot in nodes}
    groups: dict[int, int] = {}
    for choices in choices_of(network):
        frame = make_frame(network, choices)
        if all(frame.start):
            for column, mask in zip(frame.columns, frame.start, strict=False):
                groups[column.leaf.index] = groups.get(column.leaf.index, 0) | mask
    for leaf, mask in sorted(groups.items()):
        if leaf in heads:
            domain = network.columns[leaf].domain
            values = sorted(value for group in bits_of(mask) for value in domain.groups[group])
            words[heads[leaf]].update(dict.fromkeys(domain.shown[value] for value in values))
    return words


def _culprits(network: Network) -> dict[str, tuple[Narrowing, ...]]:
    """Return the slots whose links leave a network without any filling, with these links.

    These are all links that no two words meet. Where several links exclude each other, it is the first of them without
    which there would be fillings, so that one fault is reported once.
    """
    network.number_keys()
    links = network.constraints
    impossible = [link for link in links if len(link.members) == 2 and not any(link.compatible(0, 1))]
    culprits: dict[str, tuple[Narrowing, ...]] = {}
    for link in impossible or links:
        slot = next(leaf.slot for member in link.members if member.declares for leaf in member.leaves)
        others = [other for other in links if other is not link]
        without = len(_together(replace(network, constraints=others)).get(slot, ()))
        if impossible or without:
            culprits[slot] = (*culprits.get(slot, ()), Narrowing(link.text, 0, without))
        if culprits and not impossible:
            break
    return culprits


def _heads(node: Node) -> Iterator[Word]:
    """Yield the words that stand for a slot: its word, the head of its phrase, or all parts of a headless phrase."""
    for _, filler in ways(node):
        if isinstance(filler, Word):
            yield filler
        elif isinstance(filler, PhraseFiller):
            for part in (filler.parts[filler.head],) if filler.head else filler.parts.values():
                yield from _heads(part)


def _forms(rule: str, fitting: Fitting) -> Forms | None:
    """Return how many different words fit a rule, also those written in it; None while it excludes nothing yet."""
    if rule not in fitting.forms:
        read = parsed(rule)
        bits, written = (fitting.rule(rule), ()) if read is None else _allowed(read, fitting, {})
        forms = None
        if rule.strip() and (read is not None or bits != fitting.everything):
            different = dict.fromkeys((*written, *(word.form for word in fitting.lexicon.rows(bits))))
            forms = len(different), tuple(islice(different, EXAMPLES))
        if len(fitting.forms) >= MAX_FORMS:
            fitting.forms.clear()
        fitting.forms[rule] = forms
    return fitting.forms[rule]


def _allowed(rule: Rule, fitting: Fitting, heads: dict[str, _Allowed], depth: int = 0) -> _Allowed:
    """Return the rows that fit a rule, and the words written in it; of phrases the heads, as in `_heads`."""
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
    """Return the same for a phrase; inside itself a phrase adds nothing."""
    if name not in heads:
        heads[name] = (0, ())
        parts = [
            option.parts[part].rule
            for option in fitting.phrases[name].alternatives
            for part in ((option.head,) if option.head else option.parts)
        ]
        allowed = [_allowed(part, fitting, heads, depth + 1) for part in parts]
        words = dict.fromkeys(word for _, written in allowed for word in written)
        heads[name] = (_union(bits for bits, _ in allowed), tuple(words))
    return heads[name]


def _narrowings(rule: str, rules: Mapping[str, str], fitting: Fitting) -> Iterator[Narrowing]:
    read = parsed(rule)
    lexicon = fitting.lexicon
    for alternative in read.alternatives if read else ():
        body = alternative.rule
        if not isinstance(body, Lexical):
            continue
        conditions = fitting.applicable(body.conditions)
        for condition in conditions:
            others = [other for other in conditions if other is not condition]
            yield Narrowing(str(condition), lexicon.bits([condition]).bit_count(), lexicon.bits(others).bit_count())
        words = lexicon.bits(conditions)
        for match in body.matches:  # for the property that leaves the fewest words
            target = fitting.seen(fitting.rule(rules.get(match.target.slot, ""), match.target.path))
            counts = [
                fitting.partners(words, properties.mine, target.get(properties.theirs, set()), same=match.same)
                for properties in match.properties
                if lexicon.has_feature(properties.mine)
            ]
            yield Narrowing(str(match), min(counts, default=0), words.bit_count())


@dataclass(frozen=True, slots=True)
class WordPlace:
    """A slot, or a part of the phrase in it, and what its rule requires of a word, apart from links.

    The word must meet the conditions and stand in all columns of relations, or be one of the `words` in the rule.
    """

    uid: str
    variant: str
    path: str
    conditions: tuple[Condition, ...] = ()
    words: tuple[str, ...] = ()
    columns: tuple[TableColumn, ...] = ()


def word_places(
    paradigms: Iterable[Paradigm], *, phrases: Mapping[str, PhraseRule], relations: Mapping[str, Relation]
) -> tuple[WordPlace, ...]:
    """Return all places for words in some paradigms; they do not depend on the lexicon."""
    compiled = _compiled(paradigms, phrases, relations)
    return tuple(dict.fromkeys(place for uid, tree, links in compiled for place in _places(uid, tree, links)))


def _compiled(
    paradigms: Iterable[Paradigm], phrases: Mapping[str, PhraseRule], relations: Mapping[str, Relation]
) -> Iterator[tuple[str, Tree, list[Constraint]]]:
    """Yield the tree and the constraints of each variant that can be read, with the uid of its paradigm."""
    endless = endless_phrases(phrases)
    for paradigm in paradigms:
        for variant in paradigm.variants:
            with suppress(InputError):
                tree = expand(variant, phrases, endless=endless)
                yield paradigm.uid, tree, build_constraints(tree, relations)


def _places(uid: str, tree: Tree, constraints: Iterable[Constraint]) -> Iterator[WordPlace]:
    ends: dict[int, list[tuple[Constraint, int]]] = {leaf.index: [] for leaf in tree.leaves}
    for constraint in constraints:
        for number, member in enumerate(constraint.members):
            for leaf in member.leaves:
                ends[leaf.index].append((constraint, number))
    for leaf in tree.leaves:
        if isinstance(leaf.rule, Words):
            yield WordPlace(uid, tree.variant.name, leaf.path, words=leaf.rule.words)
        else:
            columns = tables_around(leaf, ends[leaf.index])
            yield WordPlace(uid, tree.variant.name, leaf.path, leaf.rule.conditions, columns=columns)


def used_by(word: LexiconWord, *, places: Iterable[WordPlace], features: tuple[str, ...]) -> tuple[WordPlace, ...]:
    """Return the places that could take a word; `features` are the columns of the lexicon."""
    alone = Lexicon((LexiconWord(0, word.form, word.values),), features)
    meets = cache(alone.bits)

    @cache
    def stands_in(column: TableColumn) -> bool:
        values = column.relation.words(column.column, used=column.used)
        return not values.isdisjoint(word.get(column.relation.features[column.column]))

    def takes(place: WordPlace) -> bool:
        if place.words:
            return word.form in place.words
        return bool(meets(place.conditions)) and all(map(stands_in, place.columns))

    return tuple(filter(takes, places))


@dataclass(frozen=True, slots=True)
class WordLink:
    """Two places whose words must share a value: for each, what its rule requires, and the feature compared."""

    uid: str
    paths: tuple[str, str]
    ends: tuple[tuple[tuple[Condition, ...], str], tuple[tuple[Condition, ...], str]]


def word_links(
    paradigms: Iterable[Paradigm], *, phrases: Mapping[str, PhraseRule], relations: Mapping[str, Relation]
) -> tuple[WordLink, ...]:
    """Return all matches between places that the lexicon fills; they do not depend on the lexicon."""
    compiled = _compiled(paradigms, phrases, relations)
    return tuple(dict.fromkeys(link for uid, _, constraints in compiled for link in _links(uid, constraints)))


def _links(uid: str, constraints: Iterable[Constraint]) -> Iterator[WordLink]:
    for constraint in constraints:
        ends = [(leaf, member.feature) for member in constraint.members for leaf in member.leaves]
        for (a, mine), (b, theirs) in combinations(ends if constraint.kind == "share" else (), 2):
            if isinstance(a.rule, Lexical) and isinstance(b.rule, Lexical) and a.together(b):
                yield WordLink(uid, (a.path, b.path), ((a.rule.conditions, mine), (b.rule.conditions, theirs)))


def emptied(
    before: Lexicon, after: Lexicon, *, places: Iterable[WordPlace], links: Iterable[WordLink]
) -> dict[str, tuple[str, ...]]:
    """Return the places that an edit of the lexicon has broken, by uid.

    A place is broken if words fitted it before and none does now, if a value that its rule names is gone, or if no word
    there agrees any more with a word of a place it is linked to.
    """
    lost: dict[str, dict[str, None]] = {}
    fits = [cache(partial(_fits, lexicon)) for lexicon in (before, after)]
    values = [cache(partial(_values, lexicon)) for lexicon in (before, after)]
    for place in places:
        if not place.words and fits[0](place.conditions) and not fits[1](place.conditions):
            lost.setdefault(place.uid, {})[place.path] = None
    for link in links:
        was, now = (not each(*link.ends[0]).isdisjoint(each(*link.ends[1])) for each in values)
        if was and not now and all(fits[1](conditions) for conditions, _ in link.ends):
            lost.setdefault(link.uid, {}).update(dict.fromkeys(link.paths))
    return {uid: tuple(paths) for uid, paths in lost.items()}


def _fits(lexicon: Lexicon, conditions: tuple[Condition, ...]) -> bool:
    """Tell whether some word meets the conditions, and every value that they name exists."""
    named = ((c.feature, value) for c in conditions for value in c.values)
    features = all(lexicon.has_feature(condition.feature) for condition in conditions)
    return features and all(lexicon.knows(*each) for each in named) and bool(lexicon.bits(conditions))


def _values(lexicon: Lexicon, conditions: tuple[Condition, ...], feature: str) -> frozenset[str]:
    words = lexicon.select(conditions) if lexicon.has_feature(feature) else ()
    return frozenset(value for word in words for value in word.get(feature))


def phrase_users(texts: Mapping[str, str], *, phrase: str) -> tuple[str, ...]:
    """Return the files whose rules name a phrase; in a text that is not YAML, any line may be a rule."""
    return tuple(name for name, text in texts.items() if f"phrase:{phrase}" in text and _names(name, text, phrase))


def _names(name: str, text: str, phrase: str) -> bool:
    document = try_read_tree(text)
    if document is None:
        rules = re.sub(r"['\"{},\[\]]", " ", text).splitlines()  # without the punctuation of YAML
    else:
        in_phrases = name == "phrases.yaml"
        rules = [scalar.text for path, scalar in scalars_of(document) if is_rule(path, phrases=in_phrases)]
    return any(piece.kind == "phrase" and piece.text == phrase for rule in rules for piece in pieces_of(rule))


def relation_users(paradigms: Iterable[Paradigm], *, phrases: Mapping[str, PhraseRule]) -> dict[str, tuple[str, ...]]:
    """Return the uids of the paradigms whose rules name each relation, themselves or in a phrase that they use."""

    def names(rule: Rule, seen: frozenset[str]) -> Iterator[str]:
        for alternative in rule.alternatives:
            body = alternative.rule
            words = [more for _, more in body.overrides] if isinstance(body, Phrase) else [body]
            yield from (term.relation for each in words if isinstance(each, Lexical) for term in each.relations)
            if isinstance(body, Phrase) and body.name in phrases and body.name not in seen:
                for part in phrases[body.name].slots:
                    yield from names(part.rule, seen | {body.name})

    users: dict[str, dict[str, None]] = {}
    for paradigm in paradigms:
        rules = {slot.rule for variant in paradigm.variants for slot in variant.slots.values()}
        for relation in {name for rule in rules for name in names(rule, frozenset())}:
            users.setdefault(relation, {})[paradigm.uid] = None
    return {relation: tuple(uids) for relation, uids in users.items()}
