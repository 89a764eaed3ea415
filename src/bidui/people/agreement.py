"""Agreement of people with gold labels and with each other: published counts, and the responses of a study.

The figures in `human.tsv` were measured on the published pairs, not on ours; wherever they are shown, this must be
said. Those of a study are on the pairs that it pins. By them a paradigm is kept, excluded or left undecided.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bidui.errors import InputError, Place, fail
from bidui.intervals import LEAST, Estimate, percentile_estimate, wilson

if TYPE_CHECKING:
    from bidui.people.responses import Exclusion, Response
    from bidui.people.study import Study

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
Verdict = Literal["keep", "exclude", "undecided"]
Coding = Literal["fixed side", "good/bad"]
Measure = Literal["nominal", "ordinal", "interval"]
OVERALL = "all"


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


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the figures of a paradigm say about a threshold: undecided where the interval straddles it."""

    uid: str
    verdict: Verdict
    threshold: float
    figure: Figure


def figures(
    responses: "Iterable[Response]", *, by: Level = "paradigm", resamples: int = 1000, seed: int = 0
) -> dict[str, Figure]:
    """Return the agreement with the gold labels of each pair, paradigm or phenomenon, or of all.

    The crossed intervals draw pairs within their paradigm, and people, at the same time and with replacement (the
    pigeonhole bootstrap of Owen 2007), since the answers of a person, and those to a pair, are alike.
    """
    import numpy as np  # here, so that reading published counts stays quick

    rows = [one for one in responses if one.task == "choice"]
    if not rows:
        raise fail("responses-none")
    if resamples < LEAST:
        raise fail("too-few-resamples", None, {"resamples": resamples, "needed": LEAST})
    right = np.array([one.chosen == "good" for one in rows], float)
    items, item = np.unique([one.item for one in rows], return_inverse=True)
    people, person = np.unique([one.participant for one in rows], return_inverse=True)
    names = [_name(one, by) for one in rows]
    order = {name: code for code, name in enumerate(dict.fromkeys(names))}
    group = np.array([order[name] for name in names])
    uid_of = {one.item: one.uid for one in rows}
    strata = np.unique([uid_of[name] for name in items.tolist()], return_inverse=True)[1]
    rng = np.random.default_rng(seed)
    draws = np.full((resamples, len(order)), np.nan)
    members = [np.flatnonzero(strata == stratum) for stratum in range(strata.max() + 1)]
    for number in range(resamples):
        times = np.zeros(len(items))
        for own in members:
            times[own] = np.bincount(rng.integers(len(own), size=len(own)), minlength=len(own))
        who = np.bincount(rng.integers(len(people), size=len(people)), minlength=len(people))
        weights = times[item] * who[person]
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


def _name(response: "Response", by: Level) -> str:
    names = {"pair": response.item, "paradigm": response.uid, "phenomenon": response.phenomenon, "overall": OVERALL}
    return names[by]


def propose(paradigms: Mapping[str, Figure], *, threshold: float = 0.85) -> tuple[Proposal, ...]:
    """Propose to keep, to exclude, or to leave undecided each paradigm, by the wider of its two intervals."""
    if not 0 < threshold < 1:
        raise fail("design-value", None, {"name": "threshold", "value": threshold, "allowed": "0–1"})
    proposals = []
    for uid, figure in paradigms.items():
        low, high = figure.wider
        verdict: Verdict = "keep" if low >= threshold else "exclude" if high < threshold else "undecided"
        proposals.append(Proposal(uid, verdict, threshold, figure))
    return tuple(proposals)


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
    turned = coding == "fixed side"
    return fleiss_kappa([row[::-1] if turned and number % 2 else row for number, row in enumerate(items.values())])


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


def study_results(folder: str | Path, *, by: Level = "paradigm", resamples: int = 1000, seed: int = 0) -> StudyResults:
    """Return the agreement with the gold labels, and of people with each other, of the study in a folder."""
    from bidui.people.responses import read_responses
    from bidui.people.study import read_study

    study = read_study(folder)
    return results_of(study, read_responses(folder, study), by=by, resamples=resamples, seed=seed)


def results_of(
    study: "Study", responses: "Sequence[Response]", *, by: Level = "paradigm", resamples: int = 1000, seed: int = 0
) -> StudyResults:
    """Return the results of responses, wherever they are stored."""
    from bidui.people.responses import kept, study_exclusions

    if not responses:
        raise fail("responses-none")
    excluded = study_exclusions(study, responses)
    left = kept(responses, excluded)
    choices = [one for one in left if one.task == "choice"]
    kappas: dict[Coding, float] = {}
    alphas: dict[Measure, float] = {}
    codings: tuple[Coding, ...] = ("fixed side", "good/bad")
    measures: tuple[Measure, ...] = ("ordinal", "interval")
    with suppress(InputError):  # one answer per item: nobody to agree with
        kappas = {coding: kappa(choices, coding=coding) for coding in codings}
    with suppress(InputError):
        alphas = {measure: rating_alpha(left, measure=measure) for measure in measures}
    return StudyResults(
        study.name,
        len({one.participant for one in responses}),
        len(responses),
        len(left),
        excluded,
        figures(choices, by=by, resamples=resamples, seed=seed) if choices else {},
        kappas,
        alphas,
    )


# The decision, written into the project


def reason(proposal: Proposal, *, study: str) -> str:
    """Say in one sentence why a paradigm is excluded, with the figures."""
    figure, (low, high) = proposal.figure, proposal.figure.wider
    return (
        f"In the study {study}, {figure.correct} of {figure.judgements} judgements by {figure.people} people on "
        f"{figure.pairs} pairs chose the good sentence ({figure.wilson.value:.0%}, interval {low:.0%} to {high:.0%}; "
        f"threshold {proposal.threshold:.0%})."
    )


def exclude(text: str, *, reason: str, name: str) -> str:
    """Return the YAML of a paradigm with `status: excluded` and a reason; all else stays as it was written."""
    from bidui.grammar.yaml import Scalar, parse_document, written

    for key, value, after in (("reason", reason, "phenomenon"), ("status", "excluded", "phenomenon")):
        document = parse_document(text, name=name)
        old = document.get(key)
        if isinstance(old, Scalar):
            text = text[: old.start] + written(value) + text[old.end :]
        else:
            anchor = document.get(after)
            if not isinstance(anchor, Scalar) or old is not None:
                raise fail("decide-file", Place(name), {"uid": name})
            end = text.find("\n", anchor.end)
            at = len(text) if end < 0 else end
            text = f"{text[:at]}\n{key}: {written(value)}{text[at:]}"
    return text


def write_decisions(folder: str | Path, proposals: Iterable[Proposal], *, study: str) -> tuple[str, ...]:
    """Mark the paradigms that are proposed for exclusion as excluded in a project; return their uids.

    All files are made and checked before the first is written.
    """
    from bidui.files import decode, encode, read_bytes, write_file
    from bidui.grammar.paradigm_file import parse_paradigm
    from bidui.grammar.project import load_project

    folder = Path(folder)
    files = {each.uid: each.place.file for each in load_project(folder).paradigms}
    edits: dict[str, tuple[Path, str]] = {}
    for one in proposals:
        if one.verdict != "exclude":
            continue
        if one.uid not in files:
            raise fail("decide-missing", Place(str(folder)), {"uid": one.uid})
        path = folder / files[one.uid]
        text = exclude(decode(read_bytes(path), file=str(path)), reason=reason(one, study=study), name=files[one.uid])
        paradigm, _ = parse_paradigm(text, name=files[one.uid])
        if paradigm is None or (paradigm.uid, paradigm.status) != (one.uid, "excluded"):
            raise fail("decide-file", Place(str(path)), {"uid": one.uid})
        edits[one.uid] = (path, text)
    for path, text in edits.values():
        write_file(path, encode(text))
    return tuple(edits)
