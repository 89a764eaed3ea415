"""Ambiguity: can two fillings print the same pair, can two lines share a sentence, can good equal bad?

Lines are read as automata over texts, which do not know the links between words and may allow sentences that a line
never prints. "No" is therefore certain, and "yes" only a suspicion.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from bidui.grammar.budget import Budget, OutOfSteps
from bidui.grammar.domains import Overlaps, Texts
from bidui.grammar.network import Network, rests
from bidui.grammar.paradigm import Line, Literal, Use
from bidui.grammar.printing import BAD, GOOD, Style
from bidui.grammar.tree import Atom, Items, Node, Nothing, Phrase, Word, items_of, may_be_empty, next_atoms, ways


@dataclass(frozen=True, slots=True)
class Edge:
    """Any of these texts leads to the state `to`; without texts, nothing is said on the way."""

    texts: Texts | None
    to: int


@dataclass
class Automaton:
    """A line as states and edges: 0 is the first state and 1 the last."""

    edges: list[list[Edge]] = field(default_factory=lambda: [[], []])
    doubtful: bool = False  # some alternative can be empty in two ways
    outs: dict[int, list[tuple[Texts, int]]] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    literals: list[frozenset[str]] = field(default_factory=list)  # of each variant, the characters of its literals

    def new(self) -> int:
        """Add a state and return its number."""
        self.edges.append([])
        return len(self.edges) - 1

    def out(self, state: int) -> list[tuple[Texts, int]]:
        """Return the texts that may come next, with the states they lead to."""
        if state not in self.outs:
            self.outs[state] = list(self._through(state))
        return self.outs[state]

    @cached_property
    def characters(self) -> frozenset[str]:
        """The characters of all texts, once the line is complete."""
        texts = [edge.texts.texts for edges in self.edges for edge in edges if edge.texts]
        return frozenset(char for several in texts for text in several for char in text)

    @property
    def required(self) -> frozenset[str]:
        """Characters that every sentence has; there may be more."""
        return frozenset.intersection(*self.literals) if self.literals else frozenset()

    def endings(self, state: int) -> int:
        """Return in how many ways the sentence may end here without another text."""
        if state not in self.ends:
            steps = (edge for edge in self.edges[state] if not edge.texts)
            self.ends[state] = (state == 1) + sum(self.endings(edge.to) for edge in steps)
        return self.ends[state]

    def _through(self, state: int) -> Iterator[tuple[Texts, int]]:
        for edge in self.edges[state]:
            if edge.texts:
                yield edge.texts, edge.to
            else:
                yield from self._through(edge.to)


def automaton(networks: Sequence[Network], side: int) -> Automaton:
    """Build the automaton of one side of all variants of a paradigm."""
    built = Automaton()
    for network in networks:
        start = built.new()
        built.edges[0].append(Edge(None, start))
        line = network.variant.good if side == GOOD else network.variant.bad
        built.literals.append(frozenset(c for item in line.items if isinstance(item, Literal) for c in item.text))
        _Builder(built, network).line(line, network.tree.scope.nodes, start, 1, first=True)
    return built


@dataclass(slots=True)
class _Builder:
    automaton: Automaton
    network: Network

    def line(self, line: Line, nodes: dict[str, Node], start: int, end: int, *, first: bool) -> None:
        style = self.network.style
        state = start
        for n, item in enumerate(line.items):
            to = end if n == len(line.items) - 1 else self.automaton.new()
            opening = first and n == 0
            if isinstance(item, Literal):
                text = _styled(item.text, style, opening, item.text)
                self.automaton.edges[state].append(Edge(Texts((text,)), to))
            else:
                self.use(nodes[item.ref.slot], item.ref.path, item.column, state, to, opening)
            state = to

    def use(self, node: Node, path: tuple[str, ...], column: str, start: int, end: int, opening: bool) -> None:
        style = self.network.style
        empty = 0
        for _, filler in ways(node, path):
            match filler:
                case Word():
                    domain = self.network.columns[filler.index].domain
                    if (column, opening) not in domain.said:
                        styled = (_styled(text, style, opening, None) for text in domain.texts[column])
                        domain.said[column, opening] = Texts(tuple(dict.fromkeys(styled)))
                    texts = domain.said[column, opening]
                    if style.capital and opening:  # he and He
                        self.automaton.doubtful |= len(texts.texts) < len(set(domain.texts[column]))
                    self.automaton.edges[start].append(Edge(texts, end))
                case Phrase():
                    self.line(filler.line, filler.parts, start, end, first=opening)
                case Nothing():
                    empty += 1
                    self.automaton.edges[start].append(Edge(None, end))
        self.automaton.doubtful |= empty > 1


def _styled(text: str, style: Style, opening: bool, literal: str | None) -> str:
    """Return a text as it stands in the sentence: with the separator before it, or the capital it begins with."""
    if opening:
        return style.opened(text)
    return style.joiner(literal) + text


def could_break(network: Network) -> bool:
    """Tell whether the characters of a seam can meet where two texts meet; otherwise no seam can arise."""
    seams = {pair for seam in network.seams for pair in pairwise(seam)}
    for side in (GOOD, BAD) if seams else ():
        line = automaton([network], side)
        for edge in (edge for edges in line.edges for edge in edges if edge.texts):
            lasts = {text[-1] for text in edge.texts.texts} if edge.texts else set()
            firsts = {text[0] for texts, _ in line.out(edge.to) for text in texts.texts}
            if any(a in lasts and b in firsts for a, b in seams):
                return True
    return False


# Two runs are followed at once, through the same automaton or through two, as long as one text begins with the other.

MAX_STATES = 20_000


@dataclass(frozen=True, slots=True)
class Chance:
    """Whether two lines may have a sentence in common: read in step, word for word, or out of step."""

    in_step: bool = False
    out_of_step: bool = False


def could_meet(first: Automaton, second: Automaton, *, on_step: Callable[[], None], overlaps: Overlaps) -> Chance:
    """Tell whether both could read some sentence; `on_step` is called at every step and may end the search."""
    if not (first.required <= second.characters and second.required <= first.characters):
        return Chance()
    in_step = _reaches(first, second, on_step, overlaps, strict=True)
    return Chance(in_step, _reaches(first, second, on_step, overlaps, strict=False))


def _reaches(
    first: Automaton, second: Automaton, on_step: Callable[[], None], overlaps: Overlaps, *, strict: bool
) -> bool:
    """Tell whether both can reach their ends together: all words in step (strict), or not all."""
    # states of both, what one has said more than the other, whether that one is the first, whether all was in step
    agenda = [(0, 0, "", True, True)]
    seen = set(agenda)
    while agenda:
        on_step()
        a, b, over, first_ahead, in_step = agenda.pop()
        if not over and first.endings(a) and second.endings(b) and in_step == strict:
            return True
        if len(seen) > MAX_STATES:
            return True
        ahead, behind = ((first, a), (second, b)) if first_ahead else ((second, b), (first, a))
        for p, q, rest, swapped in _advance(ahead, behind, over, overlaps):
            now_first = first_ahead != swapped
            still = in_step and not rest
            step = (p, q, rest, now_first, still) if now_first else (q, p, rest, now_first, still)
            if step not in seen and (still or not strict):
                seen.add(step)
                agenda.append(step)
    return False


def _advance(
    ahead: tuple[Automaton, int], behind: tuple[Automaton, int], over: str, overlaps: Overlaps
) -> Iterator[tuple[int, int, str, bool]]:
    """Let the run behind say a text: yield the states ahead and behind, the text between, and whether they changed."""
    (one, a), (other, b) = ahead, behind
    if over:
        for texts, to in other.out(b):
            for text in texts.beginnings(over):
                yield a, to, over[len(text) :], False
            for text in texts.starting(over):
                if text != over:
                    yield to, a, text[len(over) :], True
        return
    for mine, p in one.out(a):  # neither is ahead: both say a text
        for theirs, q in other.out(b):
            shared, rests = overlaps.between(mine, theirs)
            if shared:
                yield p, q, "", False
            for rest, swapped in rests:
                yield (q, p, rest, True) if swapped else (p, q, rest, False)


def _ambiguous(line: Automaton, overlaps: Overlaps) -> bool:
    """Tell whether two different fillings could print the same sentence."""
    if line.doubtful:
        return True
    states = range(len(line.edges))
    if any(line.endings(state) > 1 for state in states):  # before another text, `_partings` finds two empty ways
        return True
    agenda = list(dict.fromkeys(pair for state in states for pair in _partings(line, state, overlaps)))
    seen = set(agenda)
    while agenda:
        ahead, behind, over = agenda.pop()
        if not over and (ahead == behind or (line.endings(ahead) and line.endings(behind))):
            return True
        for *both, rest, _ in _advance((line, ahead), (line, behind), over, overlaps):
            step = (both[0], both[1], rest)
            if step not in seen:
                seen.add(step)
                agenda.append(step)
        if len(seen) > MAX_STATES:
            return True
    return False


def _partings(line: Automaton, state: int, overlaps: Overlaps) -> Iterator[tuple[int, int, str]]:
    """Yield how two runs may part at a state: the state ahead, the state behind, and the text between."""
    edges_here = line.edges[state]
    if len(edges_here) == 1 and edges_here[0].texts and len(edges_here[0].texts.lengths) == 1:
        return  # one slot whose words are of one length
    out = line.out(state)
    for number, (mine, p) in enumerate(out):
        for other, (theirs, q) in enumerate(out[number:], start=number):
            shared, rests = overlaps.between(mine, theirs)
            if shared and other > number:
                yield p, q, ""
            for rest, swapped in rests:
                yield (q, p, rest) if swapped else (p, q, rest)


def could_repeat(networks: Sequence[Network]) -> bool:
    """Tell whether two different fillings could print the same pair.

    They cannot if each side shows what filled it; one side is enough if it prints every word of the other.
    """
    if any(column.domain.ambiguous for network in networks for column in network.columns):
        return True
    overlaps = networks[0].supports.overlaps
    unclear = [_ambiguous(automaton(networks, side), overlaps) for side in (GOOD, BAD)]
    if all(unclear):
        return True
    return any(
        unclear[side] and any(_printed(network, side) - _shown(network, 1 - side) for network in networks)
        for side in (GOOD, BAD)
    )


def _printed(network: Network, side: int) -> set[int | str]:
    """Return the words that a side prints and the slots it names: a slot that is empty in two ways has no words."""
    line = network.variant.good if side == GOOD else network.variant.bad
    slots = {item.ref.slot for item in line.items if isinstance(item, Use)}
    return slots | {leaf.index for leaf, uses in network.uses.leaves.items() if any(at == side for at, _ in uses)}


def _shown(network: Network, side: int) -> set[int | str]:
    """Return the slots and words that a side identifies; a column may have one text for several words."""
    shown = _printed(network, side)
    for leaf, uses in network.uses.leaves.items():
        columns = [network.columns[leaf.index].domain.texts[column] for at, column in uses if at == side]
        if all(len(set(texts)) < len(texts) for texts in columns):
            shown.discard(leaf.index)
    return shown


# Can one filling print the same sentence on both sides? The two lines are read side by side, word by word, as long as
# one sentence begins with the other. Links are ignored, so that "yes" is a suspicion and "no" is certain.

MAX_STEPS = 20_000


def could_be_equal(network: Network) -> bool:
    """Tell whether good and bad might be the same sentence; true also where finding out would take too long."""
    nodes = network.tree.scope.nodes
    good, bad = rests(network.variant.good, network.variant.bad)
    if not (good and bad) and not all(_may_say_nothing(item, nodes) for item in (*good, *bad)):
        return False
    budget = Budget(MAX_STEPS)

    def equal(ahead: Items, behind: Items, over: str, chosen: Mapping[int, int], values: Mapping[int, int]) -> bool:
        """Tell whether the rest of both lines can be equal; `over` is what the line ahead has already said."""
        budget.spend()
        for word, rest, now in next_atoms(behind, chosen):
            if word is None:
                if not over and any(other is None for other, _, _ in next_atoms(ahead, now)):
                    return True
                continue
            for text, settled in texts_after(over, word, values, network):
                if over.startswith(text):
                    if equal(ahead, rest, over[len(text) :], now, settled):
                        return True
                elif equal(rest, ahead, text[len(over) :], now, settled):
                    return True
        return False

    try:
        return equal(items_of(good, nodes), items_of(bad, nodes), "", {}, {})
    except (OutOfSteps, RecursionError):  # hundreds of words may be said in one sentence
        return True


def _may_say_nothing(item: Literal | Use, nodes: dict[str, Node]) -> bool:
    return isinstance(item, Use) and (bool(item.ref.path) or may_be_empty(nodes[item.ref.slot]))


def texts_after(
    over: str, word: Atom, values: Mapping[int, int], network: Network
) -> Iterator[tuple[str, Mapping[int, int]]]:
    """Yield every text of a word that begins like `over`, as far as both go, with the values of all words by leaf."""
    if isinstance(word, str):
        text = network.style.folded(word)
        if text.startswith(over) or over.startswith(text):
            yield text, values
        return
    leaf, column = word[0].index, word[1]
    domain = network.columns[leaf].domain
    texts = domain.folded[column]
    if leaf in values:
        text = texts[values[leaf]]
        if text.startswith(over) or over.startswith(text):
            yield text, values
        return
    for value in domain.fitting(column, over):
        settled = {**values, leaf: value}
        if not network.clashes(leaf, settled):
            yield texts[value], settled
