"""Models beside people: how far the best model is behind them, group by group (Liu et al., Table 6)."""

from collections.abc import Mapping
from dataclasses import dataclass

from bidui.analysis.accuracy import Accuracy
from bidui.analysis.intervals import newcombe, wilson
from bidui.errors import Place, fail


@dataclass(frozen=True, slots=True)
class Gap:
    """People, the best of several models, and people less that model, in the unit given."""

    people: float
    best: float
    model: str
    gap: float


@dataclass(frozen=True, slots=True)
class Behind:
    """People less one model, with an interval of 95 per cent."""

    value: float
    low: float
    high: float


def gaps(models: Mapping[str, Mapping[str, float]], *, people: Mapping[str, float]) -> Mapping[str, Gap]:
    """The gap of every group that a model has a figure for; of equally good models the first is named.

    The best of many models is best partly by luck, so a gap to it is on the small side. Groups that no model has, such
    as "all" beside phenomena, are passed over; groups without a figure for people are refused.
    """
    groups = dict.fromkeys(group for figures in models.values() for group in figures)
    unknown = [group for group in groups if group not in people]
    if unknown:
        raise fail("people-unknown", Place(), {"groups": unknown, "known": list(people)})
    found: dict[str, Gap] = {}
    for group in groups:
        figures = {model: values[group] for model, values in models.items() if group in values}
        best = max(figures, key=figures.__getitem__)
        found[group] = Gap(people[group], figures[best], best, people[group] - figures[best])
    return found


def behind(model: Accuracy, *, correct: int, judgements: int) -> Behind:
    """How far a model is behind people who were right so many times, as parts of one, by Newcombe's interval (1998).

    Judgements and pairs count as independent. Those of one person or one paradigm are not, so the truth is wider.
    """
    if not 0 <= correct <= judgements or not judgements:
        raise fail("judgements-bad", Place(), {"correct": correct, "judgements": judgements})
    people = correct / judgements
    theirs, its = wilson(people, pairs=judgements), wilson(model.value, pairs=model.pairs)
    return Behind(people - model.value, *newcombe(people, model.value, within=theirs, other_within=its))


def weighted_mean(values: Mapping[str, float], *, weights: Mapping[str, float]) -> float:
    """The mean of the groups' values; with the number of pairs or paradigms as weights, the figure over all pairs."""
    missing = [name for name in values if name not in weights]
    if missing or not values:
        raise fail("weights-missing", Place(), {"groups": missing})
    return sum(value * weights[name] for name, value in values.items()) / sum(weights[name] for name in values)
