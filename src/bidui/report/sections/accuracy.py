"""Accuracy: over all pairs, by phenomenon and by paradigm, for every model and linking function."""

from collections.abc import Sequence

from bidui.analysis.accuracy import Accuracy, accuracy
from bidui.analysis.summary import deviation
from bidui.report.homes import homes
from bidui.report.section import Asked, Section, file_name, sentence
from bidui.report.sections.accuracy_figures import accuracy_figures
from bidui.report.sections.kinds import kinds
from bidui.report.sections.people import Grouping, people_by
from bidui.report.standings import Standing
from bidui.report.tables import Column, Ranged, Table, Value


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


def ranged(found: Accuracy, *, counted: bool = False) -> Ranged:
    """An accuracy as a cell; ties of a run are not known."""
    return Ranged(found.value, found.low, found.high, None if counted else found.ties)


def _links(standings: Sequence[Standing], links: Sequence[str], asked: Asked) -> Table:
    """A row a model, a column a linking function."""
    say = asked.say
    rows: list[tuple[Value, ...]] = []
    for one in standings:
        found = {link: accuracy(choices)["all"] for link, choices in one.choices.items()}
        cells = [ranged(found[link], counted=one.counted) if link in found else None for link in links]
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
            cells = [Ranged(one.value, one.low, one.high) for one in (over_pairs, *macros)]
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
            ranged(groups[name], counted=standing.counted) if name in groups else None
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
