"""Overview: which models and runs there are, on how many pairs, and what was left out."""

from collections.abc import Iterator
from itertools import combinations

from bidui.reports.results import Results, ScoredModel, TrainingRun
from bidui.reports.section import Absent, Asked, Item, Section, absent
from bidui.reports.tables import Column, Table, Value
from bidui.scores.choices import choose_from
from bidui.scores.links import parse_link


def overview(results: Results, asked: Asked) -> Section:
    """The tables of models and of runs."""
    return Section("overview", asked.say("overview"), "", tuple(_items(results, asked)))


def _items(results: Results, asked: Asked) -> Iterator[Item]:
    say = asked.say
    if results.models:
        yield _models(results.models, asked)
    else:
        yield absent(say("models"), "report-no-scores")
    if results.runs:
        yield _runs(results.runs, asked)
    else:
        yield absent(say("runs"), "report-no-runs")
    if results.problems:
        yield Absent(say("left-out"), results.problems)


def _models(models: tuple[ScoredModel, ...], asked: Asked) -> Table:
    say = asked.say
    columns = (
        Column("model", say("model")),
        Column("kind", say("kind")),
        Column("dtype", say("dtype")),
        Column("pairs", say("pairs"), "count"),
        Column("paradigms", say("paradigms"), "count"),
        Column("phenomena", say("phenomena"), "count"),
        Column("unknown_tokens", say("unknown-tokens"), "count"),
        Column("unseen_pairs", say("unseen-pairs"), "count"),
        Column("unigrams", say("unigrams")),
    )
    rows: list[tuple[Value, ...]] = []
    for model in models:
        shards, totals = model.manifest.shards.values(), model.totals
        paradigms = len(set(totals.uids.tolist()))
        counts = (len(totals), paradigms, len(set(totals.phenomena.tolist())))
        unknown = (sum(shard.unknown for shard in shards), sum(shard.unseen for shard in shards))
        known = say("no" if totals.unigram is None else "yes")
        declared = (str(model.manifest.declared.get(name) or "") for name in ("kind", "dtype"))
        rows.append((model.name, *declared, *counts, *unknown, known))
    earlier = [say("note-earlier").format(model=m.name, count=len(m.earlier)) for m in models if m.earlier]
    apart = [
        say("note-baselines").format(model=m.name, count=len(m.baselines)) for m in models if m.baselines is not None
    ]
    notes = [say("note-models"), *earlier, *apart, *_turned(models, asked)]
    return Table("models", say("models"), columns, tuple(rows), " ".join(notes))


def _turned(models: tuple[ScoredModel, ...], asked: Asked) -> Iterator[str]:
    """Of the same weights scored in two dtypes, how many choices are others: those of near ties, mostly."""
    link = parse_link(asked.main)
    for one, other in combinations(models, 2):
        ours, theirs = one.manifest.declared, other.manifest.declared
        known = ours.get("model") is not None and ours.get("model") == theirs.get("model")
        if (
            not known
            or ours.get("dtype") == theirs.get("dtype")
            or link.needs_unigrams
            or len(one.totals) != len(other.totals)
        ):
            continue
        first, second = choose_from(one.totals, link), choose_from(other.totals, link)
        if (first.uids == second.uids).all() and (first.pairs == second.pairs).all():
            count = int((first.worth != second.worth).sum())
            yield asked.say("note-turned").format(one=one.name, other=other.name, count=f"{count:,}", link=asked.main)


def _runs(runs: tuple[TrainingRun, ...], asked: Asked) -> Table:
    say = asked.say
    columns = (
        Column("run", say("run")),
        Column("parameters", say("parameters"), "count"),
        Column("tokens", say("tokens-seen"), "amount"),
        Column("seed", say("seed"), "count"),
        Column("checkpoints", say("checkpoints"), "count"),
        Column("step", say("last-step"), "count"),
        Column("steps", say("of-steps"), "count"),
        Column("finished", say("finished")),
        Column("accuracy", say("accuracy-main").format(link=asked.main), "percent"),
    )
    rows: list[tuple[Value, ...]] = []
    for run in runs:
        right = run.right.get(asked.main)
        value = None if right is None else float(right[-1].sum() / run.pairs.sum())
        done = say("yes" if run.finished else "no")
        counts = (run.parameters, int(run.tokens[-1]), run.seed, len(run.at), run.at[-1], run.steps)
        rows.append((run.name, *counts, done, value))
    return Table("runs", say("runs"), columns, tuple(rows), unfinished_note(runs, asked))


def unfinished_note(runs: tuple[TrainingRun, ...], asked: Asked) -> str:
    """Which runs are not finished, and how far they have come; nothing if all are."""
    open_runs = [run for run in runs if not run.finished]
    one = asked.say("note-unfinished")
    return " ".join(one.format(run=run.name, step=f"{run.at[-1]:,}", steps=f"{run.steps:,}") for run in open_runs)
