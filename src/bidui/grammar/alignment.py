"""Alignment: what the bad line does to each item of the good one: keeps, moves, copies, drops, adds or replaces it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from bidui.grammar.lines import Literal, Use
from bidui.grammar.paradigm import EDITS, Variant
from bidui.grammar.printing import BAD, GOOD, Item
from bidui.grammar.rules import Match
from bidui.grammar.tree import Link, Node

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
    literal: bool
    mismatched: bool


def changes_of_tokens(variant: Variant, nodes: Mapping[str, Node]) -> list[Change] | None:
    """How the lines as written differ; None where that depends on the alternatives chosen.

    It does where a line names parts of a phrase, or where a slot that changes may be empty.
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
        return Token(item.text, item.text, literal=True, mismatched=False)
    links = [link for link in _links(nodes[item.ref.slot]) if link.scope.nodes is nodes]  # not those inside a phrase
    mismatched = any(isinstance(link.term, Match) and not link.term.same for link in links)
    return Token(str(item), item.ref.slot, literal=False, mismatched=mismatched)


def _links(node: Node) -> Iterator[Link]:
    for option in node.options:
        if option.leaf:
            yield from option.leaf.links
        for part in option.parts.values():
            yield from _links(part)


def may_be_empty(node: Node) -> bool:
    """Whether some alternative prints nothing."""
    for option in node.options:
        if option.leaf:
            continue
        literal = any(isinstance(item, Literal) for item in option.line.items)
        if not literal and all(may_be_empty(part) for part in option.parts.values()):
            return True
    return False


def tokens_of(items: Sequence[Item]) -> list[Token]:
    """The items of a flattened line as tokens."""
    tokens = []
    for item in items:
        if isinstance(item, str):
            tokens.append(Token(item, item, literal=True, mismatched=False))
            continue
        leaf, column = item
        mismatched = any(isinstance(link.term, Match) and not link.term.same for link in leaf.links)
        tokens.append(Token(f"{leaf.index}@{column}", leaf.slot, literal=False, mismatched=mismatched))
    return tokens


def align(good: Sequence[Token], bad: Sequence[Token]) -> list[Change]:
    """The changes that turn the good line into the bad one, good side first, in the order of the line.

    As many items as possible are kept in place; what is left is moved where the same item stands on both sides,
    copied where the bad side says it once more, replaced where both sides have something in the same gap.
    """
    kept = _common(good, bad)
    free_good = [i for i in range(len(good)) if i not in {a for a, _ in kept}]
    free_bad = [j for j in range(len(bad)) if j not in {b for _, b in kept}]
    kinds: dict[tuple[int, int], Kind] = {}
    for j in free_bad:
        match = next((i for i in free_good if (GOOD, i) not in kinds and good[i] == bad[j]), None)
        if match is not None:
            kinds[GOOD, match] = kinds[BAD, j] = "move"
    for j in free_bad:
        if (BAD, j) not in kinds and not bad[j].literal and bad[j] in good:
            kinds[BAD, j] = "copy"
    for gap_good, gap_bad in _gaps(kept, len(good), len(bad)):
        left = [i for i in gap_good if (GOOD, i) not in kinds]
        right = [j for j in gap_bad if (BAD, j) not in kinds]
        for i, j in zip(left, right, strict=False):
            kinds[GOOD, i] = kinds[BAD, j] = "agree" if bad[j].mismatched else "replace"
    kinds |= {(GOOD, i): "drop" for i in free_good if (GOOD, i) not in kinds}
    kinds |= {(BAD, j): "add" for j in free_bad if (BAD, j) not in kinds}
    lines = (good, bad)
    return [Change(side, n, lines[side][n].slot, kinds[side, n]) for side, n in sorted(kinds)]


def edit_kinds(changes: Iterable[Change]) -> list[str]:
    """The kinds of edit, in the order in which they are always written."""
    found = {_EDIT[change.kind] for change in changes}
    return [edit for edit in EDITS if edit in found]


def _common(good: Sequence[Token], bad: Sequence[Token]) -> list[tuple[int, int]]:
    """A longest common subsequence; words weigh more than literals, so that these move rather than those."""
    best: list[list[int]] = [[0] * (len(bad) + 1) for _ in range(len(good) + 1)]
    for i in range(len(good) - 1, -1, -1):
        for j in range(len(bad) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1])
            if good[i] == bad[j]:
                best[i][j] = max(best[i][j], best[i + 1][j + 1] + _weight(good[i]))
    pairs = []
    i = j = 0
    while i < len(good) and j < len(bad):
        if good[i] == bad[j] and best[i][j] == best[i + 1][j + 1] + _weight(good[i]):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _weight(token: Token) -> int:
    return 2 if token.literal else 3


def _gaps(kept: list[tuple[int, int]], n_good: int, n_bad: int) -> Iterable[tuple[range, range]]:
    previous = (-1, -1)
    for pair in (*kept, (n_good, n_bad)):
        yield range(previous[0] + 1, pair[0]), range(previous[1] + 1, pair[1])
        previous = pair
