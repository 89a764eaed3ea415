"""Accuracy: overall, by phenomenon, by paradigm and by kind of paradigm, for every model and linking function."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from bidui.analysis.accuracy import CLIMP_KINDS, Accuracy, Interval, accuracy, kind_accuracy, kind_difference
from bidui.analysis.estimate import box, deviation
from bidui.analysis.people import study_accuracy
from bidui.benchmarks import Benchmark
from bidui.files import natural
from bidui.intervals import Estimate, newcombe
from bidui.reports.figures import Drawing, accuracy_by_phenomenon, accuracy_heatmap, box_plots
from bidui.reports.published import Published, all_published, published_uid
from bidui.reports.results import ALL, HELD_OUT, ModelChoices, decided, phenomenon_of
from bidui.reports.section import Item, Rows, Settings, absent, file_name, joined, picture, pictures, sentence
from bidui.reports.sections.people import Grouping, group_name, human_accuracy, people_by
from bidui.reports.sections.published import cell_remarks
from bidui.reports.tables import NOTHING, Column, Table, Value
from bidui.scores.choices import Choices

FEWEST = 5  # models; a box over fewer would hide nothing
MOST_VALUES = 50  # of a column; with more, such as a number for each pair, it does not divide the pairs into groups
LEVELS: tuple[Grouping, ...] = ("phenomenon", "paradigm")

ByModel = Mapping[str, Mapping[str, Accuracy]]  # by model and group
Kinds = tuple[str, str]  # two kinds of paradigms that are compared


def accuracy_section(models: Sequence[ModelChoices], settings: Settings) -> Iterator[Item]:
    """Yield the tables and figures of accuracy; groups are shown for one linking function, and linked for others."""
    links = list(dict.fromkeys(link for model in models for link in model.choices))
    yield _links(models, links, settings)
    yield _averages(models, settings)
    yield from _figures(models, settings)
    phenomena = phenomenon_of(choices for model in models for choices in model.choices.values())
    ranges = _ranges_over_links(models) if _has_phenomena(phenomena) else {}
    for by in LEVELS:
        own = ranges if by == "phenomenon" else {}
        if by == "paradigm" or _has_phenomena(phenomena):
            yield from (_groups(models, settings, by, link, ranges=own) for link in links)
    yield from _columns(models, links, settings)
    yield _included(models, phenomena, settings)
    yield _local(models, phenomena, settings)


def _has_phenomena(phenomena: Mapping[str, str]) -> bool:
    """Return whether any paradigm has a phenomenon; if none has, a table of them would be one row without a name."""
    return {*phenomena.values()} != {NOTHING}


def _cell(value: Accuracy, model: ModelChoices, settings: Settings) -> Accuracy | Estimate | str:
    """Return an accuracy as a cell, or that all pairs are ties; the ties of a run are not known."""
    if model.counted:
        return value.estimate
    return settings.say("undecided") if value.ties == value.pairs else value


def common_interval(choices: Iterable[Choices], by: str) -> Interval:
    """Return the kind of interval that all models can have for every group, so that a table has one."""
    kinds = {accuracy(one, by=by).interval for one in choices}
    return "paradigms" if kinds == {"paradigms"} else "pairs"


def _phenomena(models: Sequence[ModelChoices]) -> dict[str, str]:
    return phenomenon_of(choices for model in models for choices in model.choices.values())


def _links(models: Sequence[ModelChoices], links: Sequence[str], settings: Settings) -> Table:
    """Return one row per model and one column per linking function."""
    say = settings.say
    rows: Rows = []
    for model in models:
        cells: list[Value] = []
        for choices in map(model.choices.get, links):
            cells.append(None if choices is None else _cell(accuracy(choices)["all"], model, settings))
        rows.append((model.name, *cells))
    if panel := settings.extras.people:  # who know no linking functions
        agreement = study_accuracy(panel, dict.fromkeys(_phenomena(models), ALL))[ALL]
        rows.append((say("people-head"), *(agreement for _ in links)))
    columns = (*settings.columns("model"), *(Column(link, link, "percent", rival=True) for link in links))
    lacking = dict.fromkeys(sentence(problem, settings.language) for model in models for problem in model.problems)
    fitted = say("note-links-fitted") if HELD_OUT in links else ""
    note = joined(say("note-links"), fitted, *(f"{text}{say('stop')}" for text in lacking))
    return settings.table("accuracy", columns, rows, title=say("accuracy-overall"), note=note)


def _averages(models: Sequence[ModelChoices], settings: Settings) -> Table:
    """Return one row per model and linking function: the averages and the ties."""
    rows: Rows = []
    for model in models:
        for link, choices in model.choices.items():
            ties = (None, None) if model.counted else (choices.ties, choices.near_ties)
            micro = accuracy(choices)["all"]
            if choices.undecided:
                rows.append((model.name, link, micro.pairs, *ties, settings.say("undecided"), None, None, None))
                continue
            macros = [accuracy(choices, by=by)[by] for by in ("macro_paradigm", "macro_phenomenon")]
            spread = deviation([one.value for one in accuracy(choices, by="phenomenon").values()])
            rows.append((model.name, link, micro.pairs, *ties, *(one.estimate for one in (micro, *macros)), spread))
    if panel := settings.extras.people:
        groups = _phenomena(models)
        judgements = study_accuracy(panel, dict.fromkeys(groups, ALL))[ALL]
        phenomena, paradigms = (
            [one.value for one in study_accuracy(panel, own).values()] for own in (groups, {uid: uid for uid in groups})
        )
        shares, spread = (judgements, fmean(paradigms), fmean(phenomena)), deviation(phenomena)
        rows.append((settings.say("people-head"), NOTHING, len(panel.pairs), None, None, *shares, spread))
    columns = (
        "model link pairs:count ties:count near_ties:count micro:percent macro_paradigm:percent"
        " macro_phenomenon:percent deviation_phenomena:percent"
    )
    return settings.table("accuracy-averages", columns, rows, note=settings.say("note-averages"))


def _groups(
    models: Sequence[ModelChoices], settings: Settings, by: Grouping, link: str, *, ranges: Mapping[str, str]
) -> Table:
    """Return one row per group and one column per model."""
    say = settings.say
    there = [model for model in models if link in model.choices]
    interval = common_interval([model.choices[link] for model in there], by)
    values = [
        {**accuracy(choices, by=by, interval=interval), **accuracy(choices)}
        for choices in (model.choices[link] for model in there)
    ]
    phenomena = phenomenon_of(model.choices[link] for model in there)
    names = list(phenomena) if by == "paradigm" else sorted(set(phenomena.values()))
    people = people_by(by, phenomena, settings, interval=interval)
    rows: Rows = []
    for name in [*names, "all"]:
        within = [settings.phenomenon(phenomena.get(name, ""))] if by == "paradigm" else []
        head = (name if by == "paradigm" and name != ALL else group_name(name, settings), *within)
        cells = [
            _cell(own[name], model, settings) if name in own else None for model, own in zip(there, values, strict=True)
        ]
        rows.append((*head, *cells, *([people.get(name)] if people else []), *([ranges.get(name)] if ranges else [])))
    columns = [
        *settings.columns("paradigm phenomenon" if by == "paradigm" else "phenomenon"),
        *(Column(model.name, model.name, "percent", rival=True) for model in there),
        *(settings.columns("people:percent=people-head") if people else ()),
        *(settings.columns("links_range=links-range") if ranges else ()),
    ]
    return settings.table(
        f"accuracy-{by}-{file_name(link)}",
        columns,
        rows,
        title=say(f"accuracy-{by}").format(link=link),
        note=joined(
            say("note-groups"),
            say("note-links-range") if ranges else "",
            settings.about_people("note-people-there") if people else "",
        ),
        whole=True,
        linked=link != settings.main,
    )


def _ranges_over_links(models: Sequence[ModelChoices]) -> dict[str, str]:
    """Return the lowest and the highest accuracy over linking functions that all models have, as means over models."""
    links = [link for link in models[0].choices if all(link in model.choices for model in models)]
    if len(links) < 2:
        return {}
    by_link: dict[str, list[list[float]]] = {}
    for link in links:
        found: dict[str, list[float]] = {}
        for model in models:
            choices = model.choices[link]
            for name, one in {**accuracy(choices, by="phenomenon"), **accuracy(choices)}.items():
                found.setdefault(name, []).append(one.value)
        for name, own in found.items():
            by_link.setdefault(name, []).append(own)
    means = {name: [sum(own) / len(own) for own in values] for name, values in by_link.items()}
    return {name: f"{100 * min(own):.1f}–{100 * max(own):.1f}" for name, own in means.items()}


# Variants and further columns of the pairs, such as the conditions of an experiment


def _columns(models: Sequence[ModelChoices], links: Sequence[str], settings: Settings) -> Iterator[Item]:
    """Yield tables and a figure for each column that divides the pairs into groups, and say why others have none."""
    say = settings.say
    values: dict[str, set[str]] = {}
    crossed: dict[str, set[tuple[str, ...]]] = {}  # the values that stand together with a paradigm and a phenomenon
    pairs: dict[str, int] = {}  # the most that a model has
    for choices in (choices for model in models for choices in model.choices.values()):
        for column, own in choices.columns.items():
            values.setdefault(column, set()).update(own.tolist())
            rows = zip(own.tolist(), choices.uids.tolist(), choices.phenomena.tolist(), strict=True)
            crossed.setdefault(column, set()).update(rows)
            pairs[column] = max(pairs.get(column, 0), len(own))
    names: set[str] = set()
    for column, distinct in values.items():
        title = say("accuracy-column").format(column=column, link=settings.main)
        facts: dict[str, object] = {"column": column, "count": len(distinct), "most": MOST_VALUES}
        if column != "variant" and 1 < len(distinct) >= pairs[column]:  # variants are conditions, however few the pairs
            yield absent(title, "report-column-single", facts)
            continue
        if not 2 <= len(distinct) <= MOST_VALUES:
            yield absent(title, "report-column-values", facts)
            continue
        same = [
            level
            for level, place in (("paradigm", 1), ("phenomenon", 2))
            if len({(row[0], row[place]) for row in crossed[column]}) == len(distinct)
            and len({row[place] for row in crossed[column]}) == len(distinct)
        ]
        if same:
            yield absent(title, "report-column-same", {**facts, "level": say(same[0])})
            continue
        name = f"accuracy-column-{file_name(column) or 'column'}"
        while name in names:
            name += "-2"
        names.add(name)
        yield _column_figure(models, settings, column, sorted(distinct, key=natural), name)
        yield from (_column(models, settings, column, sorted(distinct, key=natural), link, name) for link in links)


def _column(
    models: Sequence[ModelChoices], settings: Settings, column: str, values: Sequence[str], link: str, name: str
) -> Table:
    """Return one row per value and one column per model; a model without the column has no accuracy."""
    there = [model for model in models if link in model.choices and column in model.choices[link].columns]
    interval = common_interval([model.choices[link] for model in there], column)
    cells = {model.name: accuracy(model.choices[link], by=column, interval=interval) for model in there}
    humans = _people_by_column(there[0].choices[link], column, settings) if there else []
    rows: Rows = []
    for value in values:
        own = [
            _cell(cells[model.name][value], model, settings) if value in cells[model.name] else None for model in there
        ]
        rows.append((value or NOTHING, *own, *(shares.get(value) for shares in humans)))
    whole = [_cell(accuracy(model.choices[link])["all"], model, settings) for model in there]
    rows.append((settings.say("all-pairs"), *whole, *(shares[None] for shares in humans)))
    heads = [Column(column, column), *(Column(model.name, model.name, "percent", rival=True) for model in there)]
    return settings.table(
        f"{name}-{file_name(link)}",
        [*heads, *(settings.columns("people:percent=people-head") if humans else ())],
        rows,
        title=settings.say("accuracy-column").format(column=column, link=link),
        note=joined(settings.say("note-groups"), settings.about_people("note-people-there") if humans else ""),
        whole=True,
        linked=link != settings.main,
    )


def _people_by_column(choices: Choices, column: str, settings: Settings) -> list[dict[str | None, float]]:
    """Return how often the people of a study were right for each value, and for None on all pairs; empty without."""
    people = settings.extras.people
    if people is None:
        return []
    keys = list(zip(choices.uids.tolist(), choices.pairs.tolist(), strict=True))
    values: dict[tuple[str, int], str | None] = dict(zip(keys, choices.columns[column].tolist(), strict=True))
    return [{**people.agreement(values), **people.agreement(dict.fromkeys(keys, None))}]


def _column_figure(
    models: Sequence[ModelChoices], settings: Settings, column: str, values: Sequence[str], name: str
) -> Item:
    """Draw one dot per model and value, by the main linking function."""
    main = settings.main
    there = {model.name: model.choices[main] for model in models if main in model.choices}
    there = {name: one for name, one in there.items() if column in one.columns}
    interval = common_interval(there.values(), column)
    groups = {name: accuracy(one, by=column, interval=interval) for name, one in there.items()}
    dots = {
        model: {value or NOTHING: own[value].estimate for value in values if value in own}
        for model, own in groups.items()
    }
    return picture(
        name,
        settings.say("figure-column").format(column=column, link=main),
        lambda: accuracy_by_phenomenon(dots, language=settings.language),
        note=settings.say(f"intervals-{interval}"),
    )


# Figures: phenomena with intervals, heatmaps of phenomena and paradigms, and their spread


def _figures(models: Sequence[ModelChoices], settings: Settings) -> Iterator[Item]:
    """Draw accuracies by the main linking function."""
    say, language = settings.say, settings.language
    chosen = decided(models, settings.main)
    if not chosen:
        yield absent(say("figures"), "report-link-absent", {"link": settings.main})
        return
    interval = common_interval(chosen.values(), "phenomenon")
    phenomena = {
        name: dict(sorted(accuracy(one, by="phenomenon", interval=interval).items())) for name, one in chosen.items()
    }
    within = phenomenon_of(chosen.values())
    by_paradigm = {name: accuracy(one, by="paradigm") for name, one in chosen.items()}
    paradigms = {name: {uid: one[uid] for uid in within if uid in one} for name, one in by_paradigm.items()}
    kinds: dict[Grouping, Interval] = {"phenomenon": interval, "paradigm": "pairs"}
    people = {by: people_by(by, within, settings, interval=kinds[by]) for by in LEVELS}
    with_people = settings.about_people("note-people-there") if people["phenomenon"] else ""

    def title(key: str) -> str:
        return say(key).format(link=settings.main)

    def estimates(by_model: ByModel, by: Grouping) -> dict[str, dict[str, Estimate]]:
        """Return the accuracies of models, and of humans where they are known."""
        values = {name: {group: one.estimate for group, one in own.items()} for name, own in by_model.items()}
        there = {group for own in values.values() for group in own}
        if people[by]:
            values[say("people-head")] = {group: one for group, one in people[by].items() if group in there}
        if by == "paradigm":  # which may be called as a phenomenon is
            return values
        return {name: {settings.phenomenon(group): one for group, one in own.items()} for name, own in values.items()}

    def heatmap(by_model: ByModel, by: Grouping, sections: Mapping[str, str] | None = None) -> Drawing:
        values = estimates(by_model, by)
        shares = {name: {group: one.value for group, one in own.items()} for name, own in values.items()}
        return accuracy_heatmap(shares, sections=sections, language=language)

    if _has_phenomena(within):
        yield from pictures(
            "accuracy-by-phenomenon",
            title("figure-phenomena"),
            phenomena,
            lambda some: accuracy_by_phenomenon(estimates(some, "phenomenon"), language=language),
            note=joined(say(f"intervals-{interval}"), with_people),
        )
        yield picture(
            "heatmap-phenomena", title("figure-heatmap"), lambda: heatmap(phenomena, "phenomenon"), note=with_people
        )
    else:
        yield absent(title("figure-phenomena"), "report-no-phenomena")
    yield from pictures(
        "heatmap-paradigms",
        title("figure-paradigms"),
        paradigms,
        lambda some: heatmap(some, "paradigm", {uid: settings.phenomenon(name) for uid, name in within.items()}),
        note=settings.about_people("note-people-there") if people["paradigm"] else "",
    )
    boxes = {name: box([one.value for one in own.values()]) for name, own in paradigms.items()}
    yield picture(
        "accuracy-boxes",
        title("figure-boxes"),
        lambda: box_plots(boxes, language=language),
        note=say("note-figure-boxes"),
    )
    if len(chosen) < FEWEST:
        yield absent(title("figure-spread"), "report-few-models", {"needed": FEWEST, "count": len(chosen)})
        return
    values = {uid: [own[uid].value for own in paradigms.values() if uid in own] for uid in within}
    spread = {uid: box(own) for uid, own in values.items() if len(own) >= FEWEST}
    humans = {uid: one.value for uid, one in people["paradigm"].items() if uid in spread}
    yield picture(  # SLING, Figures 6 and 7
        "accuracy-spread",
        title("figure-spread"),
        lambda: box_plots(spread, people=humans, width="page", language=language),
        note=say("note-figure-spread"),
    )


# Kinds of paradigms: included against excluded (Liu et al., Table 8), local against hierarchical (Xiang et al.)


def _included(models: Sequence[ModelChoices], uids: Mapping[str, str], settings: Settings) -> Item:
    """Compare included and excluded paradigms, with humans, pooled over the judgements on scored paradigms."""
    say, kinds = settings.say, ("included", "excluded")
    benchmark = settings.benchmark(uids)
    if benchmark is None:
        return absent(say("kinds"), "report-no-benchmark", {"known": [known.name for known in settings.benchmarks]})
    there = {benchmark.kinds[uid] for uid in uids}
    if len(there) < 2:
        return absent(say("kinds"), "report-one-kind", {"kind": [say(kind) for kind in there]})
    rows = _kind_rows(models, benchmark.kinds, kinds)
    if people := _kinds_by_people(benchmark, uids, kinds, settings):
        rows.append((say("people-head"), "", *people))
    note = say("note-kinds")
    for table in all_published() if settings.published else ():
        if table.benchmark == benchmark.name and any(cell.level == "status" for cell in table.cells):
            rows += _published_kinds(table, kinds)
            source = say("note-published-drawn").format(paper=table.paper, table=table.table)
            note = joined(note, source, cell_remarks(table, settings))
    return settings.table("kinds", _kind_columns(kinds, settings), rows, note=note)


def _published_kinds(table: Published, kinds: Kinds) -> Rows:
    """Return the rows of a printed table of kinds, which has no intervals."""
    counts = {cell.group: round(cell.value) for cell in table.cells if cell.measure == "paradigms"}
    values: dict[tuple[str, str], dict[str, float]] = {}
    for cell in table.cells:
        if cell.measure == "accuracy":
            values.setdefault((f"{cell.model} †", cell.link), {})[cell.group] = cell.value / 100
    return [
        (*model, *(cell for kind in kinds for cell in (own[kind], counts[kind])), own[kinds[0]] - own[kinds[1]])
        for model, own in values.items()
    ]


def _local(models: Sequence[ModelChoices], uids: Mapping[str, str], settings: Settings) -> Item:
    """Compare the local and hierarchical paradigms of CLiMP, by the names of its released files."""
    title, kinds = settings.say("local-title"), ("local", "hierarchical")
    named = {uid: CLIMP_KINDS.get(published_uid(uid), "other") for uid in uids}
    if not set(named.values()) >= set(kinds):
        return absent(title, "report-other-benchmark", {"benchmark": "CLiMP"})
    rows = _kind_rows(models, named, kinds)
    columns = _kind_columns(kinds, settings)
    return settings.table("kinds-local", columns, rows, title=title, note=settings.say("note-local"))


def _kind_columns(kinds: Kinds, settings: Settings) -> tuple[Column, ...]:
    first, second = kinds
    return settings.columns(
        f"model link {first}:percent {first}_paradigms:count=paradigms {second}:percent"
        f" {second}_paradigms:count=paradigms difference:points"
    )


def _kind_rows(models: Sequence[ModelChoices], named: Mapping[str, str], kinds: Kinds) -> Rows:
    """Return accuracy and paradigms of both kinds, and the difference where a model was scored on both."""
    rows: Rows = []
    for name, link, choices in ((model.name, *item) for model in models for item in model.choices.items()):
        by_kind = kind_accuracy(choices, named)
        cells: list[Value] = []
        for kind in kinds:
            cells += [by_kind[kind].mean, by_kind[kind].paradigms] if kind in by_kind else [None, 0]
        both = all(kind in by_kind for kind in kinds)
        difference = kind_difference(choices, named, first=kinds[0], second=kinds[1]) if both else None
        rows.append((name, link, *cells, difference))
    return rows


def _kinds_by_people(benchmark: Benchmark, uids: Mapping[str, str], kinds: Kinds, settings: Settings) -> list[Value]:
    """Return how often humans were right; empty unless both kinds were judged."""
    judged = {uid: benchmark.kinds[uid] for uid in uids if benchmark.people.get(uid, (0, 0))[1]}
    found = human_accuracy(benchmark, judged, settings)
    if not all(kind in found for kind in kinds):
        return []
    counts = Counter(judged.values())
    first, second = (found[kind] for kind in kinds)
    return [first, counts[kinds[0]], second, counts[kinds[1]], newcombe(first, second)]
