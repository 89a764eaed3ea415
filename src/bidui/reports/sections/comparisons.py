"""Comparisons: every two models on the same pairs, and the order of models on several benchmarks."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations

import numpy as np

from bidui.analysis.accuracy import accuracy
from bidui.analysis.estimate import deviation
from bidui.analysis.significance import (
    Alternative,
    SignedRank,
    compare_models,
    correct,
    kendall_tau_b,
    signed_rank,
    without,
)
from bidui.reports.published import all_published, published_uid
from bidui.reports.results import Results, ScoredModel
from bidui.reports.section import Asked, Item, Section, absent, attempt
from bidui.reports.tables import Column, Table, Value
from bidui.scores.choices import Choices, choose_from
from bidui.scores.links import Link, parse_link

# Rankings: how far two benchmarks put the same models in the same order, and how much models vary on each.

Scored = Mapping[str, Mapping[str, Choices]]  # by benchmark and model


def rankings(results: Results, asked: Asked) -> Iterator[Item]:
    """A row a pair of benchmarks with Kendall's tau, and what it is made from; a model is known by its own name."""
    say = asked.say
    homes = known_homes(asked)
    scored = _scored(results, homes, asked)
    couples = [
        (one, other, shared)
        for one, other in combinations(scored, 2)
        if len(shared := [model for model in scored[one] if model in scored[other]]) > 1
    ]
    if not couples:
        yield absent(say("rankings"), "report-one-benchmark", {"known": sorted(set(homes.values()))})
        return
    columns = (
        Column("first", say("first")),
        Column("second", say("second")),
        Column("models", say("models-count"), "count"),
        Column("tau", say("tau"), "number"),
    )
    means = {name: {model: accuracy(one)["all"].value for model, one in own.items()} for name, own in scored.items()}
    rows: list[tuple[Value, ...]] = []
    for one, other, shared in couples:
        tau = kendall_tau_b([means[one][model] for model in shared], [means[other][model] for model in shared])
        rows.append((one, other, len(shared), tau))
    yield Table("rankings", say("rankings"), columns, tuple(rows), say("note-rankings").format(link=asked.main))
    yield _accuracies(scored, asked)


def known_homes(asked: Asked) -> dict[str, str]:
    """The benchmark of every paradigm that is known: of shipped ones, and of those with published tables."""
    homes = {uid: known.name for known in asked.benchmarks for uid in (*known.people, *known.kinds)}
    for table in all_published():
        for cell in table.cells:
            if cell.level == "paradigm" and cell.name:
                homes.setdefault(cell.name, table.benchmark)
    return homes


def _scored(results: Results, homes: Mapping[str, str], asked: Asked) -> dict[str, dict[str, Choices]]:
    link = parse_link(asked.main)
    found: dict[str, dict[str, Choices]] = {}
    for model in results.models:
        if link.needs_unigrams and model.totals.unigram is None:
            continue
        choices = choose_from(model.totals, link)
        uids = np.unique(choices.uids.astype(str)).tolist()
        own = {uid: homes[published_uid(uid)] for uid in uids if published_uid(uid) in homes}
        for name in dict.fromkeys(own.values()):
            others = [uid for uid in uids if own.get(uid) != name]
            found.setdefault(name, {})[model.manifest.model] = without(choices, uids=others)
    return found


def _accuracies(scored: Scored, asked: Asked) -> Table:
    """A row a model, and of every benchmark its accuracy and the deviation over phenomena."""
    say = asked.say
    columns = [Column("model", say("model"))]
    for name in scored:
        columns += [
            Column(f"accuracy_{name}", name, "percent"),
            Column(f"deviation_{name}", f"{name}, {say('deviation-phenomena')}", "percent"),
        ]
    rows: list[tuple[Value, ...]] = []
    for model in dict.fromkeys(model for own in scored.values() for model in own):
        cells: list[Value] = []
        for own in scored.values():
            choices = own.get(model)
            if choices is None:
                cells += [None, None]
                continue
            spread = deviation([one.value for one in accuracy(choices, by="phenomenon").values()])
            cells += [accuracy(choices)["all"].value, spread]
        rows.append((model, *cells))
    return Table("benchmarks", say("benchmarks"), tuple(columns), tuple(rows), say("note-benchmarks"))


ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def comparisons(results: Results, asked: Asked) -> Section:
    """A table for every group of models that were scored on the same pairs; and Kendall's tau."""
    items = (*_items(results, asked), *rankings(results, asked))
    return Section("compared", asked.say("compared"), asked.say("about-compared"), items)


def _items(results: Results, asked: Asked) -> Iterator[Item]:
    title, link = asked.say("compared-title").format(link=asked.main), parse_link(asked.main)
    usable = [model for model in results.models if model.totals.unigram is not None or not link.needs_unigrams]
    if len(usable) < 2:
        yield absent(title, "report-one-model", {"count": len(usable)})
        return
    groups: dict[tuple[tuple[str, str], ...], list[ScoredModel]] = {}
    for model in usable:
        pairs = tuple(sorted((uid, shard.pairs) for uid, shard in model.manifest.shards.items()))
        groups.setdefault(pairs, []).append(model)
    alone = [models[0].name for models in groups.values() if len(models) == 1]
    together = [models for models in groups.values() if len(models) > 1]
    for number, models in enumerate(together):
        yield attempt(title, partial(_table, models, link, asked, number))
        yield attempt(
            asked.say("wilcoxon-title").format(link=link.name), partial(_wilcoxon, models, link, asked, number)
        )
    if alone:
        yield absent(title, "report-other-pairs", {"models": alone})


def _table(models: list[ScoredModel], link: Link, asked: Asked, number: int) -> Table:
    say = asked.say
    # lengths in characters are the same for all tokenizers, so that the pairs count as the same
    chosen = {model.name: choose_from(model.totals, link, groups="characters") for model in models}
    columns = (
        Column("first", say("first")),
        Column("second", say("second")),
        Column("difference", say("difference"), "points"),
        Column("first_better", say("first-better"), "count"),
        Column("second_better", say("second-better"), "count"),
        Column("p", "p", "p"),
        Column("p_holm", say("p-holm"), "p"),
    )
    rows: list[tuple[Value, ...]] = [
        (
            one.first,
            one.second,
            one.difference,
            one.first_better,
            one.second_better,
            one.p,
            one.corrected,
        )
        for one in compare_models(chosen, seed=asked.seed)
    ]
    title = say("compared-title").format(link=link.name)
    return Table(_numbered("compared", number), title, columns, tuple(rows), say("note-compared"))


def _numbered(name: str, number: int) -> str:
    return f"{name}-{number + 1}" if number else name


def _wilcoxon(models: list[ScoredModel], link: Link, asked: Asked, number: int) -> Table:
    """Every two models over their paradigms, as SLING tests them (Table 9)."""
    say = asked.say
    found = {model.name: accuracy(choose_from(model.totals, link), by="paradigm") for model in models}
    uids = list(found[models[0].name])
    values = {name: [own[uid].value for uid in uids] for name, own in found.items()}
    columns = (
        Column("first", say("first")),
        Column("second", say("second")),
        Column("paradigms", say("paradigms"), "count"),
        Column("zeros", say("zeros"), "count"),
        Column("v", "V", "number"),
        Column("p", say("p-two-sided"), "p"),
        Column("p_holm", say("p-holm"), "p"),
        Column("p_greater", say("p-first-better"), "p"),
        Column("p_less", say("p-second-better"), "p"),
    )
    couples = list(combinations(values, 2))
    tests = [[_signed(values[a], values[b], side) for side in ALTERNATIVES] for a, b in couples]
    corrected = correct([both.p for both, _, _ in tests], by="holm")
    rows: list[tuple[Value, ...]] = []
    for (first, second), (both, greater, less), holm in zip(couples, tests, corrected, strict=True):
        counts = (len(uids), both.zeros, both.statistic)
        rows.append((first, second, *counts, both.p, holm, greater.p, less.p))
    title = say("wilcoxon-title").format(link=link.name)
    return Table(_numbered("wilcoxon", number), title, columns, tuple(rows), say("note-wilcoxon"))


def _signed(first: list[float], second: list[float], alternative: Alternative) -> SignedRank:
    """With nine digits, so that differences that are equal but for rounding share their rank."""
    return signed_rank(first, second, alternative=alternative, digits=9)
