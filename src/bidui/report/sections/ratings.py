"""Graded ratings: how far the scores of each linking function go with what people gave to the same sentences."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from bidui.analysis.correlation import FEWEST, Correlations, correlate
from bidui.analysis.ratings import Acceptability, acceptability
from bidui.errors import InputError, Problem
from bidui.report.section import Absent, Asked, Item, Section, absent
from bidui.report.standings import HELD_OUT, Standing
from bidui.report.tables import Column, Ranged, Table, Value

Kind = Literal["pointwise", "pairwise"]
Found = Mapping[str, Mapping[str, Correlations]]  # by model and linking function


def ratings_section(standings: Sequence[Standing], asked: Asked) -> Section:
    """A table over sentences and one over pairs, as the halves of the paper's table, and what was left out."""
    return Section("ratings", asked.say("ratings"), asked.say("about-ratings"), tuple(_items(standings, asked)))


def _items(standings: Sequence[Standing], asked: Asked) -> Iterator[Item]:
    title, ratings = asked.say("ratings"), asked.given.ratings
    if ratings is None:
        yield absent(title, "report-no-given", {"option": "--ratings"})
        return
    known = [standing for standing in standings if not standing.counted]
    if not known:
        yield absent(title, "report-no-scores")
        return
    rated = acceptability(ratings)
    if not len(rated.values):
        yield absent(title, "report-raters-constant", {"raters": rated.constant})
        return
    found: dict[str, dict[str, Correlations]] = {}
    for standing in known:
        try:
            found[standing.name] = _of_model(standing, rated, asked)
        except InputError as error:
            yield Absent(f"{title}, {standing.name}", error.problems)
    found = {name: own for name, own in found.items() if own}
    if found:
        yield _table("pointwise", found, asked)
        yield _pairwise(found, asked)
        yield _counts(found, rated, len(ratings), len({one.rater for one in ratings}), asked)


def _of_model(standing: Standing, rated: Acceptability, asked: Asked) -> dict[str, Correlations]:
    """By linking function. MORCELA held out scores the two halves of the pairs on two scales, and is passed over."""
    scored = {key for choices in standing.choices.values() for key in zip(choices.uids, choices.pairs, strict=True)}
    sentences = list(zip(rated.uids, rated.pairs, strict=True))
    if not any(key in scored for key in sentences):
        raise InputError([Problem("report-unrated", values={"count": len(sentences)})])
    return {
        link: correlate(choices, rated, seed=asked.seed)
        for link, choices in standing.choices.items()
        if link != HELD_OUT
    }


def _pairwise(found: Found, asked: Asked) -> Item:
    """Ratings of single sentences have no pairs, and correlate over sentences all the same."""
    known = [one for own in found.values() for one in own.values()]
    if any(one.pairwise for one in known):
        return _table("pairwise", found, asked)
    values = {"count": max(one.whole for one in known), "needed": FEWEST}
    return absent(asked.say("ratings-pairwise"), "report-few-rated", values)


def _table(kind: Kind, found: Found, asked: Asked) -> Table:
    """A row a linking function, a column a model."""
    say = asked.say
    links = list(dict.fromkeys(link for own in found.values() for link in own))
    rows: list[tuple[Value, ...]] = []
    for link in links:
        cells: list[Value] = []
        for own in found.values():
            both = own.get(link)
            one = both and (both.pointwise if kind == "pointwise" else both.pairwise)
            cells.append(Ranged(one.value, one.low, one.high) if one else None)
        rows.append((link, *cells))
    columns = (Column("link", say("link")), *(Column(name, name, "r") for name in found))
    return Table(f"ratings-{kind}", say(f"ratings-{kind}"), columns, tuple(rows), say("note-ratings"))


def _counts(found: Found, rated: Acceptability, ratings: int, raters: int, asked: Asked) -> Table:
    say = asked.say
    names = ("sentences-rated", "pairs-rated", "unscored", "unpaired")
    columns = (Column("model", say("model")), *(Column(name.replace("-", "_"), say(name), "count") for name in names))
    rows: list[tuple[Value, ...]] = []
    for model, own in found.items():
        one = next(iter(own.values()))
        rows.append((model, one.pointwise.items, one.whole, one.unscored, one.unpaired))
    note = say("note-raters").format(ratings=f"{ratings:,}", raters=f"{raters:,}")
    if rated.constant:
        lost = {"raters": ", ".join(rated.constant), "ratings": rated.ratings_lost, "sentences": rated.sentences_lost}
        note += f" {say('note-constant').format(**lost)}"
    return Table("ratings-counts", say("ratings-counts"), columns, tuple(rows), note)
