"""Length bias: accuracy by which side is longer, and what the parameters of linking functions do to it."""

from collections.abc import Iterator, Mapping, Sequence
from math import nan

import numpy as np

from bidui.analysis import length_bias as analysis
from bidui.analysis.length_bias import SIGNS, By, Sweep, alpha_grid, held_out, morcela_grid, sweep
from bidui.errors import InputError
from bidui.intervals import wilson
from bidui.reports.figures import AlphaSweep, alpha_sweep, length_bias
from bidui.reports.results import ModelChoices, Results, ScoredModel
from bidui.reports.section import Item, Rows, Settings, absent, picture, reasons
from bidui.reports.tables import NOTHING, Table, Value, without_blank
from bidui.scores.choices import length_split

RESAMPLES, FITS = 400, 100  # enough for two digits of the ends of an interval
GOALS: tuple[By, ...] = ("delta", "accuracy")
GROUPS = "equal:percent='D= shorter:percent='D< longer:percent='D>"


def length_section(results: Results, models: Sequence[ModelChoices], settings: Settings) -> Iterator[Item]:
    """Yield length groups, the sweep over alpha, the best alpha, and MORCELA."""
    say = settings.say
    if not results.models:
        yield absent(say("length-groups"), "report-no-scores")
        if counted := {run.label: run.alphas for run in results.runs if run.alphas is not None}:
            yield from _sweeps(counted, settings)
        else:
            yield absent(say("alpha-sweep"), "report-no-scores")
        yield absent(say("alpha-best"), "report-no-scores")
        yield absent(say("morcela"), "report-no-scores")
        return
    yield _groups(models, settings)
    splits = {model.name: {link: length_split(one) for link, one in model.choices.items()} for model in models}
    yield picture(
        "length-bias",
        say("figure-length"),
        lambda: length_bias(splits, language=settings.language),
        note=say("note-figure-length"),
    )
    yield from _sweeps({model.name: sweep(model.totals, alpha_grid()) for model in results.models}, settings)
    yield _best_alpha(results.models, settings)
    yield _morcela(results.models, settings)


def _groups(models: Sequence[ModelChoices], settings: Settings) -> Table:
    rows: Rows = []
    for model in models:
        for link, choices in model.choices.items():
            cells: list[Value] = []
            for sign in SIGNS.values():
                worth = choices.worth[choices.length_sign == sign]
                cells += [
                    len(worth),
                    wilson(float(worth.mean()), pairs=len(worth), kind="pairs") if len(worth) else None,
                ]
            rows.append((model.name, link, *cells, length_split(choices).delta))
    columns = (
        "model link pairs_equal:count='|D=| equal:percent='D= pairs_shorter:count='|D<| shorter:percent='D<"
        " pairs_longer:count='|D>| longer:percent='D> delta_acc:percent=delta"
    )
    return settings.table("length-groups", columns, rows, note=settings.say("note-length"))


def _sweeps(sweeps: Mapping[str, Sweep], settings: Settings) -> Iterator[Item]:
    """Return the figure and the table of accuracy and delta-acc at every alpha."""
    lines = [
        AlphaSweep(name, np.array([setting[0] for setting in one.settings]), one.unequal, one.delta)
        for name, one in sweeps.items()
    ]
    yield picture(
        "alpha-sweep",
        settings.say("alpha-sweep"),
        lambda: alpha_sweep(lines, language=settings.language),
        note=settings.say("note-alpha-sweep"),
    )
    rows: Rows = []
    for name, one in sweeps.items():
        values = zip(one.settings, one.accuracy, one.equal, one.shorter, one.longer, one.delta, strict=True)
        rows += [(name, setting[0], *map(float, cells)) for setting, *cells in values]
    columns = f"model alpha:number='α accuracy:percent=micro {GROUPS} delta_acc:percent=delta"
    yield settings.table("alpha-sweep-values", columns, rows, title=settings.say("alpha-values"))


def _best_alpha(models: Sequence[ScoredModel], settings: Settings) -> Table:
    say = settings.say
    rows: Rows = []
    for model in models:
        for by in GOALS:
            head = (model.name, say(f"by-{by}"))
            try:
                best = analysis.best_setting(model.totals, alpha_grid(), by=by, seed=settings.seed, resamples=RESAMPLES)
                held = held_out(model.totals, alpha_grid(), by=by, seed=settings.seed)
            except InputError as error:
                rows.append((*head, None, NOTHING, None, None, reasons(error, settings.language)))
                continue
            halves = ", ".join(f"{setting[0]:g}" for setting in held.settings)
            rows.append((*head, *best.parameters, halves, held.accuracy, held.split.delta, ""))
    columns = (
        "model chosen_by alpha:number=best-alpha alpha_halves accuracy:percent=held-out-accuracy"
        " delta_acc:percent=held-out-delta remark"
    )
    return without_blank(settings.table("alpha-best", columns, rows, note=say("note-alpha-best")))


def _morcela(models: Sequence[ScoredModel], settings: Settings) -> Item:
    say = settings.say
    usable = [model for model in models if model.totals.unigram is not None]
    if not usable:
        return absent(say("morcela"), "report-no-unigrams")
    rows: Rows = []
    for model in usable:
        for how in ("grid", "fit"):
            head = (model.name, say(f"morcela-{how}"))
            try:
                rows.append((*head, *_morcela_cells(model, how, settings), ""))
            except InputError as error:
                rows.append((*head, nan, nan, NOTHING, nan, nan, reasons(error, settings.language)))
    lacking = ", ".join(model.name for model in models if model.totals.unigram is None)
    note = say("note-morcela") + (say("note-no-unigrams").format(models=lacking) if lacking else "")
    columns = (
        "model how beta:number='β gamma:number='γ halves=morcela-halves accuracy:percent=held-out-accuracy"
        " delta_acc:percent=held-out-delta remark"
    )
    return without_blank(settings.table("morcela", columns, rows, note=note))


def _morcela_cells(model: ScoredModel, how: str, settings: Settings) -> tuple[Value, ...]:
    """Return beta and gamma, those of the halves, and accuracy and delta-acc held out."""
    totals, seed = model.totals, settings.seed
    best: tuple[Value, ...]
    if how == "grid":
        swept = sweep(totals, morcela_grid())
        best = swept.settings[swept.best("accuracy")]
        held = held_out(totals, morcela_grid(), by="accuracy", seed=seed)
    else:
        best = analysis.morcela_interval(totals, seed=seed, resamples=FITS)
        held = analysis.held_out_morcela(totals, seed=seed)
    halves = "; ".join(f"{beta:.3g}, {gamma:.3g}" for beta, gamma in held.settings)
    return (*best, halves, held.accuracy, held.split.delta)
