"""Expansion: a variant's slots become a tree of choices whose leaves each hold one word."""

from collections.abc import Mapping
from dataclasses import dataclass

from bidui.errors import InputError, Place, Problem, fail
from bidui.grammar.conditions import phrase_unknown
from bidui.grammar.nesting import cycle, endless_phrases, never_ends
from bidui.grammar.paradigm import PhraseAlternative, PhraseRule, Slot, Variant
from bidui.grammar.rules import Alternative, Lexical, Match, Phrase, Related, Rule, Words
from bidui.grammar.tree import POSITION, Leaf, Link, Node, Option, Scope, Tree

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
