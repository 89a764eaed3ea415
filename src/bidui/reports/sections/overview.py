"""Overview: which models and runs there are, on how many pairs, and what was left out."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from bidui.reports.results import PairSet, Results, ScoredModel, ScoredRun
from bidui.reports.section import Absent, Item, Rows, Settings, absent, joined
from bidui.reports.tables import Column, Table
from bidui.scores.choices import choose_from


def overview(results: Results, sets: Sequence[PairSet], settings: Settings) -> Iterator[Item]:
    """Yield the tables of sets of pairs, where there are several, of models and of runs."""
    say = settings.say
    if len(sets) > 1:
        yield _sets(sets, settings)
    yield _models(results.models, settings) if results.models else absent(say("models"), "report-no-scores")
    yield _runs(results.runs, settings) if results.runs else absent(say("runs"), "report-no-runs")
    if results.problems:
        yield Absent(say("left-out"), results.problems, here=True)


def _sets(sets: Sequence[PairSet], settings: Settings) -> Table:
    rows: Rows = []
    for one in sets:
        names = [model.name for model in one.results.models] + [run.label for run in one.results.runs]
        rows.append((one.name, len(one.results.uids), one.pairs, len(names), ", ".join(names)))
    columns = "set paradigms:count pairs:count results:count names=models-and-runs"
    return settings.table("sets", columns, rows, note=settings.say("note-sets"))


def _models(models: Sequence[ScoredModel], settings: Settings) -> Table:
    say = settings.say
    rows: Rows = []
    for model in models:
        shards, totals = model.manifest.shards.values(), model.totals
        counts = (len(totals), len(set(totals.uids.tolist())), len(set(totals.phenomena.tolist())))
        unknown = (sum(shard.unknown for shard in shards), sum(shard.unseen for shard in shards))
        unigrams = say("no" if totals.unigram is None else "yes")
        declared = (str(model.manifest.declared.get(name) or "") for name in ("kind", "dtype"))
        rows.append((model.name, *declared, *counts, *unknown, unigrams))
    earlier = [say("note-earlier").format(model=m.name, count=len(m.earlier)) for m in models if m.earlier]
    baselines: dict[int, list[str]] = {}
    for model in models:
        if model.baselines is not None:
            baselines.setdefault(len(model.baselines), []).append(model.name)
    apart = [
        say("note-baselines" if len(names) == 1 else "note-baselines-each").format(
            model=names[0], models=len(names), count=count
        )
        for count, names in baselines.items()
    ]
    note = joined(say("note-models"), *earlier, *apart, *_turned(models, settings))
    columns = (
        "model kind dtype pairs:count paradigms:count phenomena:count unknown_tokens:count unseen_pairs:count unigrams"
    )
    return settings.table("models", columns, rows, note=note)


def _turned(models: Sequence[ScoredModel], settings: Settings) -> Iterator[str]:
    """Say how many choices differ between the same weights scored in two dtypes: mostly those of near ties."""
    link = settings.main_link
    for one, other in combinations(models, 2):
        declared, others = one.manifest.declared, other.manifest.declared
        same_weights = declared.get("model") is not None and declared.get("model") == others.get("model")
        if (
            not same_weights
            or declared.get("dtype") == others.get("dtype")
            or link.needs_unigrams
            or len(one.totals) != len(other.totals)
        ):
            continue
        first, second = choose_from(one.totals, link), choose_from(other.totals, link)
        if (first.uids == second.uids).all() and (first.pairs == second.pairs).all():
            count = f"{int((first.worth != second.worth).sum()):,}"
            text = settings.say("note-turned")
            yield text.format(one=one.name, other=other.name, count=count, link=settings.main)


def _runs(runs: Sequence[ScoredRun], settings: Settings) -> Table:
    say = settings.say
    rows: Rows = []
    for run in runs:
        right = run.right.get(settings.main)
        value = None if right is None else float(right[-1].sum() / run.pairs.sum())
        counts = (run.parameters, int(run.tokens[-1]), run.seed, len(run.at), run.at[-1], run.steps)
        rows.append((run.name, *counts, say("yes" if run.finished else "no"), value))
    columns = settings.columns(
        "run parameters:count tokens:amount=tokens-seen seed:count checkpoints:count step:count=last-step"
        " steps:count=of-steps finished"
    )
    return settings.table("runs", (*columns, main_accuracy(settings)), rows, note=unfinished_note(runs, settings))


def main_accuracy(settings: Settings) -> Column:
    """Return the column of accuracies by the main linking function."""
    return Column("accuracy", settings.say("accuracy-main").format(link=settings.main), "percent")


def unfinished_note(runs: Sequence[ScoredRun], settings: Settings) -> str:
    """Say which runs are not finished and how far they have come; empty if all are."""
    text = settings.say("note-unfinished")
    unfinished = [run for run in runs if not run.finished]
    return joined(*(text.format(run=run.name, step=f"{run.at[-1]:,}", steps=f"{run.steps:,}") for run in unfinished))
