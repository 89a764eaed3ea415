"""Comparisons: models compared pairwise on the same pairs, and the ranking of models on several benchmarks."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations

import numpy as np

from bidui.analysis.accuracy import accuracy
from bidui.analysis.estimate import deviation
from bidui.analysis.significance import Alternative, compare_models, correct, kendall_tau_b, signed_rank, without
from bidui.reports.published import all_published, published_uid
from bidui.reports.results import Results, ScoredModel
from bidui.reports.section import Item, Rows, Settings, absent, attempt
from bidui.reports.tables import Column, Table, Value
from bidui.scores.choices import Choices, choose_from

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def comparisons(results: Results, settings: Settings) -> Iterator[Item]:
    """Yield a table for every group of models scored on the same pairs, and Kendall's tau."""
    yield from _compared(results, settings)
    yield from _rankings(results, settings)


def _compared(results: Results, settings: Settings) -> Iterator[Item]:
    title, link = settings.say("compared-title").format(link=settings.main), settings.main_link
    usable = [model for model in results.models if model.totals.unigram is not None or not link.needs_unigrams]
    if len(usable) < 2:
        yield absent(title, "report-one-model", {"count": len(usable)})
        return
    groups: dict[tuple[tuple[str, str], ...], list[ScoredModel]] = {}
    for model in usable:
        pairs = tuple(sorted((uid, shard.pairs) for uid, shard in model.manifest.shards.items()))
        groups.setdefault(pairs, []).append(model)
    together = [models for models in groups.values() if len(models) > 1]
    tests = settings.say("wilcoxon-title").format(link=link.name)
    for number, models in enumerate(together):
        end = f"-{number + 1}" if number else ""
        yield attempt(title, partial(_pairwise, f"compared{end}", models, settings))
        yield attempt(tests, partial(_wilcoxon, f"wilcoxon{end}", models, settings))
    if alone := [models[0].name for models in groups.values() if len(models) == 1]:
        yield absent(title, "report-other-pairs", {"models": alone})


def _pairwise(name: str, models: list[ScoredModel], settings: Settings) -> Table:
    # lengths in characters are the same for all tokenizers, so that the pairs count as the same
    chosen = {model.name: choose_from(model.totals, settings.main_link, groups="characters") for model in models}
    rows: Rows = [
        (one.first, one.second, one.difference, one.first_better, one.second_better, one.p, one.corrected)
        for one in compare_models(chosen, seed=settings.seed)
    ]
    columns = "first second difference:points first_better:count second_better:count p:p='p p_holm:p"
    title = settings.say("compared-title").format(link=settings.main)
    return settings.table(name, columns, rows, title=title, note=settings.say("note-compared"))


def _wilcoxon(name: str, models: list[ScoredModel], settings: Settings) -> Table:
    """Compare models pairwise over their paradigms, as SLING does (Table 9)."""
    by_model = {m.name: accuracy(choose_from(m.totals, settings.main_link), by="paradigm") for m in models}
    uids = list(by_model[models[0].name])
    values = {name: [own[uid].value for uid in uids] for name, own in by_model.items()}
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
    return settings.table(name, columns, rows, title=title, note=settings.say("note-wilcoxon"))


# Rankings: how far two benchmarks put the same models in the same order, and how much models vary on each


def _rankings(results: Results, settings: Settings) -> Iterator[Item]:
    """Return one row per two benchmarks with Kendall's tau, and the accuracies behind it; models go by their names."""
    say = settings.say
    # of every known paradigm: of shipped benchmarks, and of those with published tables
    benchmark_of = {uid: known.name for known in settings.benchmarks for uid in (*known.people, *known.kinds)}
    for table in all_published():
        for cell in table.cells:
            if cell.level == "paradigm" and cell.name:
                benchmark_of.setdefault(cell.name, table.benchmark)
    scored = _by_benchmark(results, benchmark_of, settings)
    couples = [
        (one, other, shared)
        for one, other in combinations(scored, 2)
        if len(shared := [model for model in scored[one] if model in scored[other]]) > 1
    ]
    if not couples:
        yield absent(say("rankings"), "report-one-benchmark", {"known": sorted(set(benchmark_of.values()))})
        return
    means = {name: {model: accuracy(one)["all"].value for model, one in own.items()} for name, own in scored.items()}
    rows: Rows = []
    for one, other, shared in couples:
        tau = kendall_tau_b([means[one][model] for model in shared], [means[other][model] for model in shared])
        rows.append((one, other, len(shared), tau))
    columns = "first second models:count=models-count tau:number"
    yield settings.table("rankings", columns, rows, note=say("note-rankings").format(link=settings.main))
    yield _benchmarks(scored, settings)


def _by_benchmark(
    results: Results, benchmark_of: Mapping[str, str], settings: Settings
) -> dict[str, dict[str, Choices]]:
    """Return choices by benchmark and model."""
    link = settings.main_link
    scored: dict[str, dict[str, Choices]] = {}
    for model in results.models:
        if link.needs_unigrams and model.totals.unigram is None:
            continue
        choices = choose_from(model.totals, link)
        uids = np.unique(choices.uids.astype(str)).tolist()
        names = {uid: benchmark_of[published_uid(uid)] for uid in uids if published_uid(uid) in benchmark_of}
        for name in dict.fromkeys(names.values()):
            others = [uid for uid in uids if names.get(uid) != name]
            scored.setdefault(name, {})[model.manifest.model] = without(choices, uids=others)
    return scored


def _benchmarks(scored: Mapping[str, Mapping[str, Choices]], settings: Settings) -> Table:
    """Return one row per model: accuracy and deviation over phenomena on every benchmark."""
    say = settings.say
    columns = [*settings.columns("model")]
    for name in scored:
        spread_head = f"{name}, {say('deviation-phenomena')}"
        columns += [Column(f"accuracy_{name}", name, "percent"), Column(f"deviation_{name}", spread_head, "percent")]
    rows: Rows = []
    for model in dict.fromkeys(model for own in scored.values() for model in own):
        cells: list[Value] = []
        for own in scored.values():
            if model not in own:
                cells += [None, None]
                continue
            spread = deviation([one.value for one in accuracy(own[model], by="phenomenon").values()])
            cells += [accuracy(own[model])["all"].value, spread]
        rows.append((model, *cells))
    return settings.table("benchmarks", columns, rows, note=say("note-benchmarks"))
