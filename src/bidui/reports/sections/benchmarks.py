"""Several benchmarks or languages side by side: what alpha does on each, and what size does.

Every set of pairs has a line of its own; sets are never averaged together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from bidui.analysis.length_bias import alpha_grid, sweep
from bidui.reports.figures import AlphaSweep, alpha_sweep
from bidui.reports.results import PairSet
from bidui.reports.section import Item, Rows, Settings, absent, joined, pictures
from bidui.reports.sections.length_bias import mean_sweep, sweep_line
from bidui.reports.sections.sizes import sizes_by_benchmark
from bidui.reports.tables import Value

SHOWN = (0.0, 0.5, 1.0)  # LP, SLLN-LP as in the paper, mean LP


def benchmarks_section(sets: Sequence[PairSet], settings: Settings) -> Iterator[Item]:
    """Yield the sweep over alpha on every set of pairs, as a figure and a table, and accuracy by size."""
    yield from _alphas(sets, settings)
    yield from sizes_by_benchmark(sets, settings)


def _alphas(sets: Sequence[PairSet], settings: Settings) -> Iterator[Item]:
    """Draw accuracy on pairs of unequal length and delta-acc against alpha by set (Liu et al., Figure 2, right)."""
    say = settings.say
    title = say("alpha-sets")
    lines = {one.name: _lines(one) for one in sets} if len(sets) > 1 else {}  # which take a second for ten models
    if sum(bool(own) for own in lines.values()) < 2:
        yield absent(title, "report-one-set")
        return
    means = {name: _mean(f"{name}, n = {len(own)}", own) for name, own in lines.items() if own}
    uneven = {name: mean for name, mean in means.items() if np.isfinite(mean.delta).any()}
    level = [name for name in means if name not in uneven]
    left = say("note-alpha-sets-left").format(sets=", ".join(level)) if level else ""
    yield from pictures(
        "alpha-sets",
        title,
        uneven,
        lambda some: alpha_sweep(tuple(some.values()), language=settings.language),
        note=joined(say("note-alpha-sweep"), say("note-alpha-sets"), left),
    )
    rows: Rows = []
    for one in sets:
        if one.name in means:
            rows.append((one.name, len(lines[one.name]), one.pairs, _unequal(one), *_cells(means[one.name])))
    columns = (
        "set models:count=models-count pairs:count unequal:percent=unequal-share best_unequal:number=best-unequal"
        " unequal_accuracy:percent=unequal-best best_delta:number=best-delta delta_acc:percent=delta-best"
        " unequal_0:percent=unequal-lp unequal_05:percent=unequal-slln unequal_1:percent=unequal-mean"
        " delta_0:percent=delta-lp delta_05:percent=delta-slln delta_1:percent=delta-mean"
    )
    yield settings.table("alpha-sets", columns, rows, title=say("alpha-sets-table"), note=say("note-alpha-sets-table"))


def _lines(one: PairSet) -> list[AlphaSweep]:
    """Return the sweeps of all models of a set; or, where there are no token scores, of its runs."""
    if one.results.models:
        return [sweep_line(model.name, sweep(model.totals, alpha_grid())) for model in one.results.models]
    return [sweep_line(run.label, run.alphas) for run in one.results.runs if run.alphas is not None]


def _mean(name: str, lines: Sequence[AlphaSweep]) -> AlphaSweep:
    return mean_sweep(lines, name) if len(lines) > 1 else replace(lines[0], name=name)


def _unequal(one: PairSet) -> float | None:
    """Return the share of pairs whose sentences differ in tokens, as a mean over models, whose tokenizers differ."""
    shares = [float((model.totals.length_sign() != 0).mean()) for model in one.results.models]
    return float(np.mean(shares)) if shares else None


def _cells(mean: AlphaSweep) -> tuple[Value, ...]:
    """Return the best alpha by either measure with its value, and both at LP, SLLN-LP and mean LP."""
    if not np.isfinite(mean.delta).any():
        return (None,) * 10
    most, least = int(np.nanargmax(mean.accuracy)), int(np.nanargmin(mean.delta))
    best = (mean.alpha[most], mean.accuracy[most], mean.alpha[least], mean.delta[least])
    at = [int(np.abs(mean.alpha - alpha).argmin()) for alpha in SHOWN]
    return tuple(float(value) for value in (*best, *mean.accuracy[at], *mean.delta[at]))
