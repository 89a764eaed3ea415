"""Contents: the sections that a set of results gives, in the order of the page."""

from collections.abc import Callable, Iterator

from bidui.report.results import Results
from bidui.report.section import Asked, Section
from bidui.report.sections.accuracy import accuracy_section
from bidui.report.sections.beside_published import published_section
from bidui.report.sections.comparisons import comparisons
from bidui.report.sections.frequencies import frequencies_section
from bidui.report.sections.learning import learning_section
from bidui.report.sections.length_bias import length_section
from bidui.report.sections.overview import overview
from bidui.report.sections.people import people_section
from bidui.report.sections.ratings import ratings_section
from bidui.report.sections.regions import regions_section
from bidui.report.sections.scaling import scaling_section
from bidui.report.sections.sling import sling_section
from bidui.report.standings import standings

OnSection = Callable[[str, int], None]  # the title of the section that is being made, and how many there are in all


def contents(results: Results, asked: Asked, *, on_section: OnSection = lambda title, count: None) -> Iterator[Section]:
    """One section after another, each made when it is asked for."""
    chosen = standings(results, asked.links, usual=asked.usual)
    makers: dict[str, Callable[[], Section]] = {
        "overview": lambda: overview(results, asked),
        "accuracy": lambda: accuracy_section(chosen, asked),
        "compared": lambda: comparisons(results, asked),
        "length": lambda: length_section(results, chosen, asked),
        "regions": lambda: regions_section(results, asked),
        "people": lambda: people_section(chosen, asked),
        "ratings": lambda: ratings_section(chosen, asked),
        "sling": lambda: sling_section(results.models, asked),
        "frequencies": lambda: frequencies_section(asked),
        "published": lambda: published_section(chosen, asked),
        "scaling": lambda: scaling_section(results, asked),
        "learning": lambda: learning_section(results, asked),
    }
    for title, make in makers.items():
        on_section(asked.say(title), len(makers))
        yield make()
