"""Rankings: how far two benchmarks put the same models in the same order, and how much models vary on each."""

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from bidui.analysis.accuracy import accuracy
from bidui.analysis.baselines import without
from bidui.analysis.rankings import kendall_tau_b
from bidui.analysis.summary import deviation
from bidui.report.published import published_names, published_uid, read_published
from bidui.report.results import Results
from bidui.report.section import Asked, Item, absent
from bidui.report.tables import Column, Table, Value
from bidui.scores.choices import Choices, choose_from
from bidui.scores.links import parse_link

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
    for table in map(read_published, published_names()):
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
