"""The figures of accuracy: phenomena with intervals, heatmaps of phenomena and paradigms, and their spread."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from bidui.analysis.accuracy import Accuracy, accuracy
from bidui.analysis.summary import box
from bidui.report.homes import homes
from bidui.report.section import Asked, Item, Picture, absent, attempt
from bidui.report.sections.people import people_by
from bidui.report.standings import Standing
from bidui.report.tables import Ranged

FEWEST = 5  # models, below which a box over them would hide nothing

Found = Mapping[str, Mapping[str, Accuracy]]  # by model and group


def accuracy_figures(standings: Sequence[Standing], asked: Asked) -> Iterator[Item]:
    """By the linking function of the details."""
    chosen = {standing.name: standing.choices[asked.main] for standing in standings if asked.main in standing.choices}
    if not chosen:
        yield absent(asked.say("figures"), "report-link-absent", {"link": asked.main})
        return
    phenomena = {name: dict(sorted(accuracy(one, by="phenomenon").items())) for name, one in chosen.items()}
    within = homes(chosen.values())
    by_paradigm = {name: accuracy(one, by="paradigm") for name, one in chosen.items()}
    paradigms = {name: {uid: one[uid] for uid in within if uid in one} for name, one in by_paradigm.items()}
    titles = {
        key: asked.say(key).format(link=asked.main)
        for key in ("figure-phenomena", "figure-heatmap", "figure-paradigms", "figure-boxes", "figure-spread")
    }
    title, people = titles["figure-phenomena"], people_by("phenomenon", within, asked)
    yield attempt(title, partial(_dots, phenomena, title, asked, people=people))
    title = titles["figure-heatmap"]
    yield attempt(title, partial(_heatmap, "phenomena", phenomena, title, asked, people=people))
    title, people = titles["figure-paradigms"], people_by("paradigm", within, asked)
    yield attempt(title, partial(_heatmap, "paradigms", paradigms, title, asked, people=people, within=within))
    yield attempt(titles["figure-boxes"], lambda: _boxes(paradigms, titles["figure-boxes"], asked))
    if len(chosen) < FEWEST:
        yield absent(titles["figure-spread"], "report-few-models", {"needed": FEWEST, "count": len(chosen)})
        return
    yield attempt(titles["figure-spread"], lambda: _spread(paradigms, within, titles["figure-spread"], asked))


def _dots(found: Found, title: str, asked: Asked, *, people: Mapping[str, Ranged]) -> Picture:
    from bidui.report.figures import Measured, accuracy_by_phenomenon

    values = {
        name: {group: Measured(one.value, one.low, one.high) for group, one in groups.items()}
        for name, groups in found.items()
    }
    note = asked.say("note-figure-phenomena")
    if people:
        there = {group for groups in values.values() for group in groups}
        judged = {group: Measured(one.value, one.low, one.high) for group, one in people.items() if group in there}
        values[asked.say("people-head")] = judged
        note += f" {asked.say('note-people-there')}"
    drawing = accuracy_by_phenomenon(values, language=asked.language)
    return Picture("accuracy-by-phenomenon", title, drawing, note)


def _heatmap(
    name: str,
    found: Found,
    title: str,
    asked: Asked,
    *,
    people: Mapping[str, Ranged],
    within: Mapping[str, str] | None = None,
) -> Picture:
    from bidui.report.figures import accuracy_heatmap

    values = {model: {group: one.value for group, one in groups.items()} for model, groups in found.items()}
    note = ""
    if people:
        there = {group for groups in values.values() for group in groups}
        values[asked.say("people-head")] = {group: one.value for group, one in people.items() if group in there}
        note = asked.say("note-people-there")
    drawing = accuracy_heatmap(values, sections=within, language=asked.language)
    return Picture(f"heatmap-{name}", title, drawing, note)


def _boxes(found: Found, title: str, asked: Asked) -> Picture:
    from bidui.report.figures import box_plots

    drawn = {name: box([one.value for one in groups.values()]) for name, groups in found.items()}
    drawing = box_plots(drawn, language=asked.language)
    return Picture("accuracy-boxes", title, drawing, asked.say("note-figure-boxes"))


def _spread(found: Found, within: Mapping[str, str], title: str, asked: Asked) -> Picture:
    """A box a paradigm, over the models, with people where they are known (SLING, Figures 6 and 7)."""
    from bidui.report.figures import box_plots

    values = {uid: [groups[uid].value for groups in found.values() if uid in groups] for uid in within}
    drawn = {uid: box(own) for uid, own in values.items() if len(own) >= FEWEST}
    people = {uid: one.value for uid, one in people_by("paradigm", within, asked).items() if uid in drawn}
    drawing = box_plots(drawn, people=people, width="page", language=asked.language)
    return Picture("accuracy-spread", title, drawing, asked.say("note-figure-spread"))
