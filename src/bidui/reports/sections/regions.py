"""Regions: where in the sentences the good ones get ahead, for every model, and at every checkpoint of a run."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from bidui.analysis.regions import (
    REST,
    How,
    RegionDifference,
    RegionTrace,
    Stretches,
    by_change,
    by_slot,
    divide,
    in_parts,
    pooled,
    region_differences,
    trace_regions,
)
from bidui.errors import InputError, fail
from bidui.reports.results import Results, ScoredModel
from bidui.reports.section import Absent, Asked, Item, Picture, Section, absent, attempt, file_name
from bidui.reports.tables import NOTHING, Column, Table, Value
from bidui.scores.links import Floats
from bidui.scores.table import read_scores

# Regions over training: the difference between good and bad in each region at every checkpoint of a run.

MOST_PARADIGMS = 12  # panels; with more paradigms, their phenomena stand in the panels
NO_DIFFERENCE = 1e-5  # nats per token: what comes before the first change is the same to a model that reads forward

Checkpoints = tuple[tuple[float, Path], ...]


def checkpoints_of(model: ScoredModel) -> Checkpoints:
    """The steps and folders of a model's checkpoints, where several were scored and their names end in the step."""
    if not model.earlier:
        return ()
    steps = [(re.search(r"(\d+)$", folder.name), folder) for folder in (*model.earlier, model.folder)]
    return tuple((float(step[1]), folder) for step, folder in steps if step)


def trace_figure(
    name: str,
    checkpoints: Checkpoints,
    divided: Stretches,
    *,
    phenomena: Mapping[str, str],
    word: Callable[[str], str],
    asked: Asked,
) -> Picture:
    """A panel a paradigm, or a phenomenon where there are many; a line a region, averaged over tokens."""
    from bidui.reports.figures import Line, region_differences

    tables = ((step, read_scores(folder).table) for step, folder in checkpoints)
    groups = phenomena if len(phenomena) > MOST_PARADIGMS else None
    traces = trace_regions(tables, divided, how="mean", groups=groups)
    kept = {key: trace for key, trace in traces.items() if _says_something(key[1], traces)}
    panels: dict[str, list[Line]] = {}
    for group in sorted({group for group, _ in kept}):
        lines = {region: trace for (own, region), trace in kept.items() if own == group}
        if set(lines) - {REST}:
            panels[group] = [Line(word(region), trace.at, trace.mean, *_band(trace)) for region, trace in lines.items()]
    if not panels:
        raise fail("figure-nothing")
    drawing = region_differences(panels, at="steps", language=asked.language)
    title = asked.say("figure-regions").format(model=name)
    return Picture(f"regions-{file_name(name)}", title, drawing, asked.say("note-figure-regions"))


def _says_something(region: str, traces: Mapping[tuple[str, str], RegionTrace]) -> bool:
    means = np.concatenate([trace.mean for (_, own), trace in traces.items() if own == region])
    return bool(np.nanmax(np.abs(means), initial=0.0) > NO_DIFFERENCE)


def _band(trace: RegionTrace) -> tuple[Floats, Floats]:
    low, high = (np.where(np.isnan(end), trace.mean, end) for end in (trace.low, trace.high))
    return low, high


HOWS: tuple[How, ...] = ("sum", "mean")
Found = Mapping[str, tuple[RegionDifference, ...]]  # by model


def regions_section(results: Results, asked: Asked) -> Section:
    """Tables by phenomenon and paradigm, summed and averaged; a figure for every run with scored checkpoints."""
    items = tuple(_items(results, asked))
    shown = tuple(item for item in items if not isinstance(item, Table) or item.name in ("regions", "regions-counts"))
    files = tuple(item for item in items if isinstance(item, Table) and item not in shown)
    return Section("regions", asked.say("regions"), asked.say("about-regions"), shown, files)


def _items(results: Results, asked: Asked) -> Iterator[Item]:
    say, pairs = asked.say, asked.given.pairs
    if pairs is None:
        yield absent(say("regions"), "report-no-given", {"option": "--pairs"})
        return
    if not results.models:
        yield absent(say("regions"), "report-no-scores")
        return
    scored = {uid for model in results.models for uid in model.manifest.shards}
    own = tuple(pair for pair in pairs if pair.uid in scored)
    phenomena = {pair.uid: pair.phenomenon or NOTHING for pair in own}
    parts = {name: tuple(slots) for name, slots in asked.given.regions.items()}
    divided = divide(own, in_parts(parts) if parts else by_change())
    if parts and all(name == REST for _, name in divided.labels):
        yield absent(say("regions"), "report-no-regions", {"pairs": len(own), "regions": list(parts)})
        return
    found: dict[How, dict[str, tuple[RegionDifference, ...]]] = {how: {} for how in HOWS}
    slots: dict[How, dict[str, tuple[RegionDifference, ...]]] = {how: {} for how in HOWS}
    by_slots = divide(own, by_slot())
    for model in results.models:
        try:
            table = read_scores(model.folder).table
            for how in HOWS:
                found[how][model.name] = _named(region_differences(table, divided, how=how))
                slots[how][model.name] = _named(region_differences(table, by_slots, how=how))
        except InputError as error:
            yield Absent(f"{say('regions')}, {model.name}", error.problems)
    if not found["sum"]:
        return
    for how in HOWS:
        grouped = {name: pooled(one, phenomena) for name, one in found[how].items()}
        yield _table("regions" if how == "sum" else f"regions-phenomenon-{how}", grouped, {}, how, asked)
        yield _table(f"regions-paradigm-{how}", found[how], phenomena, how, asked)
        if any(slots[how].values()):
            yield _table(f"regions-slots-{how}", slots[how], phenomena, how, asked)
    yield _counts(found, asked)
    yield from _figures(results, divided, phenomena, asked)


def _named(differences: tuple[RegionDifference, ...]) -> tuple[RegionDifference, ...]:
    """Without paradigms of which nothing but the rest is known."""
    named = {one.uid for one in differences if one.region != REST}
    return tuple(one for one in differences if one.uid in named)


def _table(name: str, found: Found, phenomena: Mapping[str, str], how: How, asked: Asked) -> Table:
    """A row a group and region, a column a model."""
    say = asked.say
    models = {model: {(one.uid, one.region): one for one in own} for model, own in found.items()}
    said = {one.region for own in found.values() for one in own if one.pairs and abs(one.mean) > NO_DIFFERENCE}
    keys = dict.fromkeys(key for own in models.values() for key in own if key[1] in said)
    groups = sorted({uid for uid, _ in keys}, key=lambda uid: (phenomena.get(uid, ""), uid))
    rows: list[tuple[Value, ...]] = []
    for group, region in ((group, region) for group in groups for uid, region in keys if uid == group):
        known = [own.get((group, region)) for own in models.values()]
        pairs = max(one.pairs for one in known if one)
        head = (group, phenomena[group]) if phenomena else (group,)
        rows.append((*head, region_word(region, asked), pairs, *(_cell(one) for one in known)))
    level = (Column("paradigm", say("paradigm")), Column("phenomenon", say("phenomenon")))
    heads = level if phenomena else level[1:]
    counts = (Column("region", say("region")), Column("pairs", say("pairs"), "count"))
    columns = (*heads, *counts, *(Column(model, model, "nats") for model in models))
    kind = "slots" if name.startswith("regions-slots") else "paradigm" if phenomena else "phenomenon"
    return Table(
        name, say(f"regions-by-{kind}").format(how=say(f"how-{how}")), columns, tuple(rows), say(f"note-{how}")
    )


def _cell(one: RegionDifference | None) -> Value:
    if one is None or not one.pairs:
        return None
    return one.mean if one.pairs == 1 else one.estimate


def region_word(region: str, asked: Asked) -> str:
    """Our own regions in the language of the report; slots and regions of the user's as they are called."""
    ours = {"before", "changed", "after"} if not asked.given.regions else set()
    return asked.say(f"region-{region}") if region in ours | {REST} else region


def _counts(found: Mapping[How, Found], asked: Asked) -> Table:
    """What was left out, and what could not be parted cleanly."""
    say = asked.say
    columns = (
        Column("model", say("model")),
        *(Column(f"left_out_{how}", say(f"left-out-{how}"), "count") for how in HOWS),
        Column("straddling", say("straddling"), "count"),
    )
    rows: list[tuple[Value, ...]] = []
    for model, own in found["sum"].items():
        lost = [sum(one.left_out for one in found[how][model]) for how in HOWS]
        rows.append((model, *lost, sum(one.straddling for one in own)))
    return Table("regions-counts", say("regions-counts"), columns, tuple(rows), say("note-regions-counts"))


def _figures(results: Results, divided: Stretches, phenomena: Mapping[str, str], asked: Asked) -> Iterator[Item]:
    title = asked.say("figure-regions")
    runs = [(model, checkpoints_of(model)) for model in results.models if checkpoints_of(model)]
    if not runs:
        yield absent(title.format(model="").rstrip(" ,，"), "report-no-checkpoints")
    for model, checkpoints in runs:
        words = partial(region_word, asked=asked)
        yield attempt(
            title.format(model=model.name),
            partial(trace_figure, model.name, checkpoints, divided, phenomena=phenomena, word=words, asked=asked),
        )


def parse_regions(texts: list[str]) -> dict[str, tuple[str, ...]]:
    """`NP=det,noun` as a region of several slots."""
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, sign, slots = text.partition("=")
        parts = tuple(slot.strip() for slot in slots.split(",") if slot.strip())
        if not (name.strip() and sign and parts):
            raise fail("region-option", None, {"text": text})
        found[name.strip()] = (*found.get(name.strip(), ()), *parts)
    return found
