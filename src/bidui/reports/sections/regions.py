"""Regions: where in the sentences the good ones get ahead, for every model, and at every checkpoint of a run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from bidui.analysis import regions as analysis
from bidui.analysis.accuracy import accuracy
from bidui.analysis.regions import REST, How, RegionDifference, RegionTrace, Stretches, divide, region_differences
from bidui.errors import InputError, fail
from bidui.files import natural
from bidui.reports.figures import Drawing, Line
from bidui.reports.figures import region_differences as draw_differences
from bidui.reports.results import Results, ScoredModel
from bidui.reports.section import Absent, Item, Rows, Settings, absent, file_name, joined, picture
from bidui.reports.tables import NOTHING, Column, Table
from bidui.scores.choices import choose_from, pair_totals
from bidui.scores.table import ScoreTable, read_scores

HOWS: tuple[How, ...] = ("sum", "mean")
MOST_PARADIGMS = 12  # panels; with more paradigms, phenomena stand in the panels
NO_DIFFERENCE = 1e-5  # nats per token: what comes before the first change is the same to a model that reads forward

Differences = dict[str, tuple[RegionDifference, ...]]  # by model
Checkpoints = tuple[tuple[float, Path], ...]  # steps and folders of scores


def parse_regions(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read `NP=det,noun` as a region of several slots."""
    regions: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, sign, slots = text.partition("=")
        parts = tuple(slot.strip() for slot in slots.split(",") if slot.strip())
        if not (name.strip() and sign and parts):
            raise fail("region-option", None, {"text": text})
        if name.strip() == REST:
            raise fail("region-rest", None, {"text": text})
        regions[name.strip()] = (*regions.get(name.strip(), ()), *parts)
    return regions


def regions_section(results: Results, settings: Settings) -> Iterator[Item]:
    """Yield tables by phenomenon and paradigm, summed and averaged, and a figure for every run with checkpoints."""
    say, extras = settings.say, settings.extras
    if extras.pairs is None:
        yield absent(say("regions"), "report-no-given", {"option": "--pairs"})
        return
    if not results.models:
        yield absent(say("regions"), "report-no-scores")
        return
    scored = {uid for model in results.models for uid in model.manifest.shards}
    pairs = tuple(pair for pair in extras.pairs if pair.uid in scored)
    phenomena = {pair.uid: pair.phenomenon or NOTHING for pair in pairs}
    stretches = divide(pairs, analysis.in_parts(extras.regions) if extras.regions else analysis.by_change)
    by_region, by_slots = ({how: Differences() for how in HOWS} for _ in range(2))
    slots = divide(pairs, analysis.by_slot)
    for model in results.models:
        try:
            table = read_scores(model.folder).table
            for how in HOWS:
                by_region[how][model.name] = _named(region_differences(table, stretches, how=how))
                by_slots[how][model.name] = _named(region_differences(table, slots, how=how))
        except InputError as error:
            yield Absent(f"{say('regions')}, {model.name}", error.problems)
    if not by_region["sum"]:
        return
    for how in HOWS:
        grouped = {name: analysis.pooled(own, phenomena) for name, own in by_region[how].items()}
        yield _table("regions" if how == "sum" else f"regions-phenomenon-{how}", grouped, {}, how, settings)
        yield _table(f"regions-paradigm-{how}", by_region[how], phenomena, how, settings)
        if any(by_slots[how].values()):
            yield _table(f"regions-slots-{how}", by_slots[how], phenomena, how, settings)
    rows: Rows = []
    for name, own in by_region["sum"].items():
        lost = [sum(one.left_out for one in by_region[how][name]) for how in HOWS]
        rows.append((name, *lost, sum(one.straddling for one in own)))
    columns = "model left_out_sum:count left_out_mean:count straddling:count"
    yield settings.table("regions-counts", columns, rows, note=say("note-regions-counts"))
    yield from _figures(results, stretches, phenomena, settings)


def _named(differences: tuple[RegionDifference, ...]) -> tuple[RegionDifference, ...]:
    """Leave out paradigms of which only the rest is known."""
    named = {one.uid for one in differences if one.region != REST}
    return tuple(one for one in differences if one.uid in named)


def _table(name: str, by_model: Differences, phenomena: Mapping[str, str], how: How, settings: Settings) -> Table:
    """Return one row per group and region, and one column per model."""
    say = settings.say
    models = {model: {(one.uid, one.region): one for one in own} for model, own in by_model.items()}
    differing = {one.region for own in by_model.values() for one in own if one.pairs and abs(one.mean) > NO_DIFFERENCE}
    keys = dict.fromkeys(key for own in models.values() for key in own if key[1] in differing)
    groups = sorted({uid for uid, _ in keys}, key=lambda uid: (phenomena.get(uid, ""), natural(uid)))
    rows: Rows = []
    for group, region in ((group, region) for group in groups for uid, region in keys if uid == group):
        ones = [own.get((group, region)) for own in models.values()]
        pairs = max(one.pairs for one in ones if one)
        head = (group, phenomena[group]) if phenomena else (group,)
        measured = [one if one and one.pairs else None for one in ones]
        cells = [(one.mean if one.pairs == 1 else one.estimate) if one else None for one in measured]
        rows.append((*head, _region_name(region, settings), pairs, *cells))
    columns = (
        *settings.columns("paradigm phenomenon" if phenomena else "phenomenon"),
        *settings.columns("region pairs:count"),
        *(Column(model, model, "nats") for model in models),
    )
    kind = "slots" if name.startswith("regions-slots") else "paradigm" if phenomena else "phenomenon"
    title = say(f"regions-by-{kind}").format(how=say(f"how-{how}"))
    return settings.table(name, columns, rows, title=title, note=say(f"note-{how}"), linked=name != "regions")


def _region_name(region: str, settings: Settings) -> str:
    """Return our own regions in the language of the report; slots and custom regions keep their names."""
    ours = {REST} if settings.extras.regions else {REST, "before", "changed", "after"}
    return settings.say(f"region-{region}") if region in ours else region


# Regions over training


def _figures(
    results: Results, stretches: Stretches, phenomena: Mapping[str, str], settings: Settings
) -> Iterator[Item]:
    title = settings.say("figure-regions")
    grey = "" if settings.main_link.needs_unigrams else settings.say("note-regions-grey").format(link=settings.main)
    runs = [(model, _checkpoints(model)) for model in results.models if _checkpoints(model)]
    if not runs:
        yield absent(title.format(model="").rstrip(" ,，"), "report-no-checkpoints")
    for model, checkpoints in runs:
        yield picture(
            f"regions-{file_name(model.name)}",
            title.format(model=model.name),
            partial(_draw, checkpoints, stretches, phenomena, settings),
            note=joined(settings.say("note-figure-regions"), grey),
        )


def _checkpoints(model: ScoredModel) -> Checkpoints:
    """Return the steps and folders of a model's checkpoints, where several were scored; names end in the step."""
    if not model.earlier:
        return ()
    steps = [(re.search(r"(\d+)$", folder.name), folder) for folder in (*model.earlier, model.folder)]
    return tuple((float(step[1]), folder) for step, folder in steps if step)


def _draw(checkpoints: Checkpoints, stretches: Stretches, phenomena: Mapping[str, str], settings: Settings) -> Drawing:
    """Draw one panel per paradigm, or per phenomenon where there are many; one line per region, per token.

    The accuracy by the main linking function is a grey line of every panel (Liu et al., first version, Figure 6).
    """
    groups = phenomena if len(phenomena) > MOST_PARADIGMS else None
    accuracies: dict[str, list[tuple[float, float]]] = {}

    def tables() -> Iterator[tuple[float, ScoreTable]]:
        for step, folder in checkpoints:
            table = read_scores(folder).table
            for group, share in _accuracies(table, groups, settings).items():
                accuracies.setdefault(group, []).append((step, share))
            yield step, table

    traces = analysis.trace_regions(tables(), stretches, how="mean", groups=groups)
    differing = {region for _, region in traces if _differs(region, traces)}
    panels: dict[str, list[Line]] = {}
    for group in sorted({group for group, region in traces if region in differing}, key=natural):
        lines = {region: trace for (uid, region), trace in traces.items() if uid == group and region in differing}
        if set(lines) - {REST}:
            panels[group] = [_line(_region_name(region, settings), trace) for region, trace in lines.items()]
    if not panels:
        raise fail("figure-nothing")
    shares = {group: Line(group, *np.array(points).T) for group, points in accuracies.items()}
    return draw_differences(panels, accuracies=shares, language=settings.language)


def _accuracies(table: ScoreTable, groups: Mapping[str, str] | None, settings: Settings) -> dict[str, float]:
    """Return the accuracy of each paradigm or group; empty where the main linking function needs unigrams."""
    if settings.main_link.needs_unigrams:
        return {}
    choices = choose_from(pair_totals(table), settings.main_link)
    if groups:
        choices = replace(choices, phenomena=np.array([groups[uid] for uid in choices.uids.tolist()], object))
    return {name: one.value for name, one in accuracy(choices, by="phenomenon" if groups else "paradigm").items()}


def _differs(region: str, traces: Mapping[tuple[str, str], RegionTrace]) -> bool:
    means = np.concatenate([trace.mean for (_, name), trace in traces.items() if name == region])
    return bool(np.nanmax(np.abs(means), initial=0.0) > NO_DIFFERENCE)


def _line(name: str, trace: RegionTrace) -> Line:
    low, high = (np.where(np.isnan(end), trace.mean, end) for end in (trace.low, trace.high))
    return Line(name, trace.at, trace.mean, low, high)
