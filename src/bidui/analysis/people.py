"""Models beside people: the gap to them (Liu et al., Table 6), and the people of a study on the same pairs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from bidui.analysis.accuracy import ESTIMATES, Interval, common_kind
from bidui.analysis.estimate import Strata
from bidui.errors import Place, fail
from bidui.intervals import Estimate
from bidui.pairs import Pair
from bidui.people.agreement import figures
from bidui.people.responses import Response, kept, read_responses, study_exclusions
from bidui.people.study import read_study
from bidui.scores.choices import Choices

Group = TypeVar("Group")  # the name of a group of pairs
HUMANS = "humans"  # among the names of models


@dataclass(frozen=True, slots=True)
class Gap:
    """The accuracy of humans, that of the best of several models, and humans minus that model, in the unit given."""

    people: float
    best: float
    model: str
    gap: float


def gaps(models: Mapping[str, Mapping[str, float]], *, people: Mapping[str, float]) -> Mapping[str, Gap]:
    """Return the gap of every group that a model has an accuracy for; of equally good models the first is named.

    The best of many models is best partly by luck, so a gap to it is on the small side. Groups that no model has, such
    as "all" beside phenomena, are skipped; groups without an accuracy of humans are refused.
    """
    groups = dict.fromkeys(group for values in models.values() for group in values)
    unknown = [group for group in groups if group not in people]
    if unknown:
        raise fail("people-unknown", None, {"groups": unknown, "known": list(people)})
    by_group: dict[str, Gap] = {}
    for group in groups:
        there = {model: values[group] for model, values in models.items() if group in values}
        best = max(there, key=there.__getitem__)
        by_group[group] = Gap(people[group], there[best], best, people[group] - there[best])
    return by_group


def judged_accuracy(
    counts: Mapping[str, tuple[int, int]], groups: Mapping[str, str], *, interval: Interval | None = None
) -> dict[str, Estimate]:
    """Return how often humans were right in each group, from the right and all judgements on each paradigm.

    `groups` are by paradigm; those that nobody judged are left out. Intervals are those of `accuracy`: for these
    paradigms, with judgements as the pairs, or for paradigms like these.
    """
    judged = [uid for uid in groups if counts.get(uid, (0, 0))[1]]
    if not judged:
        return {}
    right, judgements = (np.array([counts[uid][part] for uid in judged], np.float64) for part in (0, 1))
    strata = Strata(tuple(judged), tuple(groups[uid] for uid in judged), judgements, np.zeros(0, np.intp))
    weights = strata.weights(by="phenomenon")
    estimate = ESTIMATES[common_kind(strata, weights, interval)]
    return {name: estimate(right, strata, own) for name, own in weights.items()}


# The people of a study, on the same pairs as models


@dataclass(frozen=True, slots=True, repr=False)
class StudyPeople:
    """The people of a study, without what its rules leave out: which pairs they judged, and how."""

    study: str
    pairs: tuple[Pair, ...]  # those of which somebody chose a sentence
    responses: tuple[Response, ...]  # choices and ratings
    # what was found by resampling, which takes a while, for the groups and the kind of a table
    found: dict[tuple[frozenset[tuple[str, str]], Interval], dict[str, Estimate]] = field(
        default_factory=dict, compare=False
    )

    def __repr__(self) -> str:
        people = len({one.participant for one in self.responses})
        return f"<StudyPeople of {self.study}: {people} people, {len(self.pairs)} pairs>"

    @property
    def votes(self) -> dict[tuple[str, int], tuple[int, int]]:
        """How many people chose the good, and how many the bad sentence of each pair, by uid and number."""
        votes: dict[tuple[str, int], tuple[int, int]] = {}
        for one in self.responses:
            if one.task == "choice":
                good, bad = votes.get((one.uid, one.pair), (0, 0))
                votes[one.uid, one.pair] = (good + (one.chosen == "good"), bad + (one.chosen == "bad"))
        return votes

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """How many of how many judgements agreed with the gold labels, by paradigm."""
        counts: dict[str, tuple[int, int]] = {}
        for (uid, _), (good, bad) in self.votes.items():
            right, judgements = counts.get(uid, (0, 0))
            counts[uid] = (right + good, judgements + good + bad)
        return counts

    def agreement(self, groups: Mapping[tuple[str, int], Group]) -> dict[Group, float]:
        """Return how often people agreed with the gold labels in each group of pairs; groups are by uid and number."""
        sums: dict[Group, tuple[int, int]] = {}
        for key, (good, bad) in self.votes.items():
            if key in groups:
                right, judgements = sums.get(groups[key], (0, 0))
                sums[groups[key]] = (right + good, judgements + good + bad)
        return {group: right / judgements for group, (right, judgements) in sums.items()}

    def choices(self) -> Choices:
        """Return what the majority chose, as the choices of a model; a tie of votes is one."""
        votes = self.votes
        good, bad = np.array([votes[pair.uid, pair.pair_id] for pair in self.pairs], np.float64).T
        return Choices(
            "majority",
            np.array([pair.uid for pair in self.pairs], object),
            np.array([pair.phenomenon for pair in self.pairs], object),
            np.array([pair.pair_id for pair in self.pairs], np.int32),
            good,
            bad,
            np.array([np.sign(len(pair.good) - len(pair.bad)) for pair in self.pairs], np.int8),
        )


def read_people(folder: str | Path) -> StudyPeople:
    """Read the people of the study in a folder, without what its rules leave out."""
    study = read_study(folder)
    responses = read_responses(folder, study)
    if not responses:
        raise fail("responses-none", Place(str(folder)))
    left = kept(responses, study_exclusions(study, responses))
    judged = {(one.uid, one.pair) for one in left if one.task == "choice"}
    if not judged:
        raise fail("study-no-choices", Place(str(folder)))
    return StudyPeople(study.name, tuple(pair for pair in study.pairs if (pair.uid, pair.pair_id) in judged), left)


def beside_people(models: Mapping[str, Choices], study: "StudyPeople | str | Path") -> dict[str, Choices]:
    """Return the choices of models on the pairs that the people of a study judged, and what the majority of them chose.

    The models must have been scored on the pairs of the study (`pairs.jsonl` in its folder): pairs are known by their
    uid and number, and one that a model lacks is an error.
    """
    people = study if isinstance(study, StudyPeople) else read_people(study)
    keys = [(pair.uid, pair.pair_id) for pair in people.pairs]
    table: dict[str, Choices] = {}
    for name, choices in models.items():
        rows = {key: row for row, key in enumerate(zip(choices.uids.tolist(), choices.pairs.tolist(), strict=True))}
        if missing := [key for key in keys if key not in rows]:
            uid, pair = missing[0]
            values = {"model": name, "count": len(missing), "pairs": len(keys), "pair": f"{uid}/{pair}"}
            raise fail("study-pairs-missing", None, values)
        at = np.array([rows[key] for key in keys], np.intp)
        arrays = ("uids", "phenomena", "pairs", "good", "bad", "length_sign")
        columns = {column: values[at] for column, values in choices.columns.items()}
        table[name] = replace(choices, columns=columns, **{array: getattr(choices, array)[at] for array in arrays})
    first = next(iter(table.values()), None)
    humans = people.choices()
    # the phenomena and lengths are those of the models, which may count tokens
    if first is not None:
        humans = replace(humans, phenomena=first.phenomena, length_sign=first.length_sign)
    return {**table, HUMANS: humans}


def study_accuracy(
    people: StudyPeople, groups: Mapping[str, str], *, interval: Interval | None = None
) -> dict[str, Estimate]:
    """Return how often the people of a study were right in each group of paradigms, as `judged_accuracy` does.

    The intervals allow for other people as well: they are the wider of those from counts, which take judgements for
    independent, and those from drawing people and, at the same time, pairs or paradigms.
    """
    plain = judged_accuracy(people.counts, groups, interval=interval)
    over: Interval = "paradigms" if any(one.kind == "paradigms" for one in plain.values()) else "pairs"
    key = (frozenset(groups.items()), over)
    if key not in people.found:
        rows = [
            replace(one, phenomenon=groups[one.uid])
            for one in people.responses
            if one.task == "choice" and one.uid in groups
        ]
        drawn = figures(rows, by="phenomenon", over=over) if rows else {}
        people.found[key] = {
            name: Estimate(one.value, min(one.low, crossed.low), max(one.high, crossed.high), one.kind)
            for name, one in plain.items()
            for crossed in (drawn[name].crossed,)
        }
    return people.found[key]
