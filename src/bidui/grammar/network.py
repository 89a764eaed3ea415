"""A variant as a constraint network: leaves with groups of interchangeable words, and constraints between them.

Counting and drawing work on groups, so that their cost hardly grows with the lexicon.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bidui.errors import InputError, Problem, distinct, fail
from bidui.grammar.alignment import Change, changes_of_tokens
from bidui.grammar.conditions import condition_problems
from bidui.grammar.conflicts import Conflict, distinctness, sides_alike
from bidui.grammar.constraints import Constraint, build_constraints, tables_around
from bidui.grammar.domain import Domain
from bidui.grammar.domains import Domains
from bidui.grammar.equality import could_be_equal
from bidui.grammar.expansion import expand
from bidui.grammar.nesting import endless_phrases
from bidui.grammar.paradigm import Paradigm, PhraseRule, Slot, Variant
from bidui.grammar.printing import Item, Style, Uses, uses_of
from bidui.grammar.project import Project
from bidui.grammar.relations import Relation
from bidui.grammar.rules import Alternative, Lexical, Rule, Words
from bidui.grammar.supports import Supports
from bidui.grammar.tree import Leaf, Tree


@dataclass(slots=True, eq=False)
class Column:
    """A leaf with its domain and the constraints it takes part in."""

    leaf: Leaf
    domain: Domain
    ends: list[tuple[Constraint, int]]  # constraint, and as which of its members
    guard: frozenset[tuple[int, int]]
    known_keys: list[tuple[int, ...]] | None = None

    @property
    def keys(self) -> list[tuple[int, ...]]:
        """Of each group, the keys at `ends`; only counting needs them."""
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
    meetings: dict[tuple[Item, Item], list[str]] = field(default_factory=dict)  # neighbours -> seams that could arise

    def could_be_equal(self) -> bool:
        """Whether good and bad might be the same sentence under some filling."""
        return could_be_equal(self.variant, self.tree.scope.nodes, self.columns, self.conflicts, self.style)

    def number_keys(self) -> None:
        """Numbers the values at the ends of all constraints, which must be complete before they are compared."""
        for column in self.columns:
            assert column.keys is not None


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
        ends: dict[Leaf, list[tuple[Constraint, int]]] = {leaf: [] for leaf in tree.leaves}
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
