"""Enumeration: every distinct pair of a paradigm, one after the other, in a fixed order."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from bidui.grammar.assembly import Printer, make_printer
from bidui.grammar.automata import automaton
from bidui.grammar.drawing import Draw
from bidui.grammar.filling import Neighbour, clash, narrow, neighbours, seam_broken
from bidui.grammar.frames import Frame, make_frame
from bidui.grammar.lines import Use
from bidui.grammar.network import Network
from bidui.grammar.printing import BAD, GOOD
from bidui.grammar.readings import ambiguous
from bidui.grammar.seams import broken
from bidui.grammar.search import Search, can_be_filled, values_in
from bidui.grammar.tree import Node


def enumerate_pairs(networks: Sequence[Network]) -> Iterator[Draw]:
    """All distinct pairs as a stream.

    Memory stays constant, unless two fillings could print the same pair: then what was printed is remembered.
    """
    seen: set[tuple[str, str]] | None = set() if could_repeat(networks) else None
    for network in networks:
        for draw in _fillings(network):
            sentences = draw.printer.sentences(draw.pieces)
            if sentences[0] == sentences[1]:
                continue
            if seen is not None:
                if sentences in seen:
                    continue
                seen.add(sentences)
            yield draw


def could_repeat(networks: Sequence[Network]) -> bool:
    """Whether two different fillings could print the same pair.

    They cannot if each side shows what filled it; one side is enough if it prints every word of the other.
    """
    if any(column.domain.ambiguous for network in networks for column in network.columns):
        return True
    unclear = [ambiguous(automaton(networks, side)) for side in (GOOD, BAD)]
    if all(unclear):
        return True
    for side in (GOOD, BAD):
        if unclear[side] and any(_printed(network, side) - _shown(network, 1 - side) for network in networks):
            return True
    return False


def _printed(network: Network, side: int) -> set[int | str]:
    """The words a side prints, and the slots it names: one that is empty in two ways has no words."""
    line = network.variant.good if side == GOOD else network.variant.bad
    slots = {item.ref.slot for item in line.items if isinstance(item, Use)}
    return slots | {leaf.index for leaf, uses in network.uses.leaves.items() if any(at == side for at, _ in uses)}


def _shown(network: Network, side: int) -> set[int | str]:
    """The slots and words that can be told from what a side prints; a column may have one text for several words."""
    found = _printed(network, side)
    for leaf, uses in network.uses.leaves.items():
        columns = [network.columns[leaf.index].domain.texts[column] for at, column in uses if at == side]
        if all(len(set(texts)) < len(texts) for texts in columns):
            found.discard(leaf.index)
    return found


def _fillings(network: Network) -> Iterator[Draw]:
    """Every filling of a network, alternatives in the order of the file."""
    for chosen in choices_of(network):
        frame = make_frame(network, chosen)
        if can_be_filled(frame):
            printer = make_printer(frame)
            yield from _place(frame, printer, neighbours(frame), list(frame.start), [], frame.fixed)


def choices_of(network: Network) -> Iterator[dict[int, int]]:
    """Every choice of alternatives."""
    guards: dict[int, list[tuple[tuple[int, int], ...]]] = {}
    for node in network.tree.nodes:
        guards.setdefault(node.choice, []).append(node.guard)
    yield from _choose(network.tree.choices(), guards, {})


def _choose(
    nodes: list[Node], guards: dict[int, list[tuple[tuple[int, int], ...]]], chosen: dict[int, int]
) -> Iterator[dict[int, int]]:
    if not nodes:
        yield chosen
        return
    node, rest = nodes[0], nodes[1:]
    is_open = any(all(chosen.get(c, 0) == o for c, o in guard) for guard in guards[node.choice])
    if not is_open:
        yield from _choose(rest, guards, chosen)
        return
    for option in range(len(node.options)):
        yield from _choose(rest, guards, {**chosen, node.choice: option})


def _place(
    frame: Frame, printer: Printer, adjacent: list[list[Neighbour]], masks: list[int], values: list[int], length: int
) -> Iterator[Draw]:
    at = len(values)
    if at == len(frame.columns):
        pieces = printer.pieces(values)
        if not frame.seams or not (broken(pieces[0], frame.seams) or broken(pieces[1], frame.seams)):
            yield Draw(printer, tuple(values), pieces)
        return
    domain = frame.columns[at].domain
    for value, group in enumerate(domain.group):
        if not masks[at] >> group & 1 or clash(frame.conflicts[at], value, values) is not None:
            continue
        total = length + domain.diffs[value]
        if frame.reach is not None and -total not in frame.reach[at + 1]:
            continue
        if adjacent[at] and seam_broken(frame, adjacent[at], domain.texts, value, values):
            continue
        narrowed = narrow(frame, at, group, masks, [0] * len(masks))
        if not isinstance(narrowed, int):
            yield from _place(frame, printer, adjacent, narrowed[0], [*values, value], total)


def complete(network: Network, chosen: dict[int, int], values: dict[int, int]) -> tuple[int, ...] | None:
    """A filling in which some leaves have given values, or None; alternatives not chosen are tried in turn."""
    for choices in choices_of(network):
        if any(chosen.get(choice, option) != option for choice, option in choices.items()):
            continue
        frame = make_frame(network, choices)
        position = {column.leaf.index: at for at, column in enumerate(frame.columns)}
        if not all(frame.start) or not values.keys() <= position.keys():
            continue
        fixed = {position[leaf]: value for leaf, value in values.items()}
        if (found := Search(frame, _fixed(frame, fixed), list).run()) is not None:
            return tuple(found)
    return None


def _fixed(frame: Frame, fixed: dict[int, int]) -> Callable[[int, int], Iterable[int]]:
    everything = values_in(frame)

    def candidates(at: int, mask: int) -> Iterable[int]:
        if at not in fixed:
            return everything(at, mask)
        return (fixed[at],) if mask >> frame.columns[at].domain.group[fixed[at]] & 1 else ()

    return candidates
