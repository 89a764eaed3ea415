"""The options at a place in a rule: features, values, links, phrases and relations, with the words each would leave."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import Literal

from bidui.grammar.rules import KEYWORDS, Condition, escape
from bidui.web.editing.fitting import Fitting
from bidui.web.editing.rule_pieces import Piece, pieces_of

Kind = Literal["feature", "value", "keyword", "slot", "phrase", "relation", "part", "column", "word"]
MOST = 50
_TRIED = 40  # words that show whether two features have anything in common


@dataclass(frozen=True, slots=True)
class Option:
    """Something to type; `count` is how many words would be left, where that can be said."""

    text: str
    kind: Kind
    count: int | None = None
    detail: str = ""  # the columns of a relation
    first: bool = False  # comes before all others: the other half of a link


@dataclass(slots=True)
class RuleOptions:
    """A rule being written, with what stands around it; `left_out` counts the values that were too many to list."""

    rule: str
    pieces: Sequence[Piece]
    fitting: Fitting
    others: Mapping[str, str]
    slot: str
    typed: str
    left_out: int = 0

    def options(self, piece: Piece) -> Iterable[Option]:
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

    def base(self, piece: Piece) -> int:
        """The words left by everything finished around a piece but its own token."""
        beside = [p for p in self.pieces if p.alternative == piece.alternative and p.inside == piece.inside]
        words = self.fitting.everything
        if piece.inside:
            phrase = self.phrase(piece)
            words = self.fitting.part(phrase, tuple(piece.inside[-1].split("."))) if phrase else words
        return words & self.fitting.lexicon.bits(self.fitting.conditions(self.rule, beside, without=piece.token))

    def phrase(self, piece: Piece) -> str:
        """The phrase that an alternative names."""
        return next((p.text for p in self.pieces if p.kind == "phrase" and p.alternative == piece.alternative), "")

    def starts(self, piece: Piece) -> Iterator[Option]:
        """What a token may begin with."""
        beside = [p for p in self.pieces if p.alternative == piece.alternative and p.inside == piece.inside]
        beside = [p for p in beside if p.token != piece.token]
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
        if not beside and not piece.inside:
            yield from self.phrases()
            yield from self.forms(piece)

    def forms(self, piece: Piece) -> Iterator[Option]:
        """Words of the lexicon, once something other than Latin letters is typed."""
        typed = piece.text.strip('"')
        if typed and not typed.isascii():
            for form in dict.fromkeys(word.form for word in self.fitting.lexicon.words if word.form.startswith(typed)):
                yield Option(form, "word", len(self.fitting.lexicon.with_form(form)))

    def values(self, piece: Piece) -> Iterator[Option]:
        """The values of a feature; of thousands, those that would come first anyway."""
        lexicon, feature = self.fitting.lexicon, piece.of
        if not lexicon.has_feature(feature):
            return
        words = self.base(piece)
        negated = self.rule[slice(*piece.token)].partition(":")[2].startswith("!")
        beside = {p.text for p in self.pieces if p.token == piece.token and p.kind == "value" and p is not piece}
        total = (words & lexicon.bits([Condition(feature, "has")])).bit_count()
        wanted = self.typed.casefold()
        counts = self.fitting.counts(feature, words)
        fitting = [v for v in counts if v not in beside and wanted in v.casefold()]
        if len(fitting) > 2 * MOST:
            self.left_out += len(fitting) - MOST
            sign = 1 if negated else -1
            fitting = nsmallest(MOST, fitting, key=lambda v: (not v.startswith(self.typed), sign * counts[v], v))
        for value in fitting:
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
        every = {**self.others, **({self.slot: self.rule} if self.slot else {})}
        yield from targets(self.fitting, every, whole=False, within=column)
        yield Option("_", "slot")

    def target(self, piece: Piece) -> int | None:
        """The words of the slot that a property is compared with."""
        of = "mPos" if piece.of == "mPro" else "mmPos"
        beside = [p for p in self.pieces if p.alternative == piece.alternative and p.inside == piece.inside]
        named = [p.text for p in beside if p.kind == "slot" and p.of == of]
        name, *path = named[-1].split(".") if named else [""]
        return self.fitting.rule(self.others[name], path) if name in self.others else None

    def properties(self, piece: Piece) -> Iterator[Option]:
        """Features that both words have, and pairs of different ones that have values in common."""
        target, words = self.target(piece), self.base(piece)
        own = [feature for feature, count in self.fitting.having(words).items() if count]
        same = piece.of == "mPro"
        if target is None:
            yield from (Option(escape(feature), "feature") for feature in own)
            return
        theirs = self.fitting.seen(target)
        for mine in own:
            for other in theirs:
                if mine == other != "expression":
                    yield Option(escape(mine), "feature", self._partners(words, mine, theirs[other], same))
                elif mine != other and self.fitting.partners(words, mine, theirs[other], same=True, most=_TRIED):
                    text = f"{escape(mine)}={escape(other)}"
                    yield Option(text, "feature", self._partners(words, mine, theirs[other], same))
            yield Option(f"{escape(mine)}=", "feature")

    def theirs(self, piece: Piece) -> Iterator[Option]:
        target, words = self.target(piece), self.base(piece)
        mine = next((p.text for p in self.pieces if p.end == piece.start - 1 and p.kind == "feature"), "")
        if target is None or not self.fitting.lexicon.has_feature(mine):
            return
        for feature, sets in self.fitting.seen(target).items():
            yield Option(escape(feature), "feature", self._partners(words, mine, sets, piece.of == "mPro"))

    def _partners(self, words: int, mine: str, theirs: Iterable[frozenset[str]], same: bool) -> int:
        return self.fitting.partners(words, mine, theirs, same=same)

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
    """Slots and parts of slots, with their words; a slot that is a phrase can be printed whole, but not linked to."""
    for name, rule in slots.items():
        phrases = {piece.text for piece in pieces_of(rule) if piece.kind == "phrase"}
        if whole or not phrases:
            yield Option(name, "slot", (fitting.rule(rule) & within).bit_count())
        shared = [set(fitting.parts(phrase)) for phrase in phrases]
        for part in fitting.parts(min(phrases)) if phrases else ():
            if all(part in parts for parts in shared):
                yield Option(f"{name}.{part}", "slot", (fitting.rule(rule, (part,)) & within).bit_count())
