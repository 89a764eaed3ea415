"""Every figure at the size of a real study: 118 paradigms, 15 phenomena, 10 models, in both languages."""

from collections.abc import Callable
from math import nan

import numpy as np
import pytest
from matplotlib.figure import Figure

from bidui.analysis.estimate import box
from bidui.analysis.frequencies import Share
from bidui.analysis.people import Gap
from bidui.errors import InputError
from bidui.intervals import Estimate
from bidui.reports.figures import (
    AlphaSweep,
    Drawing,
    Line,
    Scatter,
    accuracy_by_phenomenon,
    accuracy_by_size,
    accuracy_heatmap,
    alpha_sweep,
    box_plots,
    frequencies,
    human_gap,
    learning_curves,
    length_bias,
    rating_scatter,
    region_differences,
    scaling,
)
from bidui.scores.choices import LengthSplit
from bidui.words import Language
from tests.reports.figures.drawn import unreadable

PHENOMENA = (
    *("BA", "anaphor", "argument_structure", "classifier", "control_raising", "ellipsis", "fci_licensing"),
    *("nominal_expression", "npi_licensing", "passive", "quantifiers", "question", "relativization"),
    *("topicalization", "verb_phrase"),
)
LONG = "a-model-that-somebody-gave-a-name-of-more-than-fifty-characters"
SIZES = ("Zh-Pythia-14M", "Zh-Pythia-70M", "Zh-Pythia-160M", "Zh-Pythia-410M", "Zh-Pythia-1.4B")
MODELS = (*SIZES, "Qwen2.5-7B", "Qwen2.5-14B", "五元模型", "LSTM", LONG)
PARADIGMS = {f"{PHENOMENA[n % 15]}_of_kind_{n}": PHENOMENA[n % 15] for n in range(118)}
LINKS = ("lp", "mean_lp", "pen_lp", "slln:0.5", "slor", "morcela:0.6,18", "log_norm")
PEOPLE = {name: 0.9 + 0.005 * n for n, name in enumerate(PHENOMENA)}
TOKENS = np.array([0.0, *np.geomspace(1e5, 3e9, 46)])


def value(model: int, group: int) -> float:
    return (37 * model + 61 * group) % 101 / 100


def measured(model: int, group: int) -> Estimate:
    centre = value(model, group)
    return Estimate(centre, max(0.0, centre - 0.03), min(1.0, centre + 0.03))


def curve(name: str, n: int, at: np.ndarray) -> Line:
    mean = 0.5 + 0.45 * (1 - np.exp(-at / 10 ** (8 + n / 4)))
    return Line(name, at, mean, mean - 0.03, np.minimum(1, mean + 0.03))


def heatmap(language: Language) -> Drawing:
    cells = {name: {uid: value(m, g) for g, uid in enumerate(PARADIGMS)} for m, name in enumerate(MODELS)}
    return accuracy_heatmap(cells, sections=PARADIGMS, language=language)


def dots(language: Language) -> Drawing:
    cells = {name: {p: measured(m, g) for g, p in enumerate(PHENOMENA)} for m, name in enumerate(MODELS)}
    return accuracy_by_phenomenon(cells, language=language)


def by_flops(language: Language) -> Drawing:
    panels = {p: [curve(name, n, 10.0 ** np.arange(15, 19)) for n, name in enumerate(SIZES)] for p in PHENOMENA}
    return scaling(panels, references={"people": PEOPLE}, language=language)


def by_tokens(language: Language) -> Drawing:
    panels = {p: [curve(name, n, TOKENS) for n, name in enumerate(SIZES)] for p in PHENOMENA}
    return learning_curves(panels, references={"people": PEOPLE}, language=language)


def sweep(language: Language) -> Drawing:
    alpha = np.linspace(0, 1, 21)
    arcs = [(name, 0.8 - (alpha - 0.5) ** 2 / (n + 4), (alpha - 0.5) ** 2 / (n + 2)) for n, name in enumerate(MODELS)]
    return alpha_sweep([AlphaSweep(name, alpha, high, low) for name, high, low in arcs], language=language)


def bias(language: Language) -> Drawing:
    split = LengthSplit(0.88, 0.96, 0.61, 0.175)
    return length_bias({name: dict.fromkeys(LINKS, split) for name in MODELS}, language=language)


def boxes(language: Language) -> Drawing:
    spread = {uid: box([value(m, g) for m in range(10)]) for g, uid in enumerate(PARADIGMS)}
    return box_plots(spread, people=dict.fromkeys(PARADIGMS, 0.95), width="page", language=language)


def gap(language: Language) -> Drawing:
    best = {name: value(n, n) for n, name in enumerate(PHENOMENA)}
    gaps = {p: Gap(PEOPLE[p], best[p], MODELS[n % 10], PEOPLE[p] - best[p]) for n, p in enumerate(PHENOMENA)}
    return human_gap(gaps, language=language)


def regions(language: Language) -> Drawing:
    panels = {uid: [curve(name, n, TOKENS) for n, name in enumerate(("主语", "VP"))] for uid in list(PARADIGMS)[:6]}
    shares = {uid: Line("", TOKENS, curve("", n, TOKENS).y) for n, uid in enumerate(panels)}
    return region_differences(panels, accuracies=shares, language=language)


def by_size(language: Language) -> Drawing:
    at = np.array([1.4e7, 7e7, 1.6e8, 4.1e8, 1.4e9])
    lines = [curve(name, n % 3, 10 * at) for n, name in enumerate((*MODELS, "又一个系列", "mT5"))]
    grey = [Line(f"{name} †6", at * 4, np.full(5, 0.8 + n / 50)) for n, name in enumerate(SIZES)]
    return accuracy_by_size({"all": lines}, published=grey, language=language)


def by_level(language: Language) -> Drawing:
    at = np.array([1.4e7, 7e7, 1.6e8])
    lines = [curve(name, n, 10 * at) for n, name in enumerate(MODELS[:6])]
    return accuracy_by_size(dict.fromkeys(("容易 (80)", "中等 (15)", "困难 (13)", "其他 (10)"), lines), bands=True)


def scatters(language: Language) -> Drawing:
    x = np.linspace(-60, -10, 200)
    one = Scatter(x, np.sin(x), np.arange(200) % 2 == 0, Estimate(0.123, -0.012, 0.234))
    return rating_scatter(dict.fromkeys(MODELS, one), language=language)


def bands(language: Language) -> Drawing:
    parts = {"1-1000": Share(400, 0.4, 0.7), "1001-2000": Share(350, 0.35, 0.2), ">2000": Share(50, 0.05, 0.06)}
    return frequencies("ZhoBLiMP", {**parts, "unlisted": Share(200, 0.2, 0.04)}, language=language)


BIG = (heatmap, boxes, by_flops, by_tokens)  # in one language each: they have few words of their own
SMALL = (dots, sweep, bias, gap, regions, bands, by_size, by_level, scatters)
FIGURES = [(draw, "zh") for draw in (*BIG, *SMALL)] + [(draw, "en") for draw in SMALL]


@pytest.fixture(scope="module", params=FIGURES, ids=lambda found: f"{found[0].__name__}-{found[1]}")
def figure(request: pytest.FixtureRequest) -> Figure:
    draw, language = request.param
    return draw(language).figure


@pytest.mark.slow
def test_no_text_is_cut_off_or_stands_on_another(figure: Figure) -> None:
    """A label nobody can read says nothing."""
    assert unreadable(figure) == []


def test_a_figure_fits_a_page_of_two_columns(figure: Figure) -> None:
    width, height = figure.get_size_inches()
    assert width <= 6.9 + 1e-9
    assert height <= 9.7


EMPTY: list[Callable[[], Drawing]] = [
    lambda: accuracy_heatmap({}),
    lambda: accuracy_heatmap({"model": {}}),
    lambda: accuracy_by_phenomenon({}),
    lambda: scaling({}),
    lambda: learning_curves({"BA": []}),
    lambda: alpha_sweep([]),
    lambda: length_bias({}),
    lambda: box_plots({}),
    lambda: human_gap({}),
    lambda: region_differences({}),
    lambda: frequencies("CLiMP", {}),
]


@pytest.mark.parametrize("draw", EMPTY)
def test_nothing_to_draw_is_refused(draw: Callable[[], Drawing]) -> None:
    with pytest.raises(InputError, match="nothing to draw"):
        draw()


ALPHA = np.array([0.0, 1.0])
PER_CENT: list[Callable[[], Drawing]] = [
    lambda: accuracy_heatmap({"model": {"BA": 96.15}}),
    lambda: accuracy_by_phenomenon({"model": {"BA": Estimate(96.15)}}),
    lambda: scaling({"BA": [Line("14M", np.array([1e15]), np.array([96.15]))]}),
    lambda: scaling({"BA": [Line("14M", np.array([1e15]), np.array([0.9]))]}, references={"people": {"BA": 96.15}}),
    lambda: alpha_sweep([AlphaSweep("m", ALPHA, np.array([80.0, 81.0]), np.array([0.1, 0.1]))]),
    lambda: length_bias({"m": {"lp": LengthSplit(88.0, 96.0, 61.0, 17.5)}}),
    lambda: box_plots({"m": box([80.0, 90.0])}),
    lambda: human_gap({"BA": Gap(96.15, 96.65, "1.4B", -0.5)}),
    lambda: frequencies("CLiMP", {"1-1000": Share(4, 40.0, 0.7)}),
]


@pytest.mark.parametrize("draw", PER_CENT)
def test_per_cents_are_refused_and_the_remedy_is_named(draw: Callable[[], Drawing]) -> None:
    """Published tables are in per cent and analyses are not; a figure of both would be wrong by a hundred."""
    with pytest.raises(InputError, match="divide percentages by 100"):
        draw()


def test_a_line_with_points_that_have_no_partner_is_refused() -> None:
    short = Line("14M", np.array([1e15, 1e16]), np.array([0.5]))
    with pytest.raises(InputError, match="BA, line 14M"):
        scaling({"BA": [short]})
    half = Line("14M", np.array([1e15]), np.array([0.5]), low=np.array([0.4]))
    with pytest.raises(InputError, match="BA, line 14M"):
        learning_curves({"BA": [half]})


@pytest.mark.parametrize("place", [-1.0, nan])
def test_a_place_that_no_logarithmic_axis_has_is_refused(place: float) -> None:
    with pytest.raises(InputError, match="cannot be shown on a logarithmic axis"):
        learning_curves({"BA": [Line("14M", np.array([place]), np.array([0.5]))]})
