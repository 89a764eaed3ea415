"""Paradigms, phrases, settings and lexicons as the texts of their files, in a form that people read and diff."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from bidui.grammar.lexicon import Lexicon, Values
from bidui.grammar.paradigm import Paradigm, PhraseAlternative, PhraseRule, Slot, Variant
from bidui.grammar.phrase_file import single
from bidui.grammar.project import Settings
from bidui.grammar.rules import Alternative, decimal

# A value that begins with one of these, or with a blank, is something else to YAML.
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@` ")

Node = str | list["Node"] | dict[str, "Node"]


def paradigm_text(paradigm: Paradigm) -> str:
    """The YAML file of a paradigm."""
    fields: dict[str, Node] = {"uid": paradigm.uid, "phenomenon": paradigm.phenomenon}
    if paradigm.about:
        fields["about"] = dict(paradigm.about)
    if paradigm.source:
        fields["source"] = paradigm.source
    if paradigm.status != "included":
        fields["status"] = paradigm.status
    if paradigm.reason:
        fields["reason"] = paradigm.reason
    if paradigm.edit:
        fields["edit"] = "+".join(paradigm.edit)
    if paradigm.equal_length:
        fields["equal_length"] = "true"
    if paradigm.separator is not None:
        fields["separator"] = paradigm.separator
    if paradigm.seams:
        fields["seams"] = list(paradigm.seams)
    if paradigm.closed_class:
        fields["closed_class"] = paradigm.closed_class
    if paradigm.one_sided:
        fields["one_sided"] = paradigm.one_sided
    if len(paradigm.variants) == 1 and not paradigm.variants[0].name:
        fields |= _variant(paradigm.variants[0])
    else:
        numbered = enumerate(paradigm.variants, start=1)
        fields["variants"] = [
            ({} if variant.name == str(number) else {"name": variant.name}) | _variant(variant)
            for number, variant in numbered
        ]
    if paradigm.example:
        fields["example"] = dict(paradigm.example)
    return _document(fields)


def _variant(variant: Variant) -> dict[str, Node]:
    fields: dict[str, Node] = {
        "slots": _slots(variant.slots),
        "good": variant.good.written(variant.slots),
        "bad": variant.bad.written(variant.slots),
    }
    if variant.linked:
        fields["link"] = [list(group) for group in variant.linked]
    if variant.repeat:
        fields["repeat"] = [list(group) for group in variant.repeat]
    if variant.crossed:
        fields["crossed"] = "true"
    if variant.weight != 1:
        fields["weight"] = _number(variant.weight)
    return fields


def _slots(slots: Mapping[str, Slot]) -> dict[str, Node]:
    return {name: str(slot.rule) for name, slot in slots.items()}


def phrases_text(phrases: Mapping[str, PhraseRule]) -> str:
    """The YAML file of a project's phrases."""
    return _document({"phrases": {name: _phrase(phrase) for name, phrase in phrases.items()}})


def _phrase(phrase: PhraseRule) -> Node:
    alternatives: list[Node] = [_phrase_alternative(alternative) for alternative in phrase.alternatives]
    return {"depth": str(phrase.depth), "alternatives": alternatives} if phrase.depth else alternatives


def _phrase_alternative(alternative: PhraseAlternative) -> Node:
    """One rule alone is written as that rule; several as parts, with a line only where it says more than they do."""
    word = alternative.parts.get("word")
    if word and len(word.rule.alternatives) == 1 and Fraction(decimal(alternative.weight)) == alternative.weight:
        alone = Alternative(word.rule.alternatives[0].rule, alternative.weight)
        if single(alone, alternative.place) == alternative:
            return str(alone)
    fields: dict[str, Node] = {"parts": _slots(alternative.parts)}
    line = alternative.line.written(alternative.parts)
    if line != " ".join(alternative.parts):
        fields["line"] = line
    if alternative.head:
        fields["head"] = alternative.head
    if alternative.weight != 1:
        fields["weight"] = _number(alternative.weight)
    return fields


def settings_text(settings: Settings) -> str:
    """The YAML file of a project's settings."""
    fields: dict[str, Node] = {"name": settings.name, "lang": settings.lang}
    english = settings.lang == "en"
    if settings.separator != (" " if english else ""):
        fields["separator"] = settings.separator
    if settings.capital != english:
        fields["capital"] = "true" if settings.capital else "false"
    if settings.seams:
        fields["seams"] = list(settings.seams)
    if settings.repeat:
        fields["repeat"] = " ".join(map(str, settings.repeat))
    if settings.relations:
        fields["relations"] = dict(settings.relations)
    return _document(fields)


def lexicon_text(lexicon: Lexicon) -> str:
    """The TSV file of a lexicon; the values of a cell are sorted, since they are a set."""
    rows = [("expression", *lexicon.features)]
    rows += [(word.form, *(_cell(word.get(feature)) for feature in lexicon.features)) for word in lexicon.words]
    return "".join("\t".join(row) + "\n" for row in rows)


def _cell(values: Values) -> str:
    return "/".join(sorted(values))


def _number(weight: Fraction) -> str:
    """A decimal where that is exact, else a fraction."""
    text = decimal(weight)
    return text if Fraction(text) == weight else str(weight)


def _document(fields: Mapping[str, Node]) -> str:
    return "\n".join(_mapping({"format": "1", **fields})) + "\n"


def _mapping(fields: Mapping[str, Node]) -> Iterator[str]:
    for key, value in fields.items():
        if not value or isinstance(value, str):
            yield f"{_scalar(key)}: {_scalar(value) if isinstance(value, str) else '{}'}"
        elif isinstance(value, list) and all(isinstance(item, list) for item in value):
            yield f"{_scalar(key)}: [{', '.join(map(_group, value))}]"
        else:
            yield f"{_scalar(key)}:"
            yield from _indented(_mapping(value) if isinstance(value, dict) else _sequence(value))


def _group(names: Node) -> str:
    """A group of slot names, which hold nothing that a list on one line could trip over but a leading dash."""
    return f"[{', '.join(_scalar(name) for name in names if isinstance(name, str))}]"


def _sequence(items: Iterable[Node]) -> Iterator[str]:
    for item in items:
        lines = [_scalar(item)] if isinstance(item, str) else list(_mapping(item) if isinstance(item, dict) else ())
        yield f"- {lines[0]}"
        yield from _indented(lines[1:])


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _scalar(text: str) -> str:
    """The text as YAML has it: plain where that is read back as itself, else in single quotes, else escaped."""
    if not text.isprintable():
        return '"' + "".join(map(_escaped, text)) + '"'
    plain = text and text[0] not in _INDICATORS and text[-1] not in ": " and ": " not in text and " #" not in text
    return text if plain else "'" + text.replace("'", "''") + "'"


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return char if char.isprintable() else f"\\U{ord(char):08X}"
