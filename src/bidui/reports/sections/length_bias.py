"""Length bias: accuracy by which side is longer, and what the parameters of linking functions do to it."""

from collections.abc import Iterator, Mapping, Sequence
from math import nan

from bidui.analysis.estimate import wilson
from bidui.analysis.length_bias import (
    SIGNS,
    By,
    Sweep,
    alpha_grid,
    best_setting,
    held_out,
    held_out_morcela,
    morcela_grid,
    morcela_interval,
    sweep,
)
from bidui.errors import InputError
from bidui.reports.results import Results, ScoredModel, Standing
from bidui.reports.section import Asked, Item, Picture, Section, absent, attempt
from bidui.reports.tables import NOTHING, Column, Table, Value, without_blank
from bidui.scores.choices import Choices, length_split

RESAMPLES, FITS = 400, 100  # enough for two digits of the ends of an interval


def length_section(results: Results, standings: Sequence[Standing], asked: Asked) -> Section:
    """Length groups, the sweep over alpha, the best alpha, and MORCELA."""
    items = tuple(_items(results, standings, asked))
    return Section("length", asked.say("length"), asked.say("about-length"), items)


def _items(results: Results, standings: Sequence[Standing], asked: Asked) -> Iterator[Item]:
    say = asked.say
    if not results.models:
        yield absent(say("length-groups"), "report-no-scores")
        if counted := {run.label: run.alphas for run in results.runs if run.alphas is not None}:
            yield attempt(say("alpha-sweep"), lambda: _sweep_figure(counted, asked))
            yield _sweep_table(counted, asked)
        else:
            yield absent(say("alpha-sweep"), "report-no-scores")
        yield absent(say("alpha-best"), "report-no-scores")
        yield absent(say("morcela"), "report-no-scores")
        return
    sweeps = {model.name: sweep(model.totals, alpha_grid()) for model in results.models}
    yield _groups(standings, asked)
    yield attempt(say("figure-length"), lambda: _length_figure(standings, asked))
    yield attempt(say("alpha-sweep"), lambda: _sweep_figure(sweeps, asked))
    yield _sweep_table(sweeps, asked)
    yield _best_alpha(results.models, asked)
    yield _morcela(results.models, asked)


def _groups(standings: Sequence[Standing], asked: Asked) -> Table:
    say = asked.say
    columns = [Column("model", say("model")), Column("link", say("link"))]
    for name, end in zip(SIGNS, ("equal", "shorter", "longer"), strict=True):
        columns += [Column(f"pairs_{end}", f"|{name}|", "count"), Column(end, name, "percent")]
    columns.append(Column("delta_acc", say("delta"), "percent"))
    rows: list[tuple[Value, ...]] = []
    for standing in standings:
        for link, choices in standing.choices.items():
            cells = [cell for sign in SIGNS.values() for cell in _group(choices, sign)]
            rows.append((standing.name, link, *cells, length_split(choices).delta))
    return Table("length-groups", say("length-groups"), tuple(columns), tuple(rows), say("note-length"))


def _group(choices: Choices, sign: int) -> tuple[int, Value]:
    worth = choices.worth[choices.length_sign == sign]
    if not len(worth):
        return 0, None
    return len(worth), wilson(float(worth.mean()), pairs=len(worth))


def _length_figure(standings: Sequence[Standing], asked: Asked) -> Picture:
    from bidui.reports.figures import length_bias

    splits = {
        standing.name: {link: length_split(choices) for link, choices in standing.choices.items()}
        for standing in standings
    }
    drawing = length_bias(splits, language=asked.language)
    return Picture("length-bias", asked.say("figure-length"), drawing, asked.say("note-figure-length"))


def _sweep_figure(found: Mapping[str, Sweep], asked: Asked) -> Picture:
    import numpy as np

    from bidui.reports.figures import AlphaSweep, alpha_sweep

    drawn = [
        AlphaSweep(name, np.array([setting[0] for setting in one.settings]), one.unequal, one.delta)
        for name, one in found.items()
    ]
    drawing = alpha_sweep(drawn, of="unequal", language=asked.language)
    return Picture("alpha-sweep", asked.say("alpha-sweep"), drawing, asked.say("note-alpha-sweep"))


def _sweep_table(found: Mapping[str, Sweep], asked: Asked) -> Table:
    say = asked.say
    columns = (
        Column("model", say("model")),
        Column("alpha", "α", "number"),
        Column("accuracy", say("micro"), "percent"),
        *(Column(end, name, "percent") for name, end in zip(SIGNS, ("equal", "shorter", "longer"), strict=True)),
        Column("delta_acc", say("delta"), "percent"),
    )
    rows: list[tuple[Value, ...]] = []
    for name, one in found.items():
        values = zip(one.settings, one.accuracy, one.equal, one.shorter, one.longer, one.delta, strict=True)
        rows += [(name, setting[0], *map(float, cells)) for setting, *cells in values]
    return Table("alpha-sweep-values", say("alpha-values"), columns, tuple(rows))


def _best_alpha(models: Sequence[ScoredModel], asked: Asked) -> Table:
    say = asked.say
    columns = (
        Column("model", say("model")),
        Column("chosen_by", say("chosen-by")),
        Column("alpha", say("best-alpha"), "number"),
        Column("alpha_halves", say("alpha-halves")),
        Column("accuracy", say("held-out-accuracy"), "percent"),
        Column("delta_acc", say("held-out-delta"), "percent"),
        Column("remark", say("remark")),
    )
    rows: list[tuple[Value, ...]] = []
    goals: tuple[By, ...] = ("delta", "accuracy")
    for model in models:
        for by in goals:
            try:
                best = best_setting(model.totals, alpha_grid(), by=by, seed=asked.seed, resamples=RESAMPLES)
                held = held_out(model.totals, alpha_grid(), by=by, seed=asked.seed)
            except InputError as error:
                rows.append((model.name, say(f"by-{by}"), None, NOTHING, None, None, _reason(error, asked)))
                continue
            halves = ", ".join(f"{setting[0]:g}" for setting in held.settings)
            rows.append((model.name, say(f"by-{by}"), *best.parameters, halves, held.accuracy, held.split.delta, ""))
    return without_blank(Table("alpha-best", say("alpha-best"), columns, tuple(rows), say("note-alpha-best")))


def _morcela(models: Sequence[ScoredModel], asked: Asked) -> Item:
    say = asked.say
    usable = [model for model in models if model.totals.unigram is not None]
    if not usable:
        return absent(say("morcela"), "report-no-unigrams")
    columns = (
        Column("model", say("model")),
        Column("how", say("how")),
        Column("beta", "β", "number"),
        Column("gamma", "γ", "number"),
        Column("halves", say("morcela-halves")),
        Column("accuracy", say("held-out-accuracy"), "percent"),
        Column("delta_acc", say("held-out-delta"), "percent"),
        Column("remark", say("remark")),
    )
    rows: list[tuple[Value, ...]] = []
    for model in usable:
        for how in ("grid", "fit"):
            try:
                rows.append((model.name, say(f"morcela-{how}"), *_fitted(model, how, asked), ""))
            except InputError as error:
                rows.append((model.name, say(f"morcela-{how}"), nan, nan, NOTHING, nan, nan, _reason(error, asked)))
    lacking = [model.name for model in models if model.totals.unigram is None]
    note = say("note-morcela") + (say("note-no-unigrams").format(models=", ".join(lacking)) if lacking else "")
    return without_blank(Table("morcela", say("morcela"), columns, tuple(rows), note))


def _fitted(model: ScoredModel, how: str, asked: Asked) -> tuple[Value, ...]:
    """Beta and gamma, those of the halves, and accuracy and delta-acc held out."""
    totals, seed = model.totals, asked.seed
    if how == "grid":
        found = sweep(totals, morcela_grid())
        own: tuple[Value, ...] = found.settings[found.best("accuracy")]
        held = held_out(totals, morcela_grid(), by="accuracy", seed=seed)
    else:
        own = morcela_interval(totals, seed=seed, resamples=FITS)
        held = held_out_morcela(totals, seed=seed)
    halves = "; ".join(f"{beta:.3g}, {gamma:.3g}" for beta, gamma in held.settings)
    return (*own, halves, held.accuracy, held.split.delta)


def _reason(error: InputError, asked: Asked) -> str:
    return " ".join(problem.text(asked.language) for problem in error.problems)
