"""Features, documented: the values each one has, what they mean, and which of them are kinds of others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bidui.errors import Place, Problem
from bidui.grammar.lexicon import NO_VALUES, Lexicon, Values, Word

COLUMNS = ("feature", "value", "parent", "means")
ANY = "*"  # documents a feature whose values are not listed: words, or keys of the author's own


@dataclass(frozen=True, slots=True)
class Features:
    """For every documented value of a feature, all the values it is a kind of."""

    ancestors: Mapping[str, Mapping[str, Values]]
    lines: Mapping[tuple[str, str], int]
    name: str


def parse_features(text: str, *, name: str) -> tuple[Features | None, list[Problem]]:
    """The table in a TSV text (feature, value, parent, means), or None, and the problems found."""
    lines = text.replace("\r\n", "\n").split("\n")
    header = tuple(lines[0].split("\t"))
    if header != COLUMNS:
        return None, [Problem("features-header", Place(name, 1), {"columns": header, "right": COLUMNS})]
    problems: list[Problem] = []
    parents: dict[str, dict[str, Values]] = {}
    places: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != len(COLUMNS) or not all(cells[i] and cells[i] == cells[i].strip() for i in (0, 1, 3)):
            problems.append(Problem("features-row", Place(name, number), {"row": line}))
            continue
        feature, value, parent, _ = cells
        if (feature, value) in places:
            values = {"feature": feature, "value": value, "line": places[feature, value]}
            problems.append(Problem("features-twice", Place(name, number), values))
        places.setdefault((feature, value), number)
        parents.setdefault(feature, {})[value] = frozenset(parent.split("/")) if parent else NO_VALUES
    problems += _parent_problems(parents, places, name)
    if problems:
        return None, problems
    ancestors = {feature: {value: _ancestors(tree, value) for value in tree} for feature, tree in parents.items()}
    return Features(ancestors, places, name), []


def _parent_problems(
    parents: Mapping[str, Mapping[str, Values]], places: Mapping[tuple[str, str], int], name: str
) -> Iterator[Problem]:
    for feature, tree in parents.items():
        for value, above in tree.items():
            place = Place(name, places[feature, value])
            if unknown := sorted(above - tree.keys()):
                yield Problem("features-parent", place, {"feature": feature, "parents": unknown})
            elif value in _ancestors(tree, value):
                yield Problem("features-circle", place, {"feature": feature, "value": value})


def _ancestors(tree: Mapping[str, Values], value: str) -> Values:
    found: set[str] = set()
    waiting = list(tree[value])
    while waiting:
        parent = waiting.pop()
        if parent not in found:
            found.add(parent)
            waiting += tree.get(parent, NO_VALUES)
    return frozenset(found)


def with_ancestors(lexicon: Lexicon, features: Features) -> Lexicon:
    """The same words, each with the values that its own are kinds of."""
    trees = {feature: tree for feature, tree in features.ancestors.items() if any(tree.values())}
    known: dict[tuple[str, Values], Values] = {}  # many words have the same values
    words = list(lexicon.words)
    for number, word in enumerate(words):
        grown = {}
        for feature, tree in trees.items():
            own = word.values.get(feature)
            if own is None:
                continue
            key = (feature, own)
            if key not in known:
                known[key] = own.union(*(tree.get(value, NO_VALUES) for value in own))
            if known[key] != own:
                grown[feature] = known[key]
        if grown:
            words[number] = Word(number, word.form, {**word.values, **grown}, word.line, word.file)
    return replace(lexicon, words=tuple(words))


def feature_problems(lexicon: Lexicon, features: Features) -> Iterator[Problem]:
    """Columns and values of the lexicon that nothing documents, and (as warnings) documented values nobody has."""
    for feature in lexicon.features:
        tree = features.ancestors.get(feature)
        if tree is None:
            yield Problem("features-missing", Place(features.name), {"feature": feature})
        elif ANY not in tree and not lexicon.counts(feature).keys() <= tree.keys():
            for word in lexicon.words:
                if unknown := sorted(word.get(feature) - tree.keys()):
                    place = Place(word.file or lexicon.name, word.line, 0, f'column "{feature}"')
                    yield Problem("features-value", place, {"value": unknown, "file": features.name})
    for feature, tree in features.ancestors.items():
        known = lexicon.counts(feature) if lexicon.has_feature(feature) else {}
        for value in tree:
            if value != ANY and value not in known:
                place = Place(features.name, features.lines[feature, value])
                yield Problem("features-unused", place, {"feature": feature, "value": value}, "warning")
