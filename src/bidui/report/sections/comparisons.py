"""Comparisons: every two models on the same pairs."""

from collections.abc import Iterator
from functools import partial

from bidui.analysis.significance import compare_models
from bidui.report.results import Results, ScoredModel
from bidui.report.section import Asked, Item, Section, absent, attempt
from bidui.report.tables import Column, Ranged, Table, Value
from bidui.scores.choices import choose_from
from bidui.scores.links import Link, parse_link


def comparisons(results: Results, asked: Asked) -> Section:
    """A table for every group of models that were scored on the same pairs."""
    return Section("compared", asked.say("compared"), asked.say("about-compared"), tuple(_items(results, asked)))


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
    return Table(f"compared-{number + 1}" if number else "compared", title, columns, tuple(rows), say("note-compared"))
