"""Accuracy: over all pairs, by phenomenon and by paradigm, for every model and linking function."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from bidui.analysis.accuracy import CLIMP_KINDS, Accuracy, accuracy, kind_accuracy, kind_difference
from bidui.analysis.estimate import Estimate, box, deviation, wilson
from bidui.benchmarks import Benchmark
from bidui.reports.published import Published, all_published, published_uid
from bidui.reports.results import Standing, homes
from bidui.reports.section import Asked, Item, Picture, Section, absent, attempt, file_name, sentence
from bidui.reports.sections.people import Grouping, people_by
from bidui.reports.tables import Column, Table, Value
from bidui.scores.choices import Choices

# The figures of accuracy: phenomena with intervals, heatmaps of phenomena and paradigms, and their spread.

FEWEST = 5  # models, below which a box over them would hide nothing

Found = Mapping[str, Mapping[str, Accuracy]]  # by model and group


def accuracy_figures(standings: Sequence[Standing], asked: Asked) -> Iterator[Item]:
    """By the linking function of the details."""
    chosen = {standing.name: standing.choices[asked.main] for standing in standings if asked.main in standing.choices}
    if not chosen:
        yield absent(asked.say("figures"), "report-link-absent", {"link": asked.main})
        return
    phenomena = {name: dict(sorted(accuracy(one, by="phenomenon").items())) for name, one in chosen.items()}
    within = homes(chosen.values())
    by_paradigm = {name: accuracy(one, by="paradigm") for name, one in chosen.items()}
    paradigms = {name: {uid: one[uid] for uid in within if uid in one} for name, one in by_paradigm.items()}
    titles = {
        key: asked.say(key).format(link=asked.main)
        for key in ("figure-phenomena", "figure-heatmap", "figure-paradigms", "figure-boxes", "figure-spread")
    }
    title, people = titles["figure-phenomena"], people_by("phenomenon", within, asked)
    yield attempt(title, partial(_dots, phenomena, title, asked, people=people))
    title = titles["figure-heatmap"]
    yield attempt(title, partial(_heatmap, "phenomena", phenomena, title, asked, people=people))
    title, people = titles["figure-paradigms"], people_by("paradigm", within, asked)
    yield attempt(title, partial(_heatmap, "paradigms", paradigms, title, asked, people=people, within=within))
    yield attempt(titles["figure-boxes"], lambda: _boxes(paradigms, titles["figure-boxes"], asked))
    if len(chosen) < FEWEST:
        yield absent(titles["figure-spread"], "report-few-models", {"needed": FEWEST, "count": len(chosen)})
        return
    yield attempt(titles["figure-spread"], lambda: _spread(paradigms, within, titles["figure-spread"], asked))


def _dots(found: Found, title: str, asked: Asked, *, people: Mapping[str, Estimate]) -> Picture:
    from bidui.reports.figures import accuracy_by_phenomenon

    values = {name: {group: one.estimate for group, one in groups.items()} for name, groups in found.items()}
    note = asked.say("note-figure-phenomena")
    if people:
        there = {group for groups in values.values() for group in groups}
        values[asked.say("people-head")] = {group: one for group, one in people.items() if group in there}
        note += f" {asked.say('note-people-there')}"
    drawing = accuracy_by_phenomenon(values, language=asked.language)
    return Picture("accuracy-by-phenomenon", title, drawing, note)


def _heatmap(
    name: str,
    found: Found,
    title: str,
    asked: Asked,
    *,
    people: Mapping[str, Estimate],
    within: Mapping[str, str] | None = None,
) -> Picture:
    from bidui.reports.figures import accuracy_heatmap

    values = {model: {group: one.value for group, one in groups.items()} for model, groups in found.items()}
    note = ""
    if people:
        there = {group for groups in values.values() for group in groups}
        values[asked.say("people-head")] = {group: one.value for group, one in people.items() if group in there}
        note = asked.say("note-people-there")
    drawing = accuracy_heatmap(values, sections=within, language=asked.language)
    return Picture(f"heatmap-{name}", title, drawing, note)


def _boxes(found: Found, title: str, asked: Asked) -> Picture:
    from bidui.reports.figures import box_plots

    drawn = {name: box([one.value for one in groups.values()]) for name, groups in found.items()}
    drawing = box_plots(drawn, language=asked.language)
    return Picture("accuracy-boxes", title, drawing, asked.say("note-figure-boxes"))


def _spread(found: Found, within: Mapping[str, str], title: str, asked: Asked) -> Picture:
    """A box a paradigm, over the models, with people where they are known (SLING, Figures 6 and 7)."""
    from bidui.reports.figures import box_plots

    values = {uid: [groups[uid].value for groups in found.values() if uid in groups] for uid in within}
    drawn = {uid: box(own) for uid, own in values.items() if len(own) >= FEWEST}
    people = {uid: one.value for uid, one in people_by("paradigm", within, asked).items() if uid in drawn}
    drawing = box_plots(drawn, people=people, width="page", language=asked.language)
    return Picture("accuracy-spread", title, drawing, asked.say("note-figure-spread"))


# Kinds of paradigms: included against excluded (Liu et al., Table 8), local against hierarchical (Xiang et al.).

Two = tuple[str, str]


def kinds(standings: Sequence[Standing], asked: Asked) -> Iterator[Item]:
    """Both tables, or why they are not there."""
    uids = homes(choices for standing in standings for choices in standing.choices.values())
    yield _included(standings, uids, asked)
    yield _local(standings, uids, asked)


def _included(standings: Sequence[Standing], uids: Mapping[str, str], asked: Asked) -> Item:
    """With people, pooled over their judgements on the paradigms that were scored."""
    say, two = asked.say, ("included", "excluded")
    benchmark = asked.benchmark(uids)
    if benchmark is None:
        return absent(say("kinds"), "report-no-benchmark", {"known": [known.name for known in asked.benchmarks]})
    there = {benchmark.kinds[uid] for uid in uids}
    if len(there) < 2:
        return absent(say("kinds"), "report-one-kind", {"kind": [say(kind) for kind in there]})
    rows = _rows(standings, benchmark.kinds, two)
    if people := _people(benchmark, uids, two):
        rows.append((say("people-head"), "", *people))
    note = say("note-kinds")
    for table in all_published() if asked.published else ():
        if table.benchmark == benchmark.name and any(cell.level == "status" for cell in table.cells):
            rows += _published(table, two)
            note += f" {say('note-published-drawn').format(paper=table.paper, table=table.table)}"
    return Table("kinds", say("kinds"), _columns(two, asked), tuple(rows), note)


def _published(table: Published, two: Two) -> list[tuple[Value, ...]]:
    """The rows of Table 8, which has no intervals."""
    counts = {cell.group: round(cell.value) for cell in table.cells if cell.measure == "paradigms"}
    found: dict[tuple[str, str], dict[str, float]] = {}
    for cell in table.cells:
        if cell.measure == "accuracy":
            found.setdefault((f"{cell.model} †", cell.link), {})[cell.group] = cell.value / 100
    return [
        (*who, *(cell for kind in two for cell in (own[kind], counts[kind])), own[two[0]] - own[two[1]])
        for who, own in found.items()
    ]


def _local(standings: Sequence[Standing], uids: Mapping[str, str], asked: Asked) -> Item:
    """Of CLiMP, by the names of its released files."""
    say, two = asked.say, ("local", "hierarchical")
    named = {uid: CLIMP_KINDS.get(published_uid(uid), "other") for uid in uids}
    if not set(named.values()) >= set(two):
        return absent(say("local-title"), "report-other-benchmark", {"benchmark": "CLiMP"})
    rows = tuple(_rows(standings, named, two))
    return Table("kinds-local", say("local-title"), _columns(two, asked), rows, say("note-local"))


def _columns(two: Two, asked: Asked) -> tuple[Column, ...]:
    say = asked.say
    columns = [Column("model", say("model")), Column("link", say("link"))]
    for kind in two:
        columns += [Column(kind, say(kind), "percent"), Column(f"{kind}_paradigms", say("paradigms"), "count")]
    return (*columns, Column("difference", say("difference"), "points"))


def _rows(standings: Sequence[Standing], named: Mapping[str, str], two: Two) -> list[tuple[Value, ...]]:
    return [
        (standing.name, link, *_cells(choices, named, two))
        for standing in standings
        for link, choices in standing.choices.items()
    ]


def _cells(choices: Choices, named: Mapping[str, str], two: Two) -> list[Value]:
    """Accuracy and paradigms of both kinds, and the difference, where a model was scored on both."""
    found = kind_accuracy(choices, named)
    cells: list[Value] = []
    for kind in two:
        one = found.get(kind)
        cells += [one.mean, one.paradigms] if one else [None, 0]
    if any(kind not in found for kind in two):
        return [*cells, None]
    return [*cells, kind_difference(choices, named, first=two[0], second=two[1])]


def _people(benchmark: Benchmark, uids: Mapping[str, str], two: Two) -> list[Value]:
    """How often people were right; nothing, unless both kinds were judged."""
    cells: list[Value] = []
    parts = []
    for kind in two:
        judged = [benchmark.people[uid] for uid in uids if benchmark.kinds[uid] == kind and uid in benchmark.people]
        right, judgements = (sum(one[number] for one in judged) for number in range(2))
        if not judgements:
            return []
        parts.append(right / judgements)
        cells += [wilson(parts[-1], pairs=judgements), len(judged)]
    return [*cells, parts[0] - parts[1]]


def accuracy_section(standings: Sequence[Standing], asked: Asked) -> Section:
    """The tables and figures of accuracy; those by group are shown for one linking function, and linked for others."""
    say = asked.say
    links = list(dict.fromkeys(link for standing in standings for link in standing.choices))
    others = [link for link in links if link != asked.main]
    levels: tuple[Grouping, ...] = ("phenomenon", "paradigm")
    shown = [_groups(standings, asked, by, asked.main) for by in levels if asked.main in links]
    overall = (_links(standings, links, asked), _averages(standings, asked))
    items = (*overall, *accuracy_figures(standings, asked), *shown, *kinds(standings, asked))
    files = tuple(_groups(standings, asked, by, link) for by in levels for link in others)
    about = say("about-counted") if any(standing.counted for standing in standings) else say("about-accuracy")
    return Section("accuracy", say("accuracy"), about, items, files)


def cell(found: Accuracy, *, counted: bool) -> Accuracy | Estimate:
    """An accuracy as a cell; ties of a run are not known."""
    return found.estimate if counted else found


def _links(standings: Sequence[Standing], links: Sequence[str], asked: Asked) -> Table:
    """A row a model, a column a linking function."""
    say = asked.say
    rows: list[tuple[Value, ...]] = []
    for one in standings:
        found = {link: accuracy(choices)["all"] for link, choices in one.choices.items()}
        cells = [cell(found[link], counted=one.counted) if link in found else None for link in links]
        rows.append((one.name, *cells))
    columns = (Column("model", say("model")), *(Column(link, link, "percent") for link in links))
    lacking = dict.fromkeys(sentence(p, asked.language) for standing in standings for p in standing.problems)
    note = " ".join([say("note-links"), *(f"{text}{say('stop')}" for text in lacking)])
    return Table("accuracy", say("accuracy-overall"), columns, tuple(rows), note)


def _averages(standings: Sequence[Standing], asked: Asked) -> Table:
    """A row a model and linking function: the averages, and the ties."""
    say = asked.say
    columns = (
        Column("model", say("model")),
        Column("link", say("link")),
        Column("pairs", say("pairs"), "count"),
        Column("ties", say("ties"), "count"),
        Column("near_ties", say("near-ties"), "count"),
        Column("micro", say("micro"), "percent"),
        Column("macro_paradigm", say("macro-paradigm"), "percent"),
        Column("macro_phenomenon", say("macro-phenomenon"), "percent"),
        Column("deviation_phenomena", say("deviation-phenomena"), "percent"),
    )
    rows: list[tuple[Value, ...]] = []
    for standing in standings:
        for link, choices in standing.choices.items():
            ties = (None, None) if standing.counted else (choices.ties, choices.near_ties)
            over_pairs = accuracy(choices)["all"]
            macros = [accuracy(choices, by=by, seed=asked.seed)[by] for by in ("macro_paradigm", "macro_phenomenon")]
            cells = [one.estimate for one in (over_pairs, *macros)]
            spread = deviation([one.value for one in accuracy(choices, by="phenomenon").values()])
            rows.append((standing.name, link, over_pairs.pairs, *ties, *cells, spread))
    return Table("accuracy-averages", say("accuracy-averages"), columns, tuple(rows), say("note-averages"))


def _groups(standings: Sequence[Standing], asked: Asked, by: Grouping, link: str) -> Table:
    """A row a group, a column a model."""
    say = asked.say
    known = [standing for standing in standings if link in standing.choices]
    found = [{**accuracy(one.choices[link], by=by), **accuracy(one.choices[link])} for one in known]
    phenomena = homes(standing.choices[link] for standing in known)
    names = list(phenomena) if by == "paradigm" else sorted(set(phenomena.values()))
    people = people_by(by, phenomena, asked)
    rows: list[tuple[Value, ...]] = []
    for name in [*names, "all"]:
        head = (say("all-pairs") if name == "all" else name, *([phenomena.get(name, "")] if by == "paradigm" else []))
        cells = [
            cell(groups[name], counted=standing.counted) if name in groups else None
            for standing, groups in zip(known, found, strict=True)
        ]
        rows.append((*head, *cells, *([people.get(name)] if people else [])))
    heads = [Column(by, say(by)), *([Column("phenomenon", say("phenomenon"))] if by == "paradigm" else [])]
    columns = [*heads, *(Column(standing.name, standing.name, "percent") for standing in known)]
    note = say("note-groups")
    if people:
        columns.append(Column("people", say("people-head"), "percent"))
        note += f" {say('note-people-there')}"
    title = say(f"accuracy-{by}").format(link=link)
    return Table(f"accuracy-{by}-{file_name(link)}", title, tuple(columns), tuple(rows), note, whole=True)
