"""The tree of a variant: slots with alternatives, phrases with parts, and words at the leaves.

A slot holds a word, a phrase or nothing, and `expand` lists everything it may hold. Other modules read a tree with
`ways` (what a slot holds under some choices), `next_atoms` (the next word of a line) and `words_under`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from itertools import count

from bidui.errors import InputError, Place, Problem, all_problems, collect, fail
from bidui.grammar.lexicon import phrase_unknown
from bidui.grammar.paradigm import Line, Literal, PhraseAlternative, PhraseRule, Slot, Use, Variant
from bidui.grammar.rules import Alternative, Lexical, Ref, Rule, Term, Words
from bidui.grammar.rules import Phrase as NamedPhrase

POSITION = re.compile(r"-?[0-9]{1,4}")  # a number where a name is expected: counted from 0, or back from the end
Guard = tuple[tuple[int, int], ...]  # choices and the options they must take
Choices = Mapping[int, int]  # choice -> the option taken


@dataclass(slots=True, eq=False)
class Scope:
    """The names that links in a rule may use: the slots of a variant, or the parts of a phrase alternative."""

    nodes: "dict[str, Node]"
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A match or relation with the scope its names are looked up in."""

    term: Term
    scope: Scope
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """One word of the sentence: what it may be, and under which choices it is there."""

    index: int
    path: str
    slot: str
    rule: Lexical | Words
    links: tuple[Link, ...]
    place: Place
    guard: Guard
    origins: tuple[Place, ...] = ()  # for each condition, where the rule that states it begins

    def together(self, other: "Word") -> bool:
        """Tell whether some choice of alternatives has both words in the sentence."""
        mine = dict(self.guard)
        return all(mine.get(choice, option) == option for choice, option in other.guard)


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """One way to build a phrase: its parts, and the line that prints them."""

    name: str
    parts: "dict[str, Node]"
    line: Line
    head: str
    place: Place

    def part(self, name: str, place: Place) -> "Node":
        """Return a part by its name; `head` is the part of that name or the head. Errors are reported at `place`."""
        part = self.head if name == "head" and name not in self.parts else name
        if name == "head" and not part:
            raise fail("head-missing", self.place, {"phrase": self.name})
        if part not in self.parts:
            what = f"phrase {self.name} ({', '.join(self.parts)})"
            raise fail("part-unknown", place, {"part": name, "what": what})
        return self.parts[part]


@dataclass(frozen=True, slots=True)
class Nothing:
    """An empty slot."""


Filler = Word | Phrase | Nothing


@dataclass(slots=True, eq=False)
class Node:
    """A slot or part with its alternatives; `choice` is the variable that picks one.

    An alternative that names a phrase is a choice of its own, between the ways to build that phrase.
    """

    path: str
    choice: int
    place: Place
    guard: Guard = ()
    options: "tuple[Filler | Node, ...]" = ()
    weights: tuple[Fraction, ...] = ()


@dataclass(slots=True, eq=False)
class Tree:
    """An expanded variant: nodes by slot name, all words, and all nodes with parents before children."""

    variant: Variant
    scope: Scope
    leaves: list[Word]
    nodes: list[Node]

    def choices(self) -> list[Node]:
        """Return one node for each choice with more than one option, parents before children."""
        first: dict[int, Node] = {}
        for node in self.nodes:
            first.setdefault(node.choice, node)
        return [node for node in first.values() if len(node.options) > 1]

    def guards(self) -> dict[int, list[Guard]]:
        """Return, for each choice, the guards of the nodes that share it: one must hold for the choice to be open."""
        guards: dict[int, list[Guard]] = {}
        for node in self.nodes:
            guards.setdefault(node.choice, []).append(node.guard)
        return guards


def children(option: Filler | Node) -> "tuple[Node, ...]":
    """Return the nodes directly under an option."""
    if isinstance(option, Node):
        return (option,)
    return tuple(option.parts.values()) if isinstance(option, Phrase) else ()


def words_under(node: Node) -> Iterator[Word]:
    """Yield every word that a node may bring into the sentence."""
    for option in node.options:
        if isinstance(option, Word):
            yield option
        for child in children(option):
            yield from words_under(child)


def ways(
    node: Node, path: tuple[str, ...] = (), chosen: Choices | None = None, *, place: Place | None = None
) -> Iterator[tuple[dict[int, int], Filler]]:
    """Yield what a node, or the part of it that `path` names, may hold under the choices already made.

    Each filler comes with the choices that lead to it. A name that is no part raises an error at `place`.
    """
    chosen = chosen or {}
    for number, option in enumerate(node.options):
        if chosen.get(node.choice, number) != number:
            continue
        now = {**chosen, node.choice: number}
        if isinstance(option, Node):
            yield from ways(option, path, now, place=place)
        elif isinstance(option, Phrase) and path:
            yield from ways(option.part(path[0], place or option.place), path[1:], now, place=place)
        elif isinstance(option, Word) and place is not None and path not in ((), ("head",)):
            raise fail("part-unknown", place, {"part": path[0], "what": node.path})
        else:
            yield now, option


def may_be_empty(node: Node) -> bool:
    """Tell whether some alternative prints nothing."""
    for _, filler in ways(node):
        literal = isinstance(filler, Phrase) and any(isinstance(item, Literal) for item in filler.line.items)
        if not isinstance(filler, Word) and not literal and all(map(may_be_empty, children(filler))):
            return True
    return False


Items = tuple[tuple[Literal | Use, dict[str, Node]], ...]  # the rest of a line, each item with the nodes it names
Atom = str | tuple[Word, str]  # what a line prints next: a literal text, or a word and the column printed


def items_of(items: Iterable[Literal | Use], nodes: dict[str, Node]) -> Items:
    """Return the items of a line, each with the nodes that its names mean."""
    return tuple((item, nodes) for item in items)


def next_atoms(items: Items, chosen: Choices) -> Iterator[tuple[Atom | None, Items, dict[int, int]]]:
    """Yield every word that may come next, with the items after it and the choices made; None at the end."""
    if not items:
        yield None, (), dict(chosen)
        return
    (item, nodes), rest = items[0], items[1:]
    if isinstance(item, Literal):
        yield item.text, rest, dict(chosen)
        return
    for now, filler in ways(nodes[item.ref.slot], item.ref.path, chosen):
        match filler:
            case Word():
                yield (filler, item.column), rest, now
            case Phrase():
                yield from next_atoms((*items_of(filler.line.items, filler.parts), *rest), now)
            case Nothing():
                yield from next_atoms(rest, now)


# References: the words that a name in a link may mean.


def targets(ref: Ref, scope: Scope, place: Place, *, slot: str = "") -> list[Word]:
    """Return the words a reference may mean, one for each choice of alternatives on the way."""
    name = ref.slot
    if name.isdecimal() and name not in scope.nodes:
        # as in the papers: a number counts the items of the line the slot itself stands in
        lines = [line for line in scope.lines if slot in {i.ref.slot for i in line.items if isinstance(i, Use)}]
        items = (lines or list(scope.lines))[0].items
        item = items[int(name)] if POSITION.fullmatch(name) and int(name) < len(items) else None
        if not isinstance(item, Use):
            content = item.text if isinstance(item, Literal) else f"the line has {len(items)} items"
            raise fail("position-bad", place.at(ref.column), {"position": name, "found": content})
        name = item.ref.slot
    if name not in scope.nodes:
        near = get_close_matches(name, list(scope.nodes), n=2, cutoff=0.5) or list(scope.nodes)
        raise fail("slot-unknown", place.at(ref.column), {"slot": name, "slots": near})
    return list(_words(scope.nodes[name], ref.path, ref, place.at(ref.column)))


def _words(node: Node, path: tuple[str, ...], ref: Ref, place: Place) -> Iterator[Word]:
    for _, filler in ways(node):
        match filler:
            case Word():
                if path not in ((), ("head",)):
                    raise fail("part-unknown", place, {"part": path[0], "what": node.path})
                yield filler
            case Phrase() if any(not isinstance(o, Nothing) for part in filler.parts.values() for o in part.options):
                if not path:
                    raise fail("link-to-phrase", place, {"slot": str(ref), "phrase": filler.name})
                yield from _words(filler.part(path[0], place), path[1:] or ("head",), ref, place)
            case _:
                raise fail("link-to-empty", place, {"slot": str(ref)})


# Phrases that hold phrases, and those among them that never end.


def endless_phrases(phrases: Mapping[str, PhraseRule]) -> set[str]:
    """Return the phrases that hold a phrase in every alternative, and so on without end."""
    endless = set(phrases)
    used_by: dict[str, list[str]] = {}
    for phrase in phrases.values():
        for name in phrase.phrases:
            used_by.setdefault(name, []).append(phrase.name)

    def ends(slot: Slot) -> bool:
        named = slot.rule.phrases
        return len(named) < len(slot.rule.alternatives) or not endless.issuperset(named)

    agenda = list(phrases)
    while agenda:
        name = agenda.pop()
        if name in endless and any(all(map(ends, a.parts.values())) for a in phrases[name].alternatives):
            endless.remove(name)
            agenda += used_by.get(name, ())
    return endless


def _cycle(path: list[str], phrases: Mapping[str, PhraseRule]) -> InputError:
    """Report a path from a phrase back to itself, beginning with the phrase that comes first in the file."""
    order = list(phrases)
    first = min((name for name in path if phrases[name].depth == 0), key=order.index)
    at = path.index(first)
    values = {"phrase": first, "path": " > ".join((*path[at:], *path[:at], first))}
    return fail("phrase-cycle", phrases[first].place, values)


def _never_ends(name: str, phrases: Mapping[str, PhraseRule], endless: set[str]) -> InputError:
    """Follow endless parts until a phrase repeats, and report that phrase."""
    path = [name]
    while True:
        parts = [slot.rule for slot in phrases[name].alternatives[0].parts.values()]
        name = next(
            rule.phrases[0]
            for rule in parts
            if len(rule.phrases) == len(rule.alternatives) and endless.issuperset(rule.phrases)
        )
        if name in path:
            circle = path[path.index(name) :]
            if all(phrases[other].depth == 0 for other in circle):
                return _cycle(circle, phrases)
            return fail("phrase-endless", phrases[name].place, {"phrase": name})
        path.append(name)


# Expansion turns the slots of a variant into a tree of choices with one word at each leaf.

MAX_LEAVES = 400  # every two of them may have to differ, and all of them may be in one sentence
MAX_NODES = 10_000
MAX_NESTING = 60  # of phrases in phrases


_Depths = tuple[tuple[str, int], ...]  # how often each phrase is open, by name


def _deeper(name: str, depths: _Depths) -> _Depths:
    counts = {name: 0, **dict(depths)}
    counts[name] += 1
    return tuple(sorted(counts.items()))


@dataclass(frozen=True, slots=True)
class _Override:
    """A rule in angle brackets, added to the part of a phrase that `path` names."""

    path: tuple[str, ...]
    rule: Lexical
    scope: Scope
    place: Place

    @property
    def at(self) -> Place:
        return self.place.at(self.rule.column)


@dataclass(frozen=True, slots=True)
class _Context:
    """Where in the tree a rule is expanded."""

    path: str
    slot: str
    scope: Scope
    guard: Guard = ()
    depths: _Depths = ()
    overrides: tuple[_Override, ...] = ()

    def inside(self, choice: int, option: int, *, of: int) -> "_Context":
        """Return the context inside one option; a choice of one is no choice."""
        return replace(self, guard=(*self.guard, (choice, option))) if of > 1 else self


def expand(variant: Variant, phrases: Mapping[str, PhraseRule], *, endless: set[str] | None = None) -> Tree:
    """Return the tree of a variant; raise `InputError` for unknown phrases, endless recursion and the like.

    A caller that expands many variants computes `endless_phrases` once and passes it.
    """
    return _Expander(variant, phrases, endless_phrases(phrases) if endless is None else endless).tree()


def joined(groups: Iterable[Iterable[str]]) -> list[tuple[str, ...]]:
    """Return the groups, joined where they have a member in common: a with b and b with c is a with b and c."""
    whole: list[dict[str, None]] = []
    for group in groups:
        members = dict.fromkeys(group)
        for other in [other for other in whole if not members.keys().isdisjoint(other)]:
            whole.remove(other)
            members = other | members
        whole.append(members)
    return [tuple(members) for members in whole]


class _Expander:
    def __init__(self, variant: Variant, phrases: Mapping[str, PhraseRule], endless: set[str]) -> None:
        self.variant = variant
        self.phrases = phrases
        self.leaves: list[Word] = []
        self.nodes: list[Node] = []
        self.choices = count()
        self.usable: dict[tuple[str, _Depths], list[int]] = {}
        self.open: list[str] = []
        self.endless = endless

    def tree(self) -> Tree:
        scope = Scope({}, (self.variant.good, self.variant.bad))
        shared: dict[str, int] = {}
        with all_problems() as problems:
            for group in joined(self.variant.linked):
                sizes = {name: len(self.variant.slots[name].rule.alternatives) for name in group}
                if len(set(sizes.values())) > 1:
                    shown = [f"{name}: {size}" for name, size in sizes.items()]
                    problems.append(Problem("linked-unequal", self.variant.place, {"slots": shown}))
                shared |= dict.fromkeys(group, next(self.choices))
            for name, slot in self.variant.slots.items():
                with collect(problems):
                    scope.nodes[name] = self.node(slot, _Context(name, name, scope), shared.get(name))
        return Tree(self.variant, scope, self.leaves, self.nodes)

    def new_node(self, context: _Context, place: Place, choice: int | None = None) -> Node:
        node = Node(context.path, next(self.choices) if choice is None else choice, place, context.guard)
        if len(self.nodes) >= MAX_NODES:
            raise fail("expansion-too-large", place, {"limit": MAX_LEAVES})
        self.nodes.append(node)
        return node

    def node(self, slot: Slot, context: _Context, choice: int | None = None) -> Node:
        """Expand a slot or part: one option for each alternative of its rule."""
        node = self.new_node(context, slot.place, choice)
        alternatives = self.possible(slot.rule, context.depths)
        node.weights = tuple(alternative.weight for alternative in alternatives)
        node.options = tuple(
            self.option(alternative, slot, context.inside(node.choice, number, of=len(alternatives)))
            for number, alternative in enumerate(alternatives)
        )
        return node

    def possible(self, rule: Rule, depths: _Depths) -> list[Alternative]:
        """Return the alternatives that do not nest a phrase deeper than it allows."""
        return [
            alternative
            for alternative in rule.alternatives
            if not isinstance(alternative.rule, NamedPhrase)
            or alternative.rule.name not in self.phrases
            or self.possible_phrase(alternative.rule.name, depths)
        ]

    def possible_phrase(self, name: str, depths: _Depths) -> list[int]:
        """Do the same for the alternatives of a phrase that is used where `depths` phrases are open already."""
        phrase = self.phrases[name]
        inner = _deeper(name, depths)
        if dict(inner)[name] > phrase.depth + 1:
            if phrase.depth == 0:
                raise _cycle(self.open[self.open.index(name) :], self.phrases)
            return []
        if name in self.endless:
            raise _never_ends(name, self.phrases, self.endless)
        if (name, inner) not in self.usable:
            if len(self.open) == MAX_NESTING or len(self.usable) == MAX_NODES:
                raise fail("phrases-too-deep", phrase.place, {"limit": MAX_NESTING})
            self.open.append(name)
            self.usable[name, inner] = [
                number
                for number, alternative in enumerate(phrase.alternatives)
                if all(self.possible(slot.rule, inner) for slot in alternative.parts.values())
            ]
            self.open.pop()
        return self.usable[name, inner]

    def option(self, alternative: Alternative, slot: Slot, context: _Context) -> Filler | Node:
        rule = alternative.rule
        if isinstance(rule, NamedPhrase):
            return self.phrase(rule, slot, context)
        if isinstance(rule, Words):
            if context.overrides:
                raise fail("override-on-words", context.overrides[0].at, {"slot": context.path, "rule": rule})
            return self.word(rule, slot, context) if rule.words else Nothing()
        links = [Link(term, context.scope, slot.place) for term in rule.links]
        conditions = list(rule.conditions)
        origins = [slot.place] * len(conditions)
        for override in context.overrides:
            if override.path:
                raise fail("part-unknown", override.at, {"part": ".".join(override.path), "what": context.path})
            conditions += override.rule.conditions
            origins += [override.place] * len(override.rule.conditions)
            links += [Link(term, override.scope, override.place) for term in override.rule.links]
        merged = replace(rule, conditions=tuple(conditions))
        return self.word(merged, slot, context, links, origins)

    def word(
        self, rule: Lexical | Words, slot: Slot, at: _Context, links: Sequence[Link] = (), origins: Sequence[Place] = ()
    ) -> Word:
        if len(self.leaves) >= MAX_LEAVES:
            raise fail("expansion-too-large", slot.place, {"limit": MAX_LEAVES})
        number = len(self.leaves)
        word = Word(number, at.path, at.slot, rule, tuple(links), slot.place, at.guard, tuple(origins))
        self.leaves.append(word)
        return word

    def phrase(self, rule: NamedPhrase, slot: Slot, context: _Context) -> Node:
        """Expand a named phrase: one option for each way to build it."""
        phrase = self.phrases.get(rule.name)
        if phrase is None:
            raise InputError([phrase_unknown(rule, slot.place, self.phrases)])
        alternatives = [phrase.alternatives[number] for number in self.possible_phrase(rule.name, context.depths)]
        overrides = [replace(override, path=override.path or ("head",)) for override in context.overrides]
        overrides += [_Override(tuple(part.split(".")), r, context.scope, slot.place) for part, r in rule.overrides]
        node = self.new_node(context, slot.place)
        node.weights = tuple(alternative.weight for alternative in alternatives)
        options = []
        for number, alternative in enumerate(alternatives):
            inner = replace(
                context.inside(node.choice, number, of=len(alternatives)),
                scope=Scope({}, (alternative.line,)),
                depths=_deeper(rule.name, context.depths),
                overrides=tuple(overrides),
            )
            options.append(self.alternative(alternative, rule, inner))
        node.options = tuple(options)
        return node

    def alternative(self, alternative: PhraseAlternative, rule: NamedPhrase, context: _Context) -> Phrase:
        per_part: dict[str, list[_Override]] = {name: [] for name in alternative.parts}
        for override in context.overrides:
            part = self.part_named(override, alternative, rule)
            per_part[part].append(replace(override, path=override.path[1:]))
        for name, slot in alternative.parts.items():
            inner = replace(context, path=f"{context.path}.{name}", overrides=tuple(per_part[name]))
            context.scope.nodes[name] = self.node(slot, inner)
        return Phrase(rule.name, context.scope.nodes, alternative.line, alternative.head, alternative.place)

    def part_named(self, override: _Override, alternative: PhraseAlternative, rule: NamedPhrase) -> str:
        name = override.path[0]
        names = list(alternative.parts)
        if name == "head" and alternative.head:
            return alternative.head
        if name in alternative.parts:
            return name
        if POSITION.fullmatch(name) and -len(names) <= int(name) < len(names):
            return names[int(name)]
        if name == "head":
            raise fail("head-missing", alternative.place, {"phrase": rule.name})
        raise fail("part-unknown", override.at, {"part": name, "what": f"phrase {rule.name} ({', '.join(names)})"})
