"""A variant as a constraint network: leaves with groups of interchangeable words, and constraints between them.

Counting and drawing work on groups, so that their cost hardly grows with the lexicon.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from bidui.errors import all_problems, collect, fail
from bidui.grammar.constraints import Constraint, build_constraints, tables_around
from bidui.grammar.domains import Domain, Domains, Support, Supports
from bidui.grammar.lexicon import Relation, condition_problems
from bidui.grammar.paradigm import Line, Literal, Paradigm, PhraseRule, Slot, Use, Variant
from bidui.grammar.printing import Change, Style, Uses, changes_of_tokens, uses_of
from bidui.grammar.project import Project
from bidui.grammar.rules import Alternative, Lexical, Rule, Words
from bidui.grammar.tree import Atom, Node, Tree, Word, endless_phrases, expand, ways

Tokens = list[tuple[str, ...]]


@dataclass(slots=True, eq=False)
class Conflict:
    """Two leaves, and for each value of each the tokens that the other's value may not have."""

    a: int
    b: int
    a_tokens: Tokens
    b_tokens: Tokens
    sides: bool = False  # it keeps good from being bad, rather than a word from occurring twice


@dataclass(eq=False)
class Column:
    """A leaf with its domain and the constraints it takes part in."""

    leaf: Word
    domain: Domain
    ends: list[tuple[Constraint, int]]  # constraint, and as which of its members
    guard: frozenset[tuple[int, int]]

    @cached_property
    def keys(self) -> list[tuple[int, ...]]:
        """The keys of each group at `ends`, numbered when first needed; only counting needs them."""
        ends = []
        for at, (constraint, member) in enumerate(self.ends):
            modes = [vector[at] for vector in self.domain.modes]
            numbers = {each: constraint.key(member, each) for each in dict.fromkeys(modes)}
            ends.append([numbers[each] for each in modes])
        return list(zip(*ends, strict=True)) if ends else [()] * len(self.domain.groups)


@dataclass(eq=False)
class Network:
    """Everything that counting and drawing need to know about one variant."""

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
    meetings: dict[tuple[Atom, Atom], list[str]] = field(default_factory=dict)  # neighbours -> possible seams

    def number_keys(self) -> None:
        """Number the values at the ends of all constraints; they must be complete before they are compared."""
        for column in self.columns:
            _ = column.keys

    def allowed(self, constraint: Constraint, a: int, member: int, b: int, other: int) -> Support:
        """Return, for each group of leaf `a` at one end of a constraint, the groups of leaf `b` at the other end."""
        mine, theirs = self.columns[a], self.columns[b]
        ends = mine.ends.index((constraint, member)), theirs.ends.index((constraint, other))
        if constraint.relation:
            here, there = constraint.columns[member], constraint.columns[other]
            return self.supports.in_one_row(
                (mine.domain, ends[0], here), (theirs.domain, ends[1], there), constraint.relation
            )
        same = constraint.kind == "share"
        return self.supports.between(mine.domain, ends[0], theirs.domain, ends[1], same=same)

    @cached_property
    def _conflicts_of(self) -> dict[int, list[Conflict]]:
        conflicts: dict[int, list[Conflict]] = {}
        for conflict in self.conflicts:
            conflicts.setdefault(conflict.a, []).append(conflict)
            conflicts.setdefault(conflict.b, []).append(conflict)
        return conflicts

    def clashes(self, leaf: int, values: Mapping[int, int]) -> bool:
        """Tell whether the word of a leaf conflicts with the word of another, among these values by leaf."""
        return any(
            conflict.a in values
            and conflict.b in values
            and not set(conflict.a_tokens[values[conflict.a]]).isdisjoint(conflict.b_tokens[values[conflict.b]])
            for conflict in self._conflicts_of.get(leaf, ())
        )


# Conflicts keep words apart: words differ by form and concept within a side; and where one substituted slot is all
# that distinguishes the sides of a pair, its two fillers must differ in print, or good and bad would be the same.


def distinctness(
    columns: Sequence[Column], variant: Variant, constraints: Iterable[Constraint], domains: Domains
) -> list[Conflict]:
    """Return the conflicts between leaves that can stand on one side together and could hold the same word."""
    copies = set()
    for constraint in constraints:
        if constraint.kind == "share" and all(member.feature == "expression" for member in constraint.members):
            leaves = [leaf.index for member in constraint.members for leaf in member.leaves]
            copies |= {(a, b) for a in leaves for b in leaves}
    marked = [column for column in columns if column.domain.all_marks]
    conflicts = []
    for number, a in enumerate(marked):
        for b in marked[number + 1 :]:
            if (a.leaf.index, b.leaf.index) in copies:
                continue
            if any(a.leaf.slot in group and b.leaf.slot in group for group in variant.repeat):
                continue
            if domains.overlap(a.domain, b.domain) and a.leaf.together(b.leaf):
                conflicts.append(Conflict(a.leaf.index, b.leaf.index, a.domain.marks, b.domain.marks))
    return conflicts


def sides_alike(variant: Variant, nodes: dict[str, Node], columns: Sequence[Column]) -> list[Conflict]:
    """Return the conflicts between the fillers of the two slots that are all in which the sides differ."""
    good, bad = rests(variant.good, variant.bad)
    if len(good) != 1 or len(bad) != 1:
        return []
    mine, theirs = (list(_texts(item, nodes, columns)) for item in (good[0], bad[0]))
    # two columns of one word keep no other word away: where they are alike, good equals bad, and that is found later
    conflicts = [Conflict(a, b, s, t, sides=True) for a, s in mine for b, t in theirs if a != b]
    return [c for c in conflicts if not {*c.a_tokens}.isdisjoint(c.b_tokens)]


def rests(good: Line, bad: Line) -> tuple[list[Literal | Use], list[Literal | Use]]:
    """Return the lines without the items that both begin or end with."""
    a, b = list(good.items), list(bad.items)
    while a and b and a[0] == b[0]:
        del a[0], b[0]
    while a and b and a[-1] == b[-1]:
        del a[-1], b[-1]
    return a, b


def _texts(item: Literal | Use, nodes: dict[str, Node], columns: Sequence[Column]) -> Iterator[tuple[int, Tokens]]:
    """Yield each leaf that may be all an item prints, with its texts."""
    if isinstance(item, Use) and not item.ref.path:
        for _, filler in ways(nodes[item.ref.slot]):
            if isinstance(filler, Word):
                texts = columns[filler.index].domain.texts[item.column]
                yield filler.index, [(text,) for text in texts]


@dataclass(slots=True)
class Compiler:
    """Compiles the paradigms of one project; what they have in common is built once."""

    phrases: Mapping[str, PhraseRule]
    relations: Mapping[str, Relation]
    style: Style
    seams: tuple[str, ...]
    domains: Domains
    supports: Supports = field(default_factory=Supports)
    endless: set[str] | None = None  # phrases, computed when first needed
    others: dict[str, Domains] = field(default_factory=dict)  # for paradigms with a separator of their own

    @classmethod
    def of(cls, project: Project) -> "Compiler":
        """Return the compiler of a project."""
        settings = project.settings
        style = Style(settings.separator, settings.capital, settings.lang)
        domains = Domains(project.lexicon, style, settings.repeat)
        return cls(project.phrases, project.relations, style, settings.seams, domains)

    def networks(self, paradigm: Paradigm) -> list[Network]:
        """Compile each variant into a network, or two where it is crossed; raise `InputError` with all problems."""
        networks = []
        with all_problems() as problems:
            for written in paradigm.variants:
                with collect(problems):
                    networks += [self._network(variant, paradigm) for variant in directions(written)]
        return networks

    def _network(self, variant: Variant, paradigm: Paradigm) -> Network:
        style, domains = self.style, self.domains
        if paradigm.separator is not None and paradigm.separator != style.separator:
            style = replace(style, separator=paradigm.separator)
            fresh = Domains(domains.lexicon, style, domains.repeat)
            domains = self.others.setdefault(paradigm.separator, fresh)
        if self.endless is None:
            self.endless = endless_phrases(self.phrases)
        tree = expand(variant, self.phrases, endless=self.endless)
        uses, constraints = self._linked(tree, style)
        columns = self._columns(tree, constraints, uses, domains, paradigm.equal_length)
        nodes = tree.scope.nodes
        return Network(
            variant,
            tree,
            columns,
            constraints,
            distinctness(columns, variant, constraints, domains) + sides_alike(variant, nodes, columns),
            uses,
            style,
            paradigm.equal_length,
            (*self.seams, *paradigm.seams),
            self.supports,
            changes_of_tokens(variant, nodes),
        )

    def _linked(self, tree: Tree, style: Style) -> tuple[Uses, list[Constraint]]:
        """Return what is printed and what is linked; the lexicon must have every feature and value mentioned."""
        lexicon = self.domains.lexicon
        uses, constraints = Uses(), []
        with all_problems() as problems:
            for leaf in tree.leaves:
                if isinstance(leaf.rule, Lexical):
                    problems += condition_problems(leaf.rule, lexicon, leaf.origins)
            with collect(problems):
                uses = uses_of(tree, style)
            with collect(problems):
                constraints = build_constraints(tree, self.relations)
            mentioned = [*uses.columns.items()]
            mentioned += [(member.feature, c.place) for c in constraints for member in c.members]
            for feature, place in mentioned:
                if not lexicon.has_feature(feature):
                    problems.append(lexicon.feature_unknown(feature, place))
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
        with all_problems() as problems:
            for leaf in tree.leaves:
                features = tuple(constraint.members[n].feature for constraint, n in ends[leaf])
                within = tables_around(leaf, ends[leaf])
                with collect(problems):
                    domain = domains.domain(leaf, features, tuple(uses.leaves[leaf]), within, lengths=equal_length)
                    columns.append(Column(leaf, domain, ends[leaf], frozenset(leaf.guard)))
        return columns


def directions(variant: Variant) -> list[Variant]:
    """Return the variant; where it is crossed, also the one whose two substituted slots have exchanged their words."""
    if not variant.crossed:
        return [variant]
    sides = [{item.ref.slot for item in line.items if isinstance(item, Use)} for line in (variant.good, variant.bad)]
    only = [[slot for slot in variant.slots.values() if slot.name in sides[n] - sides[1 - n]] for n in (0, 1)]
    if len(only[0]) != 1 or len(only[1]) != 1:
        values = {"good": [slot.name for slot in only[0]], "bad": [slot.name for slot in only[1]]}
        raise fail("crossed-form", variant.place, values)
    good, bad = only[0][0], only[1][0]
    swapped = {**variant.slots, good.name: _with_words_of(good, bad), bad.name: _with_words_of(bad, good)}
    names = [f"{variant.name}>".lstrip(), f"{variant.name}<".lstrip()]
    return [
        replace(variant, name=name, slots=slots, crossed=False)
        for name, slots in zip(names, (variant.slots, swapped), strict=True)
    ]


def _with_words_of(slot: Slot, other: Slot) -> Slot:
    """Return the slot with its own links but the words of the other."""
    mine, theirs = slot.rule.only, other.rule.only
    if isinstance(mine, Words) and isinstance(theirs, Words):
        return replace(slot, rule=other.rule)
    if isinstance(mine, Lexical) and isinstance(theirs, Lexical):
        rule = replace(mine, conditions=theirs.conditions, column=0)
        return replace(slot, rule=Rule((Alternative(rule),)))
    raise fail("crossed-form", slot.place, {"good": slot.name, "bad": other.name})
