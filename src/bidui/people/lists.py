"""Lists and trials: who sees which item, where, on which side and in which order; and which slot comes next.

A list is a set of items; a slot is one person's place on it, with an order and sides of its own. Everything follows
from the seed of the design. Nothing is merely drawn that can be balanced:

    list      a paradigm's items are dealt to different lists; lists differ by at most one item of a phenomenon
    side      in a person's list, the good sentence is first in half of the items of each kind; the next slot of the
              list has every side turned around. In rating lists the same decides which sentence is shown
    order     neighbours are of different phenomena where that can be had; catch trials are neither first nor last
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from bidui.errors import InputError, fail
from bidui.people.design import Design, Kind, Task

# Both sentences in this order, or the one to be rated; answers from elsewhere may not say the order
Shown = Literal["good-bad", "bad-good", "unrecorded", "good", "bad"]
SHOWN: Mapping[Task, tuple[Shown, Shown]] = {"choice": ("good-bad", "bad-good"), "rating": ("good", "bad")}
State = Literal["active", "done", "excluded", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Item:
    """Something to judge: a pair of the study, or a catch trial, practice item or filler."""

    id: str  # such as BA_deletion/3 or catch/1
    kind: Kind
    uid: str  # the paradigm; empty unless it is a test item
    phenomenon: str
    pair: int  # the number of the pair in its paradigm
    good: str
    bad: str
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """One item as one slot sees it."""

    list: int  # from 1, over both tasks
    slot: int  # from 1
    position: int  # from 1, practice first
    task: Task
    item: str
    kind: Kind
    shown: Shown


@dataclass(frozen=True, slots=True)
class Slot:
    """A person's place on a list."""

    list: int
    slot: int


@dataclass(frozen=True, slots=True)
class Assignment:
    """A slot that somebody was given, what became of it, and when she was last seen (seconds of any clock)."""

    participant: str
    slot: Slot
    state: State
    seen: float


# Lists


def deal(items: Sequence[Item], design: Design) -> list[tuple[Task, tuple[Item, ...]]]:
    """Deal the test items to the lists of each task.

    Items are dealt like cards, phenomenon by phenomenon and paradigm by paradigm, so that the lists differ by at most
    one item in all and of each phenomenon, and no list has more items of a paradigm than it must.
    """
    by_uid: dict[str, list[Item]] = {}
    for item in items:
        by_uid.setdefault(item.uid, []).append(item)
    lists: list[tuple[Task, tuple[Item, ...]]] = []
    for task, count in design.list_counts(len(by_uid)).items():
        if task == "choice" and design.list_per_paradigm:
            _check_most(by_uid, 1, design)
            lists += [(task, tuple(own)) for own in by_uid.values()]
        elif count:
            _check_most(by_uid, count, design)
            lists += [(task, hand) for hand in _hands(by_uid, count, Random(f"{design.seed}/lists/{task}"))]
    return lists


def _check_most(by_uid: Mapping[str, Sequence[Item]], lists: int, design: Design) -> None:
    uid, own = max(by_uid.items(), key=lambda pair: len(pair[1]))
    needed = -(-len(own) // lists)
    if needed > design.most_per_paradigm:
        fewest = -(-len(own) // design.most_per_paradigm)
        values = {"uid": uid, "items": len(own), "lists": lists, "most": design.most_per_paradigm, "fewest": fewest}
        raise fail("study-lists-few", None, {**values, "needed": needed})


def shortest_list(design: Design, paradigms: int) -> int:
    """Return how many test items and fillers the shortest list has; items that do not fit the lists are an error."""
    counts = [count for count in design.list_counts(paradigms).values() if count]
    # As many paradigms as fill every list once tell as much as all of them, which may be millions of items.
    some = range(min(paradigms, max(counts) // design.per_paradigm + 1))
    places = [(uid, pair) for uid in some for pair in range(design.per_paradigm)]
    deal([Item(f"{uid}/{pair}", "test", str(uid), "", pair, "", "") for uid, pair in places], design)
    return min(paradigms * design.per_paradigm // count for count in counts) + design.fillers


def fitted(design: Design, *, paradigms: int) -> Design:
    """Return a design with fewer, longer lists where a small project has too few items beside its catch trials.

    Presets are made for benchmarks. With a handful of paradigms, a person sees more items of each.
    """
    for most in range(design.most_per_paradigm, design.per_paradigm + 1 if paradigms else 0):
        with suppress(InputError):
            if shortest_list(design, paradigms) >= 2 * design.catch:
                break
        lists = -(-design.per_paradigm // most)
        choices, ratings = min(design.lists, lists), min(design.rating_lists, lists)
        design = replace(design, most_per_paradigm=most, lists=choices, rating_lists=ratings)
    return design


def _hands(by_uid: Mapping[str, Sequence[Item]], count: int, rng: Random) -> list[tuple[Item, ...]]:
    hands: list[list[Item]] = [[] for _ in range(count)]
    phenomena: dict[str, list[str]] = {}
    for uid, own in by_uid.items():
        phenomena.setdefault(own[0].phenomenon, []).append(uid)
    at = 0
    for uids in phenomena.values():
        for uid in rng.sample(uids, len(uids)):
            for item in rng.sample(by_uid[uid], len(by_uid[uid])):
                hands[at % count].append(item)
                at += 1
    return [tuple(hand) for hand in hands]


# Trials


def make_trials(items: Sequence[Item], design: Design) -> tuple[Trial, ...]:
    """Return the trials of all slots of all lists, in the order of lists, slots and positions."""
    others, tests = ([item for item in items if (item.kind == "test") == test] for test in (False, True))
    lists = deal(tests, design)
    if not all(hand for _, hand in lists):  # somebody would have nothing to judge
        most = max(design.lists, design.rating_lists)
        raise fail("study-lists-many", None, {"lists": most, "items": len(tests)})
    trials: list[Trial] = []
    for number, (task, hand) in enumerate(lists, start=1):
        everything = [*hand, *others]
        first = _sides(everything, Random(f"{design.seed}/sides/{number}"))
        for slot in range(1, design.raters + 1):
            # Odd numbers of raters would always favour the same half; the next list starts with the other one.
            turned = (slot + number) % 2 == 1
            order = _order(everything, Random(f"{design.seed}/order/{number}/{slot}"))
            trials += (
                Trial(number, slot, position, task, item.id, item.kind, SHOWN[task][(item.id in first) == turned])
                for position, item in enumerate(order, start=1)
            )
    return tuple(trials)


def _sides(items: Sequence[Item], rng: Random) -> set[str]:
    """Choose half of the items of each kind, by phenomenon and paradigm as evenly as can be."""
    chosen: set[str] = set()
    for kind in dict.fromkeys(item.kind for item in items):
        own = sorted((item for item in items if item.kind == kind), key=lambda item: (item.phenomenon, item.uid))
        for start in range(0, len(own), 2):
            chosen.add(rng.choice(own[start : start + 2]).id)
            if len(own) - start == 1 and rng.random() < 0.5:
                chosen.discard(own[start].id)
    return chosen


def _order(items: Sequence[Item], rng: Random) -> list[Item]:
    """Put practice first, spread phenomena, and put catch trials in between."""
    by_kind: dict[Kind, list[Item]] = {"practice": [], "catch": [], "test": [], "filler": []}
    for item in items:
        by_kind[item.kind].append(item)
    order = _spread([*by_kind["test"], *by_kind["filler"]], rng)
    for at, item in zip(
        _places(len(order), len(by_kind["catch"]), rng),
        rng.sample(by_kind["catch"], len(by_kind["catch"])),
        strict=True,
    ):
        order.insert(at, item)
    return [*rng.sample(by_kind["practice"], len(by_kind["practice"])), *order]


def _spread(items: Sequence[Item], rng: Random) -> list[Item]:
    """Order items so that neighbours differ in phenomenon, or else in paradigm, where that can be had."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.phenomenon if item.kind == "test" else f"\0{item.kind}", []).append(item)
    inner: dict[str, list[Item]] = {}
    for name, own in groups.items():
        uids: dict[str, list[Item]] = {}
        for item in rng.sample(own, len(own)):
            uids.setdefault(item.uid, []).append(item)
        inner[name] = _alternate(uids, rng)
    return _alternate(inner, rng)


def _alternate(groups: Mapping[str, Sequence[Item]], rng: Random) -> list[Item]:
    """Merge groups, each in its order, without two neighbours of one group unless it is larger than all others.

    At each step any other group may come next; but one that fills more than half of what is left must.
    """
    left = {name: list(reversed(own)) for name, own in groups.items()}
    order: list[Item] = []
    last = None
    while any(left.values()):
        total = sum(map(len, left.values()))
        others = [name for name, own in left.items() if own and name != last]
        largest = max((name for name in left), key=lambda name: len(left[name]))
        if not others or (largest != last and 2 * len(left[largest]) >= total):
            name = largest
        else:
            name = rng.choices(others, [len(left[other]) for other in others])[0]
        order.append(left[name].pop())
        last = name
    return order


def _places(length: int, count: int, rng: Random) -> list[int]:
    """Return where to insert catch trials, one after the other: spread evenly, never first or last."""
    if not count:
        return []
    if length < count + 1:  # each needs a neighbour on both sides
        raise fail("study-catch-many", None, {"catch": count, "trials": length, "most": max(0, length - 1)})
    gaps = range(1, length)  # a catch trial goes into a gap between two others
    bounds = [round(number * len(gaps) / count) for number in range(count + 1)]
    chosen = [rng.choice(gaps[start:end]) for start, end in itertools.pairwise(bounds)]
    return [gap + before for before, gap in enumerate(chosen)]


# Slots


def next_slot(
    slots: Iterable[Slot], assignments: Iterable[Assignment], *, now: float, patience: float = 7200
) -> Slot | None:
    """Return the slot for a new participant, or None when all are taken.

    Lists fill evenly. A slot is free again when its holder was excluded, withdrew, or was not seen for `patience`
    seconds; whoever comes back later may still finish, and her answers count.
    """
    taken = {
        each.slot
        for each in assignments
        if each.state == "done" or (each.state == "active" and now - each.seen <= patience)
    }
    every = list(dict.fromkeys(slots))
    filled = {each.list: 0 for each in every}
    for slot in taken:
        if slot.list in filled:
            filled[slot.list] += 1
    free = [slot for slot in every if slot not in taken]
    return min(free, key=lambda slot: (filled[slot.list], slot.slot, slot.list), default=None)


def slots_of(trials: Iterable[Trial]) -> tuple[Slot, ...]:
    """Return the slots that trials belong to, in order."""
    return tuple(dict.fromkeys(Slot(trial.list, trial.slot) for trial in trials))
