"""Kinds of paradigms: included against excluded (Liu et al., Table 8), local against hierarchical (Xiang et al.)."""

from collections.abc import Iterator, Mapping, Sequence

from bidui.analysis.intervals import wilson
from bidui.analysis.kinds import CLIMP_KINDS, kind_accuracy, kind_difference
from bidui.report.homes import homes
from bidui.report.published import Published, published_uid, read_published
from bidui.report.section import Asked, Benchmark, Item, absent
from bidui.report.standings import Standing
from bidui.report.tables import Column, Ranged, Table, Value
from bidui.scores.choices import Choices

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
    if asked.published and benchmark.name == "zhoblimp":
        table = read_published("zhoblimp-8")
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
        cells += [Ranged(one.mean, one.low, one.high), one.paradigms] if one else [None, 0]
    if any(kind not in found for kind in two):
        return [*cells, None]
    gap = kind_difference(choices, named, first=two[0], second=two[1])
    return [*cells, Ranged(gap.value, gap.low, gap.high)]


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
        cells += [Ranged(parts[-1], *wilson(parts[-1], pairs=judgements)), len(judged)]
    return [*cells, parts[0] - parts[1]]
