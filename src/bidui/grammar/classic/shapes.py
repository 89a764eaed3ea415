"""Overrides of classic phrases, which count the words of a phrase, as overrides of parts, which have names."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from bidui.errors import Place, fail
from bidui.grammar.lines import Use
from bidui.grammar.paradigm import PhraseAlternative, PhraseRule
from bidui.grammar.rules import Phrase

_MANY = 2_000


@dataclass(frozen=True, slots=True)
class Step:
    """A part on the way to a word: its name, its number among the parts, and whether it is the head."""

    name: str
    number: int
    parts: int
    head: bool

    def called(self, name: str) -> bool:
        """Whether an override that says `name` means this part."""
        numbers = (str(self.number), str(self.number - self.parts))
        return name == self.name or name in numbers or (name == "head" and self.head)


Path = tuple[Step, ...]
Shape = tuple[Path, ...]  # the words of one way to build a phrase, each by the way to it; literals have none


def part_at(phrase: Phrase, index: int, phrases: Mapping[str, PhraseRule], place: Place) -> str:
    """The part that is the `index`-th word of the phrase, however it is built; negative ones count from the end."""
    found: set[Path] = set()
    for shape in shapes(phrase.name, phrases, place):
        if not -len(shape) <= index < len(shape):
            values = {"index": index, "phrase": phrase.name, "count": len(shape)}
            raise fail("classic-override-range", place, values)
        found.add(shape[index])
    for paths in ({_trimmed(path) for path in found}, found):
        for from_end in (None, index < 0):
            names = {".".join(_named(step, from_end) for step in path) for path in paths}
            if len(names) == 1 and (name := names.pop()):
                return name
    raise fail("classic-override-differs", place, {"index": index, "phrase": phrase.name})


def index_of(phrase: Phrase, part: str, phrases: Mapping[str, PhraseRule], place: Place) -> int:
    """The opposite: the one index at which that part's word stands, however the phrase is built."""
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
    """Every way to build a phrase, as far as the places of its words go."""
    if name in outer:
        raise fail("classic-phrase-cycle", place, {"phrase": name, "path": (*outer, name)})
    found: set[Shape] = set()
    for alternative in phrases[name].alternatives if name in phrases else ():
        found.update(_alternative_shapes(alternative, phrases, place, (*outer, name)))
        if len(found) > _MANY:
            raise fail("classic-override-differs", place, {"index": "", "phrase": name})
    return found


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
    """Without the last steps that are heads: an override of a phrase means its head."""
    while len(path) > 1 and path[-1].head:
        path = path[:-1]
    return path


def _named(step: Step, from_end: bool | None) -> str:
    return step.name if from_end is None else str(step.number - step.parts if from_end else step.number)


def _leads(names: list[str], path: Path) -> bool:
    along = len(path) >= len(names) and all(step.called(name) for step, name in zip(path, names, strict=False))
    return along and all(step.head for step in path[len(names) :])
