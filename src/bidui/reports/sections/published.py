"""Length bias as published (Liu et al., Table 5), with one's own models beside it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import Literal

import numpy as np

from bidui.analysis.accuracy import accuracy
from bidui.reports.published import Published, all_published, columns, published_uid
from bidui.reports.results import Standing, homes
from bidui.reports.section import Asked, Item, Picture, Section, absent, attempt
from bidui.reports.tables import Column, Table, Value
from bidui.scores.choices import Choices, delta_acc, length_split

GROUPS = ("D=", "D<", "D>")


def published_lengths(table: Published, standings: Sequence[Standing], asked: Asked) -> Table:
    """Accuracy by length groups, linking function by linking function: ours, as printed, and delta-acc made of each."""
    say = asked.say
    printed: dict[tuple[str, str], dict[str, float]] = {}
    for cell in table.cells:
        if cell.level == "length" and cell.measure == "accuracy":
            printed.setdefault((cell.link, f"{cell.model} †"), {})[cell.group] = cell.value / 100
    found = {key: tuple(cells[group] for group in GROUPS) for key, cells in printed.items()}
    for standing in (one for one in standings if not one.counted):  # counts do not say which side is longer
        for link, choices in standing.choices.items():
            split = length_split(choices)
            found[link, standing.name] = (split.equal, split.good_shorter, split.good_longer)
    links = list(dict.fromkeys(link for link, _ in found))
    rows: list[tuple[Value, ...]] = [
        (link, model, *values, delta_acc(*values))
        for link, model, values in sorted(
            ((link, model, values) for (link, model), values in found.items()),
            key=lambda row: (links.index(row[0]), row[1].endswith("†")),
        )
    ]
    heads = (
        Column("link", say("link")),
        Column("model", say("model")),
        *(Column(end, name, "percent") for name, end in zip(GROUPS, ("equal", "shorter", "longer"), strict=True)),
        Column("delta_acc", say("delta"), "percent"),
    )
    note = say("note-published").format(paper=table.paper, table=table.table, link=table.link)
    title = say("published-title").format(table=table.table, paper=table.short_paper)
    return Table(f"published-{table.name}", title, heads, tuple(rows), note)


# Published results beside one's own, each labelled with its paper and its linking function.

Level = Literal["paradigm", "phenomenon"]
Values = Mapping[str, Mapping[str, float]]  # by model and group, as parts of one
LEVELS: tuple[Level, ...] = ("paradigm", "phenomenon")
WHOLE = "all"  # the group of the last row
WHOLES = {"pairs": "all-pairs", "paradigms": "macro-paradigm", "phenomena": "macro-phenomenon"}


@dataclass(frozen=True, slots=True)
class Match:
    """A published table that has all our groups: at which level, by which linking function, and our uids in them."""

    table: Published
    level: Level
    link: str
    groups: Mapping[str, str]  # by uid, as the table calls them

    @property
    def rows(self) -> list[str]:
        """The groups in the order of ours."""
        return list(dict.fromkeys(self.groups.values() if self.level == "paradigm" else sorted(self.groups.values())))


def published_section(standings: Sequence[Standing], asked: Asked) -> Section:
    """A table and a figure for every published table that has our groups."""
    return Section("published", asked.say("published"), asked.say("about-published"), tuple(_items(standings, asked)))


def _items(standings: Sequence[Standing], asked: Asked) -> Iterator[Item]:
    title = asked.say("published")
    if not asked.published:
        yield absent(title, "report-published-off")
        return
    uids = homes(choices for standing in standings for choices in standing.choices.values())
    known = asked.benchmark(uids)
    benchmark = known.name if known else ""
    included = {uid for uid, kind in known.kinds.items() if kind == "included"} if known else set()
    tables = all_published()
    there = False
    for table in tables:
        if match := _match(table, uids, benchmark):
            there = True
            own, theirs = _own(match, standings, asked), _theirs(match)
            expected = set(table.phenomena) or included
            yield _table(match, own, theirs, asked, expected=expected)
            drawn = asked.say("published-drawn").format(title=_title(match, asked))
            yield attempt(drawn, partial(_figure, match, own, theirs, drawn, asked))
        elif table.benchmark == benchmark and any(cell.level == "length" for cell in table.cells):
            yield published_lengths(table, standings, asked)
    if not there:
        yield absent(title, "report-not-published", {"known": sorted({table.benchmark for table in tables})})


def _match(table: Published, uids: Mapping[str, str], benchmark: str) -> Match | None:
    """Where a published table has all our groups; names of phenomena alone do not make it our benchmark."""
    for level in LEVELS:
        cells = [cell for cell in table.cells if (cell.level, cell.measure) == (level, "accuracy")]
        if level == "paradigm":
            groups = {uid: published_uid(uid) for uid in uids}
        elif table.phenomena:
            groups = {uid: table.phenomena.get(published_uid(uid), "") for uid in uids}
        else:
            groups = dict(uids) if table.benchmark == benchmark else {}
        if groups and set(groups.values()) <= {cell.name for cell in cells}:
            return Match(table, level, next(cell.link for cell in cells if cell.link), groups)
    return None


def _own(match: Match, standings: Sequence[Standing], asked: Asked) -> dict[str, dict[str, float]]:
    """Our models by the table's linking function, or by that of the details, which then stands beside their names."""
    found = {}
    for standing in standings:
        choices = standing.choices.get(match.link, standing.choices.get(asked.main))
        if choices is not None:
            mark = "" if choices.link == match.link else f" ({choices.link})"
            groups = accuracy(_grouped(choices, match.groups), by="phenomenon")
            found[f"{standing.name}{mark}"] = {
                **{name: one.value for name, one in groups.items()},
                WHOLE: _whole(choices, match.table),
            }
    return found


def _grouped(choices: Choices, groups: Mapping[str, str]) -> Choices:
    return replace(choices, phenomena=np.array([groups[uid] for uid in choices.uids.tolist()], object))


def _whole(choices: Choices, table: Published) -> float:
    """The average that the table prints in its last row."""
    if table.whole == "phenomena":
        grouped = _grouped(choices, {uid: table.phenomena[published_uid(uid)] for uid in set(choices.uids.tolist())})
        return fmean(one.value for one in accuracy(grouped, by="phenomenon").values())
    return fmean(
        one.value for one in accuracy(choices, by="paradigm" if table.whole == "paradigms" else "overall").values()
    )


def _theirs(match: Match) -> dict[str, dict[str, float]]:
    """The published models and people, as parts of one."""
    found: dict[str, dict[str, float]] = {}
    wanted: dict[Level | Literal["overall"], list[str]] = {match.level: match.rows, "overall": [WHOLE]}
    for level, groups in wanted.items():
        for name, values in columns(match.table, link=match.link, level=level).items():
            mine = found.setdefault(f"{name} †", {})
            mine |= {group: values[group] / 100 for group in groups if group in values}
    return found


def _table(match: Match, own: Values, theirs: Values, asked: Asked, *, expected: set[str]) -> Table:
    say, table = asked.say, match.table
    rows: list[tuple[Value, ...]] = []
    for group in [*match.rows, WHOLE]:
        head = say(WHOLES[table.whole]) if group == WHOLE else group
        rows.append((head, *(values.get(group) for values in (*own.values(), *theirs.values()))))
    heads = [Column(match.level, say(match.level)), *(Column(name, name, "percent") for name in own)]
    heads += [Column(f"published {name.removesuffix(' †')}", name, "percent") for name in theirs]
    note = say("note-published").format(paper=table.paper, table=table.table, link=table.link)
    scored = {published_uid(uid) for uid in match.groups}
    if not scored >= expected:
        note += f" {say('note-partial').format(scored=len(scored), count=len(expected))}"
    if table.remarks:
        note += f" {say('remarks').format(remarks=table.remarks)}"
    return Table(f"published-{table.name}", _title(match, asked), tuple(heads), tuple(rows), note, whole=True)


def _figure(match: Match, own: Values, theirs: Values, title: str, asked: Asked) -> Picture:
    from bidui.reports.figures import accuracy_heatmap

    values = {
        name: {group: found[group] for group in match.rows if group in found}
        for name, found in {**own, **theirs}.items()
    }
    sections = match.table.phenomena if match.level == "paradigm" else None
    drawing = accuracy_heatmap(values, sections=sections, language=asked.language)
    note = asked.say("note-published-drawn").format(paper=match.table.paper, table=match.table.table)
    return Picture(f"published-{match.table.name}", title, drawing, note)


def _title(match: Match, asked: Asked) -> str:
    table = match.table
    return f"{asked.say('published-title').format(table=table.table, paper=table.short_paper)} ({match.link})"
