"""Names for the slots of classic templates, which had only numbers: after the part of speech or the phrase."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from bidui.grammar.rules import Lexical, Phrase, Rule

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
    """A name for each rule, with the prefix given beside it, numbered where several would be the same."""
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
    """The text in small letters, and nothing in it that a slot's name may not have."""
    plain = re.sub(r"\W+", "_", text).strip("_").lower()
    return f"slot_{plain}" if plain.isdigit() else plain or "word"
