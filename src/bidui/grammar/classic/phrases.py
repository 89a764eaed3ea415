"""Classic phrase files: JSON from names to alternatives, each a list of typed rules, read into phrases.

What is written is `{"NP": [[{"type": "Lexical", "rule": "pos:DT"}, {"type": "Phrase", "rule": "phrase:N"}]]}`.
Read are also, in place of such an object, the rule string alone, a pair `["Lexical", "pos:NR"]`, and an object with one
string beside its `type`, whatever its key; an alternative of one rule may stand without its list. The type itself is
not needed: the rule string says what it is.
"""

from collections.abc import Mapping

from bidui.errors import InputError, Place, Problem, fail
from bidui.grammar.classic.cells import Cell, parse_cell
from bidui.grammar.classic.conversion import overridden
from bidui.grammar.classic.links import asks_nothing_new, copied, matches, named, pointed
from bidui.grammar.classic.located import Located
from bidui.grammar.lines import Line, Use
from bidui.grammar.paradigm import PhraseAlternative, PhraseRule, Slot
from bidui.grammar.phrase_file import single
from bidui.grammar.rules import Alternative, Phrase, Ref, Rule, Words

TYPES = ("Lexical", "Direct", "Matched", "Mismatched", "Phrase")  # not a set: what is looked up may be a list


def convert_phrases(json: Located) -> tuple[dict[str, PhraseRule], list[Problem]]:
    """The phrases of a file by name, and the problems found."""
    if not isinstance(json.value, dict):
        return {}, [Problem("classic-phrase-form", json.place, {"value": shown(json.value)})]
    problems: list[Problem] = []
    phrases: dict[str, PhraseRule] = {}
    for name in json.value:
        entry = json[name]
        alternatives: list[PhraseAlternative] = []
        if not entry.is_list() or not entry.items():
            problems.append(Problem("classic-phrase-form", entry.place, {"value": shown(entry.value)}))
        for alternative in entry.items() if entry.is_list() else ():
            try:
                alternatives.append(_alternative(alternative))
            except InputError as error:
                problems += error.problems
        phrases[name] = PhraseRule(name, tuple(alternatives), place=entry.place)
    return _overridden(phrases, problems), problems


def shown(value: object) -> str:
    """A JSON value of the wrong kind, cut short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _alternative(json: Located) -> PhraseAlternative:
    cells: list[Cell] = []
    problems: list[Problem] = []
    for item in _rules(json):
        cell, found = parse_cell(str(item.value), item.place)
        problems += found
        if cell:
            cells.append(cell)
    if problems:
        raise InputError(problems)
    if not cells:
        return single(Alternative(Words()), json.place)
    if len(cells) == 1 and len(cells[0].rule.alternatives) == 1 and not list(matches(cells[0].rule)):
        return single(cells[0].rule.alternatives[0], cells[0].place)
    return _parts(cells, json.place)


def _rules(json: Located) -> list[Located]:
    """The rule strings of an alternative, in whichever shape they stand."""
    items = json.items()
    if not json.is_list() or (len(items) == 2 and items[0].value in TYPES):
        return [_rule(json)]
    return [_rule(item) for item in items]


def _rule(json: Located) -> Located:
    texts = [json]
    if isinstance(json.value, dict):
        texts = [json["rule"]] if "rule" in json.value else [json[key] for key in json.value if key != "type"]
    elif json.is_list() and json.items() and json.items()[0].value in TYPES:
        texts = list(json.items()[1:])
    if len(texts) != 1 or not isinstance(texts[0].value, str):
        raise fail("classic-phrase-form", json.place, {"value": shown(json.value)})
    return texts[0]


def _parts(cells: list[Cell], place: Place) -> PhraseAlternative:
    """Parts p0, p1 and so on, whose positions are local; a copy is the part printed again."""
    targets: dict[tuple[int, str], int] = {}
    problems: list[Problem] = []
    for number, cell in enumerate(cells):
        for link in matches(cell.rule):
            try:
                targets[number, link.target.slot] = pointed(link.target, cells, number)
            except InputError as error:
                problems += error.problems
    if problems:
        raise InputError(problems)
    printed = [_printed(number, cells, targets) for number in range(len(cells))]
    parts: dict[str, Slot] = {}
    for number in dict.fromkeys(sorted(printed)):
        parts[f"p{number}"] = Slot(f"p{number}", _part_rule(number, cells, targets, printed), cells[number].place)
    line = Line(tuple(Use(Ref(f"p{number}")) for number in printed), place)
    head = next(iter(parts)) if len(parts) == 1 and not cells[0].empty else ""
    return PhraseAlternative(parts, line, head, place=place)


def _printed(number: int, cells: list[Cell], targets: Mapping[tuple[int, str], int]) -> int:
    """The part whose word stands here; words of a phrase differ, so a copy must be a plain one."""
    seen = {number}
    while link := copied(cells[number].rule):
        original = targets[number, link.target.slot]
        if original in seen or not asks_nothing_new(cells[number].rule, cells[original].rule):
            here = cells[number].place.at(link.column)
            raise fail("classic-copy-in-phrase", here, {"rule": cells[number].text, "other": cells[original].text})
        seen.add(original)
        number = original
    return number


def _part_rule(number: int, cells: list[Cell], targets: Mapping[tuple[int, str], int], printed: list[int]) -> Rule:
    def target(ref: Ref) -> Ref:
        return Ref(f"p{printed[targets[number, ref.slot]]}", ref.path, ref.column)

    return named(cells[number].rule, target=target, part=lambda _, name: name)


def _overridden(phrases: Mapping[str, PhraseRule], problems: list[Problem]) -> dict[str, PhraseRule]:
    """The same phrases with names for the indices of overrides, now that the shape of every phrase is known."""
    found: dict[str, PhraseRule] = {}
    for name, phrase in phrases.items():
        try:
            alternatives = tuple(_renamed(alternative, phrases) for alternative in phrase.alternatives)
        except InputError as error:
            problems += error.problems
            continue
        if alternatives:
            found[name] = PhraseRule(name, alternatives, place=phrase.place)
    return found


def _renamed(alternative: PhraseAlternative, phrases: Mapping[str, PhraseRule]) -> PhraseAlternative:
    def slot(old: Slot) -> Slot:
        def part(phrase: Phrase, index: str) -> str:
            return overridden(phrase, index, phrases, old.place)

        return Slot(old.name, named(old.rule, target=lambda ref: ref, part=part), old.place)

    parts = {name: slot(part) for name, part in alternative.parts.items()}
    return PhraseAlternative(parts, alternative.line, alternative.head, alternative.weight, alternative.place)
