"""Paradigm and phrase files: YAML trees read into paradigms and phrases, with all problems of a file together."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from difflib import get_close_matches
from types import MappingProxyType

from bidui.errors import InputError, Place, Problem, collect
from bidui.grammar.paradigm import EDITS, Line, Paradigm, PhraseAlternative, PhraseRule, Slot, Use, Variant, parse_line
from bidui.grammar.rules import Alternative, Phrase, Ref, Rule, parse_rule
from bidui.grammar.yaml import Fields, Node, Scalar, Sequence, parse_document
from bidui.grammar.yaml import Mapping as MappingNode

SLOT_NAME = re.compile(r"(?!\d+$)[\w-]+")
_UID = re.compile(r"[\w-][\w.+-]*")


def parse_paradigm(text: str, *, name: str) -> tuple[Paradigm | None, list[Problem]]:
    """Return the paradigm in a YAML text, or None, and the problems of the text."""
    try:
        return paradigm_of(parse_document(text, name=name))
    except InputError as error:
        return None, list(error.problems)


def paradigm_of(document: MappingNode) -> tuple[Paradigm | None, list[Problem]]:
    """Return the paradigm in a tree, or None, and its problems."""
    problems: list[Problem] = []
    fields = Fields(document, problems)
    fields.format()
    paradigm = Paradigm(
        uid=_name(fields, "uid"),
        phenomenon=_name(fields, "phenomenon"),
        variants=_variants(fields),
        about=texts_by_key(fields, "about"),
        source=fields.text("source"),
        status=fields.choice("status", ("included", "excluded", "baseline"), "included"),
        reason=fields.text("reason"),
        edit=_edit(fields),
        equal_length=fields.flag("equal_length"),
        separator=fields.text("separator") if fields.node("separator") else None,
        seams=tuple(scalar.text for scalar in fields.texts("seams")),
        closed_class=fields.text("closed_class"),
        one_sided=fields.text("one_sided"),
        example=texts_by_key(fields, "example"),
        place=Place(document.place.file),
    )
    if paradigm.status == "excluded" and not paradigm.reason:
        fields.report("excluded-without-reason", fields.node("status"))
    fields.unknown()
    # A slot that no line uses does not keep the rest from being checked.
    errors = any(problem.severity == "error" and problem.kind != "slot-unused" for problem in problems)
    return (None if errors else paradigm), problems


def parse_slots(text: str, *, name: str) -> tuple[Slot, ...]:
    """Return the slots whose rules can be read, of a text that need not be a paradigm."""
    try:
        fields = Fields(parse_document(text, name=name), [])
    except InputError:
        return ()
    variants = fields.node("variants")
    items = variants.items if isinstance(variants, Sequence) else ()
    mappings = (item for item in items if isinstance(item, MappingNode))
    parts = [fields, *(Fields(item, [], f"variant {number}") for number, item in enumerate(mappings, start=1))]
    return tuple(slot for part in parts for slot in _slots(part).values())


def _name(fields: Fields, key: str) -> str:
    scalar = fields.scalar(key, required=True)
    if scalar and not _UID.fullmatch(scalar.text):
        fields.report("name-bad", scalar, {"key": key, "value": scalar.text})
    return scalar.text if scalar else ""


def texts_by_key(fields: Fields, key: str) -> Mapping[str, str]:
    """Return texts by key, such as `{en: …, zh: …}`; a single text is in English."""
    if isinstance(fields.node(key), Scalar):
        text = fields.scalar(key)
        return {"en": text.text} if text else {}
    sub = fields.sub(key)
    return {name: sub.text(name) for name in sub.mapping.items} if sub else {}


def _edit(fields: Fields) -> tuple[str, ...]:
    scalar = fields.scalar("edit")
    if scalar is None:
        return ()
    edits = tuple(part.strip() for part in scalar.text.split("+"))
    for edit in edits:
        if edit not in EDITS:
            fields.report("value-not-allowed", scalar, {"key": "edit", "value": edit, "allowed": list(EDITS)})
    return tuple(edit for edit in EDITS if edit in edits)


def _variants(fields: Fields) -> tuple[Variant, ...]:
    shared = _slots(fields)
    node = fields.node("variants")
    if node is None:
        variant = _variant(fields, "", shared)
        return (variant,) if variant else ()
    if not isinstance(node, Sequence) or not node.items:
        fields.report("not-a-list", node, {"key": "variants"})
        return ()
    variants = []
    for number, item in enumerate(node.items, start=1):
        if not isinstance(item, MappingNode):
            fields.report("not-a-mapping", item, {"what": f"variant {number}"})
            continue
        sub = Fields(item, fields.problems, f"variant {number}")
        sub.part = f'variant "{name}"' if (name := sub.text("name")) else sub.part
        variant = _variant(sub, name or str(number), _slots(sub), shared=shared, also=_declared(fields))
        sub.unknown()
        if variant:
            variants.append(variant)
    names = [variant.name for variant in variants]
    for number, variant in enumerate(variants):
        if variant.name in names[:number]:
            fields.problems.append(Problem("variant-twice", variant.place, {"name": variant.name}))
    if len(variants) == len(node.items):
        _unused(shared, {slot for variant in variants for slot in variant.slots}, fields.problems)
    return tuple(variants)


def _unused(slots: Mapping[str, Slot], used: Collection[str], problems: list[Problem]) -> None:
    """Report slots that no line uses; a variant keeps only those it uses."""
    problems += (Problem("slot-unused", slot.place, {"slot": key}) for key, slot in slots.items() if key not in used)


def _variant(
    fields: Fields,
    name: str,
    slots: Mapping[str, Slot],
    *,
    shared: Mapping[str, Slot] = MappingProxyType({}),
    also: Collection[str] = (),
) -> Variant | None:
    """Return a variant with its slots and those it shares; `also` are all names that the paradigm declares."""
    names = list(dict.fromkeys((*also, *_declared(fields))))
    if not names:  # then every word of the lines is unknown, which need not be reported for each
        slots_node = fields.node("slots")
        if slots_node is None:
            fields.report("key-missing", None, {"key": "slots"})
        elif isinstance(slots_node, MappingNode):
            fields.report("slots-none", slots_node)
        fields.seen |= {"good", "bad", "weight", "crossed", "link", "repeat"}
        return None
    good, bad = (_line(fields, side, names, part=f"{fields.part} {side} line".strip()) for side in ("good", "bad"))
    weight, crossed = fields.weight(), fields.flag("crossed")
    linked, repeat = (_groups(fields, key, names) for key in ("link", "repeat"))
    if good is None or bad is None:
        return None
    if good == bad:
        fields.report("sides-equal", fields.node("bad"))
        return None
    used = {item.ref.slot for line in (good, bad) for item in line.items if isinstance(item, Use)}
    _unused(slots, used, fields.problems)
    for key, groups in (("link", linked), ("repeat", repeat)):
        for member in dict.fromkeys(member for group in groups for member in group):
            if member in names and member not in used and member not in slots:  # otherwise it was just reported
                fields.report("group-slot-unused", fields.node(key), {"key": key, "slot": member})
    linked, repeat = (
        tuple(tuple(member for member in group if member in used) for group in groups) for groups in (linked, repeat)
    )
    kept = {key: slot for key, slot in {**shared, **slots}.items() if key in used}
    return Variant(name, kept, good, bad, weight, linked, repeat, crossed, fields.place())


def _slots(fields: Fields) -> dict[str, Slot]:
    sub = fields.sub("slots")
    slots: dict[str, Slot] = {}
    for name, (key, node) in sub.mapping.items.items() if sub else ():
        part = " ".join(filter(None, (fields.part, f'slot "{name}"')))
        if not SLOT_NAME.fullmatch(name):
            fields.report("slot-name", key, {"slot": name})
        elif slot := read_slot(name, node, part, fields.problems):
            slots[name] = slot
    return slots


def read_slot(name: str, node: Node, part: str, problems: list[Problem]) -> Slot | None:
    """Return the slot whose rule is `node`, or None with the problem reported."""
    place = replace(node.place, part=part)
    if not isinstance(node, Scalar):
        problems.append(Problem("rule-not-a-text", place, {"slot": name}))
    elif not node.text.strip() and not node.quoted:
        problems.append(Problem("slot-without-rule", place, {"slot": name}))
    else:
        with collect(problems):
            return Slot(name, parse_rule(node.text, place), place)
    return None


def _line(fields: Fields, key: str, slots: list[str], *, part: str) -> Line | None:
    if scalar := fields.scalar(key, required=True):
        with collect(fields.problems):
            return parse_line(scalar.text, replace(scalar.place, part=part), slots=slots)
    return None


def _declared(fields: Fields) -> list[str]:
    """Return the names of slots, also of those whose rule is broken: one mistake gives one message."""
    node = fields.node("slots")
    return list(node.items) if isinstance(node, MappingNode) else []


def _groups(fields: Fields, key: str, slots: list[str]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of slots in `[a, b]` or `[[a, b], [c, d]]`."""
    node = fields.node(key)
    if node is None:
        return ()
    outer = node.items if isinstance(node, Sequence) else ()
    lists = outer if outer and all(isinstance(item, Sequence) for item in outer) else (node,)
    groups = []
    for item in lists:
        scalars = item.items if isinstance(item, Sequence) else ()
        names = tuple(scalar.text for scalar in scalars if isinstance(scalar, Scalar))
        if len(set(names)) < 2 or len(names) != len(scalars):
            fields.report("group-form", item, {"key": key})
        for name in names:
            if name not in slots:
                near = get_close_matches(name, slots, n=2, cutoff=0.5) or slots
                fields.report("slot-unknown", item, {"slot": name, "slots": near})
        groups.append(names)
    return tuple(groups)


# Phrase files: `phrases.yaml` read into named phrases with alternatives, parts and heads.

MAX_DEPTH = 12


def parse_phrases(text: str, *, name: str) -> tuple[dict[str, PhraseRule], list[Problem]]:
    """Return the phrases of a YAML text by name, and the problems of the text."""
    try:
        return phrases_of(parse_document(text, name=name))
    except InputError as error:
        return {}, list(error.problems)


def phrases_of(document: MappingNode) -> tuple[dict[str, PhraseRule], list[Problem]]:
    """Return the phrases in a tree by name, and its problems."""
    problems: list[Problem] = []
    fields = Fields(document, problems)
    fields.format()
    sub = fields.sub("phrases")
    fields.unknown()
    phrases = {}
    for key, (_, node) in sub.mapping.items.items() if sub else ():
        if phrase := _phrase(key, node, problems):
            phrases[key] = phrase
    return phrases, problems


def _phrase(name: str, node: Node, problems: list[Problem]) -> PhraseRule | None:
    part = f'phrase "{name}"'
    place = replace(node.place, part=part)
    depth = 0
    if isinstance(node, MappingNode):
        fields = Fields(node, problems, part)
        text = fields.text("depth", "0")
        if not re.fullmatch(r"\d{1,3}", text) or int(text) > MAX_DEPTH:
            fields.report("depth-bad", fields.node("depth"), {"value": text, "limit": MAX_DEPTH})
            return None
        depth = int(text)
        alternatives_node = fields.node("alternatives")
        fields.unknown()
        if alternatives_node is None:
            fields.report("key-missing", None, {"key": "alternatives"})
            return None
        node = alternatives_node
    items = node.items if isinstance(node, Sequence) else (node,)
    if not items:
        problems.append(Problem("phrase-empty", replace(node.place, part=part), {"phrase": name}))
    alternatives: list[PhraseAlternative] = []
    for number, item in enumerate(items, start=1):
        alternatives += _phrase_alternatives(item, f"{part} alternative {number}", problems)
    return PhraseRule(name, tuple(alternatives), depth, place) if alternatives else None


def _phrase_alternatives(node: Node, part: str, problems: list[Problem]) -> list[PhraseAlternative]:
    place = replace(node.place, part=part)
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
    elif sub is not None and not sub.mapping.items:
        fields.report("parts-none", sub.mapping)
    names = list(sub.mapping.items) if sub else []  # also those whose rule is broken: one mistake, one message
    line = Line(tuple(Use(Ref(name)) for name in parts), place)
    if names and fields.node("line") is not None and (written := _line(fields, "line", names, part=part)):
        line = written
        _unused(parts, {item.ref.slot for item in line.items if isinstance(item, Use)}, problems)
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


def single(alternative: Alternative, place: Place) -> PhraseAlternative:
    """Return the phrase alternative that is a single word or another phrase, which is also its head."""
    slot = Slot("word", Rule((Alternative(alternative.rule),)), place)
    head = "word" if isinstance(alternative.rule, Phrase) or str(alternative.rule) != '""' else ""
    return PhraseAlternative({"word": slot}, Line((Use(Ref("word")),), place), head, alternative.weight, place)
