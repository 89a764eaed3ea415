"""Training: curves of runs, and averages over seeds, as the sections on training take them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bidui.analysis.curves import LearningCurve
from bidui.analysis.scaling import training_flops
from bidui.errors import Problem
from bidui.report.runs import Series, TrainingRun
from bidui.report.standings import worths
from bidui.scores.links import Floats

ALL = "all"  # the group of all pairs


@dataclass(frozen=True, slots=True)
class EndPoint:
    """The end of a series: accuracies by group, the mean over its seeds, and the FLOPs spent until then."""

    series: Series
    flops: float
    tokens: float
    accuracies: Mapping[str, Floats]  # by group, of each run

    def mean(self, group: str) -> float:
        """Over the runs."""
        return float(self.accuracies[group].mean())


def comparable(runs: Sequence[TrainingRun], link: str) -> tuple[tuple[TrainingRun, ...], tuple[Problem, ...]]:
    """The runs that were scored on the same pairs by a linking function, and why the others cannot stand with them.

    Where there are several sets of pairs, it is the one of the most runs.
    """
    usable = [run for run in runs if link in run.right and run.at[-1] > 0]
    if not usable:
        reason = Problem("report-link-absent", values={"link": link}) if runs else Problem("report-no-runs")
        return (), (reason,)
    sets = Counter((run.uids, tuple(run.pairs)) for run in usable)
    most = sets.most_common(1)[0][0]
    kept = [run for run in usable if (run.uids, tuple(run.pairs)) == most]
    others = [run.name for run in runs if not any(run is one for one in kept)]
    values = {"runs": others, "kept": [run.name for run in kept]}
    return tuple(kept), (Problem("report-runs-apart", values=values),) if others else ()


def groups_of(runs: Sequence[TrainingRun]) -> tuple[str, ...]:
    """All pairs, and the phenomena by their names."""
    return (ALL, *sorted({phenomenon for run in runs for phenomenon in run.phenomena}))


def accuracies(run: TrainingRun, link: str, group: str) -> Floats:
    """At each checkpoint, over the pairs of a group."""
    own = np.array([group in (ALL, phenomenon) for phenomenon in run.phenomena])
    return np.asarray(run.right[link][:, own].sum(axis=1) / run.pairs[own].sum())


def learning_curve(run: TrainingRun, link: str, group: str) -> LearningCurve:
    """Against the tokens seen; without the untrained network, whose choices nothing was learnt for."""
    trained = run.tokens > 0
    return LearningCurve(run.name, run.tokens[trained], accuracies(run, link, group)[trained])


def end_point(series: Series, link: str, groups: Sequence[str]) -> EndPoint:
    """Where a series stands: each run at its last checkpoint."""
    tokens = float(np.mean([run.tokens[-1] for run in series.runs]))
    found = {group: np.array([accuracies(run, link, group)[-1] for run in series.runs]) for group in groups}
    return EndPoint(series, training_flops(series.parameters, tokens), tokens, found)


def worth_of_counts(series: Series, link: str, group: str, *, seed: int) -> tuple[Floats, Floats]:
    """The tokens of the checkpoints, and the mean worth over runs: a row a pair, a column a checkpoint.

    Runs keep how many pairs of a paradigm are right, not which. So at each checkpoint other ones are drawn, as if the
    pairs were new each time. Noise is then independent from checkpoint to checkpoint, and more of it than there truly
    is, since a pair that is right once is likely to be right again: a test on this finds too few dips, not too many.
    All runs of a series were scored on the same pairs, so they share a draw: noise of pairs is not averaged away.
    """
    rng = np.random.default_rng(seed)
    shared = sorted(set.intersection(*(set(run.at) for run in series.runs)) - {0})
    columns = [_drawn(series.runs, link, group, step, rng) for step in shared]
    tokens = np.array(shared, np.float64) * series.runs[0].tokens_per_step
    return tokens, np.stack(columns, axis=1) if columns else np.zeros((0, 0))


def _drawn(runs: Sequence[TrainingRun], link: str, group: str, step: int, rng: np.random.Generator) -> Floats:
    own = [number for number, phenomenon in enumerate(runs[0].phenomena) if group in (ALL, phenomenon)]
    orders = [rng.permutation(int(runs[0].pairs[number])) for number in own]
    found = []
    for run in runs:
        right = run.right[link][run.at.index(step)]
        parts = [worths(right[number], len(order))[order] for number, order in zip(own, orders, strict=True)]
        found.append(np.concatenate(parts))
    return np.asarray(np.mean(found, axis=0))
