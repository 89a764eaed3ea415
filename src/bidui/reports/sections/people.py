"""People: how far each model is behind them, phenomenon by phenomenon, on a benchmark whose people were asked."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from bidui.analysis.accuracy import Accuracy, accuracy
from bidui.analysis.estimate import Estimate, wilson
from bidui.analysis.people import FEWEST, Correlations, Gap, behind, correlate, gaps
from bidui.benchmarks import Benchmark
from bidui.errors import InputError, Problem
from bidui.people.ratings import Acceptability, acceptability
from bidui.reports.results import HELD_OUT, Standing, homes
from bidui.reports.section import Absent, Asked, Item, Picture, Section, absent, attempt
from bidui.reports.tables import Column, Table, Value

Grouping = Literal["phenomenon", "paradigm"]
Counts = Mapping[str, tuple[int, int]]  # by group: right, of so many judgements
Found = Mapping[str, Mapping[str, Accuracy]]  # by model and group


def people_section(standings: Sequence[Standing], asked: Asked) -> Section:
    """The table of gaps, and its figure."""
    return Section("people", asked.say("people"), asked.say("about-people"), tuple(_items(standings, asked)))


def _items(standings: Sequence[Standing], asked: Asked) -> Iterator[Item]:
    title = asked.say("people-title").format(link=asked.main)
    known = [standing for standing in standings if asked.main in standing.choices]
    if not known:
        yield absent(title, "report-link-absent", {"link": asked.main})
        return
    groups = homes([standing.choices[asked.main] for standing in known])
    benchmark = asked.benchmark(groups)
    if benchmark is None:
        yield absent(title, "report-no-benchmark", {"known": [one.name for one in asked.benchmarks]})
        return
    counts = people_counts(benchmark, groups)
    if not counts:
        yield absent(title, "report-no-people", {"benchmark": benchmark.name})
        return
    models = {standing.name: _accuracies(standing, asked, counts) for standing in known}
    best = gaps(
        {name: {group: one.value for group, one in found.items()} for name, found in models.items()},
        people={group: right / asked_for for group, (right, asked_for) in counts.items()},
    )
    yield _table(models, counts, best, asked)
    yield attempt(asked.say("figure-gap"), lambda: _figure(models, best, asked))


def people_counts(benchmark: Benchmark, groups: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """The judgements of each phenomenon, and of all, over the paradigms that were scored."""
    found: dict[str, tuple[int, int]] = {}
    for uid, group in groups.items():
        right, judgements = benchmark.people.get(uid, (0, 0))
        for name in (group, "all"):
            before = found.get(name, (0, 0))
            found[name] = (before[0] + right, before[1] + judgements)
    ordered = [*sorted(name for name in found if name != "all"), "all"]
    return {name: found[name] for name in ordered if name in found and found[name][1]}


def people_by(by: Grouping, phenomena: Mapping[str, str], asked: Asked) -> dict[str, Estimate]:
    """People on each paradigm or phenomenon, and on all, as cells; nothing, where the benchmark is not known."""
    benchmark = asked.benchmark(phenomena)
    if benchmark is None:
        return {}
    groups = phenomena if by == "phenomenon" else {uid: uid for uid in phenomena}
    counts = people_counts(benchmark, groups)
    return {name: wilson(right / n, pairs=n) for name, (right, n) in counts.items()}


def _accuracies(standing: Standing, asked: Asked, counts: Counts) -> dict[str, Accuracy]:
    choices = standing.choices[asked.main]
    found = {**accuracy(choices, by="phenomenon"), **accuracy(choices)}
    return {group: found[group] for group in counts if group in found}


def _table(models: Found, counts: Counts, best: Mapping[str, Gap], asked: Asked) -> Table:
    say = asked.say
    columns = (
        Column("phenomenon", say("phenomenon")),
        Column("people", say("people-head"), "percent"),
        Column("best", say("best-model")),
        Column("gap", say("gap"), "points"),
        *(Column(name, name, "percent") for name in models),
    )
    rows: list[tuple[Value, ...]] = []
    for group, (right, judgements) in counts.items():
        if group not in best:
            continue
        people = wilson(right / judgements, pairs=judgements)
        cells = [models[name][group].value if group in models[name] else None for name in models]
        gap = behind(models[best[group].model][group], correct=right, judgements=judgements)
        name = say("all-pairs") if group == "all" else group
        rows.append((name, people, best[group].model, gap, *cells))
    title = say("people-title").format(link=asked.main)
    return Table("people", title, columns, tuple(rows), say("note-people"), whole=True)


def _figure(models: Found, best: Mapping[str, Gap], asked: Asked) -> Picture:
    from bidui.reports.figures import human_gap

    def name(group: str) -> str:
        return asked.say("all-pairs") if group == "all" else group

    intervals = {name(g): (models[gap.model][g].low, models[gap.model][g].high) for g, gap in best.items()}
    drawing = human_gap({name(g): gap for g, gap in best.items()}, intervals=intervals, language=asked.language)
    return Picture("human-gap", asked.say("figure-gap"), drawing, asked.say("note-gap"))


# Graded ratings: how far the scores of each linking function go with what people gave to the same sentences.

Kind = Literal["pointwise", "pairwise"]
RatingResults = Mapping[str, Mapping[str, Correlations]]  # by model and linking function


def ratings_section(standings: Sequence[Standing], asked: Asked) -> Section:
    """A table over sentences and one over pairs, as the halves of the paper's table, and what was left out."""
    return Section("ratings", asked.say("ratings"), asked.say("about-ratings"), tuple(_rating_items(standings, asked)))


def _rating_items(standings: Sequence[Standing], asked: Asked) -> Iterator[Item]:
    title, ratings = asked.say("ratings"), asked.given.ratings
    if ratings is None:
        yield absent(title, "report-no-given", {"option": "--ratings"})
        return
    known = [standing for standing in standings if not standing.counted]
    if not known:
        yield absent(title, "report-no-scores")
        return
    rated = acceptability(ratings)
    if not len(rated.values):
        yield absent(title, "report-raters-constant", {"raters": rated.constant})
        return
    found: dict[str, dict[str, Correlations]] = {}
    for standing in known:
        try:
            found[standing.name] = _of_model(standing, rated, asked)
        except InputError as error:
            yield Absent(f"{title}, {standing.name}", error.problems)
    found = {name: own for name, own in found.items() if own}
    if found:
        yield _rating_table("pointwise", found, asked)
        yield _pairwise(found, asked)
        yield _counts(found, rated, len(ratings), len({one.rater for one in ratings}), asked)


def _of_model(standing: Standing, rated: Acceptability, asked: Asked) -> dict[str, Correlations]:
    """By linking function. MORCELA held out scores the two halves of the pairs on two scales, and is passed over."""
    scored = {key for choices in standing.choices.values() for key in zip(choices.uids, choices.pairs, strict=True)}
    sentences = list(zip(rated.uids, rated.pairs, strict=True))
    if not any(key in scored for key in sentences):
        raise InputError([Problem("report-unrated", values={"count": len(sentences)})])
    return {
        link: correlate(choices, rated, seed=asked.seed)
        for link, choices in standing.choices.items()
        if link != HELD_OUT
    }


def _pairwise(found: RatingResults, asked: Asked) -> Item:
    """Ratings of single sentences have no pairs, and correlate over sentences all the same."""
    known = [one for own in found.values() for one in own.values()]
    if any(one.pairwise for one in known):
        return _rating_table("pairwise", found, asked)
    values = {"count": max(one.whole for one in known), "needed": FEWEST}
    return absent(asked.say("ratings-pairwise"), "report-few-rated", values)


def _rating_table(kind: Kind, found: RatingResults, asked: Asked) -> Table:
    """A row a linking function, a column a model."""
    say = asked.say
    links = list(dict.fromkeys(link for own in found.values() for link in own))
    rows: list[tuple[Value, ...]] = []
    for link in links:
        cells: list[Value] = []
        for own in found.values():
            both = own.get(link)
            one = both and (both.pointwise if kind == "pointwise" else both.pairwise)
            cells.append(one.estimate if one else None)
        rows.append((link, *cells))
    columns = (Column("link", say("link")), *(Column(name, name, "r") for name in found))
    return Table(f"ratings-{kind}", say(f"ratings-{kind}"), columns, tuple(rows), say("note-ratings"))


def _counts(found: RatingResults, rated: Acceptability, ratings: int, raters: int, asked: Asked) -> Table:
    say = asked.say
    names = ("sentences-rated", "pairs-rated", "unscored", "unpaired")
    columns = (Column("model", say("model")), *(Column(name.replace("-", "_"), say(name), "count") for name in names))
    rows: list[tuple[Value, ...]] = []
    for model, own in found.items():
        one = next(iter(own.values()))
        rows.append((model, one.pointwise.items, one.whole, one.unscored, one.unpaired))
    note = say("note-raters").format(ratings=f"{ratings:,}", raters=f"{raters:,}")
    if rated.constant:
        lost = {"raters": ", ".join(rated.constant), "ratings": rated.ratings_lost, "sentences": rated.sentences_lost}
        note += f" {say('note-constant').format(**lost)}"
    return Table("ratings-counts", say("ratings-counts"), columns, tuple(rows), note)
