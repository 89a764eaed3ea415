"""Accuracy: over all pairs, by phenomenon and by paradigm, for every model and linking function."""

from collections.abc import Iterator, Sequence
from typing import Literal

from bidui.analysis.accuracy import Accuracy, accuracy
from bidui.analysis.kinds import kind_accuracy, kind_difference
from bidui.analysis.strata import stratify
from bidui.analysis.summary import box
from bidui.report.section import Asked, Item, Picture, Section, absent, attempt, file_name
from bidui.report.standings import Standing
from bidui.report.tables import Column, Ranged, Table, Value


def accuracy_section(standings: Sequence[Standing], asked: Asked) -> Section:
    """The tables and figures of accuracy; those by paradigm are shown for one linking function, and linked for all."""
    say = asked.say
    links = list(dict.fromkeys(link for standing in standings for link in standing.choices))
    others = [link for link in links if link != asked.main]
    shown = [_groups(standings, asked, "phenomenon", link) for link in [asked.main, *others] if link in links]
    if asked.main in links:
        shown.append(_groups(standings, asked, "paradigm", asked.main))
    items = (_overall(standings, asked), *_figures(standings, asked), *shown, _kinds(standings, asked))
    files = tuple(_groups(standings, asked, "paradigm", link) for link in others)
    about = say("about-counted") if any(standing.counted for standing in standings) else say("about-accuracy")
    return Section("accuracy", say("accuracy"), about, items, files)


def ranged(found: Accuracy, *, counted: bool = False) -> Ranged:
    """An accuracy as a cell; ties of a run are not known."""
    return Ranged(found.value, found.low, found.high, None if counted else found.ties)


def _overall(standings: Sequence[Standing], asked: Asked) -> Table:
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
    )
    rows: list[tuple[Value, ...]] = []
    for standing in standings:
        for link, choices in standing.choices.items():
            ties = (None, None) if standing.counted else (choices.ties, choices.near_ties)
            over_pairs = accuracy(choices)["all"]
            macros = [
                accuracy(choices, by=by, seed=asked.seed)[by] for by in ("macro_paradigm", "macro_phenomenon")
            ]
            cells = [Ranged(one.value, one.low, one.high) for one in (over_pairs, *macros)]
            rows.append((standing.name, link, over_pairs.pairs, *ties, *cells))
    lacking = dict.fromkeys(p.text(asked.language) for standing in standings for p in standing.problems)
    note = " ".join([say("note-overall"), *(f"{text}{say('stop')}" for text in lacking)])
    return Table("accuracy", say("accuracy-overall"), columns, tuple(rows), note)


def _groups(standings: Sequence[Standing], asked: Asked, by: Literal["phenomenon", "paradigm"], link: str) -> Table:
    """A row a group, a column a model."""
    say = asked.say
    known = [standing for standing in standings if link in standing.choices]
    found = [accuracy(standing.choices[link], by=by) for standing in known]
    totals = [accuracy(standing.choices[link])["all"] for standing in known]
    homes = {
        uid: home
        for standing in known
        for strata in [stratify(standing.choices[link])]
        for uid, home in zip(strata.uids, strata.phenomena, strict=True)
    }
    names = sorted(dict.fromkeys(name for groups in found for name in groups), key=lambda name: (homes.get(name, ""), name))
    heads = [Column(by, say(by)), *([Column("phenomenon", say("phenomenon"))] if by == "paradigm" else [])]
    rows: list[tuple[Value, ...]] = []
    for name in names:
        cells = [
            ranged(groups[name], counted=standing.counted) if name in groups else None
            for standing, groups in zip(known, found, strict=True)
        ]
        rows.append((name, *([homes[name]] if by == "paradigm" else []), *cells))
    last = [ranged(total, counted=standing.counted) for standing, total in zip(known, totals, strict=True)]
    rows.append((say("all-pairs"), *([""] if by == "paradigm" else []), *last))
    columns = (*heads, *(Column(standing.name, standing.name, "percent") for standing in known))
    title = say(f"accuracy-{by}").format(link=link)
    return Table(f"accuracy-{by}-{file_name(link)}", title, columns, tuple(rows), say("note-groups"))


def _figures(standings: Sequence[Standing], asked: Asked) -> Iterator[Item]:
    say = asked.say
    chosen = {standing.name: standing.choices[asked.main] for standing in standings if asked.main in standing.choices}
    if not chosen:
        yield absent(say("figures"), "report-link-absent", {"link": asked.main})
        return
    by_phenomenon = {name: accuracy(choices, by="phenomenon") for name, choices in chosen.items()}
    by_paradigm = {name: accuracy(choices, by="paradigm") for name, choices in chosen.items()}
    sections = {
        uid: home
        for choices in chosen.values()
        for strata in [stratify(choices)]
        for uid, home in zip(strata.uids, strata.phenomena, strict=True)
    }

    def phenomena() -> Picture:
        from bidui.report.figures import Measured, accuracy_by_phenomenon

        values = {
            name: {group: Measured(one.value, one.low, one.high) for group, one in groups.items()}
            for name, groups in by_phenomenon.items()
        }
        drawing = accuracy_by_phenomenon(values, language=asked.language)
        return Picture("accuracy-by-phenomenon", title("figure-phenomena"), drawing, say("note-figure-phenomena"))

    def heatmap(name: str, key: str, found: dict[str, dict[str, float]], within: dict[str, str] | None) -> Picture:
        from bidui.report.figures import accuracy_heatmap

        drawing = accuracy_heatmap(found, sections=within, language=asked.language)
        return Picture(name, title(key), drawing)

    def boxes() -> Picture:
        from bidui.report.figures import box_plots

        drawn = {name: box([one.value for one in groups.values()]) for name, groups in by_paradigm.items()}
        drawing = box_plots(drawn, language=asked.language)
        return Picture("accuracy-boxes", title("figure-boxes"), drawing, say("note-figure-boxes"))

    def title(key: str) -> str:
        return say(key).format(link=asked.main)

    def plain(found: dict[str, dict[str, Accuracy]]) -> dict[str, dict[str, float]]:
        return {name: {group: one.value for group, one in groups.items()} for name, groups in found.items()}

    groups = {name: dict(sorted(found.items())) for name, found in by_phenomenon.items()}
    paradigms = {
        name: dict(sorted(found.items(), key=lambda one: (sections[one[0]], one[0]))) for name, found in by_paradigm.items()
    }
    yield attempt(title("figure-phenomena"), phenomena)
    yield attempt(title("figure-heatmap"), lambda: heatmap("heatmap-phenomena", "figure-heatmap", plain(groups), None))
    yield attempt(
        title("figure-paradigms"), lambda: heatmap("heatmap-paradigms", "figure-paradigms", plain(paradigms), sections)
    )
    yield attempt(title("figure-boxes"), boxes)


def _kinds(standings: Sequence[Standing], asked: Asked) -> Item:
    """Included against excluded paradigms."""
    say = asked.say
    uids = {uid for standing in standings for choices in standing.choices.values() for uid in choices.uids.tolist()}
    benchmark = asked.benchmark(uids)
    title = say("kinds")
    if benchmark is None:
        return absent(title, "report-no-benchmark", {"known": [known.name for known in asked.benchmarks]})
    kinds = {benchmark.kinds[uid] for uid in uids}
    if len(kinds) < 2:
        return absent(title, "report-one-kind", {"kind": sorted(kinds)})
    columns = [Column("model", say("model")), Column("link", say("link"))]
    for kind in ("included", "excluded"):
        columns += [Column(kind, say(kind), "percent"), Column(f"{kind}_paradigms", say("paradigms"), "count")]
    columns.append(Column("difference", say("difference"), "points"))
    rows: list[tuple[Value, ...]] = []
    for standing in standings:
        for link, choices in standing.choices.items():
            found = kind_accuracy(choices, benchmark.kinds)
            if len(found) < 2:
                continue
            gap = kind_difference(choices, benchmark.kinds, first="included", second="excluded")
            cells: list[Value] = []
            for kind in ("included", "excluded"):
                cells += [Ranged(found[kind].mean, found[kind].low, found[kind].high), found[kind].paradigms]
            rows.append((standing.name, link, *cells, Ranged(gap.value, gap.low, gap.high)))
    return Table("kinds", title, tuple(columns), tuple(rows), say("note-kinds"))
