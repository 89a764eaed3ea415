"""Phrase files: `phrases.yaml` read into named phrases with alternatives, parts and heads."""

import re
from collections.abc import Mapping
from difflib import get_close_matches

from bidui.errors import InputError, Place, Problem
from bidui.grammar.documents import Mapping as MappingNode
from bidui.grammar.documents import Node, Scalar, Sequence, parse_document
from bidui.grammar.fields import Fields
from bidui.grammar.lines import Line, Use, parse_line
from bidui.grammar.paradigm import PhraseAlternative, PhraseRule, Slot
from bidui.grammar.paradigm_file import SLOT_NAME, read_slot
from bidui.grammar.rules import Alternative, Phrase, Ref, Rule

MAX_DEPTH = 12


def parse_phrases(text: str, *, name: str) -> tuple[dict[str, PhraseRule], list[Problem]]:
    """The phrases of a YAML text by name, and the problems found."""
    problems: list[Problem] = []
    try:
        fields = Fields(parse_document(text, name=name), problems)
    except InputError as error:
        return {}, list(error.problems)
    fields.format()
    sub = fields.sub("phrases")
    fields.unknown()
    phrases = {}
    for key, (_, node) in sub.mapping.items.items() if sub else ():
        phrase = _phrase(key, node, problems)
        if phrase:
            phrases[key] = phrase
    return phrases, problems


def _phrase(name: str, node: Node, problems: list[Problem]) -> PhraseRule | None:
    part = f'phrase "{name}"'
    place = Place(node.place.file, node.place.line, node.place.column, part)
    depth = 0
    if isinstance(node, MappingNode):
        fields = Fields(node, problems, part)
        text = fields.text("depth", "0")
        if not re.fullmatch(r"\d{1,3}", text) or int(text) > MAX_DEPTH:
            fields.report("depth-bad", fields.node("depth"), {"value": text, "limit": MAX_DEPTH})
            return None
        depth = int(text)
        found = fields.node("alternatives")
        fields.unknown()
        if found is None:
            fields.report("key-missing", None, {"key": "alternatives"})
            return None
        node = found
    items = node.items if isinstance(node, Sequence) else (node,)
    alternatives: list[PhraseAlternative] = []
    for number, item in enumerate(items, start=1):
        alternatives += _phrase_alternatives(item, f"{part} alternative {number}", problems)
    return PhraseRule(name, tuple(alternatives), depth, place) if alternatives else None


def _phrase_alternatives(node: Node, part: str, problems: list[Problem]) -> list[PhraseAlternative]:
    place = Place(node.place.file, node.place.line, node.place.column, part)
    if isinstance(node, Sequence):
        problems.append(Problem("not-a-mapping", place, {"what": "an alternative"}))
        return []
    if isinstance(node, Scalar):
        slot = read_slot("word", node, part, problems)
        return [single(alternative, place) for alternative in slot.rule.alternatives] if slot else []
    before = len(problems)
    fields = Fields(node, problems, part)
    parts: dict[str, Slot] = {}
    sub = fields.sub("parts")
    for name, (key, value) in sub.mapping.items.items() if sub else ():
        if not SLOT_NAME.fullmatch(name) or name == "head":
            fields.report("slot-name", key, {"slot": name})
        elif slot := read_slot(name, value, f'{part} part "{name}"', problems):
            parts[name] = slot
    if sub is None and fields.node("parts") is None:
        fields.report("key-missing", None, {"key": "parts"})
    names = list(sub.mapping.items) if sub else []  # also those whose rule is broken: one mistake, one message
    line = Line(tuple(Use(Ref(name)) for name in parts), place)
    if names and fields.node("line") is not None:
        line = _line_of_parts(fields, parts, names) or line
    head = fields.scalar("head")
    weight = fields.weight()
    fields.seen.add("line")
    fields.unknown()
    if head and names and head.text not in names:
        near = get_close_matches(head.text, names, n=2, cutoff=0.5) or names
        fields.report("slot-unknown", head, {"slot": head.text, "slots": near})
    if len(problems) > before or not parts:
        return []
    return [PhraseAlternative(parts, line, head.text if head else "", weight, place)]


def _line_of_parts(fields: Fields, parts: Mapping[str, Slot], names: list[str]) -> Line | None:
    scalar = fields.scalar("line", required=True)
    if scalar is None:
        return None
    try:
        line = parse_line(scalar.text, fields.place(scalar), slots=names)
    except InputError as error:
        fields.problems.extend(error.problems)
        return None
    used = {item.ref.slot for item in line.items if isinstance(item, Use)}
    for name, slot in parts.items():
        if name not in used:
            fields.problems.append(Problem("slot-unused", slot.place, {"slot": name}))
    return line


def single(alternative: Alternative, place: Place) -> PhraseAlternative:
    """The phrase alternative that is one word or one other phrase, which is its own head."""
    slot = Slot("word", Rule((Alternative(alternative.rule),)), place)
    head = "word" if isinstance(alternative.rule, Phrase) or str(alternative.rule) != '""' else ""
    return PhraseAlternative({"word": slot}, Line((Use(Ref("word")),), place), head, alternative.weight, place)
