"""Graded ratings: how far the scores of each linking function agree with ratings of the same sentences.

The counterpart of Table 7 of Liu et al., with MORCELA fitted to the ratings, and with scatter plots.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from bidui.analysis.ratings import (
    FEWEST,
    Correlation,
    Correlations,
    Over,
    RatedMorcela,
    correlate,
    fit_morcela_to_ratings,
    match,
    scores_of,
)
from bidui.errors import InputError, fail
from bidui.people.ratings import Acceptability, acceptability
from bidui.reports.figures import Drawing, Scatter, rating_scatter
from bidui.reports.published import all_published
from bidui.reports.results import HELD_OUT, ModelChoices, ScoredModel
from bidui.reports.section import Absent, Item, Rows, Settings, absent, joined, picture, pictures, reasons
from bidui.reports.tables import Column, Table, Value, without_blank
from bidui.scores.choices import Choices
from bidui.scores.links import morcela

FITTED = "morcela"  # the row of MORCELA fitted to the ratings, as Table 7 names it
OVERS: tuple[Over, ...] = ("pointwise", "pairwise")

Ratings = Mapping[str, Mapping[str, Correlations]]  # by model and linking function
Fits = Mapping[tuple[str, Over], RatedMorcela | InputError]


def ratings_section(
    models: Sequence[ModelChoices], scored: Sequence[ScoredModel], settings: Settings
) -> Iterator[Item]:
    """Yield one table over sentences and one over pairs, as in the two halves of the paper's table, MORCELA, dots."""
    title, ratings = settings.say("ratings"), settings.extras.ratings
    if ratings is None:
        yield absent(title, "report-no-given", {"option": "--ratings"})
        return
    if not scored:
        yield absent(title, "report-no-scores")
        return
    rated = acceptability(ratings)
    if not len(rated.values):
        yield absent(title, "report-raters-constant", {"raters": rated.constant})
        return
    by_model: dict[str, Mapping[str, Correlations]] = {}
    choices: dict[str, Mapping[str, Choices]] = {}
    for model in models:
        try:
            # held-out MORCELA scores the folds of the pairs on several scales
            links = {link: one for link, one in model.choices.items() if link != HELD_OUT}
            if links:
                by_model[model.name] = _correlations(links, rated)
                choices[model.name] = links
        except InputError as error:
            yield Absent(f"{title}, {model.name}", error.problems)
    if not by_model:
        return
    fits = _fits([model for model in scored if model.name in by_model], rated, settings)
    yield _table("pointwise", by_model, fits, settings)
    every = [one for own in by_model.values() for one in own.values()]
    overs = OVERS if any(one.pairwise for one in every) else OVERS[:1]
    if len(overs) > 1:
        yield _table("pairwise", by_model, fits, settings)
    else:  # ratings of single sentences have no pairs, and still correlate over sentences
        few = {"count": max(one.whole for one in every), "needed": FEWEST}
        yield absent(settings.say("ratings-pairwise"), "report-few-rated", few)
    yield _morcela({key: fit for key, fit in fits.items() if key[1] in overs}, settings)
    yield from _scatters(choices, by_model, rated, overs, settings)
    yield _counts(by_model, rated, len(ratings), len({one.rater for one in ratings}), settings)


def _correlations(links: Mapping[str, Choices], rated: Acceptability) -> dict[str, Correlations]:
    """Return the correlations of every linking function; refuse ratings of other sentences."""
    if not len(match(next(iter(links.values())), rated).rows):
        raise fail("report-unrated", None, {"count": len(rated.values)})
    return {link: correlate(one, rated) for link, one in links.items()}


def _fits(models: Sequence[ScoredModel], rated: Acceptability, settings: Settings) -> Fits:
    """Fit MORCELA for every model whose unigrams are known."""
    cases = [(model, over) for model in models if model.totals.unigram is not None for over in OVERS]
    found: list[RatedMorcela | InputError] = []
    for model, over in cases:
        try:
            found.append(fit_morcela_to_ratings(model.totals, rated, over=over, seed=settings.seed))
        except InputError as error:
            found.append(error)
    return {(model.name, over): fit for (model, over), fit in zip(cases, found, strict=True)}


def _table(over: Over, by_model: Ratings, fits: Fits, settings: Settings) -> Table:
    """Return one row per linking function and one column per model; fitted MORCELA is there as it does held out."""
    printed: dict[str, dict[str, float]] = {}
    table = next(table for table in all_published() if any(cell.level == "ratings" for cell in table.cells))
    for cell in table.cells if settings.published else ():
        if cell.group == over:
            printed.setdefault(cell.model, {})[cell.link] = cell.value / 100
    values: dict[str, dict[str, Value]] = {}
    for name, own in by_model.items():
        for link, both in own.items():
            one: Correlation | None = getattr(both, over)
            values.setdefault(link, {})[name] = one.estimate if one else None
        fit = fits.get((name, over))
        if isinstance(fit, RatedMorcela):
            values.setdefault(FITTED, {})[name] = fit.held_out.estimate
    links = dict.fromkeys([*values, *(link for own in printed.values() for link in own)])
    rows: Rows = []
    for link in links:
        cells = [values.get(link, {}).get(name) for name in by_model]
        rows.append((link, *cells, *(own.get(link) for own in printed.values())))
    columns = (
        *settings.columns("link"),
        *(Column(name, name, "r") for name in by_model),
        *(Column(f"published {name}", f"{name} †", "r") for name in printed),
    )
    fitted = settings.say("note-ratings-fitted") if FITTED in values else ""
    beside = settings.say("note-ratings-printed").format(paper=table.paper, table=table.table) if printed else ""
    note = joined(settings.say("note-ratings"), fitted, beside)
    return settings.table(f"ratings-{over}", columns, rows, note=note)


def _morcela(fits: Fits, settings: Settings) -> Item:
    """Return one row per model and half of the table: the parameters, and r by the default, fitted and held out."""
    say = settings.say
    if not fits:
        return absent(say("ratings-morcela"), "report-no-unigrams")
    rows: Rows = []
    for (name, over), fit in fits.items():
        head = (name, say(f"over-{over}"))
        if isinstance(fit, InputError):
            rows.append((*head, *(None for _ in range(8)), reasons(fit, settings.language)))
            continue
        remark = say("folds-of-pairs") if fit.folds == "pairs" else ""
        rs = (fit.plain, fit.fitted, fit.held_out.estimate, fit.divisions)
        rows.append((*head, fit.beta, fit.gamma, fit.spread(0), fit.spread(1), *rs, remark))
    columns = (
        "model over=over-head beta:number='β gamma:number='γ beta_folds:number gamma_folds:number plain:r=r-default"
        " fitted:r=r-fitted held_out:r=r-held-out divisions:r=r-divisions remark"
    )
    note = say("note-ratings-morcela").format(default=morcela().name)
    return without_blank(settings.table("ratings-morcela", columns, rows, note=note))


# Scatter plots


def _scatters(
    choices: Mapping[str, Mapping[str, Choices]],
    by_model: Ratings,
    rated: Acceptability,
    overs: Sequence[Over],
    settings: Settings,
) -> Iterator[Item]:
    """Draw all models by the main linking function; and all linking functions of the model that agrees best by it."""
    say, main = settings.say, settings.main
    there = {name: own for name, own in choices.items() if main in own}

    def dots(name: str, link: str, over: Over) -> Scatter | None:
        one: Correlation | None = getattr(by_model[name][link], over)
        found = match(choices[name][link], rated)
        scores, gaps = scores_of(choices[name][link], found)
        if one is None:
            return None
        if over == "pointwise":
            return Scatter(scores, found.ratings, found.good, one.estimate)
        return Scatter(gaps, found.gaps, None, one.estimate)

    def draw(over: Over, some: Mapping[str, Scatter]) -> Drawing:
        return rating_scatter(some, differences=over == "pairwise", language=settings.language)

    for over in overs:
        panels = {name: one for name in there if (one := dots(name, main, over))}
        title, note = say(f"scatter-{over}").format(link=main), say(f"note-scatter-{over}")
        if panels:
            yield from pictures(f"ratings-scatter-{over}", title, panels, partial(draw, over), note=note)
    if there:
        best = max(there, key=lambda name: by_model[name][main].pointwise.estimate.value)
        panels = {link: one for link in there[best] if (one := dots(best, link, "pointwise"))}
        title = say("scatter-links").format(model=best)
        note = say("note-scatter-links")
        yield picture("ratings-scatter-links", title, partial(draw, "pointwise", panels), note=note)


def _counts(by_model: Ratings, rated: Acceptability, ratings: int, raters: int, settings: Settings) -> Table:
    say = settings.say
    rows: Rows = []
    for model, own in by_model.items():
        one = next(iter(own.values()))
        rows.append((model, one.pointwise.items, one.whole, one.unscored, one.unpaired))
    lost = ""
    if rated.constant:
        counts = {"ratings": rated.ratings_lost, "sentences": rated.sentences_lost}
        lost = say("note-constant").format(raters=", ".join(rated.constant), **counts)
    note = joined(say("note-raters").format(ratings=f"{ratings:,}", raters=f"{raters:,}"), lost)
    columns = "model sentences_rated:count pairs_rated:count unscored:count unpaired:count"
    return settings.table("ratings-counts", columns, rows, note=note)
