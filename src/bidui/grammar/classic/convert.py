"""Converts classic templates: rule strings become rules, two lists become two lines over named slots.

The first part is the classic rule language, which is a part of ours; the last, `convert`, builds a variant.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from bidui.errors import Place, Problem, all_problems, collect, fail
from bidui.grammar.paradigm import Line, PhraseAlternative, PhraseRule, Slot, Use, Variant
from bidui.grammar.paradigm import Literal as LiteralItem
from bidui.grammar.rules import (
    MAX_LENGTH,
    Alternative,
    Condition,
    Lexical,
    Match,
    Phrase,
    Property,
    Ref,
    Rule,
    Words,
    parse_rule,
)

_FEATURE = re.compile(r"[\w-]+:")
_UNWRITABLE = re.compile(r"""[\s|/:<>()"\\]|^[!*-]""")  # in a feature or value; there is no escape


def is_plain(word: str) -> bool:
    """Tell whether a rule string that is this word means just the word; "" is the empty slot."""
    return "|" not in word and not _FEATURE.match(word) and word.split() == [word] * bool(word)


def is_writable(text: str) -> bool:
    """Tell whether a rule string can have this feature or value."""
    return not _UNWRITABLE.search(text)


def unclassic(rule: Rule, place: Place) -> Iterator[Problem]:
    """Yield a problem for each device in `rule` that classic templates do not have."""
    for alternative in rule.alternatives:
        body = alternative.rule
        if alternative.weight != 1:
            yield _without("2*", str(alternative), place)
        if isinstance(body, Lexical):
            yield from _lexical(body, place)
        elif isinstance(body, Words):
            for word in body.words:
                if not word or not is_plain(word):
                    yield Problem("classic-no-escape", place.at(body.column), {"text": word})
        else:
            if _UNWRITABLE.search(body.name):
                yield Problem("classic-no-escape", place.at(body.column), {"text": body.name})
            for part, inner in body.overrides:
                yield from _lexical(inner, place)
                for link in inner.matches:
                    yield _without("<mPos:>", f"{part}:<{link}>", place.at(link.column))


def _lexical(rule: Lexical, place: Place) -> Iterator[Problem]:
    for condition in rule.conditions:
        here = place.at(condition.column)
        if condition.test != "any":
            sign = {"not": "!", "has": "*", "none": "-"}[condition.test]
            yield _without(f"feature:{sign}", str(condition), here)
        for text in (condition.feature, *condition.values):
            if _UNWRITABLE.search(text):
                yield Problem("classic-no-escape", here, {"text": text})
    for link in rule.matches:
        for item in link.properties:
            if item.share or item.mine != item.theirs:
                yield _without("#" if item.share else "f=g", str(item), place.at(link.column))
        if sum(other.same == link.same for other in rule.matches) > 1:
            yield _without("mPos: mPos:", str(rule), place.at(link.column))
    for relation in rule.relations:
        yield _without("rel:", str(relation), place.at(relation.column))


def _without(means: str, text: str, place: Place) -> Problem:
    return Problem("classic-without", place, {"means": means, "text": text})


def classic_rule(
    rule: Rule, *, position: Callable[[Ref], int], index: Callable[[Phrase, str], int], place: Place
) -> str:
    """Write a rule string; `position` numbers the slots that links name, `index` the parts that overrides name."""
    problem = next(unclassic(rule, place), None)
    if problem:
        raise fail(problem.kind, problem.place, problem.values)
    texts = []
    for alternative in rule.alternatives:
        body = alternative.rule
        if isinstance(body, Words):
            texts.append(" ".join(body.words))
        elif isinstance(body, Lexical):
            links = (Match(Ref(str(position(m.target))), m.properties, m.same) for m in body.matches)
            texts.append(rule_text(body.conditions, links))
        else:
            overrides = (f"{index(body, part)}:<{rule_text(inner.conditions, ())}>" for part, inner in body.overrides)
            texts.append(" ".join((f"phrase:{body.name}", *overrides)))
    return " | ".join(texts)


def rule_text(conditions: Iterable[Condition], links: Iterable[Match]) -> str:
    """Write conditions and links without the escapes of our rules."""
    return " ".join((*(f"{c.feature}:{'/'.join(c.values)}" for c in conditions), *map(str, links)))


def is_fixed(rule: Rule) -> bool:
    """Tell whether a rule is always the same word, which may be written again wherever it is needed."""
    return isinstance(rule.only, Words) and len(rule.only.words) == 1


# Rule strings: one slot of a template or phrase, read into a rule whose links still point at positions.
#
# A string is Direct if it does not look like `feature:value`. The original required a value right after the colon, so
# that `pos: NN` was printed as it is; here it is reported as a feature without a value.
_RULE_FEATURE = re.compile(r"(?:^|\s)[\w-]+:")


@dataclass(frozen=True, slots=True)
class Cell:
    """A rule string as written (`raw`), and as `text` with single blanks, so that equal rules are equal texts."""

    text: str
    raw: str
    rule: Rule
    place: Place

    @property
    def empty(self) -> bool:
        """Whether the slot prints nothing."""
        return all(isinstance(a.rule, Words) and not a.rule.words for a in self.rule.alternatives)

    @property
    def fixed(self) -> str:
        """The word, if the slot is always the same one."""
        return self.text if is_fixed(self.rule) else ""


def parse_cell(raw: str, place: Place, problems: list[Problem]) -> Cell | None:
    """Read a rule string whose first character stands at `place`; add what is wrong to `problems`."""
    if len(raw) > MAX_LENGTH:
        problems.append(Problem("rule-too-long", place, {"length": len(raw), "limit": MAX_LENGTH}))
        return None
    alternatives: list[Alternative] = []
    faults: list[Problem] = []
    start = 0
    for piece in raw.split("|"):
        with collect(faults):
            alternatives.append(_alternative(piece, start, place))
        start += len(piece) + 1
    rule = Rule(tuple(alternatives))
    faults = faults or list(unclassic(rule, place))
    problems += faults
    text = " | ".join(" ".join(piece.split()) for piece in raw.split("|"))
    return None if faults else Cell(text, raw, rule, place)


def _alternative(piece: str, start: int, place: Place) -> Alternative:
    if not _RULE_FEATURE.search(piece):
        return Alternative(Words(tuple(piece.split()), start))
    # blanks replace what comes before the piece, so that columns count from the start of the whole string
    return parse_rule(" " * start + piece, place).alternatives[0]


# Alignment: equal rule strings are one slot. A bad string that equals the good one at its own index is that slot, kept.
# One that equals good strings elsewhere is the first of them that no bad string has taken yet: that slot, moved. If all
# are taken, it is the first again: a copy. Any other string is a slot of the bad side only.

Side = Literal["good", "bad"]


@dataclass(frozen=True, slots=True)
class Identity:
    """A slot of the template by the list and index where it first stands."""

    side: Side
    index: int

    def __str__(self) -> str:
        return f"{self.side}_rule[{self.index}]"


def align(good: Sequence[Cell], bad: Sequence[Cell]) -> tuple[dict[Identity, Identity], list[Problem]]:
    """Return the slot at each place of either list, without empty ones, and warnings about what had to be guessed."""
    held = {Identity("good", i): Identity("good", i) for i, cell in enumerate(good) if not cell.empty}
    kept = {j for j, cell in enumerate(bad) if j < len(good) and cell.text == good[j].text}
    problems = [problem for j in sorted(kept) if (problem := _blanks(bad[j], j, [good[j]], [j]))]
    taken = set(kept)
    for j, cell in enumerate(bad):
        here = Identity("bad", j)
        if cell.empty:
            continue
        if j in kept:
            held[here] = Identity("good", j)
            continue
        same = [i for i, other in enumerate(good) if other.text == cell.text]
        if not same:
            held[here] = here
            continue
        free = [i for i in same if i not in taken]
        chosen = (free or same)[0]
        taken.add(chosen)
        held[here] = Identity("good", chosen)
        # of equal fixed words, any will do
        if not cell.fixed and len(free or same) > 1:
            problems.append(_choice(cell, chosen, free or same, copied=not free))
        if problem := _blanks(cell, j, [good[i] for i in same], same):
            problems.append(problem)
    return held, problems


def _choice(cell: Cell, chosen: int, options: Sequence[int], *, copied: bool) -> Problem:
    others = tuple(str(Identity("good", i)) for i in options if i != chosen)
    values = {"rule": cell.text, "chosen": Identity("good", chosen), "others": others}
    return Problem("classic-copy-choice" if copied else "classic-move-choice", cell.place, values, "warning")


def _blanks(cell: Cell, index: int, same: Sequence[Cell], indices: Sequence[int]) -> Problem | None:
    """Warn if the original saw two rules because it compared them with their blanks."""
    if cell.empty or any(cell.raw == other.raw for other in same):
        return None
    place = Place(cell.place.file, cell.place.line, cell.place.column, str(Identity("bad", index)))
    values = {"rule": cell.raw, "other": Identity("good", indices[0]), "written": same[0].raw}
    return Problem("classic-blanks", place, values, "warning")


# Links: the positions in classic rules, `mPos:3` and `-1:<…>`, become the names of slots and parts.

EXPRESSION = (Property("expression", "expression"),)


def matches(rule: Rule) -> Iterator[Match]:
    """Yield the matches of all alternatives of a rule."""
    for alternative in rule.alternatives:
        if isinstance(alternative.rule, Lexical):
            yield from alternative.rule.matches


def pointed(ref: Ref, cells: Sequence[Cell], at: int) -> int:
    """Return the index that a link of the cell at index `at` points at; raise an error if the link makes no sense."""
    place = cells[at].place.at(ref.column)
    if not re.fullmatch(r"-?\d{1,4}", ref.slot):
        raise fail("classic-position-form", place, {"position": ref, "last": len(cells) - 1})
    index = int(ref.slot)
    if not -len(cells) <= index < len(cells):
        raise fail("classic-position-range", place, {"position": ref, "last": len(cells) - 1})
    index %= len(cells)
    if index == at:
        raise fail("classic-position-self", place, {"position": ref})
    if cells[index].empty:
        raise fail("classic-position-empty", place, {"position": ref})
    if (phrases := cells[index].rule.phrases) and not ref.path:
        raise fail("classic-position-phrase", place, {"position": ref, "phrase": phrases[0]})
    return index


def named(rule: Rule, target: Callable[[Ref], Ref], phrases: Mapping[str, PhraseRule], place: Place) -> Rule:
    """Return the rule with `target` of each position, and the parts of known phrases that overrides mean by indices."""

    def part(phrase: Phrase, index: str) -> str:
        if phrase.name not in phrases or not re.fullmatch(r"-?\d{1,4}", index):
            return index
        return part_at(phrase, int(index), phrases, place.at(phrase.column))

    def body(old: Lexical | Words | Phrase) -> Lexical | Words | Phrase:
        if isinstance(old, Lexical):
            links = tuple(Match(target(m.target), m.properties, m.same, m.column) for m in old.matches)
            return replace(old, matches=links)
        if isinstance(old, Phrase):
            return Phrase(old.name, tuple((part(old, name), inner) for name, inner in old.overrides), old.column)
        return old

    return Rule(tuple(Alternative(body(a.rule), a.weight) for a in rule.alternatives))


def copied(rule: Rule) -> Match | None:
    """Return the link of a rule that copies the word of another slot, as in `pos:VV mPos:1 mPro:expression`."""
    if not isinstance(rule.only, Lexical) or len(rule.only.matches) != 1:
        return None
    link = rule.only.matches[0]
    return link if link.same and link.properties == EXPRESSION and not link.target.path else None


def asks_nothing_new(copy: Rule, original: Rule) -> bool:
    """Tell whether every word that may be the original may be its copy, so that the copy is just the slot again."""

    def conditions(body: Lexical | Words | Phrase) -> set[Condition]:
        return set(body.conditions) if isinstance(body, Lexical) else set()

    required = conditions(copy.alternatives[0].rule)
    return all(required <= conditions(alternative.rule) for alternative in original.alternatives)


# Slots had only numbers; they are named after the part of speech or the phrase.

# The tags of the Penn Chinese Treebank, which the published vocabulary uses.
_TAGS = {
    "AD": "adverb",
    "AS": "aspect",
    "CD": "number",
    "DT": "determiner",
    "LC": "localizer",
    "M": "classifier",
    "NN": "noun",
    "NR": "name",
    "NT": "time",
    "P": "preposition",
    "PN": "pronoun",
    "VA": "adjective",
    "VV": "verb",
}


def slot_names(rules: Sequence[tuple[str, Rule]]) -> tuple[str, ...]:
    """Return a name for each rule, with the prefix given beside it, numbered where several would be equal."""
    stems = [prefix + _stem(rule) for prefix, rule in rules]
    often = Counter(stems)
    counted: Counter[str] = Counter()
    names: list[str] = []
    for stem in stems:
        counted[stem] += 1
        name = f"{stem}{counted[stem]}" if often[stem] > 1 else stem
        while name in names or (name in often and name != stem):
            name += "_"
        names.append(name)
    return tuple(names)


def _stem(rule: Rule) -> str:
    body = rule.alternatives[0].rule
    if isinstance(body, Phrase):
        return _plain(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", body.name))
    values: Mapping[str, str] = {}
    if isinstance(body, Lexical):
        values = {c.feature: c.values[0] for c in body.conditions if c.values}
    tag = values.get("pos", "")
    return _TAGS.get(tag) or _plain(tag or next(iter(values.values()), ""))


def _plain(text: str) -> str:
    """Return the text in lower case, with only the characters that the name of a slot may have."""
    plain = re.sub(r"\W+", "_", text).strip("_").lower()
    return f"slot_{plain}" if plain.isdigit() else plain or "word"


# Overrides: classic ones count the words of a phrase, ours name its parts.

_MANY = 2_000


@dataclass(frozen=True, slots=True)
class Step:
    """A part on the way to a word: its name, its number among the parts, and whether it is the head."""

    name: str
    number: int
    parts: int
    head: bool

    def called(self, name: str) -> bool:
        """Tell whether an override that says `name` means this part."""
        numbers = (str(self.number), str(self.number - self.parts))
        return name == self.name or name in numbers or (name == "head" and self.head)


Path = tuple[Step, ...]
Shape = tuple[Path, ...]  # the words of one way to build a phrase, each by the path to it; literals have none


def part_at(phrase: Phrase, index: int, phrases: Mapping[str, PhraseRule], place: Place) -> str:
    """Return the part that is the `index`-th word of the phrase, however it is built; negatives count from the end."""
    words: set[Path] = set()
    for shape in shapes(phrase.name, phrases, place):
        if not -len(shape) <= index < len(shape):
            values = {"index": index, "phrase": phrase.name, "count": len(shape)}
            raise fail("classic-override-range", place, values)
        words.add(shape[index])
    for paths in ({_trimmed(path) for path in words}, words):
        for from_end in (None, index < 0):
            names = {".".join(_named(step, from_end) for step in path) for path in paths}
            if len(names) == 1 and (name := names.pop()):
                return name
    raise fail("classic-override-differs", place, {"index": index, "phrase": phrase.name})


def index_of(phrase: Phrase, part: str, phrases: Mapping[str, PhraseRule], place: Place) -> int:
    """Return the one index at which the word of a part stands, however the phrase is built."""
    names = part.split(".")
    starts, ends = set(), set()
    for shape in shapes(phrase.name, phrases, place):
        numbers = [number for number, path in enumerate(shape) if _leads(names, path)]
        starts.add(numbers[0] if len(numbers) == 1 else None)
        ends.add(numbers[0] - len(shape) if len(numbers) == 1 else None)
    for indices in (starts, ends):
        if len(indices) == 1 and (index := indices.pop()) is not None:
            return index
    raise fail("classic-override-part", place, {"part": part, "phrase": phrase.name})


def shapes(name: str, phrases: Mapping[str, PhraseRule], place: Place, outer: tuple[str, ...] = ()) -> set[Shape]:
    """Return every way to build a phrase, as far as the places of its words are concerned."""
    if name in outer:
        raise fail("classic-phrase-cycle", place, {"phrase": name, "path": (*outer, name)})
    shapes_of_phrase: set[Shape] = set()
    for alternative in phrases[name].alternatives if name in phrases else ():
        shapes_of_phrase.update(_alternative_shapes(alternative, phrases, place, (*outer, name)))
        if len(shapes_of_phrase) > _MANY:
            raise fail("classic-override-differs", place, {"index": "", "phrase": name})
    return shapes_of_phrase


def _alternative_shapes(
    alternative: PhraseAlternative, phrases: Mapping[str, PhraseRule], place: Place, outer: tuple[str, ...]
) -> Iterator[Shape]:
    columns: list[set[Shape]] = []
    names = list(alternative.parts)
    for item in alternative.line.items:
        if not isinstance(item, Use):
            columns.append({((),)})
            continue
        name = item.ref.slot
        step = Step(name, names.index(name), len(names), name == alternative.head)
        column: set[Shape] = set()
        for choice in alternative.parts[name].rule.alternatives:
            inner = shapes(choice.rule.name, phrases, place, outer) if isinstance(choice.rule, Phrase) else {((),)}
            column |= {tuple((step, *path) for path in shape) for shape in inner}
        columns.append(column)
    for combination in product(*columns):
        yield tuple(path for shape in combination for path in shape)


def _trimmed(path: Path) -> Path:
    """Return the path without the last steps that are heads: an override of a phrase means its head."""
    while len(path) > 1 and path[-1].head:
        path = path[:-1]
    return path


def _named(step: Step, from_end: bool | None) -> str:
    return step.name if from_end is None else str(step.number - step.parts if from_end else step.number)


def _leads(names: list[str], path: Path) -> bool:
    along = len(path) >= len(names) and all(step.called(name) for step, name in zip(path, names, strict=False))
    return along and all(step.head for step in path[len(names) :])


# Conversion: a template becomes a variant with named slots.


@dataclass(frozen=True, slots=True)
class Template:
    """A template file, with its rule strings read."""

    uid: str
    phenomenon: str
    good: tuple[Cell, ...]
    bad: tuple[Cell, ...]
    strict: bool
    separator: str
    place: Place

    def cells(self, side: Side) -> tuple[Cell, ...]:
        """Return the list of one side."""
        return self.good if side == "good" else self.bad


def convert(template: Template, phrases: Mapping[str, PhraseRule], problems: list[Problem]) -> Variant | None:
    """Return the variant that the authors meant, or None; add what is wrong to `problems`."""
    identities, guesses = align(template.good, template.bad)
    problems += guesses
    with collect(problems):
        variant = _Conversion(template, identities).variant(phrases)
        if variant.good != variant.bad:
            return variant
        problems.append(Problem("classic-sides-equal", template.place))
    return None


class _Conversion:
    """The slots of one template: which exist, which repeat another, and which are just a literal."""

    def __init__(self, template: Template, held: Mapping[Identity, Identity]) -> None:
        self.template = template
        self.held = held
        self.slots = list(dict.fromkeys(held.values()))  # each once, those of the good list first
        self.targets = self._targets()
        self.roots = self._roots()
        self.names = self._names()

    def cell(self, slot: Identity) -> Cell:
        return self.template.cells(slot.side)[slot.index]

    def _targets(self) -> dict[tuple[Identity, str], Identity]:
        """Return the slot that each position means; on the bad side it counts in the bad list."""
        targets: dict[tuple[Identity, str], Identity] = {}
        with all_problems() as problems:
            for slot in self.slots:
                for link in matches(self.cell(slot).rule):
                    with collect(problems):
                        index = pointed(link.target, self.template.cells(slot.side), slot.index)
                        targets[slot, link.target.slot] = self.held[Identity(slot.side, index)]
        return targets

    def _roots(self) -> dict[Identity, Identity]:
        """Return the slot whose word each slot prints: another slot if this one is a plain copy of it."""
        roots: dict[Identity, Identity] = {slot: slot for slot in self.slots}
        for slot in self.slots:
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
        """Return the names of the slots; a fixed word needs none unless something agrees with it."""
        printed = list(dict.fromkeys(self.roots[slot] for slot in self.slots))  # in the order of the lines
        meant = {self.roots[target] for (slot, _), target in self.targets.items() if self.roots[slot] == slot}
        slots = [slot for slot in printed if slot in meant or not self.cell(slot).fixed] or printed[:1]
        prefixed = [("bad_" if slot.side == "bad" else "", self.cell(slot).rule) for slot in slots]
        return dict(zip(slots, slot_names(prefixed), strict=True))

    def variant(self, phrases: Mapping[str, PhraseRule]) -> Variant:
        slots: dict[str, Slot] = {}
        with all_problems() as problems:
            for identity, name in self.names.items():
                with collect(problems):
                    slots[name] = Slot(name, self.rule(identity, phrases), self.cell(identity).place)
        good, bad = self.line("good"), self.line("bad")
        return Variant("", slots, good, bad, repeat=self.repeat(), place=self.template.place)

    def rule(self, slot: Identity, phrases: Mapping[str, PhraseRule]) -> Rule:
        place = self.cell(slot).place

        def target(ref: Ref) -> Ref:
            name = self.names[self.roots[self.targets[slot, ref.slot]]]
            if name == self.names[slot]:  # two slots that are copies of each other
                raise fail("classic-position-self", place.at(ref.column), {"position": ref})
            return Ref(name, ref.path, ref.column)

        return named(self.cell(slot).rule, target, phrases, place)

    def line(self, side: Side) -> Line:
        items: list[LiteralItem | Use] = []
        for index in range(len(self.template.cells(side))):
            slot = self.held.get(Identity(side, index))
            if slot is not None:
                root = self.roots[slot]
                items.append(Use(Ref(self.names[root])) if root in self.names else LiteralItem(self.cell(root).fixed))
        if not items:
            raise fail("classic-side-empty", self.template.place, {"side": f"{side}_rule"})
        return Line(tuple(items), self.template.place)

    def repeat(self) -> tuple[tuple[str, ...], ...]:
        """Return the slots that hold the same word by `mPro:expression` without being plain copies; others differ."""
        groups = (
            (self.names[self.roots[self.targets[slot, link.target.slot]]], name)
            for slot, name in self.names.items()
            for link in matches(self.cell(slot).rule)
            if link.same and any(p.mine == "expression" for p in link.properties)
        )
        return tuple(dict.fromkeys(groups))
