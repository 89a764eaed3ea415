"""People: how far each model is behind them, phenomenon by phenomenon, on a benchmark whose people were asked."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from bidui.analysis.accuracy import Accuracy, accuracy
from bidui.analysis.humans import Gap, behind, gaps
from bidui.analysis.intervals import wilson
from bidui.report.homes import homes
from bidui.report.section import Asked, Benchmark, Item, Picture, Section, absent, attempt
from bidui.report.standings import Standing
from bidui.report.tables import Column, Ranged, Table, Value

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


def people_by(by: Grouping, phenomena: Mapping[str, str], asked: Asked) -> dict[str, Ranged]:
    """People on each paradigm or phenomenon, and on all, as cells; nothing, where the benchmark is not known."""
    benchmark = asked.benchmark(phenomena)
    if benchmark is None:
        return {}
    groups = phenomena if by == "phenomenon" else {uid: uid for uid in phenomena}
    counts = people_counts(benchmark, groups)
    return {name: Ranged(right / n, *wilson(right / n, pairs=n)) for name, (right, n) in counts.items()}


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
        people = Ranged(right / judgements, *wilson(right / judgements, pairs=judgements))
        cells = [models[name][group].value if group in models[name] else None for name in models]
        gap = behind(models[best[group].model][group], correct=right, judgements=judgements)
        name = say("all-pairs") if group == "all" else group
        rows.append((name, people, best[group].model, Ranged(gap.value, gap.low, gap.high), *cells))
    title = say("people-title").format(link=asked.main)
    return Table("people", title, columns, tuple(rows), say("note-people"), whole=True)


def _figure(models: Found, best: Mapping[str, Gap], asked: Asked) -> Picture:
    from bidui.report.figures import human_gap

    def name(group: str) -> str:
        return asked.say("all-pairs") if group == "all" else group

    intervals = {name(g): (models[gap.model][g].low, models[gap.model][g].high) for g, gap in best.items()}
    drawing = human_gap({name(g): gap for g, gap in best.items()}, intervals=intervals, language=asked.language)
    return Picture("human-gap", asked.say("figure-gap"), drawing, asked.say("note-gap"))
