"""Printing: which words, in which form, stand on each side of a pair, and how the sides differ."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Literal as OneOf

from bidui.errors import Place, all_problems, collect, fail
from bidui.grammar.paradigm import EDITS, Line, Literal, Use, Variant
from bidui.grammar.rules import Match
from bidui.grammar.tree import Atom, Choices, Link, Node, Phrase, Tree, Word, may_be_empty, ways, words_under
from bidui.pairs.pair import CLOSING, capitalized, count_words

GOOD, BAD = 0, 1


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a line: how its items become a sentence."""

    separator: str = ""
    capital: bool = False
    lang: str = ""

    def length(self, text: str) -> int:
        """Count characters, or words if words are separated by blanks; closing punctuation is not a word."""
        return count_words(text) if self.separator and not self.separator.strip() else len(text)

    def opened(self, text: str) -> str:
        """Return a text as it stands at the beginning of a sentence."""
        return capitalized(text, self.lang) if self.capital else text

    def folded(self, text: str) -> str:
        """Return the text without separators and capitals."""
        bare = text.replace(self.separator, "") if self.separator else text
        return bare.lower() if self.capital else bare

    def joiner(self, following: str | None) -> str:
        """Return what stands before an item; `following` is its text if that is fixed."""
        return "" if following is not None and CLOSING.issuperset(following) else self.separator


@dataclass(slots=True)
class Uses:
    """Every occurrence of every word, and how many more literal characters a phrase prints on the good side."""

    leaves: dict[Word, list[tuple[int, str]]] = field(default_factory=dict)
    literal: dict[Phrase, int] = field(default_factory=dict)
    fixed: int = 0
    columns: dict[str, Place] = field(default_factory=dict)  # printed columns other than `expression`, first place


def uses_of(tree: Tree, style: Style) -> Uses:
    """Return the occurrences of all words of a tree on both sides."""
    uses = Uses({leaf: [] for leaf in tree.leaves})
    with all_problems() as problems:
        for side, line in ((GOOD, tree.variant.good), (BAD, tree.variant.bad)):
            with collect(problems):
                _line(line, tree.scope.nodes, side, None, uses, style)
    return uses


def _line(line: Line, nodes: dict[str, Node], side: int, phrase: Phrase | None, uses: Uses, style: Style) -> None:
    for item in line.items:
        if isinstance(item, Use):
            _use(item, nodes, side, uses, style, line.place.at(item.offset))
            continue
        signed = style.length(item.text) * (1 if side == GOOD else -1)
        if phrase is None:
            uses.fixed += signed
        else:
            uses.literal[phrase] = uses.literal.get(phrase, 0) + signed


def _use(use: Use, nodes: dict[str, Node], side: int, uses: Uses, style: Style, place: Place) -> None:
    if use.column != "expression":
        uses.columns.setdefault(use.column, place)
    for _, filler in ways(nodes[use.ref.slot], use.ref.path, place=place):
        if isinstance(filler, Word):
            uses.leaves[filler].append((side, use.column))
        elif isinstance(filler, Phrase):
            if use.column != "expression":
                raise fail("column-of-phrase", place, {"use": str(use), "phrase": filler.name})
            _line(filler.line, filler.parts, side, filler, uses, style)


def flatten_item(item: Literal | Use, nodes: dict[str, Node], choices: Choices) -> list[Atom]:
    """Return an item of a line under a choice of alternatives: literal texts, and words with the column printed."""
    if isinstance(item, Literal):
        return [item.text]
    _, filler = next(ways(nodes[item.ref.slot], item.ref.path, choices))
    if isinstance(filler, Word):
        return [(filler, item.column)]
    if isinstance(filler, Phrase):
        return [part for inner in filler.line.items for part in flatten_item(inner, filler.parts, choices)]
    return []


# Alignment: the bad line keeps, moves, copies, drops, adds or replaces each item of the good line.

Kind = OneOf["move", "copy", "drop", "add", "replace", "agree"]
_EDIT = {
    "move": "order",
    "copy": "insertion",
    "add": "insertion",
    "drop": "deletion",
    "replace": "substitution",
    "agree": "agreement",
}


@dataclass(frozen=True, slots=True)
class Change:
    """An item of one side that is not simply kept."""

    side: int
    item: int
    slot: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Token:
    """An item of a line as written; equal tokens print the same text."""

    text: str
    slot: str
    literal: bool = False
    mismatched: bool = False


def changes_of_tokens(variant: Variant, nodes: Mapping[str, Node]) -> list[Change] | None:
    """Return how the lines as written differ; None if that depends on the alternatives chosen.

    It does if a line names parts of a phrase, or if a slot that changes may be empty.
    """
    lines: list[list[Token]] = []
    for line in (variant.good, variant.bad):
        if any(isinstance(item, Use) and item.ref.path for item in line.items):
            return None
        lines.append([_token(item, nodes) for item in line.items])
    changes = align(lines[0], lines[1])
    changed = {change.slot for change in changes}
    if any(name in changed and may_be_empty(node) for name, node in nodes.items()):
        return None
    return changes


def _token(item: Literal | Use, nodes: Mapping[str, Node]) -> Token:
    if isinstance(item, Literal):
        return Token(item.text, item.text, literal=True)
    words = words_under(nodes[item.ref.slot])
    links = [link for word in words for link in word.links if link.scope.nodes is nodes]  # not those inside a phrase
    return Token(str(item), item.ref.slot, mismatched=_mismatched(links))


def _mismatched(links: Iterable[Link]) -> bool:
    return any(isinstance(link.term, Match) and not link.term.same for link in links)


def tokens_of(items: Sequence[Atom]) -> list[Token]:
    """Return the items of a flattened line as tokens."""
    return [
        Token(item, item, literal=True)
        if isinstance(item, str)
        else Token(f"{item[0].index}@{item[1]}", item[0].slot, mismatched=_mismatched(item[0].links))
        for item in items
    ]


def align(good: Sequence[Token], bad: Sequence[Token]) -> list[Change]:
    """Return the changes that turn the good line into the bad one, good side first, in the order of the line.

    As many items as possible are kept in place. The others are moved if the same item stands on both sides, copied if
    the bad side repeats it, and replaced if both sides have something in the same gap.
    """
    kept = _common(good, bad)
    free_good = [i for i in range(len(good)) if i not in {a for a, _ in kept}]
    free_bad = [j for j in range(len(bad)) if j not in {b for _, b in kept}]
    kinds: dict[tuple[int, int], Kind] = {}
    for j in free_bad:
        moved = [i for i in free_good if (GOOD, i) not in kinds and good[i] == bad[j]]
        if moved:
            kinds[GOOD, moved[0]] = kinds[BAD, j] = "move"
    for j in free_bad:
        if (BAD, j) not in kinds and not bad[j].literal and bad[j] in good:
            kinds[BAD, j] = "copy"
    for (after_i, after_j), (before_i, before_j) in pairwise(((-1, -1), *kept, (len(good), len(bad)))):  # the gaps
        left = [i for i in range(after_i + 1, before_i) if (GOOD, i) not in kinds]
        right = [j for j in range(after_j + 1, before_j) if (BAD, j) not in kinds]
        for i, j in zip(left, right, strict=False):
            kinds[GOOD, i] = kinds[BAD, j] = "agree" if bad[j].mismatched else "replace"
    kinds |= {(GOOD, i): "drop" for i in free_good if (GOOD, i) not in kinds}
    kinds |= {(BAD, j): "add" for j in free_bad if (BAD, j) not in kinds}
    lines = (good, bad)
    return [Change(side, n, lines[side][n].slot, kinds[side, n]) for side, n in sorted(kinds)]


def edit_kinds(changes: Iterable[Change]) -> list[str]:
    """Return the kinds of edit, in their fixed order."""
    kinds = {_EDIT[change.kind] for change in changes}
    return [edit for edit in EDITS if edit in kinds]


def _common(good: Sequence[Token], bad: Sequence[Token]) -> list[tuple[int, int]]:
    """Return a longest common subsequence; words weigh more than literals, so that literals move rather than words."""
    weight = [2 if token.literal else 3 for token in good]
    best: list[list[int]] = [[0] * (len(bad) + 1) for _ in range(len(good) + 1)]
    for i in range(len(good) - 1, -1, -1):
        for j in range(len(bad) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1])
            if good[i] == bad[j]:
                best[i][j] = max(best[i][j], best[i + 1][j + 1] + weight[i])
    pairs = []
    i = j = 0
    while i < len(good) and j < len(bad):
        if good[i] == bad[j] and best[i][j] == best[i + 1][j + 1] + weight[i]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


# Seams: strings that may not arise where two slots meet.


def crosses(left: str, right: str, seam: str) -> bool:
    """Tell whether the seam arises across the boundary between two texts."""
    return any(left.endswith(seam[:cut]) and right.startswith(seam[cut:]) for cut in range(1, len(seam)))


def broken(texts: Sequence[str], seams: Sequence[str]) -> bool:
    """Tell whether some seam arises across one or more boundaries of these texts when joined."""
    line = "".join(texts)
    for seam in seams:
        start = line.find(seam)
        while start >= 0:
            if any(start < boundary < start + len(seam) for boundary in accumulate(map(len, texts))):
                return True
            start = line.find(seam, start + 1)
    return False
