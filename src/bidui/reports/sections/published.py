"""Published results beside the user's own, each labelled with its paper and its linking function."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from statistics import fmean
from typing import Literal

import numpy as np

from bidui.analysis.accuracy import accuracy
from bidui.benchmarks import Benchmark
from bidui.reports.figures import Drawing, accuracy_heatmap
from bidui.reports.published import Published, all_published, columns, published_uid
from bidui.reports.results import ALL, ModelChoices, phenomenon_of
from bidui.reports.section import Item, Rows, Settings, absent, joined, picture
from bidui.reports.sections.people import people_counts
from bidui.reports.tables import Column, Table
from bidui.scores.choices import Choices, delta_acc, length_split

Level = Literal["paradigm", "phenomenon"]
Values = Mapping[str, Mapping[str, float]]  # by model and group, as shares
LEVELS: tuple[Level, ...] = ("paradigm", "phenomenon")
ROUNDED = 0.001  # by which averages of cells that were rounded to one decimal may differ
WHOLES = {"pairs": "all-pairs", "paradigms": "macro-paradigm", "phenomena": "macro-phenomenon"}
HUMANS = "human †"  # the column of humans, as printed
LENGTH_GROUPS = ("D=", "D<", "D>")


@dataclass(frozen=True, slots=True)
class Match:
    """A published table that has all our groups: at which level, by which linking function, and under which names."""

    table: Published
    level: Level
    link: str
    groups: Mapping[str, str]  # by uid, as the table names them

    def title(self, group: str, settings: Settings) -> str:
        """Return a group as readers see it; a paradigm may be called as a phenomenon is, and keeps its name."""
        return settings.phenomenon(group) if self.level == "phenomenon" else group

    @property
    def rows(self) -> list[str]:
        """The groups in the order of ours."""
        return list(dict.fromkeys(self.groups.values() if self.level == "paradigm" else sorted(self.groups.values())))


def published_section(models: Sequence[ModelChoices], settings: Settings) -> Iterator[Item]:
    """Yield a table and a figure for every published table that has our groups."""
    say = settings.say
    if not settings.published:
        yield absent(say("published"), "report-published-off")
        return
    phenomena = phenomenon_of(choices for model in models for choices in model.choices.values())
    benchmark = settings.benchmark(phenomena)
    name = benchmark.name if benchmark else ""
    included = {uid for uid, kind in benchmark.kinds.items() if kind == "included"} if benchmark else set()
    tables = all_published()
    any_match = False
    for table in tables:
        if match := _match(table, phenomena, name):
            any_match = True
            ours, theirs = _ours(match, models, settings), _theirs(match)
            yield _table(match, ours, theirs, settings, expected=set(table.phenomena) or included)
            yield picture(
                f"published-{table.name}",
                say("published-drawn").format(title=_title(table, settings, link=match.link)),
                partial(_heatmap, match, {**ours, **theirs}, settings),
                note=say("note-published-drawn").format(paper=table.paper, table=table.table),
            )
        elif table.benchmark == name and any(cell.level == "length" for cell in table.cells):
            yield _lengths(table, models, settings)
    if not any_match:
        names = sorted({table.benchmark for table in tables})
        yield absent(say("published"), "report-not-published", {"known": names})


def _match(table: Published, phenomena: Mapping[str, str], benchmark: str) -> Match | None:
    """Return where a published table has all our groups; equal names of phenomena do not make it our benchmark."""
    for level in LEVELS:
        cells = [cell for cell in table.cells if (cell.level, cell.measure) == (level, "accuracy")]
        if level == "paradigm":
            groups = {uid: published_uid(uid) for uid in phenomena}
        elif table.phenomena:
            groups = {uid: table.phenomena.get(published_uid(uid), "") for uid in phenomena}
        else:
            groups = dict(phenomena) if table.benchmark == benchmark else {}
        if groups and set(groups.values()) <= {cell.name for cell in cells}:
            return Match(table, level, next(cell.link for cell in cells if cell.link), groups)
    return None


def _ours(match: Match, models: Sequence[ModelChoices], settings: Settings) -> dict[str, dict[str, float]]:
    """Return our models by the table's linking function, or by the main one, which is then added to their names."""
    values = {}
    for model in models:
        choices = model.choices.get(match.link, model.choices.get(settings.main))
        if choices is not None:
            mark = "" if choices.link == match.link else f" ({choices.link})"
            groups = accuracy(_grouped(choices, match.groups), by="phenomenon")
            shares = {name: one.value for name, one in groups.items()}
            values[f"{model.name}{mark}"] = {**shares, ALL: _whole(choices, match.table)}
    return values


def _grouped(choices: Choices, groups: Mapping[str, str]) -> Choices:
    return replace(choices, phenomena=np.array([groups[uid] for uid in choices.uids.tolist()], object))


def _whole(choices: Choices, table: Published) -> float:
    """Return the average that the table prints in its last row."""
    if table.whole == "phenomena":
        groups = {uid: table.phenomena[published_uid(uid)] for uid in set(choices.uids.tolist())}
        parts = accuracy(_grouped(choices, groups), by="phenomenon")
    else:
        parts = accuracy(choices, by="paradigm" if table.whole == "paradigms" else "overall")
    return fmean(one.value for one in parts.values())


def _theirs(match: Match) -> dict[str, dict[str, float]]:
    """Return the published models and humans, as shares."""
    values: dict[str, dict[str, float]] = {}
    wanted: dict[Level | Literal["overall"], list[str]] = {match.level: match.rows, "overall": [ALL]}
    for level, groups in wanted.items():
        for name, cells in columns(match.table, link=match.link, level=level).items():
            own = values.setdefault(f"{name} †", {})
            own |= {group: cells[group] / 100 for group in groups if group in cells}
    return values


def _table(match: Match, ours: Values, theirs: Values, settings: Settings, *, expected: set[str]) -> Table:
    say, table = settings.say, match.table
    rows: Rows = []
    for group in [*match.rows, ALL]:
        head = say(WHOLES[table.whole]) if group == ALL else match.title(group, settings)
        rows.append((head, *(values.get(group) for values in (*ours.values(), *theirs.values()))))
    heads = [*settings.columns(match.level), *(Column(name, name, "percent", rival=True) for name in ours)]
    heads += [Column(f"published {name.removesuffix(' †')}", name, "percent", rival=name != HUMANS) for name in theirs]
    scored = {published_uid(uid) for uid in match.groups}
    partial_note = "" if scored >= expected else say("note-partial").format(scored=len(scored), count=len(expected))
    remarks = say("remarks").format(remarks=table.remarks) if table.remarks else ""
    humans = "" if partial_note else _people_note(match, theirs, settings)
    note = joined(_note(table, settings), partial_note, humans, remarks, cell_remarks(table, settings))
    title = _title(table, settings, link=match.link)
    return settings.table(f"published-{table.name}", heads, rows, title=title, note=note, whole=True)


def _people_note(match: Match, theirs: Values, settings: Settings) -> str:
    """Say how the printed human figures differ from the counts that the rest of the page pools; empty if they agree.

    The last row is averaged as the table does it, which may be another average than that of all judgements. Where the
    page has the people of a study instead, nothing is pooled from the published counts.
    """
    benchmark, table = settings.benchmark(match.groups), match.table
    if benchmark is None or not benchmark.people or HUMANS not in theirs or settings.extras.people is not None:
        return ""
    pooled = _pooled(benchmark, match.groups)
    values: dict[str, object] = {"average": settings.say(WHOLES[table.whole]), "pooled": 100 * pooled[ALL]}
    if table.whole != "pairs":
        parts = table.phenomena if table.whole == "phenomena" else {}
        groups = {uid: parts.get(published_uid(uid), uid) for uid in match.groups}
        pooled[ALL] = fmean(share for group, share in _pooled(benchmark, groups).items() if group != ALL)
    apart = {group: theirs[HUMANS][group] - pooled[group] for group in pooled if group in theirs[HUMANS]}
    if all(abs(difference) < ROUNDED for difference in apart.values()):
        return "" if table.whole == "pairs" else settings.say("note-people-averaged").format(**values)
    most = max(apart, key=lambda group: abs(apart[group]))
    name = settings.say(WHOLES[table.whole]) if most == ALL else most
    values = {"group": name, "printed": 100 * theirs[HUMANS][most], "pooled": 100 * pooled[most]}
    return settings.say("note-people-printed").format(**values)


def _pooled(benchmark: Benchmark, groups: Mapping[str, str]) -> dict[str, float]:
    """Return how often humans were right in each group, and in all."""
    counts = people_counts(benchmark, groups)
    return {group: right / judgements for group, (right, judgements) in counts.items()}


def cell_remarks(table: Published, settings: Settings) -> str:
    """Return the remarks on printed numbers that cannot be right or differ from another place in the papers."""
    cells: dict[str, dict[str, list[str]]] = {}
    for cell in table.cells:
        if cell.remarks:
            cells.setdefault(cell.remarks, {}).setdefault(cell.model, []).append(f"{cell.group} {cell.value:g}")
    texts = []
    for remark, own in cells.items():
        places = [f"{model} ({', '.join(numbers)})" for model, numbers in own.items()]
        texts.append(f"{', '.join(places)}: {remark}")
    return settings.say("note-cells").format(remarks="; ".join(texts)) if texts else ""


def _heatmap(match: Match, values: Values, settings: Settings) -> Drawing:
    shares = {
        name: {match.title(group, settings): own[group] for group in match.rows if group in own}
        for name, own in values.items()
    }
    sections = match.table.phenomena if match.level == "paradigm" else None
    return accuracy_heatmap(shares, sections=sections, language=settings.language)


def _lengths(table: Published, models: Sequence[ModelChoices], settings: Settings) -> Table:
    """Return accuracy by length groups (Liu et al., Table 5) by linking function: ours, as printed, and delta-acc.

    Both have the mean over models, where there are several; that of the paper has no length groups.
    """
    mean = settings.say("mean-of-models")
    values: dict[tuple[str, str], tuple[float | None, ...]] = {}
    for model in (model for model in models if not model.counted):  # counts do not say which side is longer
        for link, choices in model.choices.items():
            split = length_split(choices)
            whole = accuracy(choices, interval="pairs")["all"].value
            values[link, model.name] = (split.equal, split.good_shorter, split.good_longer, split.delta, whole)
    for link in dict.fromkeys(link for link, _ in values):
        ours = [cells for (name, _), cells in values.items() if name == link]
        if len(ours) > 1:
            values[link, mean.format(count=len(ours))] = tuple(map(_mean, zip(*ours, strict=True)))
    printed: dict[tuple[str, str], dict[str, float]] = {}
    means: dict[str, dict[str, float]] = {}
    for cell in table.cells:
        if cell.level == "length" and cell.measure == "accuracy":
            printed.setdefault((cell.link, f"{cell.model} †"), {})[cell.group] = cell.value / 100
        elif cell.level == "overall":
            means.setdefault(cell.link, {})[cell.measure] = cell.value / 100
    for key, cells in printed.items():
        groups = tuple(cells[group] for group in LENGTH_GROUPS)
        values[key] = (*groups, delta_acc(*groups), None)
    for link, cells in means.items():
        name = f"{mean.format(count=len({model for _, model in printed}))} †"
        values[link, name] = (None, None, None, cells["delta_acc"], cells["accuracy"])
    links = list(dict.fromkeys(map(_kind, [link for link, _ in printed] + [link for link, _ in values])))
    order = sorted(values, key=lambda key: (links.index(_kind(key[0])), key[1].endswith("†")))
    rows: Rows = [(*key, *values[key]) for key in order]
    heads = "link model equal:percent='D= shorter:percent='D< longer:percent='D> delta_acc:percent=delta micro:percent"
    title = _title(table, settings)
    return settings.table(f"published-{table.name}", heads, rows, title=title, note=_note(table, settings))


def _kind(link: str) -> str:
    """Return what keeps rows together: all settings of MORCELA are one, whose printed mean is of three of them."""
    return "morcela" if link.startswith("morcela") else link


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean over models; None where one has no pairs of the length group."""
    numbers = [value for value in values if value is not None and isfinite(value)]
    return fmean(numbers) if len(numbers) == len(values) else None


def _note(table: Published, settings: Settings) -> str:
    return settings.say("note-published").format(paper=table.paper, table=table.table, link=table.link)


def _title(table: Published, settings: Settings, *, link: str = "") -> str:
    title = settings.say("published-title").format(table=table.table, paper=table.short_paper)
    return settings.say("published-link").format(title=title, link=link) if link else title
