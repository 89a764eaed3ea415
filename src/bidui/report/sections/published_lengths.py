"""Length bias as published (Liu et al., Table 5), with one's own models beside it."""

from collections.abc import Sequence

from bidui.report.published import Published
from bidui.report.section import Asked
from bidui.report.standings import Standing
from bidui.report.tables import Column, Table, Value
from bidui.scores.choices import delta_acc, length_split

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
