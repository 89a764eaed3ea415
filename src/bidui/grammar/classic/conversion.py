"""A classic template becomes a variant with named slots, in which the bad line says what it does to the good one."""

from collections.abc import Mapping
from dataclasses import dataclass

from bidui.errors import InputError, Place, Problem, fail
from bidui.grammar.classic.alignment import Identity, Side, align
from bidui.grammar.classic.cells import Cell
from bidui.grammar.classic.links import asks_nothing_new, copied, matches, named, pointed
from bidui.grammar.classic.names import slot_names
from bidui.grammar.classic.shapes import part_at
from bidui.grammar.lines import Line, Literal, Use
from bidui.grammar.paradigm import PhraseRule, Slot, Variant
from bidui.grammar.rules import Phrase, Ref, Rule


@dataclass(frozen=True, slots=True)
class Template:
    """A template file as it was written, its rule strings read."""

    uid: str
    phenomenon: str
    good: tuple[Cell, ...]
    bad: tuple[Cell, ...]
    strict: bool
    separator: str
    place: Place

    def cells(self, side: Side) -> tuple[Cell, ...]:
        """The list of one side."""
        return self.good if side == "good" else self.bad


def convert(template: Template, phrases: Mapping[str, PhraseRule]) -> tuple[Variant | None, list[Problem]]:
    """The variant that the authors meant, or None, and the problems found."""
    held, problems = align(template.good, template.bad)
    try:
        variant = _Conversion(template, held).variant(phrases)
    except InputError as error:
        return None, [*problems, *error.problems]
    if variant.good == variant.bad:
        problems.append(Problem("classic-sides-equal", template.place))
        return None, problems
    return variant, problems


class _Conversion:
    """The slots of one template: which there are, which repeat another, and which are no more than a literal."""

    def __init__(self, template: Template, held: Mapping[Identity, Identity]) -> None:
        self.template = template
        self.held = held
        self.targets = self._targets()
        self.roots = self._roots()
        self.names = self._names()

    def cell(self, slot: Identity) -> Cell:
        return self.template.cells(slot.side)[slot.index]

    def own(self) -> list[Identity]:
        """The slots, each once, those of the good list first."""
        return list(dict.fromkeys(self.held.values()))

    def _targets(self) -> dict[tuple[Identity, str], Identity]:
        """What each position means; on the bad side it counts in the bad list."""
        found: dict[tuple[Identity, str], Identity] = {}
        problems: list[Problem] = []
        for slot in self.own():
            cells = self.template.cells(slot.side)
            for link in matches(self.cell(slot).rule):
                try:
                    index = pointed(link.target, cells, slot.index)
                except InputError as error:
                    problems += error.problems
                    continue
                found[slot, link.target.slot] = self.held[Identity(slot.side, index)]
        if problems:
            raise InputError(problems)
        return found

    def _roots(self) -> dict[Identity, Identity]:
        """The slot whose word each slot prints: another's where it is a plain copy of it."""
        roots: dict[Identity, Identity] = {slot: slot for slot in self.own()}
        for slot in self.own():
            link = copied(self.cell(slot).rule)
            if not link:
                continue
            original = self.targets[slot, link.target.slot]
            while roots[original] != original:
                original = roots[original]
            if original != slot and asks_nothing_new(self.cell(slot).rule, self.cell(original).rule):
                roots[slot] = original
        for slot in roots:
            while roots[roots[slot]] != roots[slot]:
                roots[slot] = roots[roots[slot]]
        return roots

    def _names(self) -> dict[Identity, str]:
        """The names of the slots; a fixed word needs none unless something agrees with it."""
        printed = list(dict.fromkeys(self.roots[slot] for slot in self.own()))  # in the order of the lines
        meant = {self.roots[target] for (slot, _), target in self.targets.items() if self.roots[slot] == slot}
        slots = [slot for slot in printed if slot in meant or not self.cell(slot).fixed] or printed[:1]
        prefixed = [("bad_" if slot.side == "bad" else "", self.cell(slot).rule) for slot in slots]
        return dict(zip(slots, slot_names(prefixed), strict=True))

    def variant(self, phrases: Mapping[str, PhraseRule]) -> Variant:
        slots: dict[str, Slot] = {}
        problems: list[Problem] = []
        for identity, name in self.names.items():
            try:
                slots[name] = Slot(name, self.rule(identity, phrases), self.cell(identity).place)
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)
        good, bad = self.line("good"), self.line("bad")
        return Variant("", slots, good, bad, repeat=self.repeat(), place=self.template.place)

    def rule(self, slot: Identity, phrases: Mapping[str, PhraseRule]) -> Rule:
        place = self.cell(slot).place

        def target(ref: Ref) -> Ref:
            name = self.name(self.targets[slot, ref.slot])
            if name == self.names[slot]:  # two slots that are copies of each other
                raise fail("classic-position-self", place.at(ref.column), {"position": ref})
            return Ref(name, ref.path, ref.column)

        def part(phrase: Phrase, index: str) -> str:
            return overridden(phrase, index, phrases, place)

        return named(self.cell(slot).rule, target=target, part=part)

    def name(self, slot: Identity) -> str:
        return self.names[self.roots[slot]]

    def line(self, side: Side) -> Line:
        items: list[Literal | Use] = []
        for index in range(len(self.template.cells(side))):
            slot = self.held.get(Identity(side, index))
            if slot is not None:
                root = self.roots[slot]
                items.append(Use(Ref(self.names[root])) if root in self.names else Literal(self.cell(root).fixed))
        if not items:
            raise fail("classic-side-empty", self.template.place, {"side": f"{side}_rule"})
        return Line(tuple(items), self.template.place)

    def repeat(self) -> tuple[tuple[str, ...], ...]:
        """Slots that hold the same word by `mPro:expression` but are no plain copies; others must differ."""
        groups: list[tuple[str, ...]] = []
        for slot, name in self.names.items():
            for link in matches(self.cell(slot).rule):
                if link.same and any(p.mine == "expression" for p in link.properties):
                    groups.append((self.name(self.targets[slot, link.target.slot]), name))
        return tuple(dict.fromkeys(groups))


def overridden(phrase: Phrase, index: str, phrases: Mapping[str, PhraseRule], place: Place) -> str:
    """The part that an override means by its index; one that is a name already stays."""
    here = place.at(phrase.column)
    if phrase.name not in phrases or not index.removeprefix("-").isdecimal():
        return index
    return part_at(phrase, int(index), phrases, here)
