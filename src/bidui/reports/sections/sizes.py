"""Model size: accuracy against the number of parameters, by family, on a benchmark and on several of them.

A family is what models share whose names differ in their size only (Qwen2.5-0.5B, Qwen2.5-7B), or runs of several sizes
on the same training data. Scores store the number of parameters of a network; where they do not, the size in the name
of the model is taken.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from statistics import fmean
from typing import get_args

import numpy as np

from bidui.analysis.accuracy import accuracy
from bidui.analysis.difficulty import LEAST_SIZES, Difficulty, Level, difficulty
from bidui.analysis.estimate import deviation
from bidui.intervals import Estimate
from bidui.reports.figures import Drawing, Line, accuracy_by_size
from bidui.reports.published import all_published
from bidui.reports.results import PairSet, Results, ScoredModel, Series, comparable, last_accuracies, series_of
from bidui.reports.section import Item, Rows, Settings, absent, joined, pictures
from bidui.scores.choices import choose_from
from bidui.scores.milestones import FILE

SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d+(?:\.\d+)?)([kKmMbB])(?![A-Za-z0-9])")  # as in Qwen2.5-0.5B
UNITS = {"k": 1e3, "m": 1e6, "b": 1e9}
PUBLISHED = ("zhoblimp-6", "zhoblimp-first-4")  # the tables whose models are named by their parameters
LEVELS = get_args(Level)
BANDS = 3  # families in one figure; the deviations of more would cover each other


@dataclass(frozen=True, slots=True)
class Sized:
    """A model, or runs that differ only in their seed: its parameters, and its accuracies by the main link."""

    name: str
    parameters: float
    counted: bool  # or else as the name says
    accuracy: Estimate  # for these paradigms; of runs, the mean, without an interval
    paradigms: Mapping[str, float]
    seeds: int = 0  # of runs
    deviation: float = nan  # over seeds
    tokens: float = 0.0  # that runs were trained on

    @property
    def bar(self) -> tuple[float, float]:
        """The ends of what is drawn about the accuracy: its interval, or one standard deviation on either side."""
        value = self.accuracy.value
        return (value - self.deviation, value + self.deviation) if self.seeds else self.accuracy.interval


Families = Mapping[str, Sequence[Sized]]  # by name, each in the order of size


def size_in(name: str) -> tuple[float, str] | None:
    """Return the number of parameters in a name, and the name without it; None where there is none."""
    found = SIZE.search(name)
    if found is None or not float(found[1]):
        return None
    family = "-".join(filter(None, re.split(r"[-_ ]+", f"{name[: found.start()]} {name[found.end() :]}")))
    return float(found[1]) * UNITS[found[2].lower()], family or name


def families(results: Results, settings: Settings) -> Families:
    """Return all models and runs whose size is known, by family; scores of a run that is here stand behind it.

    A model without relatives goes by its own name.
    """
    members: dict[str, list[Sized]] = {}
    runs, _ = comparable(results.runs, settings.main)
    link = settings.main_link
    for model in results.models:
        home = _run_folder(model)
        if (runs and home) or (link.needs_unigrams and model.totals.unigram is None):
            continue
        named = size_in(model.name)
        stored = model.manifest.parameters or _run_parameters(home)
        if stored or named:
            family = named[1] if named else model.name
            members.setdefault(family, []).append(_sized_model(model, stored, named, settings))
    for series in series_of(runs):
        family = settings.say("family-runs").format(data=series.data)
        members.setdefault(family, []).append(_sized_series(series, settings.main))
    alone = {name: own[0].name if len(own) == 1 and not own[0].seeds else name for name, own in members.items()}
    return {alone[name]: sorted(own, key=lambda one: one.parameters) for name, own in members.items()}


def _run_folder(model: ScoredModel) -> Path | None:
    return next((folder for folder in model.folder.parents if (folder / FILE).is_file()), None)


def _run_parameters(folder: Path | None) -> int:
    try:
        return int(json.loads((folder / "run.json").read_text(encoding="utf-8"))["parameters"]) if folder else 0
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _sized_model(model: ScoredModel, stored: int, named: tuple[float, str] | None, settings: Settings) -> Sized:
    choices = choose_from(model.totals, settings.main_link)
    paradigms = {uid: one.value for uid, one in accuracy(choices, by="paradigm").items()}
    parameters = float(stored) or (named[0] if named else nan)
    whole = accuracy(choices, interval="pairs")["all"].estimate
    return Sized(model.name, parameters, bool(stored), whole, paradigms)


def _sized_series(series: Series, link: str) -> Sized:
    values, pairs = last_accuracies(series, link)
    whole = values @ (pairs / pairs.sum())
    return Sized(
        series.name,
        float(series.parameters),
        True,
        Estimate(float(whole.mean())),
        dict(zip(series.runs[0].uids, values.mean(axis=0).tolist(), strict=True)),
        seeds=len(whole),
        deviation=deviation(whole),
        tokens=max(run.tokens[-1] for run in series.runs),
    )


# Sizes on one set of pairs


def size_section(results: Results, settings: Settings) -> Iterator[Item]:
    """Yield accuracy by size as a figure and a table, and the four groups of paradigms by size."""
    say = settings.say
    title, groups = say("figure-sizes").format(link=settings.main), say("figure-levels")
    found = families(results, settings)
    if not found:
        yield from (absent(one, "report-no-sizes") for one in (title, groups))
        return
    printed, source = _published(results, settings)
    if len({one.parameters for own in found.values() for one in own}) > 1 or printed:
        yield from pictures(
            "accuracy-size",
            title,
            found,
            lambda some: _size_figure(some, printed, settings),
            note=joined(say("note-sizes"), _seeds_note(found, settings), source),
        )
    else:
        yield absent(title, "report-one-size")
    yield _size_table(found, _unsized(results, settings), settings)
    yield from _levels(found, settings)


def line_of(name: str, members: Sequence[Sized]) -> Line:
    """Return a family as a line, with the intervals of its points, and the number of seeds in its name."""
    x, y, low, high = np.array([(one.parameters, one.accuracy.value, *one.bar) for one in members]).T
    return Line(named(name, members), x, y, low, high)


def named(name: str, members: Sequence[Sized]) -> str:
    """Return the name of a family, with the number of seeds of its runs."""
    seeds = sorted({one.seeds for one in members})
    return f"{name}, n = {'–'.join(map(str, dict.fromkeys((seeds[0], seeds[-1]))))}" if seeds[-1] else name


def _size_figure(some: Families, printed: Sequence[Line], settings: Settings) -> Drawing:
    lines = [line_of(name, own) for name, own in some.items()]
    return accuracy_by_size({settings.say("all-pairs"): lines}, published=printed, language=settings.language)


def _seeds_note(found: Families, settings: Settings) -> str:
    return settings.say("note-sizes-seeds") if any(one.seeds for own in found.values() for one in own) else ""


def _published(results: Results, settings: Settings) -> tuple[list[Line], str]:
    """Return the published models as lines by family, each with the number of its table, and where they come from."""
    benchmark = settings.benchmark(results.uids)
    lines: list[Line] = []
    sources: list[str] = []
    if not settings.published or benchmark is None:
        return [], ""
    for table in all_published():
        if table.name not in PUBLISHED or table.benchmark != benchmark.name:
            continue
        cells = [cell for cell in table.cells if (cell.level, cell.measure) == ("overall", "accuracy") and cell.link]
        link = settings.main if any(cell.link == settings.main for cell in cells) else cells[0].link
        members: dict[str, dict[float, float]] = {}
        for cell in cells:
            if cell.link == link and (size := size_in(cell.model)):
                members.setdefault(size[1], {})[size[0]] = cell.value / 100
        for family, own in members.items():
            sizes = sorted(own)
            lines.append(Line(f"{family} †{table.table}", np.array(sizes), np.array([own[size] for size in sizes])))
        source = {"table": table.table, "paper": table.paper, "link": link}
        sources.append(settings.say("note-sizes-published").format(**source))
    return lines, joined(*sources)


def _unsized(results: Results, settings: Settings) -> str:
    """Name the models that are not shown because their size is not known."""
    left = [
        model.name
        for model in results.models
        if not (model.manifest.parameters or size_in(model.name) or _run_folder(model))
    ]
    return settings.say("note-sizes-unknown").format(models=", ".join(left)) if left else ""


def _size_table(found: Families, left: str, settings: Settings) -> Item:
    say = settings.say
    rows: Rows = []
    for name, own in found.items():
        for one in own:
            counted = say("size-counted" if one.counted else "size-named")
            facts = (round(one.parameters), counted, one.seeds or None)
            rows.append((name, one.name, *facts, one.accuracy, one.deviation))
    columns = (
        "family model parameters:count counted=size-from seeds:count accuracy:percent=micro deviation:percent=deviation"
    )
    title = say("sizes-table").format(link=settings.main)
    return settings.table("accuracy-size", columns, rows, title=title, note=joined(say("note-sizes-table"), left))


# The four groups of paradigms by size (Liu et al., first version, Figure 4)


def _levels(found: Families, settings: Settings) -> Iterator[Item]:
    """Draw every family on the paradigms of each level of difficulty, and give the means as a table."""
    say = settings.say
    classes, source = _classes(found)
    if not classes:
        most = max(len({one.parameters for one in own}) for own in found.values())
        yield absent(say("figure-levels"), "sizes-too-few", {"sizes": most, "least": LEAST_SIZES})
        return
    members = {level: [uid for uid, one in classes.items() if one.level == level] for level in LEVELS}
    panels = {
        level: say("level-panel").format(level=say(f"level-{level}"), count=len(uids))
        for level, uids in members.items()
    }
    some = {name: own for name, own in found.items() if len(own) > 1 or len(found) == 1}

    def draw(shown: Families) -> Drawing:
        wide = len(shown) <= BANDS
        lines = {
            panels[level]: [_level_line(named(name, own), own, uids, band=wide) for name, own in shown.items()]
            for level, uids in members.items()
            if uids
        }
        return accuracy_by_size(lines, bands=True, language=settings.language)

    note = say("note-levels").format(family=source)
    yield from pictures("accuracy-levels", say("figure-levels"), some, draw, note=note)
    rows: Rows = []
    for level, uids in members.items():
        for name, own in some.items() if uids else ():
            for one in own:
                mean, spread = _over(one, uids)
                rows.append((say(f"level-{level}"), len(uids), name, one.name, round(one.parameters), mean, spread))
    columns = (
        "level=class paradigms:count family model parameters:count accuracy:percent=macro-paradigm"
        " deviation:percent=deviation-paradigms"
    )
    yield settings.table("accuracy-levels", columns, rows, title=say("levels-table"), note=note)


def _classes(found: Families) -> tuple[Mapping[str, Difficulty], str]:
    """Return the classes by the family with the most sizes, and its name: by runs where they have enough sizes.

    As the paper says, nobody knows whether the sizes of other families were trained on the same data. Of runs with as
    many sizes, those with the most training data count.
    """
    sizes = {name: len({one.parameters for one in own}) for name, own in found.items()}

    def rank(name: str) -> tuple[bool, bool, int, float]:
        last = found[name][-1]
        return sizes[name] >= LEAST_SIZES, last.seeds > 0, sizes[name], last.tokens

    best = max(found, key=rank)
    if sizes[best] < LEAST_SIZES:
        return {}, ""
    own = found[best]
    shared = [uid for uid in own[0].paradigms if all(uid in one.paradigms for one in own)]
    values = {uid: [one.paradigms[uid] for one in own] for uid in shared}
    return difficulty(values, parameters=[one.parameters for one in own]), best


def _over(one: Sized, uids: Sequence[str]) -> tuple[float, float]:
    """Return the mean over paradigms and their sample standard deviation; NaN where it has none or one of them."""
    values = [one.paradigms[uid] for uid in uids if uid in one.paradigms]
    return (fmean(values), deviation(values)) if values else (nan, nan)


def _level_line(name: str, members: Sequence[Sized], uids: Sequence[str], *, band: bool) -> Line:
    x = np.array([one.parameters for one in members])
    mean, spread = np.array([_over(one, uids) for one in members]).T
    ends = (np.clip(mean - spread, 0, 1), np.clip(mean + spread, 0, 1)) if band else (None, None)
    return Line(name, x, mean, *ends)


# Sizes on several sets of pairs (Liu et al., first version, Figure 3)


def sizes_by_benchmark(sets: Sequence[PairSet], settings: Settings) -> Iterator[Item]:
    """Draw one line per family and set of pairs; a family keeps its colour on all sets."""
    say = settings.say
    title = say("figure-sizes-sets").format(link=settings.main)
    found = {one.name: families(one.results, settings) for one in sets} if len(sets) > 1 else {}
    grown = {
        name: {family: own for family, own in by_family.items() if len({one.parameters for one in own}) > 1}
        for name, by_family in found.items()
    }
    if sum(bool(own) for own in grown.values()) < 2:
        yield absent(title, "report-sizes-sets")
        return
    names = dict.fromkeys(family for own in grown.values() for family in own)
    shown = {
        (family, name): line_of(f"{family}, {name}", own[family])
        for family in names
        for name, own in grown.items()
        if family in own
    }
    every = {family: own[family] for own in grown.values() for family in own}

    def draw(some: Mapping[tuple[str, str], Line]) -> Drawing:
        kinds = {line.name: key for key, line in some.items()}
        panels = {say("all-pairs"): list(some.values())}
        return accuracy_by_size(panels, kinds=kinds, language=settings.language)

    note = joined(say("note-sizes-sets"), _seeds_note(every, settings))
    yield from pictures("accuracy-size-sets", title, shown, draw, note=note)
