"""Readings: can two fillings of a line print the same sentence, can two lines?

Automata know which words may follow which, but not the links between them. A "no" is therefore certain, a "yes" only a
suspicion.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from bidui.grammar.automata import Automaton

MAX_STATES = 20_000


@dataclass(frozen=True, slots=True)
class Chance:
    """Whether two lines may have a sentence in common: read in step, word for word, or out of step."""

    in_step: bool = False
    out_of_step: bool = False


def could_meet(first: Automaton, second: Automaton) -> Chance:
    """Whether some sentence could be read by both."""
    if not (first.required() <= second.characters() and second.required() <= first.characters()):
        return Chance()
    in_step = _reaches(first, second, strict=True)
    return Chance(in_step, _reaches(first, second, strict=False))


def _reaches(first: Automaton, second: Automaton, *, strict: bool) -> bool:
    """Whether both can come to an end together: all words in step (strict), or some not."""
    # states of both, what one has said more than the other, whether that is the first, and whether all was in step
    agenda = [(0, 0, "", True, True)]
    seen = set(agenda)
    while agenda:
        a, b, over, first_ahead, in_step = agenda.pop()
        if not over and first.final(a) and second.final(b) and in_step == strict:
            return True
        if len(seen) > MAX_STATES:
            return True
        ahead, behind = ((first, a), (second, b)) if first_ahead else ((second, b), (first, a))
        for p, q, rest, swapped in _advance(ahead, behind, over):
            now_first = first_ahead != swapped
            still = in_step and not rest
            step = (p, q, rest, now_first, still) if now_first else (q, p, rest, now_first, still)
            if step not in seen and (still or not strict):
                seen.add(step)
                agenda.append(step)
    return False


def _advance(
    ahead: tuple[Automaton, int], behind: tuple[Automaton, int], over: str
) -> Iterator[tuple[int, int, str, bool]]:
    """The one behind takes a text: who is ahead then, who behind, by what, and whether they changed places."""
    (one, a), (other, b) = ahead, behind
    if over:
        out = other.out(b)
        for cut in range(1, len(over) + 1):
            for edge in out.get(over[:cut], ()):
                yield a, edge.to, over[cut:], False
        for text in other.beginning(b).get(over, ()):
            if text != over:
                for edge in out[text]:
                    yield edge.to, a, text[len(over) :], True
        return
    mine, theirs = one.out(a), other.out(b)
    for text in mine.keys() & theirs.keys():
        for edge in mine[text]:
            for twin in theirs[text]:
                yield edge.to, twin.to, "", False
    for text in mine.keys() & other.beginning(b).keys():  # theirs begins with mine
        for longer in other.beginning(b)[text]:
            if longer != text:
                for edge in mine[text]:
                    for twin in theirs[longer]:
                        yield twin.to, edge.to, longer[len(text) :], True
    for text in theirs.keys() & one.beginning(a).keys():
        for longer in one.beginning(a)[text]:
            if longer != text:
                for edge in mine[longer]:
                    for twin in theirs[text]:
                        yield edge.to, twin.to, longer[len(text) :], False


Doubled = tuple[int, int, str]  # the run that is ahead, the one behind, and by which text


def ambiguous(line: Automaton) -> bool:
    """Whether two different fillings could print the same sentence."""
    if line.doubtful:
        return True
    agenda = [pair for state in range(len(line.edges)) for pair in _partings(line, state)]
    seen = set(agenda)
    while agenda:
        ahead, behind, over = agenda.pop()
        if not over and (ahead == behind or (line.final(ahead) and line.final(behind))):
            return True
        for *states, rest, _ in _advance((line, ahead), (line, behind), over):
            step = (states[0], states[1], rest)
            if step not in seen:
                seen.add(step)
                agenda.append(step)
        if len(seen) > MAX_STATES:
            return True
    return False


def _partings(line: Automaton, state: int) -> Iterator[Doubled]:
    """How two runs that were the same up to a state may part."""
    spoken = [edge for edge in line.edges[state] if edge.texts]
    if len(spoken) == len(line.edges[state]) == 1 and len({len(text) for text in spoken[0].texts}) == 1:
        return  # one slot whose words are of one length
    out = line.out(state)
    lengths = sorted({len(text) for text in out})
    for text, edges in out.items():
        for number, edge in enumerate(edges[:-1]):
            for other in edges[number + 1 :]:
                yield edge.to, other.to, ""
        if len(text) == lengths[0]:
            continue
        for cut in lengths[: bisect_left(lengths, len(text))]:
            for shorter in out.get(text[:cut], ()):
                for longer in edges:
                    yield longer.to, shorter.to, text[cut:]
