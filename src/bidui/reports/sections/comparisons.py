"""Comparisons: models compared pairwise on the same pairs, and the ranking of models on several benchmarks."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from statistics import fmean

from bidui.analysis.accuracy import accuracy
from bidui.analysis.estimate import FEWEST_PARADIGMS, deviation
from bidui.analysis.people import HUMANS
from bidui.analysis.significance import (
    Alternative,
    compare_models,
    correct,
    kendall_estimate,
    sign_test,
    signed_rank,
)
from bidui.reports.results import PairSet, Results, ScoredModel, as_printed
from bidui.reports.section import Item, Rows, Settings, absent, attempt, joined
from bidui.reports.tables import Column, Table, Value, at_floor
from bidui.scores.choices import choose_from

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def comparisons(results: Results, settings: Settings) -> Iterator[Item]:
    """Compare the models that were scored on one set of pairs, over pairs and over paradigms."""
    title, link = settings.say("compared-title").format(link=settings.main), settings.main_link
    usable = [model for model in results.models if model.totals.unigram is not None or not link.needs_unigrams]
    if len(usable) + (settings.extras.people is not None) < 2:
        yield absent(title, "report-one-model", {"count": len(usable)})
        return
    tests = settings.say("wilcoxon-title").format(link=link.name)
    yield attempt(title, partial(_pairwise, "compared", usable, settings))
    yield attempt(tests, partial(_wilcoxon, "wilcoxon", usable, settings))


def _pairwise(name: str, models: list[ScoredModel], settings: Settings) -> Table:
    # lengths in characters are the same for all tokenizers, so that the pairs count as the same
    chosen = {model.name: choose_from(model.totals, settings.main_link, groups="characters") for model in models}
    found = compare_models(chosen, seed=settings.seed, study=settings.extras.people)
    wilcoxon = correct([one.wilcoxon for one in found], by="holm")
    rows: Rows = []
    for one, ranks in zip(found, wilcoxon, strict=True):
        times = one.corrected / one.p if one.p else 1.0
        ps = (at_floor(one.p, floor=one.floor), at_floor(one.corrected, floor=one.floor, times=times))
        pairs = (one.first_better, one.second_better, sign_test(one.first_better, one.second_better))
        second = settings.say("people-majority") if one.second == HUMANS else one.second
        rows.append((one.first, second, one.difference, *ps, ranks, *pairs))
    columns = (
        "first second difference:points p:p='p p_holm:p wilcoxon_holm:p first_better:count second_better:count"
        " mcnemar:p=p-mcnemar"
    )
    title = settings.say("compared-title").format(link=settings.main)
    note = settings.say("note-compared" if found[0].test == "paradigms" else "note-compared-few")
    return settings.table(name, columns, rows, title=title, note=note.format(fewest=FEWEST_PARADIGMS))


def _wilcoxon(name: str, models: list[ScoredModel], settings: Settings) -> Table:
    """Compare models pairwise over their paradigms, as SLING does (Table 9)."""
    by_model = {m.name: accuracy(choose_from(m.totals, settings.main_link), by="paradigm") for m in models}
    uids = list(by_model[models[0].name])
    values = {name: [own[uid].value for uid in uids] for name, own in by_model.items()}
    if people := settings.extras.people:
        counts = people.counts
        values[settings.say("people-head")] = [right / n for right, n in (counts[uid] for uid in uids)]
    couples = list(combinations(values, 2))
    # with nine digits, so that differences that are equal up to rounding share their rank
    tests = [[signed_rank(values[a], values[b], alternative=s, digits=9) for s in ALTERNATIVES] for a, b in couples]
    corrected = correct([both.p for both, _, _ in tests], by="holm")
    rows: Rows = [
        (first, second, len(uids), both.zeros, both.statistic, both.p, holm, greater.p, less.p)
        for (first, second), (both, greater, less), holm in zip(couples, tests, corrected, strict=True)
    ]
    columns = (
        "first second paradigms:count zeros:count v:number='V p:p=p-two-sided p_holm:p"
        " p_greater:p=p-first-better p_less:p=p-second-better"
    )
    title = settings.say("wilcoxon-title").format(link=settings.main)
    baselines = settings.say("note-wilcoxon-baselines") if any(model.baselines is not None for model in models) else ""
    note = joined(settings.say("note-wilcoxon"), baselines)
    return settings.table(name, columns, rows, title=title, note=note)


# Rankings: how far two benchmarks put the same models in the same order, and how much models vary on each


def rankings(sets: Sequence[PairSet], settings: Settings) -> Iterator[Item]:
    """Yield one row per two sets of pairs with Kendall's tau, and the accuracies behind it; models go by their names.

    As in SLING, the accuracy of a model is the mean over phenomena: those of the paper's table where there is one.
    """
    say = settings.say
    scored = {one.name: _phenomena(one, settings) for one in sets}
    couples = [
        (one, other, shared)
        for one, other in combinations(scored, 2)
        if len(shared := [model for model in scored[one] if model in scored[other]]) > 1
    ]
    if not couples:
        yield absent(say("rankings"), "report-one-benchmark")
        return
    rows: Rows = []
    for one, other, shared in couples:
        first, second = ([fmean(scored[name][model]) for model in shared] for name in (one, other))
        rows.append((one, other, len(shared), kendall_estimate(first, second, seed=settings.seed)))
    columns = "first second models:count=models-count tau:r"
    note = joined(say("note-rankings").format(link=settings.main), say("note-rankings-sling"))
    yield settings.table("rankings", columns, rows, title=say("rankings-tau"), note=note)
    yield _benchmarks(scored, settings)


def _phenomena(one: PairSet, settings: Settings) -> dict[str, list[float]]:
    """Return the accuracies by phenomenon of every model on a set of pairs, without baselines."""
    link, scored = settings.main_link, {}
    for model in one.results.models:
        if not link.needs_unigrams or model.totals.unigram is not None:
            choices = as_printed(choose_from(model.totals, link), one.benchmark)
            scored[model.manifest.model] = [own.value for own in accuracy(choices, by="phenomenon").values()]
    return scored


def _benchmarks(scored: Mapping[str, Mapping[str, Sequence[float]]], settings: Settings) -> Table:
    """Return one row per model: the mean and the deviation over phenomena on every set of pairs."""
    say = settings.say
    columns = [*settings.columns("model")]
    for name in scored:
        spread_head = f"{name}, {say('deviation-phenomena')}"
        columns += [Column(f"accuracy_{name}", name, "percent"), Column(f"deviation_{name}", spread_head, "percent")]
    rows: Rows = []
    for model in dict.fromkeys(model for own in scored.values() for model in own):
        cells: list[Value] = []
        for own in scored.values():
            cells += [fmean(own[model]), deviation(own[model])] if model in own else [None, None]
        rows.append((model, *cells))
    return settings.table("benchmarks", columns, rows, note=say("note-benchmarks"))
