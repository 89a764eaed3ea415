"""The two lists of a classic template: rule strings by index, from the lines and slots of a variant."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from bidui.errors import InputError, Place, fail
from bidui.grammar.classic.alignment import Side
from bidui.grammar.classic.means import classic_rule, copying, is_fixed
from bidui.grammar.classic.shapes import index_of
from bidui.grammar.lines import Line, Literal, Use
from bidui.grammar.paradigm import PhraseRule, Slot, Variant
from bidui.grammar.rules import Alternative, Ref, Rule, Words

Item = Literal | Use | None


def rule_lists(variant: Variant, phrases: Mapping[str, PhraseRule]) -> tuple[list[str], list[str]]:
    """`good_rule` and `bad_rule`; raises `InputError` where no two lists say what the variant does."""
    refused = InputError(())
    for line in (variant.good, variant.bad):
        _refuse_line(line)
    for padded in _paddings(variant.good.items, variant.bad.items):
        try:
            return _Lists(variant, phrases, padded).texts()
        except InputError as error:
            refused = error
    raise refused


def _refuse_line(line: Line) -> None:
    for item in line.items:
        if isinstance(item, Use) and (item.ref.path or item.column != "expression"):
            raise without("slot.part" if item.ref.path else "slot@column", item, line.place)


class _Lists:
    """The two lists of one variant, of equal length."""

    def __init__(
        self, variant: Variant, phrases: Mapping[str, PhraseRule], padded: tuple[list[Item], list[Item]]
    ) -> None:
        self.variant = variant
        self.phrases = phrases
        self.items: dict[Side, list[Item]] = {"good": padded[0], "bad": padded[1]}

    def texts(self) -> tuple[list[str], list[str]]:
        good = [self.text("good", index) for index in range(len(self.items["good"]))]
        bad = [self.text("bad", index) for index in range(len(self.items["bad"]))]
        for index, text in enumerate(bad):
            self.refuse_ambiguous(index, text, good)
        return good, bad

    def text(self, side: Side, index: int) -> str:
        item = self.items[side][index]
        if item is None:
            return ""
        if isinstance(item, Literal):
            rule = Rule((Alternative(Words((item.text,))),))
            return classic_rule(rule, position=lambda ref: 0, index=lambda *_: 0, place=self.variant.place)
        slot = self.variant.slots[item.ref.slot]
        home = self.home(slot.name)
        kept = self.items[home][index] == item
        if kept and self.first(home, slot.name) != index and not is_fixed(slot.rule):
            return self.copy(slot, home)
        return classic_rule(
            slot.rule,
            position=lambda ref: self.position(ref, slot, home),
            index=lambda phrase, part: index_of(phrase, part, self.phrases, slot.place),
            place=slot.place,
        )

    def home(self, name: str) -> Side:
        """The side whose positions a slot's links count in."""
        return "good" if Use(Ref(name)) in self.items["good"] else "bad"

    def first(self, side: Side, name: str) -> int:
        return self.items[side].index(Use(Ref(name)))

    def copy(self, slot: Slot, home: Side) -> str:
        text = copying(slot.rule, self.first(home, slot.name))
        if text is None:
            raise fail("classic-no-copy", slot.place, {"slot": slot.name, "rule": slot.rule})
        return text

    def position(self, ref: Ref, slot: Slot, home: Side) -> int:
        name = ref.slot
        lines = [line for line in (self.variant.good, self.variant.bad) if Use(Ref(slot.name)) in line.items]
        if name not in self.variant.slots and name.isdecimal() and int(name) < len(lines[0].items):
            item = lines[0].items[int(name)]
            name = item.ref.slot if isinstance(item, Use) else name
        if ref.path:
            raise without("slot.part", ref, slot.place.at(ref.column))
        if Use(Ref(name)) not in self.items[home]:
            values = {"slot": slot.name, "other": name, "side": home}
            raise fail("classic-across-sides", slot.place.at(ref.column), values)
        return self.first(home, name)

    def refuse_ambiguous(self, index: int, text: str, good: list[str]) -> None:
        """Refuse a bad string that would be read as another slot than the one it is."""
        item = self.items["bad"][index]
        if not isinstance(item, Use) or is_fixed(self.variant.slots[item.ref.slot].rule):
            return
        meant = [self.items["good"][i] for i, other in enumerate(good) if other == text]
        if good[index] == text:
            meant = [self.items["good"][index]]
        for other in meant:
            if isinstance(other, Use) and other != item:
                values = {"slot": item.ref.slot, "other": other.ref.slot, "text": text}
                raise fail("classic-same-text", self.variant.slots[item.ref.slot].place, values)


def _paddings(good: Sequence[Literal | Use], bad: Sequence[Literal | Use]) -> Iterator[tuple[list[Item], list[Item]]]:
    """The lists as they are where they have one length, then with what is kept at one index and gaps elsewhere."""
    if len(good) == len(bad):
        yield list(good), list(bad)
    left: list[Item] = []
    right: list[Item] = []
    for _, a, b, c, d in SequenceMatcher(None, good, bad, autojunk=False).get_opcodes():
        for item, other in zip_longest(good[a:b], bad[c:d]):
            left.append(item)
            right.append(other)
    yield left, right


def without(means: str, text: object, place: Place) -> InputError:
    """The error for something that classic templates do not have."""
    return fail("classic-without", place, {"means": means, "text": text})
