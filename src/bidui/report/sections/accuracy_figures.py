"""The figures of accuracy: phenomena with intervals, heatmaps of phenomena and paradigms, and their spread."""

from collections.abc import Iterator, Mapping, Sequence

from bidui.analysis.accuracy import Accuracy, accuracy
from bidui.analysis.summary import box
from bidui.report.homes import homes
from bidui.report.section import Asked, Item, Picture, absent, attempt
from bidui.report.standings import Standing

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
    yield attempt(titles["figure-phenomena"], lambda: _dots(phenomena, titles["figure-phenomena"], asked))
    yield attempt(
        titles["figure-heatmap"], lambda: _heatmap("phenomena", phenomena, titles["figure-heatmap"], asked, within=None)
    )
    yield attempt(
        titles["figure-paradigms"],
        lambda: _heatmap("paradigms", paradigms, titles["figure-paradigms"], asked, within=within),
    )
    yield attempt(titles["figure-boxes"], lambda: _boxes(paradigms, titles["figure-boxes"], asked))
    if len(chosen) < FEWEST:
        yield absent(titles["figure-spread"], "report-few-models", {"needed": FEWEST, "count": len(chosen)})
        return
    yield attempt(titles["figure-spread"], lambda: _spread(paradigms, within, titles["figure-spread"], asked))


def _dots(found: Found, title: str, asked: Asked) -> Picture:
    from bidui.report.figures import Measured, accuracy_by_phenomenon

    values = {
        name: {group: Measured(one.value, one.low, one.high) for group, one in groups.items()}
        for name, groups in found.items()
    }
    drawing = accuracy_by_phenomenon(values, language=asked.language)
    return Picture("accuracy-by-phenomenon", title, drawing, asked.say("note-figure-phenomena"))


def _heatmap(name: str, found: Found, title: str, asked: Asked, *, within: Mapping[str, str] | None) -> Picture:
    from bidui.report.figures import accuracy_heatmap

    values = {model: {group: one.value for group, one in groups.items()} for model, groups in found.items()}
    drawing = accuracy_heatmap(values, sections=within, language=asked.language)
    return Picture(f"heatmap-{name}", title, drawing)


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
    benchmark = asked.benchmark(within)
    known = benchmark.people if benchmark else {}
    people = {uid: known[uid][0] / known[uid][1] for uid in drawn if known.get(uid, (0, 0))[1]}
    drawing = box_plots(drawn, people=people, width="page", language=asked.language)
    return Picture("accuracy-spread", title, drawing, asked.say("note-figure-spread"))
