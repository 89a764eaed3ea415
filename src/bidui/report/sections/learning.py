"""Learning curves: accuracy against the tokens seen, the curve's fit, and tests for dips."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from bidui.analysis.curves import mean_curve
from bidui.analysis.dips import Dip, find_dip
from bidui.analysis.significance import correct
from bidui.errors import InputError, Problem
from bidui.report.results import Results
from bidui.report.runs import Series, series_of
from bidui.report.section import Absent, Asked, Item, Picture, Section, attempt, file_name
from bidui.report.sections.learning_means import mean_items
from bidui.report.sections.overview import unfinished_note
from bidui.report.sections.scaling import fit_cells, fit_columns, people_lines, shown
from bidui.report.tables import Column, Table, Value, without_blank
from bidui.report.training import comparable, groups_of, learning_curve, worth_of_counts
from bidui.scores.links import Floats

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Tested:
    """A learning curve of one group and series with its dip; or why it could not be tested."""

    group: str
    series: Series
    tokens: Floats
    dip: Dip | None
    problems: tuple[Problem, ...] = ()


def learning_section(results: Results, asked: Asked) -> Section:
    """The figure of every amount of training data; fits and dips of the largest."""
    return Section("learning", asked.say("learning"), asked.say("about-learning"), tuple(_items(results, asked)))


def _items(results: Results, asked: Asked) -> Iterator[Item]:
    say = asked.say
    usable, reasons = comparable(results.runs, asked.main)
    if not usable:
        keys = ("learning", "learning-fits", "dips", "learning-mean", "u-shape")
        yield from (Absent(say(key), reasons) for key in keys)
        return

    def budget(one: Series) -> int:
        return one.runs[0].budget

    groups, series = groups_of(usable), series_of(usable)
    for data in dict.fromkeys(one.data for one in sorted(series, key=budget, reverse=True)):
        own = [one for one in series if one.data == data]
        title = say("figure-learning").format(data=data)
        yield attempt(title, partial(_figure, own, groups, title, asked))
    most = max(series, key=budget).data
    own = [one for one in series if one.data == most]
    yield attempt(say("learning-fits"), partial(_fits, own, groups, asked))
    count = len(groups) * len(own)
    tested = [_test(one, group, asked, of=count) for group in groups for one in own]
    corrected = correct([one.dip.p if one.dip else float("nan") for one in tested], by="holm")
    yield _dips(tested, corrected, asked)
    real = [one.group for one, p in zip(tested, corrected, strict=True) if p <= LEVEL]
    yield from mean_items(own, groups, dips=[group for group in groups if group in real], asked=asked)


def _figure(series: Sequence[Series], groups: Sequence[str], title: str, asked: Asked) -> Picture:
    from bidui.report.figures import Line, learning_curves

    sizes = [one.size for one in series]
    names = [one.size if sizes.count(one.size) == 1 else one.name for one in series]
    panels: dict[str, list[Line]] = {}
    for group in groups:
        lines = panels[shown(group, asked)] = []
        for one, label in zip(series, names, strict=True):
            mean = mean_curve([learning_curve(run, asked.main, group) for run in one.runs])
            band = (mean.mean - mean.deviation, mean.mean + mean.deviation) if mean.runs > 1 else (None, None)
            lines.append(Line(label, mean.at, mean.mean, *band))
    drawing = learning_curves(panels, references=people_lines(series[0], asked), language=asked.language)
    runs = tuple(run for one in series for run in one.runs)
    note = f"{asked.say('note-learning')} {unfinished_note(runs, asked)}".strip()
    name = f"learning-curves-{file_name(series[0].data)}"
    return Picture(name, title, drawing, note)


def _fits(series: Sequence[Series], groups: Sequence[str], asked: Asked) -> Table:
    say = asked.say
    columns = (
        Column("group", say("group")),
        Column("series", say("series-head")),
        Column("points", say("points"), "count"),
        *fit_columns(asked, "amount"),
    )
    rows: list[tuple[Value, ...]] = []
    for group in groups:
        for one in series:
            mean = mean_curve([learning_curve(run, asked.main, group) for run in one.runs])
            cells = fit_cells(mean.at.tolist(), mean.mean.tolist(), asked)
            rows.append((shown(group, asked), one.name, len(mean.at), *cells))
    return without_blank(Table("learning-fits", say("learning-fits"), columns, tuple(rows), say("note-learning-fits")))


def _test(series: Series, group: str, asked: Asked, *, of: int) -> Tested:
    """One of so many tests; with that many resamples, the smallest p is half of the level after correction."""
    resamples = max(1999, round(2 * of / LEVEL))
    tokens, worth = worth_of_counts(series, asked.main, group, seed=asked.seed)
    try:
        return Tested(group, series, tokens, find_dip(worth, seed=asked.seed, alpha=LEVEL, resamples=resamples))
    except InputError as error:
        return Tested(group, series, tokens, None, error.problems)


def _dips(tested: Sequence[Tested], corrected: Sequence[float], asked: Asked) -> Table:
    say = asked.say
    columns = (
        Column("group", say("group")),
        Column("series", say("series-head")),
        Column("before", say("dip-before"), "amount"),
        Column("bottom", say("dip-bottom"), "amount"),
        Column("after", say("dip-after"), "amount"),
        Column("drop", say("drop"), "percent"),
        Column("rise", say("rise"), "percent"),
        Column("p", "p", "p"),
        Column("p_holm", say("p-holm"), "p"),
        Column("remark", say("remark")),
    )
    rows: list[tuple[Value, ...]] = []
    for one, p in zip(tested, corrected, strict=True):
        head = (shown(one.group, asked), one.series.name)
        if one.dip is None:
            reason = " ".join(problem.text(asked.language) for problem in one.problems)
            rows.append((*head, None, None, None, None, None, None, None, reason))
            continue
        at = [float(one.tokens[number]) for number in (one.dip.before, one.dip.bottom, one.dip.after)]
        verdict = say("dip-real" if p <= LEVEL else "dip-none")
        rows.append((*head, *at, one.dip.drop, one.dip.rise, one.dip.p, p, verdict))
    return without_blank(Table("dips", say("dips"), columns, tuple(rows), say("note-dips")))
