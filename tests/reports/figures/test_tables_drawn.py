"""Figures with a row a group draw the values they were given: heatmaps, dots, boxes, gaps, length bias, frequencies."""

from itertools import pairwise
from math import nan

import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgb

from bidui.analysis.estimate import box
from bidui.analysis.frequencies import Share
from bidui.analysis.people import gaps
from bidui.intervals import Estimate
from bidui.reports.figures import (
    accuracy_by_phenomenon,
    accuracy_heatmap,
    box_plots,
    frequencies,
    human_gap,
    length_bias,
)
from bidui.reports.figures.heatmap import shades
from bidui.reports.figures.style import COLOURS, MOST, looks
from bidui.reports.published import columns, read_published
from bidui.scores.choices import LengthSplit
from tests.reports.figures.drawn import marks, panel, unreadable, words

LONG = "a_paradigm_with_a_name_that_is_far_longer_than_any_page_of_any_paper_has_room_for_" * 3


def luminance(colour: tuple[float, float, float]) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_cell_has_the_value_it_was_given_and_a_gap_has_a_dash() -> None:
    given = {"14M": {"BA": 0.9037, "anaphor": 0.4616}, "70M": {"anaphor": nan, "question": 1.0}}
    figure, rows = accuracy_heatmap(given)
    (mesh,) = (found for found in figure.axes[0].collections if isinstance(found, QuadMesh))
    drawn = np.ma.filled(mesh.get_array(), nan)
    assert drawn == pytest.approx(np.array([[0.9037, nan], [0.4616, nan], [nan, 1.0]]), nan_ok=True)
    written = words(figure)
    assert {"90.4", "46.2", "100.0"} <= set(written)
    assert written.count("–") == 3
    assert rows.head == ("section", "group", "14M", "70M")
    assert rows.lines[0] == ("", "BA", 0.9037, pytest.approx(nan, nan_ok=True))


def test_paradigms_stand_under_their_phenomena() -> None:
    """The order is that of the phenomena, not that in which paradigms of several came mixed."""
    cells = {"m": {"BA_a": 0.1, "an_a": 0.2, "BA_b": 0.3}}
    figure, rows = accuracy_heatmap(cells, sections={"BA_a": "BA", "BA_b": "BA", "an_a": "anaphor"})
    assert [line[:2] for line in rows.lines] == [("BA", "BA_a"), ("BA", "BA_b"), ("anaphor", "an_a")]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["BA_a", "BA_b", "an_a"]
    assert {"BA", "anaphor"} <= {text.strip() for text in words(figure)}


def test_colours_of_a_heatmap_get_lighter_all_the_way() -> None:
    """So that they can be told apart on a grey print."""
    light = [luminance(shades()(part)[:3]) for part in np.linspace(0, 1, 41)]
    assert all(after > before - 0.02 for before, after in pairwise(light))
    assert light[-1] - light[0] > 0.8


def test_accuracies_on_both_sides_of_chance_look_alike() -> None:
    """48 and 52 of 100 differ by nothing; a jump of colour between them would be read as a finding."""
    below, above = (np.array(shades()(part)[:3]) for part in (0.48, 0.52))
    assert np.abs(below - above).max() < 0.06
    for part in np.linspace(0.02, 0.98, 49):  # nor is there one elsewhere
        assert np.abs(np.array(shades()(part)[:3]) - np.array(shades()(part + 0.02)[:3])).max() < 0.1


def test_no_two_models_of_a_figure_look_alike() -> None:
    drawn = looks([f"model {n}" for n in range(MOST)]).values()
    assert len({look.colour for look in drawn}) == len({look.mark for look in drawn}) == MOST == 12


def test_names_can_be_read_on_white_paper() -> None:
    """A contrast of 4.5 is what WCAG 2 asks for small text; the orange of Okabe and Ito alone has 2.2."""
    for look in looks([f"model {n}" for n in range(len(COLOURS))]).values():
        assert 1.05 / (luminance(to_rgb(look.ink)) + 0.05) >= 4.5


def test_dots_stand_at_their_values_with_their_intervals() -> None:
    given = {"14M": {"BA": Estimate(0.9, 0.88, 0.92), "anaphor": Estimate(0.46)}, "70M": {"anaphor": Estimate(0.41)}}
    figure, rows = accuracy_by_phenomenon(given)
    (axes,) = figure.axes
    circles, squares = marks(axes, "o"), marks(axes, "s")
    assert [x for x, _ in circles] == pytest.approx([90, 46])
    assert [x for x, _ in squares] == pytest.approx([nan, 41], nan_ok=True)
    assert 0 < circles[0][1] < 1 < circles[1][1] < squares[1][1] < 2  # rows from the top, models in their order
    spans = [sorted(line.get_xdata()) for line in axes.lines if line.get_marker() == "None"]
    assert [pytest.approx(88), pytest.approx(92)] in spans
    assert len(rows.lines) == 3


def test_every_model_is_named_though_it_has_no_value_in_the_first_row() -> None:
    given = {"14M": {"BA": Estimate(0.9), "anaphor": Estimate(0.5)}, "late": {"anaphor": Estimate(0.6)}}
    assert {"14M", "late"} <= set(words(accuracy_by_phenomenon(given).figure))


def test_a_box_has_the_five_numbers() -> None:
    """0.1, 0.5, 0.6, 0.7, 0.8: quartiles 0.5, 0.6, 0.7, so 0.1 is beyond 0.5 - 1.5 · 0.2 and an outlier."""
    figure, rows = box_plots({"gpt2-zh": box([0.1, 0.5, 0.6, 0.7, 0.8])}, people={"gpt2-zh": 0.97})
    (axes,) = figure.axes
    (bar,) = axes.patches
    assert (bar.get_x(), bar.get_width()) == (pytest.approx(50), pytest.approx(20))
    assert [x for x, _ in marks(axes, "^")] == pytest.approx([54])  # the mean
    assert [x for x, _ in marks(axes, "o")] == pytest.approx([10])
    assert [x for x, _ in marks(axes, "D")] == pytest.approx([97])
    ends = [sorted(line.get_xdata()) for line in axes.lines if line.get_marker() == "None"]
    assert [pytest.approx(60), pytest.approx(60)] in ends  # the median
    assert [pytest.approx(70), pytest.approx(80)] in ends  # a whisker
    values = dict(zip(rows.head, rows.lines[0], strict=True))
    assert (values["low_whisker"], values["outliers"], values["people"]) == (0.5, "0.1", 0.97)


def test_gaps_are_those_of_table_6_the_widest_first() -> None:
    """Liu et al. print 37.70, 28.10, 20.87 and 15.19 for the four that they underline."""
    models = dict(columns(read_published("zhoblimp-6"), link="slln:0.5"))
    del models["human"]
    people = {"ellipsis": 92.14, "quantifiers": 96.43, "anaphor": 85.60, "passive": 95.00, "BA": 96.15}
    parts = {name: {group: values[group] / 100 for group in people} for name, values in models.items()}
    found = gaps(parts, people={group: value / 100 for group, value in people.items()})
    figure, rows = human_gap(found)
    assert [line[0] for line in rows.lines] == ["ellipsis", "quantifiers", "anaphor", "passive", "BA"]
    assert {"+37.7", "+28.1", "+20.9", "+15.2", "−0.5"} <= set(words(figure))
    assert [x for x, _ in marks(figure.axes[0], "D")] == pytest.approx([92.14, 96.43, 85.60, 95.00, 96.15])
    assert [x for x, _ in marks(figure.axes[0], "o")] == pytest.approx([54.44, 68.33, 64.72, 79.81, 96.65])
    assert words(figure).count("Qwen2.5-14B") == 3


def test_one_model_is_named_once_beside_people() -> None:
    found = gaps({"LSTM": {"BA": 0.5, "anaphor": 0.6}}, people={"BA": 0.9, "anaphor": 0.59999})
    figure, rows = human_gap(found, intervals={"BA": ((0.85, 0.95), (0.45, 0.55))})
    assert rows.lines[0][:8] == ("BA", 0.9, 0.85, 0.95, "LSTM", 0.5, 0.45, 0.55)
    drawn = [line.get_xdata() for line in figure.axes[0].lines if len(line.get_xdata()) == 2]
    assert [85.0, 95.0] in [list(map(float, ends)) for ends in drawn]
    assert words(figure).count("LSTM") == 1
    assert "0.0" in words(figure)  # not -0.0


def test_length_bias_has_three_marks_and_delta_acc() -> None:
    """LP of Zh-Pythia-160m-word in Table 5: 84.19, 98.79 and 53.02 have a delta-acc of 22.9."""
    split = LengthSplit(0.8419, 0.9879, 0.5302, (0.1460 + 0.3117) / 2)
    none = LengthSplit(0.9, nan, nan, nan)
    figure, rows = length_bias({"word": {"lp": split, "slor": none}, "char": {"lp": none}})
    axes = panel(figure, "word")
    assert marks(axes, "o") == [(pytest.approx(84.19), 0.5), (pytest.approx(90), 1.5)]
    assert marks(axes, "<") == [(pytest.approx(98.79), 0.5)]
    assert marks(axes, ">") == [(pytest.approx(53.02), 0.5)]
    assert {"22.9", "D< good shorter", "D> good longer", "D="} <= set(words(figure))
    assert words(figure).count("–") == 2
    assert rows.lines[0] == ("word", "lp", 0.8419, 0.9879, 0.5302, pytest.approx(0.22885))


def test_bands_are_bars_of_words_with_their_number() -> None:
    """Xiang et al. find 1,055 of 3,456 words among the 5,000 commonest."""
    bands = {"1-5000": Share(1055, 1055 / 3456, 0.6), ">5000": Share(2401, 2401 / 3456, 0.4)}
    figure, rows = frequencies("CLiMP", {**bands, "unlisted": Share(0, 0.0, 0.0)})
    axes = panel(figure, "CLiMP")
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([100 * 1055 / 3456, 100 * 2401 / 3456, 0])
    assert [x for x, _ in marks(axes, "o")] == pytest.approx([60, 40, 0])
    assert {"1–5,000", "> 5,000", "not in the list", "1,055", "2,401", "0"} <= set(words(figure))
    assert rows.lines[0] == ("CLiMP", "1-5000", 1055, 1055 / 3456, 0.6)


def test_names_of_any_length_leave_room_for_the_figure() -> None:
    for drawing in (
        accuracy_heatmap({name: {f"{LONG}{n}": 0.5 for n in range(3)} for name in (LONG, "b")}),
        accuracy_by_phenomenon({LONG: {LONG: Estimate(0.99)}, "b": {LONG: Estimate(0.2)}}),
        box_plots({LONG: box([0.2, 0.5, 0.6])}),
        human_gap(gaps({LONG: {LONG: 0.5, "b": 0.4}, "c": {LONG: 0.4, "b": 0.5}}, people={LONG: 0.9, "b": 0.9})),
        length_bias({LONG: {LONG: LengthSplit(0.9, 0.8, 0.7, 0.15)}}),
        frequencies(LONG, {"1-5000": Share(1, 0.5, 0.5)}),
    ):
        assert unreadable(drawing.figure) == []
        assert all(axes.get_position().width > 0.1 for axes in drawing.figure.axes)
        assert any(LONG in line or LONG in drawing.rows.head for line in drawing.rows.lines)  # whole in the CSV
