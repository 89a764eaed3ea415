"""Regions over training: the difference between good and bad in each region at every checkpoint of a run."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from bidui.analysis.divisions import REST, Divided
from bidui.analysis.regions import RegionTrace, trace_regions
from bidui.errors import fail
from bidui.report.results import ScoredModel
from bidui.report.section import Asked, Picture, file_name
from bidui.scores.links import Floats
from bidui.scores.run import read_scores

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
    divided: Divided,
    *,
    phenomena: Mapping[str, str],
    word: Callable[[str], str],
    asked: Asked,
) -> Picture:
    """A panel a paradigm, or a phenomenon where there are many; a line a region, averaged over tokens."""
    from bidui.report.figures import Line, region_differences

    tables = ((step, read_scores(folder)[1]) for step, folder in checkpoints)
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
    half = np.nan_to_num(trace.half_width)
    return trace.mean - half, trace.mean + half
