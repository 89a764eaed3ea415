"""Completion: what may be typed at the cursor, with the number of words that each option would leave, best first.

`complete_rule` and `complete_line` complete a field of a page; `complete_text` finds the rule or line that the cursor
of the plain-text editor stands in.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import Literal

from bidui.grammar.paradigm import EDITS
from bidui.grammar.rules import KEYWORDS, Condition, escape
from bidui.grammar.yaml import Mapping as MappingNode
from bidui.grammar.yaml import Path, offsets
from bidui.web.editing.diagnostics import Site, sites_in
from bidui.web.editing.edits import try_read_tree
from bidui.web.editing.fitting import Fitting
from bidui.web.editing.paradigm import ORDER, is_rule, paradigm_rows
from bidui.web.editing.phrases import phrase_rows
from bidui.web.editing.pieces import Item, Piece, items_of, pieces_of
from bidui.web.editing.text import Lines

Kind = Literal["feature", "value", "keyword", "slot", "phrase", "relation", "part", "column", "word"]
MOST = 50
_TRIED = 40  # words that show whether two features have anything in common


@dataclass(frozen=True, slots=True)
class Option:
    """Something to type; `count` is the number of words that would be left, where that is known.

    `detail` are the columns of a relation. `first` options come before all others: the other half of a link.
    """

    text: str
    kind: Kind
    count: int | None = None
    detail: str = ""
    first: bool = False


@dataclass(slots=True)
class RuleOptions:
    """The options at a position in a rule; `others` are the rules of the other slots in scope."""

    rule: str
    pieces: Sequence[Piece]
    fitting: Fitting
    others: Mapping[str, str]
    slot: str
    typed: str
    left_out: int = 0  # values that were too many to list

    def options(self, piece: Piece) -> Iterable[Option]:
        """Return the options for the piece that the cursor stands in."""
        if piece.kind == "value":
            return self.values(piece)
        if piece.kind == "slot":
            return self.slots(piece)
        if piece.kind == "feature" and piece.of:
            return self.properties(piece)
        if piece.kind == "theirs":
            return self.theirs(piece)
        if piece.kind == "phrase":
            return (replace(option, text=option.text.removeprefix("phrase:")) for option in self.phrases())
        if piece.kind == "relation":
            return (replace(option, text=option.text.removeprefix("rel:")) for option in self.relations(piece))
        if piece.kind == "part":
            return (replace(option, text=option.text.removesuffix(":<")) for option in self.parts(piece))
        if piece.kind in {"feature", "keyword"}:  # before the colon
            return (replace(option, text=option.text.removesuffix(":")) for option in self.starts(piece))
        return self.starts(piece) if piece.kind == "word" else ()

    def beside(self, piece: Piece) -> list[Piece]:
        """Return the pieces of the same alternative, inside the same brackets."""
        return [p for p in self.pieces if p.alternative == piece.alternative and p.inside == piece.inside]

    def base(self, piece: Piece) -> int:
        """Return the words that all finished conditions around a piece leave, except those of its own token."""
        words = self.fitting.everything
        if piece.inside:
            phrase = self.phrase(piece)
            words = self.fitting.part(phrase, tuple(piece.inside[-1].split("."))) if phrase else words
        conditions = self.fitting.conditions(self.rule, self.beside(piece), without=piece.token)
        return words & self.fitting.lexicon.bits(conditions)

    def phrase(self, piece: Piece) -> str:
        """Return the phrase that the alternative of a piece names."""
        return next((p.text for p in self.pieces if p.kind == "phrase" and p.alternative == piece.alternative), "")

    def starts(self, piece: Piece) -> Iterator[Option]:
        """Yield what a token may begin with."""
        beside = [p for p in self.beside(piece) if p.token != piece.token]
        if not piece.inside and any(p.kind == "phrase" for p in beside):
            yield from self.parts(piece)
            return
        keywords = [KEYWORDS[p.text] for p in beside if p.kind == "keyword"]
        for have, lack in (("mPos", "mPro"), ("mmPos", "mmPro"), ("mPro", "mPos"), ("mmPro", "mmPos")):
            if keywords.count(have) > keywords.count(lack):
                yield Option(f"{lack}:", "keyword", first=True)
        words = self.base(piece)
        used = {p.text for p in beside if p.kind == "feature" and not p.of}
        for feature, count in self.fitting.having(words).items():
            if feature not in used:
                yield Option(f"{feature}:", "feature", count)
        if self.others:
            yield Option("mPos:", "keyword")
            yield Option("mmPos:", "keyword")
            yield from self.relations(piece)
        typed = piece.text.strip('"')
        if not beside and not piece.inside:
            yield from self.phrases()
            if not typed.isascii():  # words of the lexicon are not offered for Latin letters
                forms = Counter(word.form for word in self.fitting.lexicon.words if word.form.startswith(typed))
                yield from (Option(form, "word", count) for form, count in forms.items())

    def values(self, piece: Piece) -> Iterator[Option]:
        """Yield the values of a feature; of thousands, only those that would come first."""
        lexicon, feature = self.fitting.lexicon, piece.of
        if not lexicon.has_feature(feature):
            return
        words = self.base(piece)
        negated = self.rule[slice(*piece.token)].partition(":")[2].startswith("!")
        beside = {p.text for p in self.pieces if p.token == piece.token and p.kind == "value" and p is not piece}
        total = (words & lexicon.bits([Condition(feature, "has")])).bit_count()
        typed = self.typed.casefold()
        counts = self.fitting.counts(feature, words)
        values = [v for v in counts if v not in beside and typed in v.casefold()]
        if len(values) > 2 * MOST:
            self.left_out += len(values) - MOST
            sign = 1 if negated else -1
            values = nsmallest(MOST, values, key=lambda v: (not v.startswith(self.typed), sign * counts[v], v))
        for value in values:
            yield Option(escape(value), "value", total - counts[value] if negated else counts[value])
        if not beside and not negated:
            yield Option("*", "value", total)
            yield Option("-", "value", words.bit_count() - total)

    def slots(self, piece: Piece) -> Iterator[Option]:
        if piece.of in {"mPos", "mmPos"}:
            yield from targets(self.fitting, self.others, whole=False)
            return
        relation = self.fitting.relations.get(piece.of)
        column = -1
        if relation and piece.argument < len(relation.columns):
            column = self.fitting.column(relation, piece.argument)
        every = {**self.others, self.slot: self.rule} if self.slot else self.others
        yield from targets(self.fitting, every, whole=False, within=column)
        yield Option("_", "slot")

    def target(self, piece: Piece) -> int | None:
        """Return the words of the slot that a property is compared with, or None."""
        of = "mPos" if piece.of == "mPro" else "mmPos"
        named = [p.text for p in self.beside(piece) if p.kind == "slot" and p.of == of]
        name, *path = named[-1].split(".") if named else [""]
        return self.fitting.rule(self.others[name], path) if name in self.others else None

    def properties(self, piece: Piece) -> Iterator[Option]:
        """Yield features that both words have, and pairs of different features that have values in common."""
        target, words = self.target(piece), self.base(piece)
        features = [feature for feature, count in self.fitting.having(words).items() if count]
        same = piece.of == "mPro"
        if target is None:
            yield from (Option(escape(feature), "feature") for feature in features)
            return
        theirs = self.fitting.seen(target)
        for mine in features:
            for other, sets in theirs.items():
                if mine == other != "expression":
                    yield Option(escape(mine), "feature", self.fitting.partners(words, mine, sets, same=same))
                elif mine != other and self.fitting.partners(words, mine, sets, same=True, most=_TRIED):
                    text = f"{escape(mine)}={escape(other)}"
                    yield Option(text, "feature", self.fitting.partners(words, mine, sets, same=same))
            yield Option(f"{escape(mine)}=", "feature")

    def theirs(self, piece: Piece) -> Iterator[Option]:
        target, words = self.target(piece), self.base(piece)
        mine = next((p.text for p in self.pieces if p.end == piece.start - 1 and p.kind == "feature"), "")
        if target is None or not self.fitting.lexicon.has_feature(mine):
            return
        for feature, sets in self.fitting.seen(target).items():
            count = self.fitting.partners(words, mine, sets, same=piece.of == "mPro")
            yield Option(escape(feature), "feature", count)

    def phrases(self) -> Iterator[Option]:
        for name in self.fitting.phrases:
            yield Option(f"phrase:{escape(name)}", "phrase", self.fitting.part(name, ("head",)).bit_count())

    def parts(self, piece: Piece) -> Iterator[Option]:
        phrase = self.phrase(piece)
        for part in self.fitting.parts(phrase):
            yield Option(f"{part}:<", "part", self.fitting.part(phrase, (part,)).bit_count())

    def relations(self, piece: Piece) -> Iterator[Option]:
        words = self.base(piece)
        for name, relation in self.fitting.relations.items():
            columns = range(len(relation.columns))
            count = max(((self.fitting.column(relation, n) & words).bit_count() for n in columns), default=0)
            yield Option(f"rel:{escape(name)}", "relation", count, f"({', '.join(relation.columns)})")


def targets(fitting: Fitting, slots: Mapping[str, str], *, whole: bool, within: int = -1) -> Iterator[Option]:
    """Yield slots and parts of slots, with their words; a slot that is a phrase can be printed whole, not linked to."""
    for name, rule in slots.items():
        phrases = {piece.text for piece in pieces_of(rule) if piece.kind == "phrase"}
        if whole or not phrases:
            yield Option(name, "slot", (fitting.rule(rule) & within).bit_count())
        for part in fitting.parts(min(phrases)) if phrases else ():
            if all(part in fitting.parts(phrase) for phrase in phrases):
                yield Option(f"{name}.{part}", "slot", (fitting.rule(rule, (part,)) & within).bit_count())


@dataclass(frozen=True, slots=True)
class Completion:
    """The options, which replace the characters from `start` up to `end`; `more` options were left out."""

    start: int
    end: int
    options: tuple[Option, ...] = ()
    more: int = 0


def complete_rule(rule: str, *, cursor: int, fitting: Fitting, slots: Mapping[str, str], slot: str = "") -> Completion:
    """Return what may be typed at `cursor` in a rule of `slot`; `slots` are the rules of all slots in scope."""
    cursor = max(0, min(cursor, len(rule)))
    pieces = pieces_of(rule)
    here = [piece for piece in pieces if piece.start <= cursor <= piece.end]
    others = {name: text for name, text in slots.items() if name != slot}
    if here:
        piece = max(here, key=lambda piece: (piece.start, piece.end > piece.start))
    else:
        number, inside = _around(rule, pieces, cursor)
        piece = Piece("word", cursor, cursor, "", token=(cursor, cursor), alternative=number, inside=inside)
    typed = rule[piece.start : cursor].removeprefix('"')
    context = RuleOptions(rule, pieces, fitting, others, slot, typed)
    completion = ranked(context.options(piece), typed, piece.start, piece.end)
    return replace(completion, more=completion.more + context.left_out)


def complete_line(line: str, *, cursor: int, fitting: Fitting, slots: Mapping[str, str]) -> Completion:
    """Return what may be typed at `cursor` in a line: slots, parts of their phrases, columns of their words."""
    cursor = max(0, min(cursor, len(line)))
    items = items_of(line, slots=slots)
    here = next((item for item in items if item.start <= cursor <= item.end), Item("", cursor, cursor))
    typed = line[here.start : cursor]
    name, at, _ = typed.partition("@")
    slot, *path = name.split(".")
    options = targets(fitting, slots, whole=True)
    if at and slot in slots:
        counts = fitting.having(fitting.rule(slots[slot], path)).items()
        options = (Option(f"{name}@{feature}", "column", n) for feature, n in counts if feature != "expression")
    return ranked(options, typed, here.start, here.end)


def _around(rule: str, pieces: Sequence[Piece], cursor: int) -> tuple[int, tuple[str, ...]]:
    """Return the alternative, and the names of the parts whose brackets, a position between pieces lies in."""
    before = [piece for piece in pieces if piece.end <= cursor]
    number = before[-1].alternative if before else 0
    between = rule[before[-1].end if before else 0 : cursor]
    inside = before[-1].inside if before else ()
    if before and before[-1].kind == "part" and between.startswith(":<"):
        inside = (*inside, before[-1].text)
    inside = inside[: max(0, len(inside) - between.count(">"))]
    return number + (between.count("|") if not inside else 0), inside


def ranked(options: Iterable[Option], typed: str, start: int, end: int) -> Completion:
    """Rank the options that hold what is typed: first those that begin with it, then those that leave more words."""
    part = typed.casefold()

    def rank(option: Option) -> tuple[bool, bool, bool, int, str]:
        text = option.text.casefold()
        name = text.partition(":")[2] if option.kind in {"phrase", "relation"} and ":" in text else text
        begins = text.startswith(part) or name.startswith(part)
        return (not option.first, not begins, option.count == 0, -(option.count or 0), option.text)

    fitting = sorted((option for option in options if part in option.text.casefold()), key=rank)
    return Completion(start, end, tuple(fitting[:MOST]), len(fitting[MOST:]))


_LINES = ("good", "bad", "line")
_FLAG = ("true", "false")
_VALUES = {"edit": EDITS, "status": ("included", "excluded", "baseline"), "equal_length": _FLAG, "crossed": _FLAG}
_ENTRY = re.compile(r"^(?P<head>\s*(?:-\s+)?(?P<key>[\w-]+):[ \t]+)(?P<value>.*)$")


def complete_text(text: str, *, cursor: int, fitting: Fitting, phrases: bool = False) -> Completion:
    """Return what may be typed at `cursor` in the text of a paradigm, or of a file of phrases."""
    cursor = max(0, min(cursor, len(text)))
    lines, document = Lines(text), try_read_tree(text)
    site = _site_at(text, cursor, lines, document)
    if site is None or document is None:
        return _by_line(text, cursor, lines, fitting, document)
    raw, said = cursor - site.scalar.start, site.scalar.text
    places = offsets(site.raw, said, style=site.scalar.style)
    inner = next((n for n, place in enumerate(places) if place >= raw), len(places) - 1)
    blanks = max(0, raw - len(site.raw))  # a plain scalar ends before the blank that was just typed
    value, at = said + " " * blanks, inner + blanks
    key, slots = str(site.path[-1]), _slots(document, site.path, phrases=phrases)
    completion = _in_value(key, value, at, fitting, slots, rule=is_rule(site.path, phrases=phrases))
    start, end = (site.at(at) + max(0, at - len(said)) for at in (completion.start, completion.end))
    return replace(completion, start=start, end=end)


def _site_at(text: str, cursor: int, lines: Lines, document: MappingNode | None) -> Site | None:
    """Return the value that the cursor stands in, at an end of, or after with nothing but blanks between."""
    start = lines.line_start(cursor)
    for site in reversed(sites_in(text, document)):
        if site.scalar.start <= cursor and not site.key:
            between = text[site.scalar.end : cursor]
            near = cursor <= site.scalar.end or (site.scalar.end >= start and not between.strip())
            return site if near and (site.scalar.style == "" or not between) else None
    return None


def _slots(document: MappingNode, path: Path, *, phrases: bool) -> Mapping[str, str]:
    """Return the rules that links and lines at a path may name."""
    if phrases:
        rows = (row for phrase in phrase_rows(document) for row in phrase.alternatives)
        parts = next((row.parts for row in rows if row.path == path[: len(row.path)]), ())
        return {part.name: part.rule for part in parts}
    paradigm = paradigm_rows(document)
    scopes = [w for w in paradigm.wordings if not w.path or w.path == path[:2]] or list(paradigm.wordings[:1])
    return {name: slot.rule for name, slot in paradigm.in_scope(scopes[0]).items()} if scopes else {}


def _by_line(text: str, cursor: int, lines: Lines, fitting: Fitting, document: MappingNode | None) -> Completion:
    """Complete a text that is not YAML yet, by its line alone."""
    start = lines.line_start(cursor)
    line = text[start : lines.line_end(cursor)]
    entry = _ENTRY.match(line)
    if entry is None or cursor < start + entry.end("head"):
        return _keys(text, cursor, start, document)
    slots = {m["key"]: _bare(m["value"]) for m in map(_ENTRY.match, text.splitlines()) if m and m["key"] not in ORDER}
    key, value = entry["key"], _bare(entry["value"])
    at = start + entry.start("value") + entry["value"].startswith(("'", '"'))
    completion = _in_value(key, value, cursor - at, fitting, slots, rule=key not in {*ORDER, *_LINES})
    return replace(completion, start=completion.start + at, end=completion.end + at)


def _bare(value: str) -> str:
    """Return a value without its quotes, of which the second may still be missing."""
    return value[1:].removesuffix(value[0]) if value[:1] in {"'", '"'} else value


def _in_value(
    key: str, value: str, cursor: int, fitting: Fitting, slots: Mapping[str, str], *, rule: bool
) -> Completion:
    """Complete a rule, a line, or a field that holds a few words; `edit` holds several, joined by `+`."""
    if rule:
        return complete_rule(value, cursor=cursor, fitting=fitting, slots=slots, slot=key)
    if key in _LINES:
        return complete_line(value, cursor=cursor, fitting=fitting, slots=slots)
    start = value.rfind("+", 0, cursor) + 1
    options = [Option(word, "value") for word in _VALUES.get(key, ())]
    return ranked(options, value[start:cursor].strip(), start, len(value))


def _keys(text: str, cursor: int, start: int, document: MappingNode | None) -> Completion:
    """Return the keys that the file does not have yet, at the start of a line."""
    if document is not None:
        present = {field.name.partition(".")[0] for field in paradigm_rows(document).fields if field.span}
    else:
        entries = (m for m in map(_ENTRY.match, text.splitlines()) if m and m["head"] == m["head"].lstrip())
        present = {entry["key"] for entry in entries}
    typed = text[start:cursor]
    if typed != typed.strip() or ":" in typed:
        return Completion(cursor, cursor)
    return ranked([Option(f"{key}: ", "keyword") for key in ORDER if key not in present], typed, start, cursor)
