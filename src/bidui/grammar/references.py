"""References: the words that a name in a link may mean."""

from collections.abc import Iterator
from difflib import get_close_matches

from bidui.errors import Place, fail
from bidui.grammar.lines import Literal, Use
from bidui.grammar.rules import Ref
from bidui.grammar.tree import POSITION, Leaf, Node, Scope


def targets(ref: Ref, scope: Scope, place: Place, *, slot: str = "") -> list[Leaf]:
    """The words a reference may mean, one for each choice of alternatives on the way."""
    return list(_at(_named(ref, scope, place, slot), ref.path, ref, place))


def _named(ref: Ref, scope: Scope, place: Place, slot: str) -> Node:
    name = ref.slot
    if name.isdecimal() and name not in scope.nodes:
        # as in the papers: a number counts the items of the line the slot itself stands in
        lines = [line for line in scope.lines if slot in {i.ref.slot for i in line.items if isinstance(i, Use)}]
        items = (lines or list(scope.lines))[0].items
        item = items[int(name)] if POSITION.fullmatch(name) and int(name) < len(items) else None
        if not isinstance(item, Use):
            found = item.text if isinstance(item, Literal) else f"the line has {len(items)} items"
            raise fail("position-bad", place.at(ref.column), {"position": name, "found": found})
        name = item.ref.slot
    if name not in scope.nodes:
        near = get_close_matches(name, list(scope.nodes), n=2, cutoff=0.5) or list(scope.nodes)
        raise fail("slot-unknown", place.at(ref.column), {"slot": name, "slots": near})
    return scope.nodes[name]


def _at(node: Node, path: tuple[str, ...], ref: Ref, place: Place) -> Iterator[Leaf]:
    for option in node.options:
        if option.leaf:
            if path not in ((), ("head",)):
                raise fail("part-unknown", place.at(ref.column), {"part": path[0], "what": node.path})
            yield option.leaf
        elif "" in option.parts:
            yield from _at(option.parts[""], path, ref, place)
        elif all(not inner.leaf and not inner.parts for part in option.parts.values() for inner in part.options):
            raise fail("link-to-empty", place.at(ref.column), {"slot": str(ref)})
        elif not path:
            raise fail("link-to-phrase", place.at(ref.column), {"slot": str(ref), "phrase": option.name})
        elif path[0] in option.parts:
            yield from _at(option.parts[path[0]], path[1:] or ("head",), ref, place)
        elif path[0] == "head" and option.head:
            yield from _at(option.parts[option.head], path[1:] or ("head",), ref, place)
        elif path[0] == "head":
            raise fail("head-missing", option.place, {"phrase": option.name})
        else:
            values = {"part": path[0], "what": f"phrase {option.name} ({', '.join(option.parts)})"}
            raise fail("part-unknown", place.at(ref.column), values)
