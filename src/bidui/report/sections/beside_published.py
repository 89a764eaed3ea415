"""Published results beside one's own, each labelled with its paper and its linking function."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from bidui.analysis.accuracy import accuracy
from bidui.report.homes import homes
from bidui.report.published import Published, columns, published_names, read_published
from bidui.report.section import Asked, Item, Section, absent
from bidui.report.standings import Standing
from bidui.report.tables import Column, Table, Value
from bidui.scores.choices import delta_acc

Level = Literal["paradigm", "phenomenon"]


def published_section(standings: Sequence[Standing], asked: Asked) -> Section:
    """A table for every published one that has our groups."""
    return Section("published", asked.say("published"), asked.say("about-published"), tuple(_items(standings, asked)))


def _items(standings: Sequence[Standing], asked: Asked) -> Iterator[Item]:
    title = asked.say("published")
    if not asked.published:
        yield absent(title, "report-published-off")
        return
    groups = homes(choices for standing in standings for choices in standing.choices.values())
    benchmark = asked.benchmark(groups)
    tables = [read_published(name) for name in published_names()]
    there = False
    for table in tables:
        level = _level(table, groups, benchmark.name if benchmark else "")
        if level:
            there = True
            yield _beside(table, level, standings, groups, asked)
        elif benchmark and table.benchmark == benchmark.name and any(cell.level == "length" for cell in table.cells):
            yield _length(table, asked)
    if not there:
        yield absent(title, "report-not-published", {"known": sorted({table.benchmark for table in tables})})


def _level(table: Published, groups: Mapping[str, str], benchmark: str) -> Level | None:
    """At which level a published table has all our groups; names of phenomena alone do not make it our benchmark."""
    for level in ("paradigm", "phenomenon"):
        names = {cell.name for cell in table.cells if (cell.level, cell.measure) == (level, "accuracy")}
        ours = set(groups) if level == "paradigm" else set(groups.values())
        if ours and ours <= names and (level == "paradigm" or table.benchmark == benchmark):
            return level
    return None


def _beside(
    table: Published, level: Level, standings: Sequence[Standing], groups: Mapping[str, str], asked: Asked
) -> Table:
    say = asked.say
    link = next(cell.link for cell in table.cells if cell.level == level and cell.measure == "accuracy" and cell.link)
    theirs = {name: dict(found) for name, found in columns(table, link=link, level=level).items()}
    if any(cell.level == "overall" and cell.measure == "accuracy" and cell.link == link for cell in table.cells):
        for name, found in columns(table, link=link, level="overall").items():
            theirs.setdefault(name, {}).update(found)
    ours = {s.name: s.choices.get(link, s.choices.get(asked.main)) for s in standings}
    chosen = {name: choices for name, choices in ours.items() if choices is not None}
    own = {name: {**accuracy(choices, by=level), **accuracy(choices)} for name, choices in chosen.items()}
    names = list(groups) if level == "paradigm" else sorted(set(groups.values()))
    rows: list[tuple[Value, ...]] = []
    for name in [*names, "all"]:
        mine = [found[name].value if name in found else None for found in own.values()]
        printed = [found[name] / 100 if name in found else None for found in theirs.values()]
        rows.append((say("all-pairs") if name == "all" else name, *mine, *printed))
    heads = [Column(level, say(level))]
    marks = {name: "" if choices.link == link else f" ({choices.link})" for name, choices in chosen.items()}
    heads += [Column(name, f"{name}{mark}", "percent") for name, mark in marks.items()]
    heads += [Column(f"published {name}", f"{name} †", "percent") for name in theirs]
    note = say("note-published").format(paper=table.paper, table=table.table, link=table.link)
    benchmark = asked.benchmark(groups)
    included = [uid for uid, kind in benchmark.kinds.items() if kind == "included"] if benchmark else []
    if not groups.keys() >= set(included):
        note += f" {say('note-partial').format(scored=len(groups), count=len(included))}"
    if table.remarks:
        note += f" {say('remarks').format(remarks=table.remarks)}"
    title = f"{say('published-title').format(table=table.table, paper=_short(table.paper))} ({link})"
    return Table(f"published-{table.name}", title, tuple(heads), tuple(rows), note, whole=True)


def _length(table: Published, asked: Asked) -> Table:
    """Accuracy by length groups as printed, and delta-acc made of it."""
    say = asked.say
    found: dict[tuple[str, str], dict[str, float]] = {}
    for cell in table.cells:
        if cell.level == "length" and cell.measure == "accuracy":
            found.setdefault((cell.model, cell.link), {})[cell.group] = cell.value / 100
    heads = (
        Column("model", say("model")),
        Column("link", say("link")),
        *(Column(name, f"D{sign}", "percent") for name, sign in (("equal", "="), ("shorter", "<"), ("longer", ">"))),
        Column("delta_acc", say("delta"), "percent"),
    )
    rows: list[tuple[Value, ...]] = []
    for (model, link), cells in found.items():
        equal, shorter, longer = (cells[name] for name in ("D=", "D<", "D>"))
        rows.append((f"{model} †", link, equal, shorter, longer, delta_acc(equal, shorter, longer)))
    note = say("note-published").format(paper=table.paper, table=table.table, link=table.link)
    title = say("published-title").format(table=table.table, paper=_short(table.paper))
    return Table(f"published-{table.name}", title, heads, tuple(rows), note)


def _short(paper: str) -> str:
    """A paper as titles call it: the authors, and which version."""
    authors, *rest = paper.split(", ")
    version = next((part for part in rest if "version" in part), "")
    return f"{authors}, {version}" if version else authors
