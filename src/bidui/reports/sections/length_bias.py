"""Length bias: accuracy by which side is longer, and what the parameters of linking functions do to it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bidui.analysis import length_bias as analysis
from bidui.analysis.accuracy import accuracy
from bidui.analysis.length_bias import (
    DIVISIONS,
    FEWEST_PAIRS,
    FOLDS,
    SIGNS,
    By,
    Sweep,
    alpha_grid,
    held_out,
    morcela_grid,
    sweep,
    within_paradigms,
)
from bidui.errors import InputError
from bidui.reports.figures import AlphaSweep, alpha_sweep, length_bias
from bidui.reports.results import HELD_OUT, ModelChoices, Results, ScoredModel
from bidui.reports.section import Item, Rows, Settings, absent, joined, picture, pictures, reasons
from bidui.reports.tables import Table, Value, without_blank
from bidui.scores.choices import PairTotals, length_split

RESAMPLES, FITS = 400, 100  # enough for two digits of the ends of an interval
REFITS = 3  # divisions into folds for MORCELA, whose fits take longer than the sums of a grid
NOT_WORSE = 0.01  # a difference in delta-acc that is not worth another linking function
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
    yield _within(models, settings)
    splits = {model.name: {link: length_split(one) for link, one in model.choices.items()} for model in models}
    yield from pictures(
        "length-bias",
        say("figure-length"),
        splits,
        lambda some: length_bias(some, language=settings.language),
        note=say("note-figure-length"),
    )
    yield from _sweeps({model.name: sweep(model.totals, alpha_grid()) for model in results.models}, settings)
    yield _best_alpha(results.models, settings)
    yield _morcela(results.models, settings)


BY_ALPHA = {"lp": 0.0, "slln:0.5": 0.5, "mean_lp": 1.0}  # links that a sweep over alpha contains


def main_bias(results: Results, models: Sequence[ModelChoices], settings: Settings) -> str:
    """Say how biased by length the linking function of all details is, and which is the least; empty if unknown.

    Held-out MORCELA is not among them: no option shows the details by it.
    """
    deltas: dict[str, list[float]] = {}
    for model in models:
        for link, choices in model.choices.items():
            if not model.counted and not choices.undecided and link != HELD_OUT:
                deltas.setdefault(link, []).append(length_split(choices).delta)
    for sweep_of_run in (run.alphas for run in results.runs if not results.models and run.alphas is not None):
        by_alpha = dict(zip((setting[0] for setting in sweep_of_run.settings), sweep_of_run.delta, strict=True))
        for link, alpha in BY_ALPHA.items():
            if alpha in by_alpha:
                deltas.setdefault(link, []).append(float(by_alpha[alpha]))
    most = max(map(len, deltas.values()), default=0)
    means = {link: float(np.mean(own)) for link, own in deltas.items() if len(own) == most}
    if not np.isfinite(means.get(settings.main, np.nan)):
        return ""
    best = min(means, key=means.__getitem__)
    values = {"link": settings.main, "delta": f"{100 * means[settings.main]:.1f}"}
    if len(means) == 1:
        return settings.say("main-only").format(**values)
    if means[settings.main] - means[best] < NOT_WORSE:
        return settings.say("main-best").format(**values)
    return settings.say("main-biased").format(**values, best=best, least=f"{100 * means[best]:.1f}")


def _groups(models: Sequence[ModelChoices], settings: Settings) -> Table:
    rows: Rows = []
    for model in models:
        for link, choices in model.choices.items():
            names = np.array(list(SIGNS), object)[[list(SIGNS.values()).index(sign) for sign in choices.length_sign]]
            found = accuracy(replace(choices, phenomena=names), by="phenomenon")
            cells: list[Value] = []
            for group in SIGNS:
                one = found.get(group)
                few = one is not None and one.pairs < FEWEST_PAIRS
                share = None if one is None or choices.undecided else one.value if few else one.estimate
                cells += [one.pairs if one else 0, share]
            rows.append((model.name, link, *cells, None if choices.undecided else length_split(choices).delta))
    columns = (
        "model link pairs_equal:count='|D=| equal:percent='D= pairs_shorter:count='|D<| shorter:percent='D<"
        " pairs_longer:count='|D>| longer:percent='D> delta_acc:percent=delta"
    )
    note = settings.say("note-length").format(fewest=FEWEST_PAIRS)
    return settings.table("length-groups", columns, rows, note=note)


def _within(models: Sequence[ModelChoices], settings: Settings) -> Table:
    """Return of how many paradigms the groups are made, and what length does within paradigms."""
    rows: Rows = []
    for model in models:
        for link, choices in model.choices.items():
            found = within_paradigms(choices)
            readings = (found.shorter, found.shorter_of, found.longer, found.longer_of)
            rows.append((model.name, link, *found.paradigms.values(), *readings))
    columns = (
        "model link paradigms_equal:count=in-equal paradigms_shorter:count=in-shorter paradigms_longer:count=in-longer"
        " paradigms_both:count=in-both shorter:points='D<−D= shorter_of:count=paradigms longer:points='D>−D="
        " longer_of:count=paradigms"
    )
    return settings.table("length-within", columns, rows, note=settings.say("note-within"))


def sweep_line(name: str, one: Sweep) -> AlphaSweep:
    """Return a sweep as it is drawn."""
    return AlphaSweep(name, np.array([setting[0] for setting in one.settings]), one.unequal, one.delta)


def mean_sweep(lines: Sequence[AlphaSweep], name: str) -> AlphaSweep:
    """Return the mean and the sample standard deviation over models (Liu et al., Figure 2)."""
    accuracies, deltas = (np.array([getattr(line, name) for line in lines]) for name in ("accuracy", "delta"))
    spread = (accuracies.std(axis=0, ddof=1), deltas.std(axis=0, ddof=1))
    return AlphaSweep(name, lines[0].alpha, accuracies.mean(axis=0), deltas.mean(axis=0), *spread)


def _sweeps(sweeps: Mapping[str, Sweep], settings: Settings) -> Iterator[Item]:
    """Return the figure and the table of accuracy and delta-acc at every alpha."""
    lines = [sweep_line(name, one) for name, one in sweeps.items()]
    yield from pictures(
        "alpha-sweep",
        settings.say("alpha-sweep"),
        {line.name: line for line in lines},
        lambda some: alpha_sweep(tuple(some.values()), language=settings.language),
        note=settings.say("note-alpha-sweep"),
    )
    mean = settings.say("mean-of-models").format(count=len(lines))
    if len(lines) > 1:
        yield picture(
            "alpha-sweep-mean",
            settings.say("alpha-sweep-mean").format(count=len(lines)),
            lambda: alpha_sweep([mean_sweep(lines, mean)], language=settings.language),
            note=joined(settings.say("note-alpha-sweep"), settings.say("note-alpha-sweep-mean")),
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
    cases = [(model, by) for model in models for by in GOALS]
    found = settings.each(_alpha_cells, [(model.totals, by, settings.seed) for model, by in cases])
    for (model, by), cells in zip(cases, found, strict=True):
        head = (model.name, say(f"by-{by}"))
        if isinstance(cells, InputError):
            rows.append((*head, None, None, None, None, reasons(cells, settings.language)))
        else:
            rows.append((*head, *cells, ""))
    columns = (
        "model chosen_by alpha:number=best-alpha alpha_folds:number accuracy:percent=held-out-accuracy"
        " delta_acc:percent=held-out-delta remark"
    )
    note = say("note-alpha-best").format(folds=FOLDS, divisions=DIVISIONS)
    return without_blank(settings.table("alpha-best", columns, rows, note=note))


def _alpha_cells(case: tuple[PairTotals, By, int]) -> tuple[Value, ...]:
    """Return the best alpha with its interval, those of the folds, and accuracy and delta-acc held out."""
    totals, by, seed = case
    best = analysis.best_setting(totals, alpha_grid(), by=by, seed=seed, resamples=RESAMPLES)
    held = held_out(totals, alpha_grid(), by=by, seed=seed)
    return (*best.parameters, held.spread(0), held.accuracy, held.delta)


def _morcela(models: Sequence[ScoredModel], settings: Settings) -> Item:
    say = settings.say
    usable = [model for model in models if model.totals.unigram is not None]
    if not usable:
        return absent(say("morcela"), "report-no-unigrams")
    rows: Rows = []
    cases = [(model, how) for model in usable for how in ("grid", "fit")]
    found = settings.each(_morcela_cells, [(model.totals, how, settings.seed) for model, how in cases])
    for (model, how), cells in zip(cases, found, strict=True):
        head = (model.name, say(f"morcela-{how}"))
        if isinstance(cells, InputError):
            rows.append((*head, *(None for _ in range(6)), reasons(cells, settings.language)))
        else:
            rows.append((*head, *cells, ""))
    lacking = ", ".join(model.name for model in models if model.totals.unigram is None)
    note = say("note-morcela").format(folds=FOLDS, divisions=REFITS) + (
        say("note-no-unigrams").format(models=lacking) if lacking else ""
    )
    columns = (
        "model how beta:number='β gamma:number='γ beta_folds:number gamma_folds:number"
        " accuracy:percent=held-out-accuracy delta_acc:percent=held-out-delta remark"
    )
    return without_blank(settings.table("morcela", columns, rows, note=note))


def _morcela_cells(case: tuple[PairTotals, str, int]) -> tuple[Value, ...]:
    """Return beta and gamma, those of the folds, and accuracy and delta-acc on paradigms that were held out."""
    totals, how, seed = case
    best: tuple[Value, ...]
    if how == "grid":
        held = held_out(totals, morcela_grid(), by="accuracy", seed=seed, divisions=REFITS)
        best = held.best
    else:
        best = analysis.morcela_interval(totals, seed=seed, resamples=FITS)
        held = analysis.held_out_morcela(totals, seed=seed, divisions=REFITS)
    return (*best, held.spread(0), held.spread(1), held.accuracy, held.delta)
