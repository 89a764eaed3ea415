"""Agreement of people with gold labels and with each other: published counts, and the responses of a study.

The figures in `human.tsv` were measured on the published pairs, not on ours; wherever they are shown, this must be
said. Those of a study are on the pairs that it pins; `bidui.people.decisions` decides on paradigms by them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bidui.errors import InputError, Place, fail
from bidui.files import Json, natural
from bidui.intervals import LEAST, Estimate, percentile_estimate, wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bidui.people.ratings import Floats
    from bidui.people.responses import Exclusion, Response, Rule
    from bidui.people.study import Earlier, Study
    from bidui.words import Language

HUMAN_FILE, REVIEW_FILE = "human.tsv", "review.tsv"


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often people chose the good sentence: as counts of judgements, or as a percentage printed in a paper."""

    source: str
    level: str  # paradigm, phenomenon, overall
    name: str
    accuracy: float  # in percent
    correct: int | None = None
    judgements: int | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """One paradigm's pairs read blind: how many good sentences were odd, how many bad ones fine, and so on."""

    uid: str
    read: int
    missed: int  # the bad side was preferred, or neither
    odd_good: int
    fine_bad: int
    not_minimal: int
    second_violation: int


def human_agreement(folder: Path) -> tuple[Agreement, ...]:
    """Read `human.tsv` in the folder of a benchmark."""
    file = folder / HUMAN_FILE
    if not file.is_file():
        raise fail("no-human-agreement", Place(str(folder)))
    return tuple(_agreement(*cells) for cells in _rows(file))


def judgement_counts(folder: Path) -> Mapping[str, tuple[int, int]]:
    """Return the judgements of each paradigm that has counts in `human.tsv`: how many were correct, of how many."""
    return {
        row.name: (row.correct, row.judgements)
        for row in human_agreement(folder)
        if row.level == "paradigm" and row.correct is not None and row.judgements is not None
    }


def read_review(folder: Path) -> dict[str, Review]:
    """Read `review.tsv` in the folder of a benchmark, by uid; empty if there was no review."""
    file = folder / REVIEW_FILE
    if not file.is_file():
        return {}
    return {uid: Review(uid, *map(int, counts)) for uid, *counts in _rows(file)}


def pooled(agreements: Iterable[Agreement]) -> float:
    """Return the percentage correct of all judgements together; only rows with counts can be pooled."""
    counted = [(a.correct, a.judgements) for a in agreements if a.correct is not None and a.judgements is not None]
    return 100 * sum(correct for correct, _ in counted) / sum(judgements for _, judgements in counted)


def _agreement(source: str, level: str, name: str, correct: str, judgements: str, accuracy: str) -> Agreement:
    if accuracy:
        return Agreement(source, level, name, float(accuracy))
    right, total = int(correct), int(judgements)
    return Agreement(source, level, name, 100 * right / total, right, total)


def _rows(file: Path) -> list[list[str]]:
    return [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()[1:]]


# Agreement of the people of a study with the gold labels

Level = Literal["pair", "paradigm", "phenomenon", "overall"]
Coding = Literal["fixed side", "good/bad"]
Measure = Literal["nominal", "ordinal", "interval"]
Over = Literal["pairs", "paradigms"]  # what resamples draw, besides people
OVERALL = "all"
DOUBTFUL = 0.3  # of the people, who chose the bad sentence


@dataclass(frozen=True, slots=True)
class Figure:
    """How often people chose the good sentence of some pairs: counts, a majority vote, and two intervals."""

    name: str
    correct: int
    judgements: int
    pairs: int
    people: int
    majority: int  # pairs whose good sentence more than half of the people chose
    wilson: Estimate  # as if all judgements were independent
    crossed: Estimate  # from resampling both pairs and people

    @property
    def wider(self) -> tuple[float, float]:
        """The lower of the two lower ends, and the higher of the two higher ones."""
        return min(self.wilson.low, self.crossed.low), max(self.wilson.high, self.crossed.high)

    @property
    def estimate(self) -> Estimate:
        """The agreement with the wider interval: where all agree, resamples vary in nothing."""
        return Estimate(self.wilson.value, *self.wider)


@dataclass(frozen=True, slots=True)
class RatingFigure:
    """How natural people found the good and the bad sentences of some pairs, in z-scores of each person's ratings."""

    name: str
    good: float
    bad: float
    difference: Estimate  # good minus bad, from resampling both pairs and people
    ratings: int
    people: int  # who did not give every sentence the same rating


@dataclass(frozen=True, slots=True)
class Doubt:
    """A pair of which too many people chose the bad sentence."""

    item: str
    uid: str
    pair: int
    good: str
    bad: str
    wrong: int
    judgements: int
    share: Estimate  # of those who chose the bad sentence, with Wilson's interval


def figures(
    responses: "Iterable[Response]",
    *,
    by: Level = "paradigm",
    over: Over = "pairs",
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, Figure]:
    """Return the agreement with the gold labels of each pair, paradigm or phenomenon, or of all.

    The crossed intervals draw pairs and people at the same time and with replacement (the pigeonhole bootstrap of Owen
    2007), since the answers of a person, and those to a pair, are alike. Pairs are drawn within their paradigm or, over
    `paradigms`, whole paradigms are: what other paradigms like these might give.
    """
    import numpy as np  # here, so that reading published counts stays quick

    rows = [one for one in responses if one.task == "choice"]
    if not rows:
        raise fail("responses-none")
    right = np.array([one.chosen == "good" for one in rows], float)
    item = np.unique([one.item for one in rows], return_inverse=True)[1]
    person = np.unique([one.participant for one in rows], return_inverse=True)[1]
    order, group = _groups(rows, by)
    draws = np.full((resamples, len(order)), np.nan)
    for number, weights in enumerate(_resamples(rows, over=over, resamples=resamples, seed=seed)):
        totals = np.bincount(group, weights, len(order))
        sums = np.bincount(group, weights * right, len(order))
        draws[number, totals > 0] = sums[totals > 0] / totals[totals > 0]
    by_item = np.bincount(item, right) / np.bincount(item)
    table: dict[str, Figure] = {}
    for name, code in order.items():
        own = group == code
        value, count = float(right[own].mean()), int(own.sum())
        mine = np.unique(item[own])
        column = draws[:, code]
        table[name] = Figure(
            name,
            int(right[own].sum()),
            count,
            len(mine),
            len(np.unique(person[own])),
            int((by_item[mine] > 0.5).sum()),
            wilson(value, pairs=count),
            percentile_estimate(value, column[~np.isnan(column)]),
        )
    return table


def rating_figures(
    responses: "Iterable[Response]",
    *,
    by: Level = "paradigm",
    over: Over = "pairs",
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, RatingFigure]:
    """Return the mean z-scores of the good and the bad sentences of each group, and the difference.

    Ratings are scaled by rater (`bidui.people.ratings`); those of people who gave every sentence the same rating cannot
    be, and do not count.
    """
    import numpy as np

    from bidui.people.ratings import z_scores

    every = [one for one in responses if one.task == "rating"]
    raters, who = np.unique([one.participant for one in every], return_inverse=True)
    scaled, varied = z_scores(np.array([one.answer for one in every], float), who, len(raters))
    used = varied[who] if every else np.zeros(0, bool)
    rows = [one for one, there in zip(every, used.tolist(), strict=True) if there]
    if not rows:
        return {}
    z, good = scaled[used], np.array([one.shown == "good" for one in rows])
    order, group = _groups(rows, by)

    def means(weights: "Floats") -> "Floats":
        """Return the means of the good and of the bad sentences of each group, NaN where there is none."""
        sides = []
        for side in (good, ~good):
            totals = np.bincount(group, weights * side, len(order))
            sums = np.bincount(group, weights * side * z, len(order))
            sides.append(np.divide(sums, totals, out=np.full(len(order), np.nan), where=totals > 0))
        return np.array(sides)

    real = means(np.ones(len(rows)))
    drawn = np.array([means(weights) for weights in _resamples(rows, over=over, resamples=resamples, seed=seed)])
    gaps = drawn[:, 0] - drawn[:, 1]
    table: dict[str, RatingFigure] = {}
    for name, code in order.items():
        column, difference = gaps[~np.isnan(gaps[:, code]), code], float(real[0, code] - real[1, code])
        own = [one for one, at in zip(rows, group.tolist(), strict=True) if at == code]
        table[name] = RatingFigure(
            name,
            float(real[0, code]),
            float(real[1, code]),
            percentile_estimate(difference, column) if len(column) else Estimate(difference),
            len(own),
            len({one.participant for one in own}),
        )
    return table


def _resamples(rows: "Sequence[Response]", *, over: Over, resamples: int, seed: int) -> "Iterator[Floats]":
    """Yield how often each response counts in each resample: how often its pair was drawn times how often its person.

    All pairs are drawn at once: a random number picks one among those of the same paradigm, which stand together.
    """
    import numpy as np

    if resamples < LEAST:
        raise fail("too-few-resamples", None, {"resamples": resamples, "needed": LEAST})
    items, item = np.unique([(one.uid, one.item) for one in rows], axis=0, return_inverse=True)
    item = item.reshape(-1)
    person = np.unique([one.participant for one in rows], return_inverse=True)[1]
    # numpy sorts by uid first, so a paradigm's pairs are neighbours
    uids, stratum = np.unique(items[:, 0], return_inverse=True)
    sizes = np.bincount(stratum)
    first, size = (np.cumsum(sizes) - sizes)[stratum], sizes[stratum]
    people, rng = int(person.max()) + 1, np.random.default_rng(seed)
    for _ in range(resamples):
        if over == "paradigms":
            times = np.bincount(rng.integers(len(uids), size=len(uids)), minlength=len(uids))[stratum]
        else:
            times = np.bincount(first + (rng.random(len(items)) * size).astype(np.intp), minlength=len(items))
        who = np.bincount(rng.integers(people, size=people), minlength=people)
        yield (times[item] * who[person]).astype(float)


def _groups(rows: "Sequence[Response]", by: Level) -> "tuple[dict[str, int], NDArray[np.intp]]":
    """Return the groups with their codes, and the code of each response."""
    import numpy as np

    names = [_name(one, by) for one in rows]
    order = {name: code for code, name in enumerate(dict.fromkeys(names))}
    return order, np.array([order[name] for name in names], np.intp)


def _name(response: "Response", by: Level) -> str:
    names = {"pair": response.item, "paradigm": response.uid, "phenomenon": response.phenomenon, "overall": OVERALL}
    return names[by]


def doubts(study: "Study", responses: "Iterable[Response]", *, more_than: float = DOUBTFUL) -> tuple[Doubt, ...]:
    """Return the pairs whose bad sentence was chosen by more than this share of people, the worst first."""
    counts: dict[str, list[int]] = {}
    for one in responses:
        if one.task == "choice" and one.kind == "test":
            own = counts.setdefault(one.item, [0, 0])
            own[0] += one.chosen == "bad"
            own[1] += 1
    items = study.item
    found = [
        Doubt(
            *(name, items[name].uid, items[name].pair, items[name].good, items[name].bad, wrong, judgements),
            wilson(wrong / judgements, pairs=judgements),
        )
        for name, (wrong, judgements) in counts.items()
        if wrong > more_than * judgements
    ]
    return tuple(sorted(found, key=lambda one: (-one.share.value, -one.judgements, natural(one.item))))


# Agreement of people with each other


def fleiss_kappa(counts: Sequence[Sequence[int]]) -> float:
    """Return Fleiss' kappa (1971) of a table with one row per item and one column per category.

    With unequal numbers of raters, each item's agreement is over its own pairs of raters; items with one are left out.
    Written here because statsmodels, which has it, is heavy for one formula.
    """
    rows = [row for row in counts if sum(row) > 1]
    if not rows:
        raise fail("kappa-few")
    observed = sum(sum(n * (n - 1) for n in row) / (sum(row) * (sum(row) - 1)) for row in rows) / len(rows)
    total = sum(map(sum, rows))
    expected = sum((sum(column) / total) ** 2 for column in zip(*rows, strict=True))
    return (observed - expected) / (1 - expected) if expected < 1 else float("nan")


def kappa(responses: "Iterable[Response]", *, coding: Coding) -> float:
    """Return Fleiss' kappa of choices, which depends on how they are coded.

    Coded good/bad, nearly all choices are in one category, so chance agreement is as high as agreement, and kappa is
    near 0 even at 97%. Coded by a fixed side (every second pair has its good sentence on the first), both categories
    are equally frequent, and kappa is what SLING reports.
    """
    items: dict[str, list[int]] = {}
    for one in responses:
        if one.task == "choice":
            items.setdefault(one.item, [0, 0])[one.chosen == "bad"] += 1
    return fleiss_kappa([_coded(items[name], number, coding) for number, name in enumerate(sorted(items, key=natural))])


def choice_alpha(responses: "Iterable[Response]", *, coding: Coding) -> float:
    """Return Krippendorff's alpha of choices, coded as for kappa; it allows for unequal numbers of raters."""
    items: dict[str, list[int]] = {}
    for one in responses:
        if one.task == "choice":
            items.setdefault(one.item, [0, 0])[one.chosen == "bad"] += 1
    rows = [_coded(items[name], number, coding) for number, name in enumerate(sorted(items, key=natural))]
    return krippendorff_alpha([0.0] * first + [1.0] * second for first, second in rows)


def _coded(counts: list[int], number: int, coding: Coding) -> list[int]:
    """Return the choices of the good and the bad sentence or, by a fixed side, of the first and the second."""
    return counts[::-1] if coding == "fixed side" and number % 2 else counts


def krippendorff_alpha(units: Iterable[Sequence[float]], *, measure: Measure = "nominal") -> float:
    """Return Krippendorff's alpha of the values that raters gave to each unit; their numbers may differ.

    Written here because the package `krippendorff` is GPL.
    """
    import numpy as np

    lists = [unit for unit in units if len(unit) > 1]
    if not lists:
        raise fail("kappa-few")
    values = sorted({value for unit in lists for value in unit})
    place = {value: number for number, value in enumerate(values)}
    together = np.zeros((len(values), len(values)))  # the coincidence matrix
    for unit in lists:
        counts = np.bincount([place[value] for value in unit], minlength=len(values)).astype(float)
        together += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    sums = together.sum(axis=1)
    if measure == "nominal":
        distance = 1 - np.eye(len(values))
    elif measure == "interval":
        distance = np.subtract.outer(values, values) ** 2
    else:  # how many ratings lie from the middle of one rank to the middle of the other
        middles = np.cumsum(sums) - sums / 2
        distance = np.subtract.outer(middles, middles) ** 2
    expected = float((np.outer(sums, sums) * distance).sum()) / (sums.sum() - 1)
    return 1 - float((together * distance).sum()) / expected if expected else float("nan")


def rating_alpha(responses: "Iterable[Response]", *, measure: Measure = "ordinal") -> float:
    """Return Krippendorff's alpha of the ratings of single sentences."""
    units: dict[tuple[str, str], list[float]] = {}
    for one in responses:
        if one.task == "rating":
            units.setdefault((one.item, one.shown), []).append(one.answer)
    return krippendorff_alpha(units.values(), measure=measure)


# The results of a study in a folder


@dataclass(frozen=True, slots=True)
class StudyResults:
    """What the responses of a study show, after the exclusions that its rules make."""

    study: str
    people: int  # who answered
    responses: int
    kept: int  # responses to test items that no rule leaves out
    exclusions: "tuple[Exclusion, ...]"
    figures: Mapping[str, Figure]  # by the names of the level that was asked for; empty without choices
    kappas: Mapping[Coding, float]
    alphas: Mapping[Measure, float]  # of ratings; empty without them
    by: Level = "paradigm"
    choice_alphas: Mapping[Coding, float] = field(default_factory=dict)
    ratings: Mapping[str, RatingFigure] = field(default_factory=dict)  # by the same names; empty without ratings
    doubts: tuple[Doubt, ...] = ()  # pairs of which more than 30% chose the bad sentence
    unchecked: "Mapping[Rule, int]" = field(default_factory=dict)  # rules that could not be applied to so many people
    follows: "Earlier | None" = None  # the study before, and its counts

    def earlier(self, uid: str) -> Estimate | None:
        """Return the agreement that the study before found for a paradigm, with Wilson's interval."""
        right, judgements = self.follows.counts.get(uid, (0, 0)) if self.follows else (0, 0)
        return wilson(right / judgements, pairs=judgements) if judgements else None

    def rows(self) -> list[dict[str, Json]]:
        """Return one row per name of the level, for tables and files; shares are in percent."""
        return [self._row(name) for name in dict.fromkeys((*self.figures, *self.ratings))]

    def _row(self, name: str) -> dict[str, Json]:
        row: dict[str, Json] = {self.by: name}
        if self.figures:
            figure = self.figures.get(name)
            row |= _figure_cells(figure) if figure else dict.fromkeys(FIGURE_CELLS)
        if self.ratings:
            rated = self.ratings.get(name)
            row |= _rating_cells(rated) if rated else dict.fromkeys(RATING_CELLS)
        if self.follows and self.by == "paradigm":
            before = self.earlier(name) or Estimate(nan)
            row |= {"earlier": percent(before.value), "earlier_low": percent(before.low)}
            row |= {"earlier_high": percent(before.high), "since": self.follows.change(name)}
        return row

    def summary(self) -> dict[str, Json]:
        """Return everything as JSON stores it; shares are in percent."""
        return {
            "study": self.study,
            "people": self.people,
            "responses": self.responses,
            "kept": self.kept,
            "by": self.by,
            "rows": [*self.rows()],
            "kappa": {coding: _number(value) for coding, value in self.kappas.items()},
            "alpha_choices": {coding: _number(value) for coding, value in self.choice_alphas.items()},
            "alpha_ratings": {measure: _number(value) for measure, value in self.alphas.items()},
            "doubtful": [*doubt_rows(self.doubts)],
            "left_out": [*exclusion_rows(self.exclusions)],
            "rules_not_applied": {rule: count for rule, count in self.unchecked.items()},
            "follows": self.follows.name if self.follows else None,
        }


def doubt_rows(found: Iterable[Doubt]) -> list[dict[str, Json]]:
    """Return doubtful pairs as rows of a table; shares are in percent."""
    return [
        {
            **{"item": one.item, "wrong": one.wrong, "judgements": one.judgements, "share": percent(one.share.value)},
            **{"low": percent(one.share.low), "high": percent(one.share.high), "good": one.good, "bad": one.bad},
        }
        for one in found
    ]


def exclusion_rows(found: "Iterable[Exclusion]", language: "Language" = "en") -> list[dict[str, Json]]:
    """Return who and what was left out as rows of a table."""
    return [
        {
            **{"participant": one.participant, "item": one.item, "rule": one.rule},
            **{"found": one.found, "limit": one.limit, "reason": one.text(language)},
        }
        for one in found
    ]


FIGURE_CELLS = (
    *("agreement", "wilson_low", "wilson_high", "crossed_low", "crossed_high"),
    *("correct", "judgements", "pairs", "people", "majority"),
)
RATING_CELLS = ("z_good", "z_bad", "z_difference", "z_low", "z_high", "ratings")


def _figure_cells(one: Figure) -> dict[str, Json]:
    shares = (one.wilson.value, *one.wilson.interval, *one.crossed.interval)
    counts = (one.correct, one.judgements, one.pairs, one.people, one.majority)
    return dict(zip(FIGURE_CELLS, (*map(percent, shares), *counts), strict=True))


def _rating_cells(one: RatingFigure) -> dict[str, Json]:
    values = map(_number, (one.good, one.bad, one.difference.value, *one.difference.interval))
    return dict(zip(RATING_CELLS, (*values, one.ratings), strict=True))


def percent(share: float) -> float | None:
    """Return a share in percent, as files have it; None for NaN."""
    return _number(100 * share)


def _number(value: float) -> float | None:
    return None if value != value else float(f"{value:.10g}")


def study_results(
    folder: str | Path, *, by: Level = "paradigm", over: Over = "pairs", resamples: int = 1000, seed: int = 0
) -> StudyResults:
    """Return the agreement with the gold labels, and of people with each other, of the study in a folder.

    The crossed intervals draw people and, at the same time, pairs within their paradigm or (`over="paradigms"`) whole
    paradigms.
    """
    from bidui.people.responses import read_responses
    from bidui.people.study import read_study

    study = read_study(folder)
    return results_of(study, read_responses(folder, study), by=by, over=over, resamples=resamples, seed=seed)


def results_of(
    study: "Study",
    responses: "Sequence[Response]",
    *,
    by: Level = "paradigm",
    over: Over = "pairs",
    resamples: int = 1000,
    seed: int = 0,
) -> StudyResults:
    """Return the results of responses, wherever they are stored."""
    from bidui.people.responses import kept, study_exclusions, unchecked

    if not responses:
        raise fail("responses-none")
    excluded = study_exclusions(study, responses)
    place = {item.id: number for number, item in enumerate(study.items)}
    left = sorted(kept(responses, excluded), key=lambda one: place[one.item])
    choices = [one for one in left if one.task == "choice"]
    codings: tuple[Coding, ...] = ("fixed side", "good/bad")
    measures: tuple[Measure, ...] = ("ordinal", "interval")
    kappas, choice_alphas, alphas = dict[Coding, float](), dict[Coding, float](), dict[Measure, float]()
    with suppress(InputError):  # one answer per item: nobody to agree with
        kappas = {coding: kappa(choices, coding=coding) for coding in codings}
        choice_alphas = {coding: choice_alpha(choices, coding=coding) for coding in codings}
    with suppress(InputError):
        alphas = {measure: rating_alpha(left, measure=measure) for measure in measures}
    return StudyResults(
        study.name,
        len({one.participant for one in responses}),
        len(responses),
        len(left),
        excluded,
        figures(choices, by=by, over=over, resamples=resamples, seed=seed) if choices else {},
        kappas,
        alphas,
        by,
        choice_alphas,
        rating_figures(left, by=by, over=over, resamples=resamples, seed=seed),
        doubts(study, left),
        unchecked(study, responses),
        study.follows,
    )


def folder_counts(folder: str | Path) -> dict[str, tuple[int, int]]:
    """Return how many of how many judgements of the study in a folder agreed with the gold label, by paradigm."""
    from bidui.people.responses import read_responses
    from bidui.people.study import read_study

    study = read_study(folder)
    return counts(study, read_responses(folder, study))


def counts(study: "Study", responses: "Sequence[Response]") -> dict[str, tuple[int, int]]:
    """Return how many of how many judgements agreed with the gold label, by paradigm, without what the rules leave out.

    A study that follows this one keeps them (`draw_study(before=…)`).
    """
    from bidui.people.responses import kept, study_exclusions

    by_uid: dict[str, tuple[int, int]] = {}
    for one in kept(responses, study_exclusions(study, responses)):
        if one.task == "choice":
            right, judgements = by_uid.get(one.uid, (0, 0))
            by_uid[one.uid] = (right + (one.chosen == "good"), judgements + 1)
    return by_uid
