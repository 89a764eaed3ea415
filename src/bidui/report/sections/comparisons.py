"""Comparisons: every two models on the same pairs, and the order of models on several benchmarks."""

from collections.abc import Iterator
from functools import partial
from itertools import combinations

from bidui.analysis.accuracy import accuracy
from bidui.analysis.significance import compare_models, correct
from bidui.analysis.wilcoxon import Alternative, SignedRank, signed_rank
from bidui.report.results import Results, ScoredModel
from bidui.report.section import Asked, Item, Section, absent, attempt
from bidui.report.sections.rankings import rankings
from bidui.report.tables import Column, Ranged, Table, Value
from bidui.scores.choices import choose_from
from bidui.scores.links import Link, parse_link

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
            Ranged(one.difference, one.low, one.high),
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
