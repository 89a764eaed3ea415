"""The tree of a variant: slots with alternatives, phrases with parts, and leaves that each hold one word."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction

from bidui.errors import InputError, Place, Problem, fail
from bidui.grammar.lexicon import phrase_unknown
from bidui.grammar.paradigm import Line, Literal, PhraseAlternative, PhraseRule, Slot, Use, Variant
from bidui.grammar.rules import Alternative, Lexical, Match, Phrase, Ref, Related, Rule, Words

POSITION = re.compile(r"-?[0-9]{1,4}")  # a number where a name is expected: counted from 0, or back from the end


@dataclass(slots=True, eq=False)
class Scope:
    """The names that links in a rule may use: the slots of a variant, or the parts of a phrase alternative."""

    nodes: "dict[str, Node]"
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A match or relation with the scope its names are looked up in."""

    term: Match | Related
    scope: Scope
    place: Place


@dataclass(slots=True, eq=False)
class Leaf:
    """One word of the sentence: what it may be, and under which choices it is there."""

    index: int
    path: str
    slot: str
    rule: Lexical | Words
    links: tuple[Link, ...]
    place: Place
    guard: tuple[tuple[int, int], ...]
    origins: tuple[Place, ...] = ()  # of each condition, where the rule begins that has it

    def together(self, other: "Leaf") -> bool:
        """Whether some choice of alternatives has both words in the sentence."""
        mine = dict(self.guard)
        return all(mine.get(choice, option) == option for choice, option in other.guard)


@dataclass(slots=True, eq=False)
class Option:
    """One alternative: a word, the parts of a phrase with their line, or nothing."""

    weight: Fraction
    leaf: Leaf | None = None
    parts: "dict[str, Node]" = field(default_factory=dict)
    line: Line = field(default_factory=lambda: Line(()))
    head: str = ""
    name: str = ""

    def part(self, name: str) -> "Node":
        """A part by its name; `head` is the part so called, or the one that is the head."""
        return self.parts[self.head if name == "head" and "head" not in self.parts else name]

    place: Place = field(default_factory=Place)


@dataclass(slots=True, eq=False)
class Node:
    """A slot or part with its alternatives; `choice` is the variable that picks one."""

    path: str
    choice: int
    options: tuple[Option, ...]
    place: Place
    guard: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True, eq=False)
class Tree:
    """An expanded variant: nodes by slot name, all leaves, and how many options each choice has."""

    variant: Variant
    scope: Scope
    leaves: list[Leaf]
    nodes: list[Node]

    def choices(self) -> list[Node]:
        """One node for each choice variable with more than one option, parents before children."""
        first: dict[int, Node] = {}
        for node in self.nodes:
            first.setdefault(node.choice, node)
        return [node for node in first.values() if len(node.options) > 1]


def ways(node: Node, path: tuple[str, ...], chosen: dict[int, int]) -> Iterator[tuple[dict[int, int], Option]]:
    """What a node, or the part of it that `path` names, may be under choices already made: a word, a phrase, nothing.

    Each comes with the choices that make it so. Names must have been checked before.
    """
    for number, option in enumerate(node.options):
        if chosen.get(node.choice, number) != number:
            continue
        now = {**chosen, node.choice: number}
        if "" in option.parts:
            yield from ways(option.parts[""], path, now)
        elif path and option.parts:
            yield from ways(option.part(path[0]), path[1:], now)
        else:
            yield now, option


# References: the words that a name in a link may mean.


def targets(ref: Ref, scope: Scope, place: Place, *, slot: str = "") -> list[Leaf]:
    """The words a reference may mean, one for each choice of alternatives on the way."""
    return list(_at(_named(ref, scope, place, slot), ref.path, ref, place))


def _named(ref: Ref, scope: Scope, place: Place, slot: str) -> Node:
    name = ref.slot
    if name.isdecimal() and name not in scope.nodes:
        # as in the papers: a number counts the items of the line the slot itself stands in
        lines = [line for line in scope.lines if slot in {i.ref.slot for i in line.items if isinstance(i, Use)}]
        items = (lines or list(scope.lines))[0].items
        item = items[int(name)] if POSITION.fullmatch(name) and int(name) < len(items) else None
        if not isinstance(item, Use):
            found = item.text if isinstance(item, Literal) else f"the line has {len(items)} items"
            raise fail("position-bad", place.at(ref.column), {"position": name, "found": found})
        name = item.ref.slot
    if name not in scope.nodes:
        near = get_close_matches(name, list(scope.nodes), n=2, cutoff=0.5) or list(scope.nodes)
        raise fail("slot-unknown", place.at(ref.column), {"slot": name, "slots": near})
    return scope.nodes[name]


def _at(node: Node, path: tuple[str, ...], ref: Ref, place: Place) -> Iterator[Leaf]:
    for option in node.options:
        if option.leaf:
            if path not in ((), ("head",)):
                raise fail("part-unknown", place.at(ref.column), {"part": path[0], "what": node.path})
            yield option.leaf
        elif "" in option.parts:
            yield from _at(option.parts[""], path, ref, place)
        elif all(not inner.leaf and not inner.parts for part in option.parts.values() for inner in part.options):
            raise fail("link-to-empty", place.at(ref.column), {"slot": str(ref)})
        elif not path:
            raise fail("link-to-phrase", place.at(ref.column), {"slot": str(ref), "phrase": option.name})
        elif path[0] in option.parts:
            yield from _at(option.parts[path[0]], path[1:] or ("head",), ref, place)
        elif path[0] == "head" and option.head:
            yield from _at(option.parts[option.head], path[1:] or ("head",), ref, place)
        elif path[0] == "head":
            raise fail("head-missing", option.place, {"phrase": option.name})
        else:
            values = {"part": path[0], "what": f"phrase {option.name} ({', '.join(option.parts)})"}
            raise fail("part-unknown", place.at(ref.column), values)


# Nesting: phrases that hold phrases, and those among them that never come to an end.


def phrases_within(slots: Iterable[Slot], phrases: Mapping[str, PhraseRule]) -> dict[str, PhraseRule]:
    """The phrases that slots name, and those that these name in turn, in their order in the file."""
    found: set[str] = set()
    agenda = list(slots)
    while agenda:
        rules = [alternative.rule for alternative in agenda.pop().rule.alternatives]
        new = {rule.name for rule in rules if isinstance(rule, Phrase) and rule.name in phrases} - found
        found |= new
        agenda += [part for name in new for each in phrases[name].alternatives for part in each.parts.values()]
    return {name: phrase for name, phrase in phrases.items() if name in found}


def endless_phrases(phrases: Mapping[str, PhraseRule]) -> set[str]:
    """The phrases that hold a phrase in every alternative, and so on without end."""
    endless = set(phrases)
    used_by: dict[str, list[str]] = {}
    for phrase in phrases.values():
        for rule in (r for a in phrase.alternatives for part in a.parts.values() for r in part.rule.alternatives):
            if isinstance(rule.rule, Phrase):
                used_by.setdefault(rule.rule.name, []).append(phrase.name)

    def ends(slot: Slot) -> bool:
        return any(not isinstance(a.rule, Phrase) or a.rule.name not in endless for a in slot.rule.alternatives)

    agenda = list(phrases)
    while agenda:
        name = agenda.pop()
        if name in endless and any(all(map(ends, a.parts.values())) for a in phrases[name].alternatives):
            endless.remove(name)
            agenda += used_by.get(name, ())
    return endless


def cycle(path: list[str], phrases: Mapping[str, PhraseRule]) -> InputError:
    """The way from a phrase back to it, told from the first in the file, wherever one came upon it."""
    order = list(phrases)
    first = min((name for name in path if phrases[name].depth == 0), key=order.index)
    at = path.index(first)
    values = {"phrase": first, "path": " > ".join((*path[at:], *path[:at], first))}
    return fail("phrase-cycle", phrases[first].place, values)


def never_ends(name: str, phrases: Mapping[str, PhraseRule], endless: set[str]) -> InputError:
    """Follows parts that never end until a phrase comes again: that is the one to be mended."""
    path = [name]
    while True:
        parts = phrases[name].alternatives[0].parts.values()
        rules = [[a.rule for a in part.rule.alternatives] for part in parts]
        names = [[rule.name if isinstance(rule, Phrase) else "" for rule in part] for part in rules]
        name = next(part[0] for part in names if endless.issuperset(part))
        if name in path:
            found = path[path.index(name) :]
            if all(phrases[other].depth == 0 for other in found):
                return cycle(found, phrases)
            return fail("phrase-endless", phrases[name].place, {"phrase": name})
        path.append(name)


# Expansion: a variant's slots become a tree of choices whose leaves each hold one word.

MAX_LEAVES = 400  # every two of them may have to differ, and all of them may be in one sentence
MAX_NODES = 10_000
MAX_NESTING = 60  # of phrases in phrases


_Depths = tuple[tuple[str, int], ...]  # how often each phrase is open, by name


def _deeper(name: str, depths: _Depths) -> _Depths:
    counts = dict(depths)
    counts[name] = counts.get(name, 0) + 1
    return tuple(sorted(counts.items()))


@dataclass(frozen=True, slots=True)
class _Override:
    path: tuple[str, ...]
    rule: Lexical
    scope: Scope
    place: Place

    @property
    def at(self) -> Place:
        return self.place.at(self.rule.column)


@dataclass(frozen=True, slots=True)
class _Context:
    path: str
    slot: str
    scope: Scope
    guard: tuple[tuple[int, int], ...] = ()
    depths: _Depths = ()
    overrides: tuple[_Override, ...] = ()

    def guarded(self, choice: int, option: int, *, of: int) -> "_Context":
        """Inside one option of a choice; a choice of one is none."""
        guard = (*self.guard, (choice, option)) if of > 1 else self.guard
        return _Context(self.path, self.slot, self.scope, guard, self.depths, self.overrides)


def expand(variant: Variant, phrases: Mapping[str, PhraseRule], *, endless: set[str] | None = None) -> Tree:
    """The tree of a variant; raises `InputError` for unknown phrases, endless recursion and the like.

    Whoever expands many variants finds the `endless_phrases` once and hands them in.
    """
    return _Expander(variant, phrases, endless_phrases(phrases) if endless is None else endless).tree()


class _Expander:
    def __init__(self, variant: Variant, phrases: Mapping[str, PhraseRule], endless: set[str]) -> None:
        self.variant = variant
        self.phrases = phrases
        self.leaves: list[Leaf] = []
        self.nodes: list[Node] = []
        self.choices = 0
        self.found: dict[tuple[str, _Depths], list[int]] = {}
        self.open: list[str] = []
        self.endless = endless

    def tree(self) -> Tree:
        scope = Scope({}, (self.variant.good, self.variant.bad))
        shared: dict[str, int] = {}
        problems: list[Problem] = []
        for group in self.variant.linked:
            sizes = {name: len(self.variant.slots[name].rule.alternatives) for name in group}
            if len(set(sizes.values())) > 1:
                shown = [f"{name}: {size}" for name, size in sizes.items()]
                problems.append(Problem("linked-unequal", self.variant.place, {"slots": shown}))
            shared |= dict.fromkeys(group, self.choices)
            self.choices += 1
        for slot in self.variant.slots.values():
            try:
                scope.nodes[slot.name] = self.node(slot, _Context(slot.name, slot.name, scope), shared.get(slot.name))
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)
        return Tree(self.variant, scope, self.leaves, self.nodes)

    def node(self, slot: Slot, context: _Context, choice: int | None = None) -> Node:
        if choice is None:
            choice = self.choices
            self.choices += 1
        node = Node(context.path, choice, (), slot.place, context.guard)
        self.add(node)
        kept = self.possible(slot.rule, context.depths)
        alternatives = [slot.rule.alternatives[number] for number in kept]
        node.options = tuple(
            self.option(alternative, slot, context.guarded(choice, number, of=len(kept)))
            for number, alternative in enumerate(alternatives)
        )
        return node

    def possible(self, rule: Rule, depths: _Depths) -> list[int]:
        """The alternatives that do not nest a phrase deeper than it allows."""
        return [
            number
            for number, alternative in enumerate(rule.alternatives)
            if not isinstance(alternative.rule, Phrase)
            or alternative.rule.name not in self.phrases
            or self.possible_phrase(alternative.rule.name, depths)
        ]

    def possible_phrase(self, name: str, depths: _Depths) -> list[int]:
        """The same for the alternatives of a phrase used where `depths` phrases are open already."""
        phrase = self.phrases[name]
        inner = _deeper(name, depths)
        if dict(inner)[name] > phrase.depth + 1:
            if phrase.depth == 0:
                raise cycle(self.open[self.open.index(name) :], self.phrases)
            return []
        if name in self.endless:
            raise never_ends(name, self.phrases, self.endless)
        if (name, inner) not in self.found:
            if len(self.open) == MAX_NESTING or len(self.found) == MAX_NODES:
                raise fail("phrases-too-deep", phrase.place, {"limit": MAX_NESTING})
            self.open.append(name)
            self.found[name, inner] = [
                number
                for number, alternative in enumerate(phrase.alternatives)
                if all(self.possible(slot.rule, inner) for slot in alternative.parts.values())
            ]
            self.open.pop()
        return self.found[name, inner]

    def add(self, node: Node) -> None:
        if len(self.nodes) >= MAX_NODES:
            raise fail("expansion-too-large", node.place, {"limit": MAX_LEAVES})
        self.nodes.append(node)

    def option(self, alternative: Alternative, slot: Slot, context: _Context) -> Option:
        rule = alternative.rule
        if isinstance(rule, Phrase):
            return Option(alternative.weight, parts={"": self.phrase(rule, slot, context)}, head="", name=rule.name)
        if isinstance(rule, Words):
            if context.overrides:
                raise fail("override-on-words", context.overrides[0].at, {"slot": context.path, "rule": rule})
            if not rule.words:
                return Option(alternative.weight)
            return Option(alternative.weight, self.leaf(rule, (), slot, context))
        written: tuple[Match | Related, ...] = (*rule.matches, *rule.relations)
        links = [Link(term, context.scope, slot.place) for term in written]
        conditions = list(rule.conditions)
        origins = [slot.place] * len(conditions)
        for override in context.overrides:
            if override.path:
                values = {"part": ".".join(override.path), "what": context.path}
                raise fail("part-unknown", override.at, values)
            conditions += override.rule.conditions
            origins += [override.place] * len(override.rule.conditions)
            added: tuple[Match | Related, ...] = (*override.rule.matches, *override.rule.relations)
            links += [Link(term, override.scope, override.place) for term in added]
        merged = Lexical(tuple(conditions), rule.matches, rule.relations, rule.column)
        leaf = self.leaf(merged, tuple(links), slot, context)
        leaf.origins = tuple(origins)
        return Option(alternative.weight, leaf)

    def leaf(self, rule: Lexical | Words, links: tuple[Link, ...], slot: Slot, context: _Context) -> Leaf:
        if len(self.leaves) >= MAX_LEAVES:
            raise fail("expansion-too-large", slot.place, {"limit": MAX_LEAVES})
        leaf = Leaf(len(self.leaves), context.path, context.slot, rule, links, slot.place, context.guard)
        self.leaves.append(leaf)
        return leaf

    def phrase(self, rule: Phrase, slot: Slot, context: _Context) -> Node:
        phrase = self.phrases.get(rule.name)
        if phrase is None:
            raise InputError([phrase_unknown(rule, slot.place, self.phrases)])
        kept = self.possible_phrase(rule.name, context.depths)
        inherited = [_Override(o.path or ("head",), o.rule, o.scope, o.place) for o in context.overrides]
        own = [_Override(tuple(part.split(".")), r, context.scope, slot.place) for part, r in rule.overrides]
        node = Node(context.path, self.choices, (), slot.place, context.guard)
        self.choices += 1
        self.add(node)
        options = []
        for number, alternative in enumerate(phrase.alternatives[number] for number in kept):
            inner = _Context(
                context.path,
                context.slot,
                Scope({}, (alternative.line,)),
                context.guarded(node.choice, number, of=len(kept)).guard,
                _deeper(rule.name, context.depths),
                (*inherited, *own),
            )
            options.append(self.alternative(alternative, rule, inner))
        node.options = tuple(options)
        return node

    def alternative(self, alternative: PhraseAlternative, rule: Phrase, context: _Context) -> Option:
        per_part: dict[str, list[_Override]] = {name: [] for name in alternative.parts}
        for override in context.overrides:
            part = self.part_named(override, alternative, rule)
            per_part[part].append(_Override(override.path[1:], override.rule, override.scope, override.place))
        for name, slot in alternative.parts.items():
            path = f"{context.path}.{name}"
            inner = _Context(path, context.slot, context.scope, context.guard, context.depths, tuple(per_part[name]))
            context.scope.nodes[name] = self.node(slot, inner)
        return Option(
            alternative.weight,
            parts=context.scope.nodes,
            line=alternative.line,
            head=alternative.head,
            name=rule.name,
            place=alternative.place,
        )

    def part_named(self, override: _Override, alternative: PhraseAlternative, rule: Phrase) -> str:
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
