"""People: how far each model is behind humans by phenomenon, and what the people of a study said of each paradigm."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Literal

import numpy as np

from bidui.analysis.accuracy import Interval, accuracy
from bidui.analysis.people import StudyPeople, gaps, judged_accuracy, study_accuracy
from bidui.benchmarks import Benchmark
from bidui.files import natural
from bidui.intervals import Estimate, newcombe
from bidui.people.agreement import DOUBTFUL, Coding, figures, kappa
from bidui.reports.figures import human_gap
from bidui.reports.published import Published, all_published, published_uid
from bidui.reports.results import ALL, ModelChoices, decided, phenomenon_of
from bidui.reports.section import Item, Rows, Settings, absent, joined, picture
from bidui.reports.tables import Column, Table
from bidui.scores.choices import Choices

CODINGS: tuple[Coding, ...] = ("fixed side", "good/bad")
Grouping = Literal["phenomenon", "paradigm"]


def people_counts(benchmark: Benchmark, groups: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Return the judgements of each group, and of all, over the paradigms that were scored; groups are by uid."""
    counts: dict[str, tuple[int, int]] = {}
    for uid, group in groups.items():
        right, judgements = benchmark.people.get(uid, (0, 0))
        for name in (group, ALL):
            before = counts.get(name, (0, 0))
            counts[name] = (before[0] + right, before[1] + judgements)
    ordered = [*sorted((name for name in counts if name != ALL), key=natural), ALL]
    return {name: counts[name] for name in ordered if name in counts and counts[name][1]}


def people_by(
    by: Grouping, phenomena: Mapping[str, str], settings: Settings, *, interval: Interval | None = None
) -> dict[str, Estimate]:
    """Return the accuracy of humans on each paradigm or phenomenon, and on all; empty for an unknown benchmark.

    Intervals are of the kind that models have: for groups as given, and for all pairs as `accuracy` chooses it.
    """
    benchmark = settings.benchmark(phenomena)
    if benchmark is None:
        return {}
    groups = phenomena if by == "phenomenon" else {uid: uid for uid in phenomena}
    found = human_accuracy(benchmark, groups, settings, interval=interval)
    ordered = {name: found[name] for name in sorted(found, key=natural)}
    return ordered | human_accuracy(benchmark, dict.fromkeys(phenomena, ALL), settings)


def human_accuracy(
    benchmark: Benchmark, groups: Mapping[str, str], settings: Settings, *, interval: Interval | None = None
) -> dict[str, Estimate]:
    """Return the accuracy of the people of a study, or else of those who judged the published pairs."""
    if settings.extras.people is not None:
        return study_accuracy(settings.extras.people, groups, interval=interval)
    return judged_accuracy(benchmark.people, groups, interval=interval)


def group_name(group: str, settings: Settings) -> str:
    """Return a group as readers see it."""
    return settings.say("all-pairs") if group == ALL else settings.phenomenon(group)


def people_section(models: Sequence[ModelChoices], settings: Settings) -> Iterator[Item]:
    """Yield the table of gaps, and its figure."""
    say = settings.say
    title = say("people-title").format(link=settings.main)
    chosen = decided(models, settings.main)
    if not chosen:
        yield absent(title, "report-link-absent", {"link": settings.main})
        return
    phenomena = phenomenon_of(chosen.values())
    benchmark = settings.benchmark(phenomena)
    if (benchmark is None or not benchmark.people) and (table := _printed_people(phenomena)):
        yield _printed_gaps(table, chosen, settings)
        return
    if benchmark is None:
        yield absent(title, "report-no-benchmark", {"known": [known.name for known in settings.benchmarks]})
        return
    found = {name: accuracy(one, by="phenomenon") for name, one in chosen.items()}
    # one kind for all models and humans; a model that lacks paradigms may have too few of them
    interval: Interval = "pairs" if any(one.interval == "pairs" for one in found.values()) else "paradigms"
    people = people_by("phenomenon", phenomena, settings, interval=interval)
    if not people:
        yield absent(title, "report-no-people", {"benchmark": benchmark.name})
        return
    by_model = {
        name: {**accuracy(one, by="phenomenon", interval=interval), **accuracy(one)} for name, one in chosen.items()
    }
    by_model = {name: {group: own[group] for group in people if group in own} for name, own in by_model.items()}
    best = gaps(
        {name: {group: one.value for group, one in own.items()} for name, own in by_model.items()},
        people={group: one.value for group, one in people.items()},
    )
    rows: Rows = []
    for group, humans in people.items():
        if group in best:
            gap = newcombe(humans, by_model[best[group].model][group].estimate)
            cells = [own[group].value if group in own else None for own in by_model.values()]
            rows.append((group_name(group, settings), humans, best[group].model, gap, *cells))
    columns = (
        *settings.columns("phenomenon people:percent=people-head best=best-model gap:points"),
        *(Column(name, name, "percent", rival=True) for name in by_model),
    )
    yield settings.table("people", columns, rows, title=title, note=settings.about_people("note-people"), whole=True)
    named = {group_name(group, settings): gap for group, gap in best.items()}
    intervals = {
        group_name(group, settings): (people[group].interval, by_model[gap.model][group].estimate.interval)
        for group, gap in best.items()
    }
    yield picture(
        "human-gap",
        say("figure-gap"),
        lambda: human_gap(named, intervals=intervals, language=settings.language),
        note=say("note-gap"),
    )
    if settings.extras.people is not None:
        yield from _study(chosen, phenomena, settings.extras.people, settings)


def _printed_people(uids: Iterable[str]) -> Published | None:
    """Return the published table that has human accuracies for the phenomena of all these paradigms."""
    named = {published_uid(uid) for uid in uids}
    for table in all_published():
        judged = {cell.name for cell in table.cells if (cell.model, cell.level) == ("human", "phenomenon")}
        if judged and named <= table.phenomena.keys():
            return table
    return None


def _printed_gaps(table: Published, models: Mapping[str, Choices], settings: Settings) -> Table:
    """Return models beside human accuracies that were printed without counts, by the phenomena of that table."""
    cells = [cell for cell in table.cells if cell.model == "human" and cell.level in ("phenomenon", "overall")]
    people = {cell.name: cell.value / 100 for cell in cells}
    by_model: dict[str, dict[str, float]] = {}
    for name, choices in models.items():
        printed = [table.phenomena[published_uid(uid)] for uid in choices.uids.tolist()]
        grouped = replace(choices, phenomena=np.array(printed, object))
        groups = accuracy(grouped, by="phenomenon", interval="pairs")
        parts = groups if table.whole == "phenomena" else accuracy(grouped, by="paradigm")
        by_model[name] = {group: one.value for group, one in groups.items()}
        by_model[name][ALL] = fmean(one.value for one in parts.values())
    best = gaps(by_model, people=people)
    rows: Rows = []
    for group in [*sorted(best.keys() - {ALL}), ALL]:
        name = settings.say("macro-phenomenon" if table.whole == "phenomena" else "macro-paradigm")
        shares = [own.get(group) for own in by_model.values()]
        gap = best[group]
        rows.append((name if group == ALL else settings.phenomenon(group), gap.people, gap.model, gap.gap, *shares))
    columns = (
        *settings.columns("phenomenon people:percent=people-head best=best-model gap:points"),
        *(Column(name, name, "percent", rival=True) for name in by_model),
    )
    title = settings.say("people-title").format(link=settings.main)
    note = settings.say("note-people-no-counts").format(paper=table.paper, table=table.table)
    return settings.table("people", columns, rows, title=title, note=note, whole=True)


def _study(
    models: Mapping[str, Choices], phenomena: Mapping[str, str], people: StudyPeople, settings: Settings
) -> Iterator[Item]:
    """Yield what the people of a study said of each paradigm, and the pairs of which many chose the bad sentence."""
    say, choices = settings.say, [one for one in people.responses if one.task == "choice"]
    by_model = {name: accuracy(one, by="paradigm", interval="pairs") for name, one in models.items()}
    found = figures(choices, by="paradigm", seed=settings.seed)
    rows: Rows = []
    for uid in phenomena:
        if uid in found:
            one, votes = found[uid], found[uid].majority / found[uid].pairs
            cells = [own[uid].value if uid in own else None for own in by_model.values()]
            rows.append((uid, one.judgements, one.people, one.estimate, one.wilson, votes, *cells))
    columns = (
        *settings.columns("paradigm judgements:count persons:count people:percent=people-head"),
        *settings.columns("wilson:percent=people-wilson majority:percent=people-majority"),
        *(Column(name, name, "percent") for name in models),
    )
    kappas = " ".join(
        say("note-kappa").format(coding=say(f"coding-{number}"), kappa=f"{kappa(choices, coding=coding):.3f}")
        for number, coding in enumerate(CODINGS, start=1)
        if any(sum(votes) > 1 for votes in people.votes.values())
    )
    note = joined(say("note-study").format(study=people.study), kappas)
    yield settings.table("study", columns, rows, title=say("study-title").format(study=people.study), note=note)
    yield _doubtful(models, people, settings)


def _doubtful(models: Mapping[str, Choices], people: StudyPeople, settings: Settings) -> Item:
    """Return the pairs whose bad sentence more than 30% of the people chose, and what models made of them."""
    say = settings.say
    worths = {
        name: dict(zip(zip(one.uids.tolist(), one.pairs.tolist(), strict=True), one.worth.tolist(), strict=True))
        for name, one in models.items()
    }
    rows: Rows = []
    votes = people.votes
    for pair in people.pairs:
        good, bad = votes[pair.uid, pair.pair_id]
        if bad > DOUBTFUL * (good + bad):
            cells = [own.get((pair.uid, pair.pair_id)) for own in worths.values()]
            rows.append((f"{pair.uid}/{pair.pair_id}", pair.good, pair.bad, bad, good + bad, *cells))
    if not rows:
        return absent(say("study-doubtful"), "report-no-doubts", {"share": f"{DOUBTFUL:.0%}"})
    rows.sort(key=lambda row: -int(str(row[3])) / int(str(row[4])))
    columns = (
        *settings.columns("pair good bad chose_bad:count judgements:count"),
        *(Column(name, name, "number") for name in models),
    )
    return settings.table("study-doubtful", columns, rows, note=say("note-doubtful"))
