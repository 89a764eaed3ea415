"""What the pages of a study show before and after people answer: its size, and the results.

Plain functions over a study and its responses; whoever calls them has read both from the store. What is sent has no
NaN, which JSON lacks: a figure that nobody's answers give is None.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from bidui.errors import Place, fail
from bidui.files import decode, parse_json
from bidui.intervals import Estimate, wilson
from bidui.people.agreement import DOUBTFUL, Figure, RatingFigure, StudyResults, figures, results_of
from bidui.people.decisions import Verdict, propose
from bidui.people.design import Design, estimate
from bidui.people.lists import shortest_list
from bidui.people.progress import Share, share_of
from bidui.people.responses import Exclusion, Response, kept
from bidui.people.study import Study
from bidui.words import Language

MOST_TRIALS = 2_000_000  # of a study, over all people
RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A share with its interval; the ends are None where there is none."""

    value: float
    low: float | None
    high: float | None


def interval_of(estimate: Estimate) -> Interval:
    """Return an estimate as it is sent."""
    low, high = (end if isfinite(end) else None for end in estimate.interval)
    return Interval(estimate.value, low, high)


# The size of a study, before it is drawn


@dataclass(frozen=True, slots=True)
class SizeShape:
    """What a design costs and can show; `lines` say it in the reader's language."""

    people: int
    trials: int
    minutes: float
    judgements: int
    per_paradigm: int
    ratings: int
    agreement: float
    half_width: float | None
    half_width_pairs: float | None
    guesser: float
    lines: tuple[str, ...]


def size_of(design: Design, *, paradigms: int, agreement: float = 0.9, language: Language) -> SizeShape:
    """Return the size of a design in the reader's language."""
    size = estimate(design, paradigms=paradigms, agreement=agreement)

    def width(half: float) -> float | None:
        return half if size.judgements and isfinite(half) else None

    return SizeShape(
        *(size.people, size.trials, size.minutes, size.judgements, size.per_paradigm, size.ratings, size.agreement),
        width(size.half_width),
        width(size.half_width_pairs),
        size.guesser,
        tuple(size.text(language).split("\n")),
    )


def check_design(design: Design, *, paradigms: int) -> None:
    """Refuse a design whose items do not fit its lists, or that is too large, before any pair is drawn."""
    size = estimate(design, paradigms=paradigms)
    if size.people * size.trials > MOST_TRIALS:
        raise fail("study-too-large", None, {"trials": size.people * size.trials, "most": MOST_TRIALS})
    shortest = shortest_list(design, paradigms)
    if design.catch and shortest < design.catch + 1:
        values = {"catch": design.catch, "trials": shortest, "most": max(0, shortest - 1)}
        raise fail("study-catch-many", None, values)


# Results


@dataclass(frozen=True, slots=True)
class FigureShape:
    """How often people chose the good sentence, with both intervals, and the wider ends of the two together."""

    name: str
    correct: int
    judgements: int
    pairs: int
    people: int
    majority: int
    wilson: Interval
    crossed: Interval
    wider: Interval


@dataclass(frozen=True, slots=True)
class PairFigure:
    """A pair, and how people chose; `variant` is empty where its paradigm has one only."""

    item: str
    uid: str
    phenomenon: str
    good: str
    bad: str
    variant: str
    agreement: Share


@dataclass(frozen=True, slots=True)
class RatingLine:
    """How natural people found the sentences of a paradigm: means of z-scores, and their difference."""

    name: str
    good: float | None
    bad: float | None
    difference: Interval | None
    ratings: int
    people: int


@dataclass(frozen=True, slots=True)
class EarlierFigure:
    """What the study before found for a paradigm, and what became of the paradigm since: edited, same or new."""

    agreement: Interval | None
    since: str


@dataclass(frozen=True, slots=True)
class ExclusionLine:
    """Somebody, or one answer, that a rule leaves out, and why."""

    participant: str
    item: str
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """How often a model prefers the good sentence of the pairs that people judged; a tie is worth one half."""

    name: str
    pairs: int
    overall: Interval | None
    phenomena: dict[str, Interval]
    paradigms: dict[str, Interval]


@dataclass(frozen=True, slots=True)
class ProposalLine:
    """What the figures say about a paradigm, and how it is in the project now."""

    uid: str
    verdict: Verdict
    low: float
    high: float
    status: str  # included, excluded, or missing where the project has no such paradigm any more
    edited: bool  # since the study was drawn


@dataclass(frozen=True, slots=True)
class Results:
    """What a study shows, after the exclusions that its rules make; `pairs` begin with the most doubtful ones."""

    people: int
    responses: int
    kept: int
    overall: FigureShape | None
    phenomena: tuple[FigureShape, ...]
    paradigms: tuple[FigureShape, ...]
    phenomenon_of: dict[str, str]
    pairs: tuple[PairFigure, ...]
    doubtful: int  # of how many of these more than 30% chose the bad sentence
    ratings: tuple[RatingLine, ...]
    kappas: dict[str, float | None]
    choice_alphas: dict[str, float | None]
    alphas: dict[str, float | None]
    unchecked: dict[str, int]
    earlier: dict[str, EarlierFigure]


@dataclass(frozen=True, slots=True)
class Findings:
    """The results as they are sent, and what else is needed of them: exclusions, and figures to decide by."""

    results: Results
    exclusions: tuple[Exclusion, ...]
    figures: dict[str, Figure]  # of the paradigms


def compute_results(study: Study, responses: Sequence[Response], *, resamples: int = RESAMPLES) -> Findings:
    """Compute the results; with many answers this takes seconds, most of them for the crossed intervals."""
    found: StudyResults = results_of(study, responses, by="paradigm", resamples=resamples)
    left = kept(responses, found.exclusions)
    choices = [one for one in left if one.task == "choice"]
    phenomena = figures(choices, by="phenomenon", resamples=resamples) if choices else {}
    overall = figures(choices, by="overall", resamples=resamples) if choices else {}
    pairs = _pair_figures(study, choices)
    results = Results(
        *(found.people, found.responses, found.kept),
        next(map(figure_shape, overall.values()), None),
        tuple(map(figure_shape, phenomena.values())),
        tuple(map(figure_shape, found.figures.values())),
        {one.uid: one.phenomenon for one in choices},
        pairs,
        sum(_bad_share(each) > DOUBTFUL for each in pairs),
        tuple(map(_rating_line, found.ratings.values())),
        _numbers(found.kappas),
        _numbers(found.choice_alphas),
        _numbers(found.alphas),
        {str(rule): count for rule, count in found.unchecked.items()},
        _earlier(found),
    )
    return Findings(results, found.exclusions, dict(found.figures))


def _earlier(found: StudyResults) -> dict[str, EarlierFigure]:
    if found.follows is None:
        return {}
    before = {uid: found.earlier(uid) for uid in found.figures}
    return {
        uid: EarlierFigure(interval_of(each) if each else None, found.follows.change(uid))
        for uid, each in before.items()
    }


def _rating_line(figure: RatingFigure) -> RatingLine:
    difference = interval_of(figure.difference) if isfinite(figure.difference.value) else None
    means = (_finite(figure.good), _finite(figure.bad))
    return RatingLine(figure.name, *means, difference, figure.ratings, figure.people)


def _numbers(values: Mapping[Any, float]) -> dict[str, float | None]:
    return {str(name): _finite(value) for name, value in values.items()}


def figure_shape(figure: Figure) -> FigureShape:
    """Return a figure as it is sent."""
    return FigureShape(
        *(figure.name, figure.correct, figure.judgements, figure.pairs, figure.people, figure.majority),
        *(interval_of(figure.wilson), interval_of(figure.crossed)),
        Interval(figure.wilson.value, *figure.wider),
    )


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _pair_figures(study: Study, choices: Iterable[Response]) -> tuple[PairFigure, ...]:
    """Return the pairs that somebody judged, those with the most choices of the bad sentence first."""
    counts: dict[str, list[int]] = {}
    for one in choices:
        own = counts.setdefault(one.item, [0, 0])
        own[0] += one.chosen == "good"
        own[1] += 1
    lines = [
        PairFigure(name, item.uid, item.phenomenon, item.good, item.bad, item.variant, share_of(*counts[name]))
        for name, item in study.item.items()
        if name in counts
    ]
    return tuple(sorted(lines, key=lambda line: -_bad_share(line)))


def _bad_share(line: PairFigure) -> float:
    return 1 - line.agreement.correct / line.agreement.all


def exclusion_lines(excluded: Iterable[Exclusion], language: Language) -> tuple[ExclusionLine, ...]:
    """Return exclusions as they are sent, with their reasons in the reader's language."""
    return tuple(ExclusionLine(each.participant, each.item, each.rule, each.text(language)) for each in excluded)


def proposal_lines(
    figures: Mapping[str, Figure], *, threshold: float, now: Mapping[str, tuple[str, bool]]
) -> tuple[ProposalLine, ...]:
    """Return what is proposed for each paradigm; `now` has the status of those of the project, and if it was edited."""
    lines = []
    for each in propose(figures, threshold=threshold):
        status, edited = now.get(each.uid, ("missing", False))
        lines.append(ProposalLine(each.uid, each.verdict, *each.figure.wider, status, edited))
    return tuple(sorted(lines, key=lambda line: line.high))


# Models on the same pairs


def parse_model_scores(data: bytes, study: Study, *, file: str) -> dict[str, float]:
    """Return what each pair of a study is worth to a model, by item: 1 for the good sentence, 0.5 for a tie, or 0.

    The file is one of those that `bidui export-scores` writes. Every pair of the study must be in it, with the same
    sentences: figures on other pairs would not be comparable.
    """
    worth: dict[str, float] = {}
    items = {(item.uid, item.pair): item for item in study.items if item.kind == "test"}
    for number, line in enumerate(decode(data, file=file).split("\n"), start=1):
        if not line.strip():
            continue
        row: Any = parse_json(line, place=Place(file, number))
        if not isinstance(row, dict) or not {"UID", "pairID", "sentence_good", "sentence_bad", "correct"} <= set(row):
            raise fail("model-scores-shape", Place(file, number))
        item = items.get((str(row["UID"]), _whole(row["pairID"])))
        if item is None:
            continue
        if (row["sentence_good"], row["sentence_bad"]) != (item.good, item.bad):
            raise fail("model-scores-sentence", Place(file, number), {"item": item.id, "sentence": item.good})
        if isinstance(row["correct"], bool) or row["correct"] not in (0, 0.5, 1):
            raise fail("model-scores-value", Place(file, number), {"value": json.dumps(row["correct"])})
        worth[item.id] = float(row["correct"])
    if missing := [item.id for item in items.values() if item.id not in worth]:
        raise fail("model-scores-missing", Place(file), {"count": len(missing), "all": len(items), "item": missing[0]})
    return worth


def _whole(value: object) -> int:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def model_figures(name: str, worth: Mapping[str, float], results: Results) -> ModelFigures:
    """Return the figures of a model on the pairs that people judged."""
    groups: dict[tuple[str, str], list[float]] = {}
    for pair in results.pairs:
        for key in (("overall", ""), ("phenomenon", pair.phenomenon), ("paradigm", pair.uid)):
            groups.setdefault(key, []).append(worth[pair.item])
    found = {key: interval_of(wilson(sum(own) / len(own), pairs=len(own))) for key, own in groups.items()}
    by = {
        level: {key: each for (of, key), each in found.items() if of == level} for level in ("phenomenon", "paradigm")
    }
    return ModelFigures(name, len(results.pairs), found.get(("overall", "")), by["phenomenon"], by["paradigm"])
