"""A variant as a constraint network: leaves with groups of interchangeable words, and constraints between them.

Counting and drawing work on groups, so that their cost hardly grows with the lexicon.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bidui.errors import InputError, Problem, distinct, fail
from bidui.grammar.constraints import Constraint, build_constraints, tables_around
from bidui.grammar.domains import Domain, Domains, Supports
from bidui.grammar.lexicon import Relation, condition_problems
from bidui.grammar.paradigm import Line, Literal, Paradigm, PhraseRule, Slot, Use, Variant
from bidui.grammar.printing import Change, Style, Uses, changes_of_tokens, uses_of
from bidui.grammar.project import Project
from bidui.grammar.rules import Alternative, Lexical, Rule, Words
from bidui.grammar.tree import (
    Items,
    Node,
    Spoken,
    Tree,
    Word,
    endless_phrases,
    expand,
    items_of,
    may_be_empty,
    spoken,
    ways,
)

if TYPE_CHECKING:
    from bidui.grammar.constraints import Constraint
    from bidui.grammar.domains import Domains


# Conflicts: pairs of leaves that may not hold the same word, and why.
#
# Words differ by form and concept within a side; and where one substituted slot is all that tells the sides of a pair
# apart, its two fillers must differ in print, or good and bad would be the same sentence.

Tokens = list[tuple[str, ...]]


@dataclass(slots=True, eq=False)
class Conflict:
    """Two leaves, and for each value of each the tokens that the other's value may not have."""

    a: int
    b: int
    a_tokens: Tokens
    b_tokens: Tokens
    sides: bool = False  # it keeps good from being bad, rather than a word from occurring twice


def distinctness(
    columns: "Sequence[Column]", variant: Variant, constraints: "Iterable[Constraint]", domains: "Domains"
) -> list[Conflict]:
    """Conflicts between leaves that can stand on one side together and could hold the same word."""
    copies = set()
    for constraint in constraints:
        if constraint.kind == "share" and all(member.feature == "expression" for member in constraint.members):
            leaves = [leaf.index for member in constraint.members for leaf in member.leaves]
            copies |= {(a, b) for a in leaves for b in leaves}
    marked = [column for column in columns if column.domain.all_marks]
    found = []
    for number, a in enumerate(marked):
        for b in marked[number + 1 :]:
            if (a.leaf.index, b.leaf.index) in copies:
                continue
            if any(a.leaf.slot in group and b.leaf.slot in group for group in variant.repeat):
                continue
            if domains.overlap(a.domain, b.domain) and a.leaf.together(b.leaf):
                found.append(Conflict(a.leaf.index, b.leaf.index, a.domain.marks, b.domain.marks))
    return found


def sides_alike(variant: Variant, nodes: dict[str, Node], columns: "Sequence[Column]") -> list[Conflict]:
    """Where one slot on each side is all that differs: its fillers may not be the same text."""
    good, bad = rests(variant.good, variant.bad)
    if len(good) != 1 or len(bad) != 1:
        return []
    mine, theirs = (list(_texts(item, nodes, columns)) for item in (good[0], bad[0]))
    found = [Conflict(a, b, s, t, sides=True) for a, s in mine for b, t in theirs]
    return [c for c in found if not {*c.a_tokens}.isdisjoint(c.b_tokens)]


def rests(good: Line, bad: Line) -> tuple[list[Literal | Use], list[Literal | Use]]:
    """The lines without the items that both begin or end with."""
    a, b = list(good.items), list(bad.items)
    while a and b and a[0] == b[0]:
        del a[0], b[0]
    while a and b and a[-1] == b[-1]:
        del a[-1], b[-1]
    return a, b


def _texts(item: Literal | Use, nodes: dict[str, Node], columns: "Sequence[Column]") -> Iterator[tuple[int, Tokens]]:
    """Each leaf that may be all an item prints, with its texts."""
    if isinstance(item, Use) and not item.ref.path:
        for _, filler in ways(nodes[item.ref.slot]):
            if isinstance(filler, Word):
                texts = columns[filler.index].domain.texts[item.column]
                yield filler.index, [(text,) for text in texts]


# Equality: whether one filling could print the same sentence on both sides.
#
# The two lines are read side by side, word by word; a filling goes on only while one sentence is a beginning of the
# other. Links are not looked at, so a "yes" is a suspicion; a "no" is certain.

MAX_STEPS = 20_000


class _TooLong(Exception):
    """The search was given up."""


def could_be_equal(
    variant: Variant,
    nodes: dict[str, Node],
    columns: "Sequence[Column]",
    conflicts: Sequence[Conflict],
    style: Style,
) -> bool:
    """Whether good and bad might be the same sentence; true also where that would take too long to find out."""
    good, bad = rests(variant.good, variant.bad)
    if not (good and bad) and not all(_may_say_nothing(item, nodes) for item in (*good, *bad)):
        return False
    search = _Search(columns, conflicts, style)
    try:
        return search.meets(items_of(Line(tuple(good)), nodes), items_of(Line(tuple(bad)), nodes), "", {}, {})
    except (_TooLong, RecursionError):  # hundreds of words may be said in one sentence
        return True


def _may_say_nothing(item: Literal | Use, nodes: dict[str, Node]) -> bool:
    return isinstance(item, Use) and (bool(item.ref.path) or may_be_empty(nodes[item.ref.slot]))


@dataclass(slots=True)
class _Search:
    columns: "Sequence[Column]"
    conflicts: Sequence[Conflict]
    style: Style
    steps: int = 0
    against: dict[int, list[tuple[int, Conflict, bool]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for conflict in self.conflicts:
            self.against.setdefault(conflict.a, []).append((conflict.b, conflict, True))
            self.against.setdefault(conflict.b, []).append((conflict.a, conflict, False))

    def meets(
        self, ahead: Items, behind: Items, over: str, chosen: Mapping[int, int], values: Mapping[int, int]
    ) -> bool:
        """Tell whether the rest of both lines can be equal; `over` is what the line ahead has already said."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise _TooLong
        for word, rest, now in spoken(behind, chosen):
            if word is None:
                if not over and any(other is None for other, _, _ in spoken(ahead, now)):
                    return True
                continue
            for text, settled in self._texts(word, over, values):
                if over.startswith(text):
                    if self.meets(ahead, rest, over[len(text) :], now, settled):
                        return True
                elif text.startswith(over) and self.meets(rest, ahead, text[len(over) :], now, settled):
                    return True
        return False

    def _texts(self, word: Spoken, over: str, values: Mapping[int, int]) -> Iterator[tuple[str, Mapping[int, int]]]:
        """Yield every text of a word that may go on from `over`, with the values of words it settles."""
        if isinstance(word, str):
            yield self.style.folded(word), values
            return
        leaf, column = word
        domain = self.columns[leaf.index].domain
        texts = domain.folded[column]
        if leaf.index in values:
            yield texts[values[leaf.index]], values
            return
        for value in domain.fitting(column, over):
            if not self._clashes(leaf, value, values):
                yield texts[value], {**values, leaf.index: value}

    def _clashes(self, leaf: Word, value: int, values: Mapping[int, int]) -> bool:
        for other, conflict, first in self.against.get(leaf.index, ()):
            if other in values:
                a, b = (value, values[other]) if first else (values[other], value)
                if not set(conflict.a_tokens[a]).isdisjoint(conflict.b_tokens[b]):
                    return True
        return False


@dataclass(slots=True, eq=False)
class Column:
    """A leaf with its domain and the constraints it takes part in."""

    leaf: Word
    domain: Domain
    ends: list[tuple[Constraint, int]]  # constraint, and as which of its members
    guard: frozenset[tuple[int, int]]
    known_keys: list[tuple[int, ...]] | None = None

    def keys(self) -> list[tuple[int, ...]]:
        """Return the keys of each group at `ends`, numbered the first time; only counting needs them."""
        if self.known_keys is None:
            ends = []
            for at, (constraint, member) in enumerate(self.ends):
                modes = [vector[at] for vector in self.domain.modes]
                numbers = {each: constraint.key(member, each) for each in dict.fromkeys(modes)}
                ends.append([numbers[each] for each in modes])
            self.known_keys = list(zip(*ends, strict=True)) if ends else [()] * len(self.domain.groups)
        return self.known_keys


@dataclass(slots=True, eq=False)
class Network:
    """Everything that counting and drawing need to know of one variant."""

    name: str
    variant: Variant
    tree: Tree
    columns: list[Column]
    constraints: list[Constraint]
    conflicts: list[Conflict]
    uses: Uses
    style: Style
    equal_length: bool
    seams: tuple[str, ...]
    supports: Supports
    token_changes: list[Change] | None  # how the lines differ, where that is the same under every choice
    meetings: dict[tuple[Spoken, Spoken], list[str]] = field(default_factory=dict)  # neighbours -> possible seams

    def could_be_equal(self) -> bool:
        """Whether good and bad might be the same sentence under some filling."""
        return could_be_equal(self.variant, self.tree.scope.nodes, self.columns, self.conflicts, self.style)

    def number_keys(self) -> None:
        """Number the values at the ends of all constraints; they must be complete before they are compared."""
        for column in self.columns:
            column.keys()


@dataclass(slots=True)
class Compiler:
    """Compiles the paradigms of one project; what they have in common is built once."""

    phrases: Mapping[str, PhraseRule]
    relations: Mapping[str, Relation]
    style: Style
    seams: tuple[str, ...]
    domains: Domains
    supports: Supports = field(default_factory=Supports)
    endless: set[str] | None = None  # phrases, found when first needed
    others: dict[str, Domains] = field(default_factory=dict)  # for paradigms with a separator of their own

    @classmethod
    def of(cls, project: Project) -> "Compiler":
        """The compiler of a project."""
        settings = project.settings
        style = Style(settings.separator, settings.capital)
        domains = Domains(project.lexicon, style, settings.repeat)
        return cls(project.phrases, project.relations, style, settings.seams, domains)

    def networks(self, paradigm: Paradigm) -> list[Network]:
        """One network for each variant, two where it is crossed; raises `InputError` with all problems."""
        problems: list[Problem] = []
        networks = []
        for written in paradigm.variants:
            try:
                networks += [self._network(variant, paradigm) for variant in directions(written)]
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(distinct(problems))
        return networks

    def _network(self, variant: Variant, paradigm: Paradigm) -> Network:
        style, domains, supports = self.style, self.domains, self.supports
        if paradigm.separator is not None and paradigm.separator != style.separator:
            style = Style(paradigm.separator, style.capital)
            fresh = Domains(domains.lexicon, style, domains.repeat)
            domains = self.others.setdefault(paradigm.separator, fresh)
        if self.endless is None:
            self.endless = endless_phrases(self.phrases)
        tree = expand(variant, self.phrases, endless=self.endless)
        uses, constraints = self._linked(tree, style)
        columns = self._columns(tree, constraints, uses, domains, paradigm.equal_length)
        nodes = tree.scope.nodes
        conflicts = distinctness(columns, variant, constraints, domains) + sides_alike(variant, nodes, columns)
        seams = (*self.seams, *paradigm.seams)
        return Network(
            variant.name,
            variant,
            tree,
            columns,
            constraints,
            conflicts,
            uses,
            style,
            paradigm.equal_length,
            seams,
            supports,
            changes_of_tokens(variant, nodes),
        )

    def _linked(self, tree: Tree, style: Style) -> tuple[Uses, list[Constraint]]:
        """What is printed and what is linked; every feature and value that is mentioned must be in the lexicon."""
        lexicon = self.domains.lexicon
        uses, constraints = Uses(), []
        problems: list[Problem] = []
        for leaf in tree.leaves:
            if isinstance(leaf.rule, Lexical):
                problems += condition_problems(leaf.rule, lexicon, leaf.origins)
        try:
            uses = uses_of(tree, style)
        except InputError as error:
            problems += error.problems
        try:
            constraints = build_constraints(tree, self.relations)
        except InputError as error:
            problems += error.problems
        mentioned = [*uses.columns.items()]
        mentioned += [(member.feature, c.place) for c in constraints for member in c.members]
        for feature, place in mentioned:
            if not lexicon.has_feature(feature):
                values = {"feature": feature, "near": lexicon.nearest_feature(feature) or lexicon.features}
                problems.append(Problem("feature-unknown", place, values))
        if problems:
            raise InputError(distinct(problems))
        return uses, constraints

    def _columns(
        self, tree: Tree, constraints: list[Constraint], uses: Uses, domains: Domains, equal_length: bool
    ) -> list[Column]:
        ends: dict[Word, list[tuple[Constraint, int]]] = {leaf: [] for leaf in tree.leaves}
        for constraint in constraints:
            for number, member in enumerate(constraint.members):
                for leaf in member.leaves:
                    ends[leaf].append((constraint, number))
        columns = []
        problems: list[Problem] = []
        for leaf in tree.leaves:
            features = tuple(constraint.members[n].feature for constraint, n in ends[leaf])
            occurrences = tuple(uses.leaves[leaf])
            try:
                within = tables_around(leaf, ends[leaf])
                domain = domains.domain(
                    leaf.rule, features, occurrences, leaf.place, lengths=equal_length, within=within
                )
            except InputError as error:
                problems += error.problems
                continue
            columns.append(Column(leaf, domain, ends[leaf], frozenset(leaf.guard)))
        if problems:
            raise InputError(distinct(problems))
        return columns


def directions(variant: Variant) -> list[Variant]:
    """The variant, and where it is crossed the one in which the two substituted slots have exchanged their words."""
    if not variant.crossed:
        return [variant]
    sides = [{item.ref.slot for item in line.items if hasattr(item, "ref")} for line in (variant.good, variant.bad)]
    only = [[slot for slot in variant.slots.values() if slot.name in sides[n] - sides[1 - n]] for n in (0, 1)]
    if len(only[0]) != 1 or len(only[1]) != 1:
        values = {"good": [slot.name for slot in only[0]], "bad": [slot.name for slot in only[1]]}
        raise fail("crossed-form", variant.place, values)
    good, bad = only[0][0], only[1][0]
    swapped = {**variant.slots, good.name: _with_words_of(good, bad), bad.name: _with_words_of(bad, good)}
    names = [f"{variant.name}>".lstrip(), f"{variant.name}<".lstrip()]
    return [
        Variant(
            name, slots, variant.good, variant.bad, variant.weight, variant.linked, variant.repeat, False, variant.place
        )
        for name, slots in zip(names, (variant.slots, swapped), strict=True)
    ]


def _with_words_of(slot: Slot, other: Slot) -> Slot:
    """The slot with its own links but the other's words."""
    if len(slot.rule.alternatives) == 1 == len(other.rule.alternatives):
        mine, theirs = slot.rule.alternatives[0].rule, other.rule.alternatives[0].rule
        if isinstance(mine, Words) and isinstance(theirs, Words):
            return Slot(slot.name, other.rule, slot.place)
        if isinstance(mine, Lexical) and isinstance(theirs, Lexical):
            rule = Lexical(theirs.conditions, mine.matches, mine.relations)
            return Slot(slot.name, Rule((Alternative(rule),)), slot.place)
    raise fail("crossed-form", slot.place, {"good": slot.name, "bad": other.name})
