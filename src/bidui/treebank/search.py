"""Patterns over trees, in a small language of labels, function tags, words, daughters and heads.

    NP                          a node with that label, whatever its function tags; NP|QP one of these; * any
    NP-OBJ                      with the function tag too; in a dependency tree NOUN-obj, which includes obj:periph
    NN=水稻/小麦                with one of these words
    NP(QP NP)                   with these daughters in this order, perhaps among others
    VP[... VV AS? NP-OBJ]       with exactly these daughters: ? may be missing, ... stands for any others
    NP(..M)                     with an M anywhere below
    NP(!CC)                     without such a daughter
    NP(^NN=老师)                whose head is that word
    VP(verb:VV)                 the daughter gets a name, under which the match gives it

In a dependency tree, the daughters of a word are its dependents, and its head is the word itself.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bidui.errors import Place, fail
from bidui.treebank.trees import Node, Tree, read_trees

LONGEST = 2_000  # characters of a pattern
DEEPEST = 20
_LABEL = r"(?:\*|-NONE-|[^\s()\[\]=!?^:|/.*-]+)"
_ITEM = re.compile(
    rf"(?P<role>\.\.|!|\^)?(?:(?P<name>[^\W\d]\w*):)?(?P<labels>{_LABEL}(?:\|{_LABEL})*)"
    r"(?P<functions>(?:-[^\s()\[\]=!?^|/-]+)*)(?:=(?P<words>[^\s()\[\]?]+))?(?P<optional>\?)?"
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A node as it is described; `role` says where in the node above it stands."""

    labels: frozenset[str]  # none: any
    functions: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    name: str = ""
    role: str = ""  # "": a daughter; "..": anywhere below; "!": no daughter; "^": the head; "...": any daughters
    optional: bool = False
    daughters: "tuple[Pattern, ...]" = ()
    exact: bool = False  # these daughters and no others

    def fits(self, node: Node) -> bool:
        """Whether the node itself is as described, whatever is below it."""
        return (
            (not self.labels or node.label in self.labels)
            and (not self.words or node.word in self.words)
            and all(_has_function(node, function) for function in self.functions)
        )


@dataclass(frozen=True, slots=True)
class TreeMatch:
    """A node that a pattern describes, with the parts that have names in it."""

    tree: Tree = field(repr=False)
    node: Node
    parts: Mapping[str, Node]

    @property
    def text(self) -> str:
        """The words of the node."""
        return self.node.text

    @property
    def place(self) -> Place:
        """The file, and the line at which the tree begins."""
        return Place(self.tree.file, self.tree.line)


def search_trees(
    trees: str | Path | Iterable[Tree] | Iterable[str | Path], pattern: str | Pattern
) -> Iterator[TreeMatch]:
    """Yield every node that a pattern describes, and every way in which its named parts can be chosen.

    The trees are those of `read_trees`, or the files, folders and globs to read.
    """
    wanted = parse_pattern(pattern) if isinstance(pattern, str) else pattern
    for tree in _opened(trees):
        for node in tree.root.nodes():
            for parts in match_node(wanted, node):
                yield TreeMatch(tree, node, parts)


def _opened(trees: str | Path | Iterable[Tree] | Iterable[str | Path]) -> Iterator[Tree]:
    if isinstance(trees, str | Path):
        yield from read_trees(trees)
        return
    for tree in trees:
        if isinstance(tree, Tree):
            yield tree
        else:
            yield from read_trees(tree)


def match_node(pattern: Pattern, node: Node) -> Iterator[dict[str, Node]]:
    """Yield the ways in which a node is as described, as its named parts; each of them once."""
    seen: set[tuple[tuple[str, int], ...]] = set()
    for parts in _matches(pattern, node):
        key = tuple((name, id(part)) for name, part in parts.items())
        if key not in seen:
            seen.add(key)
            yield parts


def _matches(pattern: Pattern, node: Node) -> Iterator[dict[str, Node]]:
    if not pattern.fits(node):
        return
    own = {pattern.name: node} if pattern.name else {}
    if not pattern.daughters:
        yield own
        return
    ordered = [daughter for daughter in pattern.daughters if daughter.role in {"", "..."}]
    if not pattern.exact:
        ordered = [_ANY, *(each for daughter in ordered for each in (daughter, _ANY))]
    others = [daughter for daughter in pattern.daughters if daughter.role in {"..", "!", "^"}]
    for parts in _sequence(ordered, node.children):
        for more in _conditions(others, node):
            yield own | parts | more


def _sequence(patterns: list[Pattern], nodes: tuple[Node, ...]) -> Iterator[dict[str, Node]]:
    """Yield the ways in which the patterns describe the nodes, all of them and in this order."""
    if not patterns:
        if not nodes:
            yield {}
        return
    first, *rest = patterns
    if first.role == "...":
        if not rest:
            yield {}
            return
        for start in range(len(nodes) + 1):
            yield from _sequence(rest, nodes[start:])
        return
    if nodes:
        for parts in _matches(first, nodes[0]):
            for more in _sequence(rest, nodes[1:]):
                yield parts | more
    if first.optional:
        yield from _sequence(rest, nodes)


def _conditions(patterns: list[Pattern], node: Node) -> Iterator[dict[str, Node]]:
    if not patterns:
        yield {}
        return
    first, *rest = patterns
    if first.role == "!":
        if not any(True for child in node.children for _ in _matches(first, child)):
            yield from _conditions(rest, node)
        return
    candidates = [head_of(node)] if first.role == "^" else list(node.nodes())[1:]
    for candidate in candidates:
        for parts in _matches(first, candidate):
            for more in _conditions(rest, node):
                yield parts | more


def _has_function(node: Node, function: str) -> bool:
    return any(own == function or own.startswith(f"{function}:") for own in node.functions)


# Heads of phrases: the last noun of an NP, the first verb of a VP, and so on (after Sun & Jurafsky 2004)

_NOUNS = ("NP", "NN", "NR", "NT", "PN", "QP")
_VERBS = ("VP", "VV", "VA", "VC", "VE", "VRD", "VCD", "VSB", "VCP", "VNV", "VPT", "BA", "LB", "SB")
_HEADS: dict[str, tuple[bool, tuple[str, ...]]] = {  # whether the first one is the head, and which may be
    "VP": (True, _VERBS),
    "VCD": (False, _VERBS),
    "VRD": (True, _VERBS),
    "IP": (False, ("VP", "IP", *_VERBS)),
    "CP": (False, ("IP", "VP", "CP")),
    "PP": (True, ("P", "PP")),
    "NP": (False, _NOUNS),
    "DP": (True, ("DT", "DP")),
    "QP": (False, ("QP", "CLP", "CD", "OD")),
    "CLP": (False, ("M", "CLP")),
    "LCP": (False, ("LC", "LCP")),
    "DNP": (False, ("DEG", "DEC")),
    "DVP": (False, ("DEV",)),
}


def head_of(node: Node) -> Node:
    """Return the word that a phrase is built around; of a word, the word itself."""
    while not node.word and node.children:
        first, labels = _HEADS.get(node.label, (False, ()))
        children = node.children if first else node.children[::-1]
        words = [child for child in children if child.label != "PU"]
        node = next((child for child in words if child.label in labels), (words or children)[0])
    return node


# Reading patterns


def parse_pattern(text: str) -> Pattern:
    """Return the pattern that a text describes."""
    if len(text) > LONGEST:
        raise fail("pattern-long", Place(), {"length": len(text), "limit": LONGEST})
    pattern, end = _item(text, _blanks(text, 0), 0)
    if _blanks(text, end) < len(text):
        raise fail("pattern-rest", _place(end), {"rest": text[end:]})
    if pattern.role or pattern.optional:
        raise fail("pattern-daughter", _place(0), {"pattern": text})
    return pattern


def _item(text: str, at: int, depth: int) -> tuple[Pattern, int]:
    if text.startswith("...", at):
        return _ANY, at + 3
    item = _ITEM.match(text, at)
    if not item:
        raise fail("pattern-label", _place(at), {"rest": text[at:]})
    if depth > DEEPEST:
        raise fail("pattern-deep", _place(at), {"limit": DEEPEST})
    end = item.end()
    daughters: list[Pattern] = []
    close = {"(": ")", "[": "]"}.get(text[end : end + 1], "")
    if close:
        at = _blanks(text, end + 1)
        while text[at : at + 1] != close:
            if at >= len(text):
                raise fail("pattern-unclosed", _place(end), {"bracket": text[end]})
            daughter, at = _item(text, at, depth + 1)
            daughters.append(daughter)
            at = _blanks(text, at)
        exact, end = text[end] == "[", at + 1
        if text[end : end + 1] == "?":  # after the brackets it is easier to see
            end += 1
            optional = True
        else:
            optional = bool(item["optional"])
        _check_daughters(item.end(), daughters, exact=exact)
    else:
        exact, optional = False, bool(item["optional"])
    labels = frozenset() if "*" in item["labels"].split("|") else frozenset(item["labels"].split("|"))
    functions = tuple(function for function in item["functions"].split("-") if function)
    words = frozenset((item["words"] or "").split("/")) - {""}
    pattern = Pattern(
        labels, functions, words, item["name"] or "", item["role"] or "", optional, tuple(daughters), exact
    )
    return pattern, end


def _check_daughters(at: int, daughters: list[Pattern], *, exact: bool) -> None:
    if not exact and any(daughter.optional or daughter.role == "..." for daughter in daughters):
        raise fail("pattern-exact", _place(at))
    if any(daughter.role == "!" and _names(daughter) for daughter in daughters):
        raise fail("pattern-name", _place(at))


def _names(pattern: Pattern) -> list[str]:
    return [name for name in (pattern.name, *(n for d in pattern.daughters for n in _names(d))) if name]


def _blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _place(at: int) -> Place:
    return Place("pattern", 1, at + 1)


_ANY = Pattern(frozenset(), role="...")
