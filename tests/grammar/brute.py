"""Every pair of a paradigm by plain enumeration of rows, written from the language's definition and nothing else.

It shares no code with the solver beyond the parsed rules, so that the two can be held against each other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from bidui.grammar.lexicon import Word
from bidui.grammar.paradigm import Line, Literal, Paradigm, Slot, Use, Variant
from bidui.grammar.project import Project
from bidui.grammar.rules import Alternative, Condition, Lexical, Match, Phrase, Ref, RelationTerm, Rule, Words

Path = tuple[str, ...]  # names from the slot down to a part
Extra = tuple[Path, Lexical, Path]  # an override: the part it is for, what it adds, and where its names are looked up


@dataclass(eq=False)
class Filled:
    """A slot filled one way: a word (row or literal), or parts with their line, or nothing."""

    path: Path = ()
    rule: Lexical | Words | None = None
    links: list[tuple[Match | RelationTerm, Path]] = field(default_factory=list)  # with the path to their scope
    text: str = ""
    word: Word | None = None
    parts: dict[str, "Filled"] = field(default_factory=dict)
    line: Line | None = None
    head: str = ""

    def part(self, name: str) -> "Filled":
        return self.parts[self.head if name == "head" and name not in self.parts else name]

    def leaf(self, path: Path) -> "Filled":
        return self if self.line is None else self.part(path[0] if path else "head").leaf(path[1:])

    def values(self, feature: str) -> set[str]:
        if feature == "expression":
            return {self.text}
        return set(self.word.values.get(feature, ())) if self.word else set()

    def leaves(self) -> "Iterator[Filled]":
        if self.line is None:
            yield self
        for part in self.parts.values():
            yield from part.leaves()


def all_pairs(project: Project, paradigm: Paradigm) -> set[tuple[str, str]]:
    """The distinct (good, bad) pairs."""
    written = [other for variant in paradigm.variants for other in _directions(variant)]
    return {pair for variant in written for pair in _variant(project, paradigm, variant)}


def fillings(project: Project, slot: Slot) -> Iterator[Filled]:
    """Every way to fill a slot by itself."""
    return _fill(project, slot.rule, None, (slot.name,), [])


def size(project: Project, rule: Rule, opened: tuple[str, ...] = ()) -> int:
    """At most how many ways there are to fill a slot, without making them: phrases in phrases may have millions."""
    total = 0
    for body in (alternative.rule for alternative in rule.alternatives):
        if isinstance(body, Phrase):
            inner = (*opened, body.name)
            if inner.count(body.name) <= project.phrases[body.name].depth + 1:
                for alternative in project.phrases[body.name].alternatives:
                    total += prod(size(project, part.rule, inner) for part in alternative.parts.values())
        elif isinstance(body, Lexical):
            total += sum(all(_fits(word, c) for c in body.conditions) for word in project.lexicon.words)
        else:
            total += max(1, sum(max(1, sum(w.form == text for w in project.lexicon.words)) for text in body.words))
    return total


def _directions(variant: Variant) -> list[Variant]:
    """A crossed variant also exchanges the words of the two slots that only one line has; their links stay."""
    if not variant.crossed:
        return [variant]
    sides = [{item.ref.slot for item in line.items if isinstance(item, Use)} for line in (variant.good, variant.bad)]
    (good,), (bad,) = sides[0] - sides[1], sides[1] - sides[0]
    slots = dict(variant.slots)
    for mine, theirs in ((good, bad), (bad, good)):
        kept, taken = variant.slots[mine].rule.only, variant.slots[theirs].rule.only
        if isinstance(kept, Lexical) and isinstance(taken, Lexical):
            taken = replace(kept, conditions=taken.conditions)
        assert taken is not None
        slots[mine] = replace(slots[mine], rule=Rule((Alternative(taken),)))
    return [variant, replace(variant, slots=slots)]


def _fits(word: Word, condition: Condition) -> bool:
    values = {word.form} if condition.feature == "expression" else set(word.values.get(condition.feature, ()))
    asked = set(condition.values)
    return {
        "any": bool(values & asked),
        "not": bool(values) and not values & asked,
        "has": bool(values),
        "none": not values,
    }[condition.test]


def _fill(
    project: Project, rule: Rule, n: int | None, path: Path, extra: Sequence[Extra], opened: tuple[str, ...] = ()
) -> Iterator[Filled]:
    """Every way to fill the slot or part at `path`; `n` fixes the alternative."""
    for number, alternative in enumerate(rule.alternatives):
        if n is not None and number != n:
            continue
        body = alternative.rule
        if isinstance(body, Words):
            if not body.words:
                yield Filled(path)
            for text in body.words:
                for word in [word for word in project.lexicon.words if word.form == text] or [None]:
                    yield Filled(path, body, [], text, word)
        elif isinstance(body, Lexical):
            conditions = [*body.conditions, *(c for _, added, _ in extra for c in added.conditions)]
            links = [(term, path[:-1]) for term in body.links]
            links += [(term, scope) for _, added, scope in extra for term in added.links]
            for word in project.lexicon.words:
                if all(_fits(word, condition) for condition in conditions):
                    yield Filled(path, body, links, word.form, word)
        else:
            yield from _phrase(project, body, path, extra, (*opened, body.name))


def _phrase(
    project: Project, rule: Phrase, path: Path, extra: Sequence[Extra], opened: tuple[str, ...]
) -> Iterator[Filled]:
    if opened.count(rule.name) > project.phrases[rule.name].depth + 1:
        return
    passed = [((to or ("head",)), added, scope) for to, added, scope in extra]
    passed += [(tuple(part.split(".")), added, path[:-1]) for part, added in rule.overrides]
    for alternative in project.phrases[rule.name].alternatives:
        names = list(alternative.parts)
        ways = []
        for number, name in enumerate(names):
            called = {name, str(number), str(number - len(names)), *(["head"] if alternative.head == name else [])}
            mine = [(to[1:], added, scope) for to, added, scope in passed if to[0] in called]
            ways.append(list(_fill(project, alternative.parts[name].rule, None, (*path, name), mine, opened)))
        for parts in product(*ways):
            own = dict(zip(names, parts, strict=True))
            yield Filled(path, parts=own, line=alternative.line, head=alternative.head)


def _variant(project: Project, paradigm: Paradigm, variant: Variant) -> Iterator[tuple[str, str]]:
    names = list(variant.slots)
    counts = {name: len(slot.rule.alternatives) for name, slot in variant.slots.items()}
    for numbers in product(*(range(counts[name]) for name in names)):
        number = dict(zip(names, numbers, strict=True))
        if any(len({number[name] for name in group}) > 1 for group in variant.linked):
            continue
        ways = [list(_fill(project, variant.slots[n].rule, number[n], (n,), [])) for n in names]
        for chosen in product(*ways):
            pair = _pair(project, paradigm, variant, dict(zip(names, chosen, strict=True)))
            if pair:
                yield pair


def _pair(project: Project, paradigm: Paradigm, variant: Variant, own: dict[str, Filled]) -> tuple[str, str] | None:
    leaves = [leaf for filled in own.values() for leaf in filled.leaves() if leaf.text]
    if not _links_hold(project, leaves, own):
        return None
    texts = []
    for line in (variant.good, variant.bad):
        printed = list(_print(line, own))
        if any(text is None for text, _ in printed):
            return None
        if not _distinct(project, variant, printed, own):
            return None
        texts.append([text for text, _ in printed])
    good, bad = ("".join(side) for side in texts)
    if good == bad or (paradigm.equal_length and len(good) != len(bad)):
        return None
    if any(_crosses(side, seam) for side in texts for seam in (*project.settings.seams, *paradigm.seams)):
        return None
    return good, bad


def _print(line: Line, scope: dict[str, Filled]) -> Iterator[tuple[str | None, Filled | None]]:
    for item in line.items:
        if isinstance(item, Literal):
            yield item.text, None
            continue
        filled = scope[item.ref.slot]
        for name in item.ref.path:
            if filled.line is not None:
                filled = filled.part(name)
        if filled.line is not None:
            yield from _print(filled.line, filled.parts)
        elif filled.text:
            values = filled.values(item.column)
            yield (next(iter(values)) if values else None), filled


def _links_hold(project: Project, leaves: list[Filled], own: dict[str, Filled]) -> bool:
    shares: dict[tuple[Path, str], list[set[str]]] = {}
    for leaf in leaves:
        for term, scope in leaf.links:
            if isinstance(term, RelationTerm):
                relation = project.relations[term.relation]
                named = [n for n, ref in enumerate(term.targets) if str(ref) != "_"]
                cells = {n: _at(term.targets[n], scope, own).values(relation.features[n]) for n in named}
                if not any(all(cells[n] & row[n] for n in named) for row in relation.rows):
                    return False
                continue
            other = _at(term.target, scope, own)
            for prop in term.properties:
                mine, theirs = leaf.values(prop.mine), other.values(prop.theirs)
                if prop.share:
                    shares.setdefault((scope, prop.share), []).extend((mine, theirs))
                    continue
                common = bool(mine & theirs)
                if not (common if term.same else mine and theirs and not common):
                    return False
    return all(set.intersection(*sets) for sets in shares.values())


def _at(ref: Ref, scope: Path, own: dict[str, Filled]) -> Filled:
    """The word that a reference means, by names that are looked up in the scope at a path."""
    nodes = own
    for name in scope:
        nodes = nodes[name].parts
    return nodes[ref.slot].leaf(ref.path)


def _distinct(project: Project, variant: Variant, printed: list, own: dict[str, Filled]) -> bool:
    """Words of one side differ by form and concept, but for literals, repetitions and copies."""
    marks: dict[Filled, set[str]] = {}
    for text, leaf in printed:
        if leaf is None or isinstance(leaf.rule, Words):
            continue
        if project.settings.repeat and all(_fits(leaf.word, c) for c in project.settings.repeat):
            continue
        marks.setdefault(leaf, set()).update({leaf.text, text}, {f"concept {c}" for c in leaf.values("concept")})
    leaves = list(marks)
    for n, a in enumerate(leaves):
        for b in leaves[n + 1 :]:
            if marks[a] & marks[b] and not _exempt(variant, a, b, own):
                return False
    return True


def _exempt(variant: Variant, a: Filled, b: Filled, own: dict[str, Filled]) -> bool:
    if any(a.path[0] in group and b.path[0] in group for group in variant.repeat):
        return True
    for one, other in ((a, b), (b, a)):
        for term, scope in one.links:
            same = isinstance(term, Match) and term.same and _at(term.target, scope, own) is other
            if same and any(p.mine == p.theirs == "expression" for p in term.properties):
                return True
    return False


def _crosses(texts: list[str], seam: str) -> bool:
    whole = "".join(texts)
    ends = {sum(map(len, texts[:n])) for n in range(1, len(texts))}
    starts = [i for i in range(len(whole)) if whole.startswith(seam, i)]
    return any(i < end < i + len(seam) for i in starts for end in ends)
