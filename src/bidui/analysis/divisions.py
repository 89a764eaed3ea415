"""Divisions: sentences of pairs cut into named stretches, so that differences can be looked for in each.

A division is a function from a pair to the stretches of its two sentences; what no stretch covers is the `rest`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from bidui.errors import fail
from bidui.pairs import Pair, Side

REST = "rest"
SIDES: tuple[Side, ...] = get_args(Side)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A named stretch of one sentence, in characters, half-open; one that could not be placed starts below 0."""

    side: Side
    start: int
    end: int
    name: str


Division = Callable[[Pair], Iterator[Stretch]]


@dataclass(frozen=True, slots=True)
class Divided:
    """The stretches of pairs, as numbers; made once for all checkpoints.

    Stretches are numbered within a pair, and 0 is the rest; those of the n-th pair stand in `groups` and `unplaced`
    from `bases[n]` on. `codes` has the number at every character of every sentence, good and bad in turn, with a place
    after each for a token at its end; `offsets` is where sentences begin in it.
    """

    pairs: tuple[Pair, ...]
    labels: tuple[tuple[str, str], ...]  # paradigm and name, which `groups` points to
    bases: NDArray[np.int64]
    groups: NDArray[np.int64]
    unplaced: NDArray[np.bool_]
    codes: NDArray[np.int16]
    visible: NDArray[np.int64]  # of every place in `codes`, the first at or after it that is no blank
    offsets: NDArray[np.int64]


def by_slot() -> Division:
    """What the sides do not share, under the names of the slots (or the words) that stand there."""

    def stretches(pair: Pair) -> Iterator[Stretch]:
        return (Stretch(region.side, region.start, region.end, region.slot) for region in pair.regions)

    return stretches


def by_change() -> Division:
    """Three stretches: `before` the first change, from there to the last (`changed`), and `after`.

    Before and after are the same words on both sides. Pairs from elsewhere have no regions: there, the sides' longest
    common beginning and end stand before and after.
    """

    def stretches(pair: Pair) -> Iterator[Stretch]:
        before, after = _shared(pair)
        for side in SIDES:
            length = len(_sentence(pair, side))
            yield Stretch(side, 0, before, "before")
            yield Stretch(side, before, length - after, "changed")
            yield Stretch(side, length - after, length, "after")

    return stretches


def in_parts(parts: Mapping[str, Sequence[str]]) -> Division:
    """Stretches of your own, each of several slots: `in_parts({"NP": ("det", "m", "任何", "person")})`.

    A slot or a word that differs between the sides stands where its regions are. A slot that does not is looked for
    by its form, and must occur once in what the sides share; else the pair is left out of that stretch and of the rest,
    and counted. A phrase means all its parts. A slot that a pair does not have, as in another variant, is passed over.
    """

    def stretches(pair: Pair) -> Iterator[Stretch]:
        for name, slots in parts.items():
            for slot in slots:
                for side in SIDES:
                    yield from _placed(pair, side, slot, name)

    return stretches


def divide(pairs: Sequence[Pair], division: Division) -> Divided:
    """The pairs with their stretches; where two of one sentence overlap, the later counts."""
    lengths = [len(sentence) + 1 for pair in pairs for sentence in (pair.good, pair.bad)]
    offsets = [0, *accumulate(lengths)]
    codes = np.zeros(offsets[-1], np.int16)
    labels: dict[tuple[str, str], int] = {}
    bases, groups, unplaced = [0], [], []
    for number, pair in enumerate(pairs):
        known = {REST: 0}
        lost: set[int] = set()
        for stretch in division(pair):
            code = known.setdefault(stretch.name, len(known))
            sentence = 2 * number + (stretch.side == "bad")
            if stretch.start < 0:
                lost |= {code, 0}
            elif stretch.start <= stretch.end < lengths[sentence]:
                codes[offsets[sentence] + stretch.start : offsets[sentence] + stretch.end] = code
            else:
                found = {"uid": pair.uid, "pair": pair.pair_id, "name": stretch.name, "side": stretch.side}
                raise fail("stretch-outside", None, found)
        for name in (*list(known)[1:], REST):
            labels.setdefault((pair.uid, name), len(labels))
        groups += [labels[pair.uid, name] for name in known]
        unplaced += [code in lost for code in known.values()]
        bases.append(len(groups))
    return Divided(
        tuple(pairs),
        tuple(labels),
        np.array(bases, np.int64),
        np.array(groups, np.int64),
        np.array(unplaced, np.bool_),
        codes,
        _visible(pairs),
        np.array(offsets, np.int64),
    )


def _visible(pairs: Sequence[Pair]) -> NDArray[np.int64]:
    text = "".join(f"{pair.good}|{pair.bad}|" for pair in pairs)
    places = np.array([len(text) if char.isspace() else at for at, char in enumerate(text)], np.int64)
    return np.minimum.accumulate(places[::-1])[::-1]


def _shared(pair: Pair) -> tuple[int, int]:
    """How many characters the sides share before the first change and after the last."""
    most = min(len(pair.good), len(pair.bad))
    if pair.regions:
        before = min(most, *(region.start for region in pair.regions))
        ends = (len(_sentence(pair, region.side)) - region.end for region in pair.regions)
        return before, min(most - before, *ends)
    before = _same(pair.good, pair.bad)
    return before, min(_same(pair.good[::-1], pair.bad[::-1]), most - before)


def _same(first: str, second: str) -> int:
    differing = (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    return next(differing, min(len(first), len(second)))


def _placed(pair: Pair, side: Side, slot: str, name: str) -> Iterator[Stretch]:
    regions = [region for region in pair.regions if _belongs(region.slot, slot)]
    if regions:
        yield from (Stretch(side, region.start, region.end, name) for region in regions if region.side == side)
        return
    shared = list(_sentence(pair, side))
    for region in pair.regions:
        if region.side == side:
            shared[region.start : region.end] = "\0" * (region.end - region.start)
    text = "".join(shared)
    for path, form in pair.slots:
        if form and _belongs(path, slot):
            start = text.find(form)
            once = start >= 0 and text.find(form, start + 1) < 0
            yield Stretch(side, start, start + len(form), name) if once else Stretch(side, -1, -1, name)


def _sentence(pair: Pair, side: Side) -> str:
    return pair.good if side == "good" else pair.bad


def _belongs(path: str, slot: str) -> bool:
    return path == slot or path.startswith(slot + ".")
