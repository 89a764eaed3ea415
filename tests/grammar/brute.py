"""Every pair of a paradigm by plain enumeration of rows, written from the language's definition and nothing else.

It shares no code with the solver beyond the parsed rules, so that the two can be held against each other.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from bidui.grammar.lexicon import Word
from bidui.grammar.paradigm import Line, Literal, Paradigm, Variant
from bidui.grammar.project import Project
from bidui.grammar.rules import Condition, Lexical, Match, Phrase, Ref, RelationTerm, Rule, Words


@dataclass(eq=False)
class Filled:
    """A slot filled one way: a word (row or literal), or parts with their line, or nothing."""

    rule: Lexical | Words | None = None
    links: list[tuple[Match | RelationTerm, dict]] = field(default_factory=list)
    text: str = ""
    word: Word | None = None
    parts: dict[str, "Filled"] = field(default_factory=dict)
    line: Line | None = None
    head: str = ""
    slot: str = ""

    def leaf(self, path: tuple[str, ...]) -> "Filled":
        if self.line is None:
            return self
        name = path[0] if path else "head"
        if name == "head" and name not in self.parts:
            name = self.head
        return self.parts[name].leaf(path[1:])

    def values(self, feature: str) -> set[str]:
        if feature == "expression":
            return {self.text}
        return set(self.word.values.get(feature, ())) if self.word else set()


def all_pairs(project: Project, paradigm: Paradigm) -> set[tuple[str, str]]:
    """The distinct (good, bad) pairs."""
    return {pair for variant in paradigm.variants for pair in _variant(project, paradigm, variant)}


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
    project: Project, rule: Rule, n: int | None, slot: str, scope: dict, extra: list, opened: tuple[str, ...] = ()
) -> Iterator[Filled]:
    """Every way to fill a slot; `n` fixes the alternative; `extra` are overrides (path, rule, scope)."""
    for number, alternative in enumerate(rule.alternatives):
        if n is not None and number != n:
            continue
        body = alternative.rule
        if isinstance(body, Words):
            if not body.words:
                yield Filled(slot=slot)
            for text in body.words:
                rows = [word for word in project.lexicon.words if word.form == text] or [None]
                for word in rows:
                    yield Filled(body, [], text, word, slot=slot)
        elif isinstance(body, Lexical):
            conditions = [*body.conditions, *(c for _, o, _ in extra for c in o.conditions)]
            links = [(t, scope) for t in (*body.matches, *body.relations)]
            links += [(t, s) for _, o, s in extra for t in (*o.matches, *o.relations)]
            for word in project.lexicon.words:
                if all(_fits(word, condition) for condition in conditions):
                    yield Filled(body, links, word.form, word, slot=slot)
        else:
            yield from _phrase(project, body, slot, scope, extra, (*opened, body.name))


def _phrase(
    project: Project, rule: Phrase, slot: str, scope: dict, extra: list, opened: tuple[str, ...]
) -> Iterator[Filled]:
    if opened.count(rule.name) > project.phrases[rule.name].depth + 1:
        return
    passed = [((path or ("head",)), o, s) for path, o, s in extra]
    passed += [(tuple(part.split(".")), o, scope) for part, o in rule.overrides]
    for alternative in project.phrases[rule.name].alternatives:
        names = list(alternative.parts)
        inner: dict[str, Filled] = {}
        ways = []
        for name in names:
            mine = [
                (path[1:], o, s)
                for path, o, s in passed
                if path[0] == name or (path[0] == "head" and alternative.head == name)
            ]
            ways.append(list(_fill(project, alternative.parts[name].rule, None, slot, inner, mine, opened)))
        for parts in product(*ways):
            # links hold a reference to a scope: give each combination its own
            own = dict(zip(names, parts, strict=True))
            filled = {n: _rescoped(f, inner, own) for n, f in own.items()}
            yield Filled(parts=filled, line=alternative.line, head=alternative.head, slot=slot)


def _rescoped(filled: Filled, old: dict, new: dict) -> Filled:
    links = [(term, new if scope is old else scope) for term, scope in filled.links]
    parts = {name: _rescoped(part, old, new) for name, part in filled.parts.items()}
    return Filled(filled.rule, links, filled.text, filled.word, parts, filled.line, filled.head, filled.slot)


def _leaves(filled: Filled) -> Iterator[Filled]:
    if filled.line is None:
        yield filled
    for part in filled.parts.values():
        yield from _leaves(part)


def _variant(project: Project, paradigm: Paradigm, variant: Variant) -> Iterator[tuple[str, str]]:
    names = list(variant.slots)
    counts = {name: len(slot.rule.alternatives) for name, slot in variant.slots.items()}
    for numbers in product(*(range(counts[name]) for name in names)):
        number = dict(zip(names, numbers, strict=True))
        if any(len({number[name] for name in group}) > 1 for group in variant.linked):
            continue
        scope: dict[str, Filled] = {}
        ways = [list(_fill(project, variant.slots[n].rule, number[n], n, scope, [])) for n in names]
        for chosen in product(*ways):
            own = dict(zip(names, chosen, strict=True))
            own = {name: _rescoped(filled, scope, own) for name, filled in own.items()}
            for filled in own.values():
                for leaf in _leaves(filled):
                    leaf.links = [(t, own if s.keys() == own.keys() else s) for t, s in leaf.links]
            pair = _pair(project, paradigm, variant, own)
            if pair:
                yield pair


def _pair(project: Project, paradigm: Paradigm, variant: Variant, own: dict[str, Filled]) -> tuple[str, str] | None:
    leaves = [leaf for filled in own.values() for leaf in _leaves(filled) if leaf.text]
    if not _links_hold(project, leaves):
        return None
    texts = []
    for line in (variant.good, variant.bad):
        printed = list(_print(line, own))
        if any(text is None for text, _ in printed):
            return None
        if not _distinct(project, variant, leaves, printed):
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
                filled = filled.parts[filled.head if name == "head" and name not in filled.parts else name]
        if filled.line is not None:
            yield from _print(filled.line, filled.parts)
        elif filled.text:
            if item.column == "expression":
                yield filled.text, filled
            else:
                values = filled.values(item.column)
                yield (next(iter(values)) if values else None), filled


def _links_hold(project: Project, leaves: list[Filled]) -> bool:
    shares: dict[tuple[int, str], list[set[str]]] = {}
    for leaf in leaves:
        for term, scope in leaf.links:
            if isinstance(term, RelationTerm):
                relation = project.relations[term.relation]
                named = [n for n, ref in enumerate(term.targets) if str(ref) != "_"]
                cells = {n: _at(term.targets[n], scope).values(relation.features[n]) for n in named}
                if not any(all(cells[n] & row[n] for n in named) for row in relation.rows):
                    return False
                continue
            other = _at(term.target, scope)
            for prop in term.properties:
                mine, theirs = leaf.values(prop.mine), other.values(prop.theirs)
                if prop.share:
                    shares.setdefault((id(scope), prop.share), []).extend((mine, theirs))
                    continue
                common = bool(mine & theirs)
                if not (common if term.same else mine and theirs and not common):
                    return False
    return all(set.intersection(*sets) for sets in shares.values())


def _at(ref: Ref, scope: dict[str, Filled]) -> Filled:
    return scope[ref.slot].leaf(ref.path)


def _distinct(project: Project, variant: Variant, leaves: list[Filled], printed: list) -> bool:
    """Words of one side differ by form and concept, but for literals, repetitions and copies."""
    here = []
    for text, leaf in printed:
        if leaf is None or isinstance(leaf.rule, Words):
            continue
        if project.settings.repeat and all(_fits(leaf.word, c) for c in project.settings.repeat):
            continue
        here.append((leaf, {leaf.text, text} | {f"concept {c}" for c in leaf.values("concept")}))
    marks: dict[int, set[str]] = {}
    by_id = {}
    for leaf, found in here:
        marks.setdefault(id(leaf), set()).update(found)
        by_id[id(leaf)] = leaf
    ids = list(marks)
    for n, a in enumerate(ids):
        for b in ids[n + 1 :]:
            if marks[a] & marks[b] and not _exempt(variant, by_id[a], by_id[b]):
                return False
    return True


def _exempt(variant: Variant, a: Filled, b: Filled) -> bool:
    if any(a.slot in group and b.slot in group for group in variant.repeat):
        return True
    for one, other in ((a, b), (b, a)):
        for term, scope in one.links:
            same = isinstance(term, Match) and term.same and _at(term.target, scope) is other
            if same and any(p.mine == p.theirs == "expression" for p in term.properties):
                return True
    return False


def _crosses(texts: list[str], seam: str) -> bool:
    whole = "".join(texts)
    ends = {sum(map(len, texts[:n])) for n in range(1, len(texts))}
    starts = [i for i in range(len(whole)) if whole.startswith(seam, i)]
    return any(i < end < i + len(seam) for i in starts for end in ends)
