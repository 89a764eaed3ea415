"""Printing: which words, in which form, stand on each side of a pair."""

from dataclasses import dataclass, field

from bidui.errors import InputError, Place, Problem, fail
from bidui.grammar.lines import Line, Literal, Use
from bidui.grammar.tree import Leaf, Node, Option, Tree

GOOD, BAD = 0, 1
CLOSING = frozenset(".,!?;:)]}'”’%，。！？；：、）")


@dataclass(frozen=True, slots=True)
class Style:
    """How the items of a line become a sentence."""

    separator: str = ""
    capital: bool = False

    def length(self, text: str) -> int:
        """Characters, or words where words are separated by blanks; closing punctuation is no word of its own."""
        if not self.separator.strip() and self.separator:
            return sum(not CLOSING.issuperset(word) for word in text.split())
        return len(text)

    def folded(self, text: str) -> str:
        """What is left of a text when separators and capitals may come and go."""
        bare = text.replace(self.separator, "") if self.separator else text
        return bare.lower() if self.capital else bare

    def joiner(self, following: str | None) -> str:
        """What stands before an item; `following` is its text where that is fixed."""
        return "" if following is not None and CLOSING.issuperset(following) else self.separator


@dataclass(slots=True)
class Uses:
    """Every occurrence of every leaf, and how many more literal characters an option prints on the good side."""

    leaves: dict[Leaf, list[tuple[int, str]]] = field(default_factory=dict)
    literal: dict[Option, int] = field(default_factory=dict)
    fixed: int = 0
    columns: dict[str, Place] = field(default_factory=dict)  # printed columns other than `expression`, first place


def uses_of(tree: Tree, style: Style) -> Uses:
    """The occurrences of all leaves of a tree on both sides."""
    uses = Uses({leaf: [] for leaf in tree.leaves})
    problems: list[Problem] = []
    for side, line in ((GOOD, tree.variant.good), (BAD, tree.variant.bad)):
        try:
            _line(line, tree.scope.nodes, side, None, uses, style)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return uses


def _line(line: Line, nodes: dict[str, Node], side: int, option: Option | None, uses: Uses, style: Style) -> None:
    for item in line.items:
        if isinstance(item, Use):
            place = line.place.at(item.offset)
            _use(nodes[item.ref.slot], item.ref.path, item, side, uses, style, place)
            continue
        signed = style.length(item.text) * (1 if side == GOOD else -1)
        if option is None:
            uses.fixed += signed
        else:
            uses.literal[option] = uses.literal.get(option, 0) + signed


def _use(node: Node, path: tuple[str, ...], use: Use, side: int, uses: Uses, style: Style, place: Place) -> None:
    if use.column != "expression":
        uses.columns.setdefault(use.column, place)
    for option in node.options:
        if option.leaf:
            if path not in ((), ("head",)):
                raise fail("part-unknown", place, {"part": path[0], "what": node.path})
            uses.leaves[option.leaf].append((side, use.column))
        elif "" in option.parts:
            _use(option.parts[""], path, use, side, uses, style, place)
        elif path and option.parts:
            _use(_part(option, path[0], place), path[1:], use, side, uses, style, place)
        elif option.parts:
            if use.column != "expression":
                raise fail("column-of-phrase", place, {"use": str(use), "phrase": option.name})
            _line(option.line, option.parts, side, option, uses, style)


def _part(option: Option, name: str, place: Place) -> Node:
    part = option.head if name == "head" and name not in option.parts else name
    if name == "head" and not part:
        raise fail("head-missing", option.place, {"phrase": option.name})
    if part not in option.parts:
        what = f"phrase {option.name} ({', '.join(option.parts)})"
        raise fail("part-unknown", place, {"part": name, "what": what})
    return option.parts[part]


Item = str | tuple[Leaf, str]


def flatten_item(item: Literal | Use, nodes: dict[str, Node], choices: dict[int, int]) -> list[Item]:
    """An item of a line under a choice of alternatives: literal texts, and leaves with the column printed."""
    if isinstance(item, Literal):
        return [item.text]
    items: list[Item] = []
    _flatten_use(nodes[item.ref.slot], item.ref.path, item.column, choices, items)
    return items


def _flatten_use(node: Node, path: tuple[str, ...], column: str, choices: dict[int, int], items: list[Item]) -> None:
    option = node.options[choices.get(node.choice, 0)]
    if option.leaf:
        items.append((option.leaf, column))
    elif "" in option.parts:
        _flatten_use(option.parts[""], path, column, choices, items)
    elif path and option.parts:
        _flatten_use(option.part(path[0]), path[1:], column, choices, items)
    elif option.parts:
        for item in option.line.items:
            items += flatten_item(item, option.parts, choices)
