"""Figures with lines and dots draw the points they were given: scaling, sizes, curves, sweeps, regions, ratings."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from bidui.intervals import Estimate
from bidui.reports.figures import (
    AlphaSweep,
    Line,
    Scatter,
    accuracy_by_size,
    alpha_sweep,
    learning_curves,
    rating_scatter,
    region_differences,
    scaling,
)
from bidui.reports.figures.layout import column_count, power_of_ten, short_number
from tests.reports.figures.drawn import levels, line, marks, panel, unreadable, words

FLOPS = np.array([1e15, 1e16, 1e17])
TOKENS = np.array([0.0, 1e6, 1e7, 1e8])
GAP = pytest.approx(nan, nan_ok=True)


def ticks(axes: Axes) -> dict[float, str]:
    return dict(zip(axes.get_xticks(), [label.get_text() for label in axes.get_xticklabels()], strict=True))


@pytest.mark.parametrize("x", [[2.4e13], [2e13, 8e13]])
def test_an_axis_between_two_powers_of_ten_has_both(x: list[float]) -> None:
    """One run on its own, as at the beginning of every study, had an axis without a single number."""
    figure, _ = scaling({"BA": [Line("14M", np.array(x), np.full(len(x), 0.6))]})
    axes = panel(figure, "BA")
    assert ticks(axes) == {1e13: "10¹³", 1e14: "10¹⁴"}
    low, high = axes.get_xlim()
    assert low < 1e13 and high > 1e14


def test_a_fit_with_a_name_of_its_own_is_written_beside_it() -> None:
    """A thin line that nothing explains would be taken for another run."""
    run, fit = Line("runs", FLOPS, np.array([0.5, 0.6, 0.7])), Line("fitted", FLOPS, np.array([0.5, 0.61, 0.69]))
    figure, rows = learning_curves({"BA": [run]}, fits={"BA": [fit], "other": [fit]})
    assert words(figure).count("fitted") == 1
    assert [found[2] for found in rows.lines] == ["run"] * 3 + ["fit"] * 3


def test_points_of_a_size_are_drawn_in_every_panel_and_named_at_the_end_of_the_row() -> None:
    small, large = Line("14M", FLOPS, np.array([0.5, 0.6, 0.7])), Line("1.4B", FLOPS * 10, np.array([0.6, 0.8, 0.95]))
    figure, rows = scaling(
        {"BA": [small, large], "anaphor": [small]}, references={"people": {"BA": 0.96, "other": 0.1}}
    )
    assert line(panel(figure, "BA"), "14M") == [(1e15, 50), (1e16, 60), (1e17, 70)]
    assert line(panel(figure, "BA"), "1.4B") == [(1e16, 60), (1e17, 80), (1e18, 95)]
    assert levels(panel(figure, "BA")) == pytest.approx([50, 96])  # chance and people
    assert levels(panel(figure, "anaphor")) == [50]
    assert words(figure).count("14M") == 1  # the row ends with anaphor
    assert words(figure).count("1.4B") == 1  # which does not have it
    assert words(figure).count("people") == 1
    assert rows.head == ("phenomenon", "size", "kind", "flops", "accuracy", "low", "high")
    assert rows.lines[0] == ("BA", "14M", "run", 1e15, 0.5, GAP, GAP)
    assert rows.lines[-1] == ("BA", "people", "reference", GAP, 0.96, GAP, GAP)
    assert len(rows.lines) == 3 + 3 + 3 + 1


def test_the_model_before_training_has_a_place_on_the_logarithmic_axis() -> None:
    """Dropping step 0 would hide where every learning curve starts."""
    figure, _ = learning_curves({"BA": [Line("14M", TOKENS, np.array([0.5, 0.5, 0.7, 0.9]))]})
    axes = panel(figure, "BA")
    assert ticks(axes) == {0: "0", 1e6: "1M", 1e7: "10M", 1e8: "100M"}
    assert line(axes, "14M")[0] == (0, 50)
    left, first = (axes.transData.transform((x, 50))[0] for x in TOKENS[:2])
    assert axes.bbox.x0 < left < first


def test_the_band_is_what_was_given() -> None:
    mean, deviation = np.array([0.5, 0.5, 0.7, 0.9]), np.array([0.0, 0.02, 0.04, 0.01])
    figure, rows = learning_curves({"BA": [Line("14M", TOKENS, mean, mean - deviation, mean + deviation)]})
    (band,) = (one for one in panel(figure, "BA").collections if isinstance(one, PolyCollection))
    corners = {(round(float(x)), round(float(y), 6)) for x, y in band.get_paths()[0].vertices}
    assert {(10**7, 66.0), (10**7, 74.0), (10**8, 89.0), (10**8, 91.0)} <= corners
    assert rows.lines[2] == ("BA", "14M", "run", 1e7, 0.7, pytest.approx(0.66), pytest.approx(0.74))


def test_a_gap_breaks_the_line_and_a_point_between_gaps_is_marked() -> None:
    """A line shows no single point; with many points, marks are left out, but not there."""
    y = np.full(40, 0.6)
    y[[10, 20, 22]] = nan
    figure, rows = learning_curves({"BA": [Line("14M", np.geomspace(1e5, 1e9, 40), y)]})
    drawn = next(found for found in panel(figure, "BA").lines if found.get_label() == "14M")
    assert list(drawn.get_markevery()) == [21]
    assert [point[1] for point in line(panel(figure, "BA"), "14M")] == pytest.approx((100 * y).tolist(), nan_ok=True)
    assert rows.lines[10][4] == GAP


def test_a_line_without_any_value_is_no_error() -> None:
    figure, _ = learning_curves({"BA": [Line("14M", TOKENS, np.full(4, nan)), Line("70M", TOKENS, np.full(4, 0.5))]})
    assert "70M" in words(figure)
    assert "14M" not in words(figure)


def test_a_single_point_is_a_figure() -> None:
    figure, _ = scaling({"BA": [Line("14M", np.array([1e15]), np.array([0.9]))]})
    assert line(panel(figure, "BA"), "14M") == [(1e15, 90)]
    assert unreadable(figure) == []


def test_a_ring_stands_where_alpha_is_best() -> None:
    """Highest accuracy at 0.7, lowest delta-acc at 0.5: from the char column of Table 5, they need not be the same."""
    alpha = np.array([0.0, 0.5, 0.7, 1.0])
    sweep = AlphaSweep("char", alpha, np.array([0.754, 0.814, 0.821, 0.814]), np.array([0.189, 0.048, 0.056, 0.145]))
    figure, rows = alpha_sweep([sweep])
    accuracy, delta = panel(figure, "accuracy on D< and D> (%)"), panel(figure, "delta-acc (points)")
    assert line(accuracy, "char")[1] == (0.5, pytest.approx(81.4))
    assert line(delta, "char")[1] == (0.5, pytest.approx(4.8))
    assert marks(accuracy, "o")[-1] == (0.7, pytest.approx(82.1))
    assert marks(delta, "o")[-1] == (0.5, pytest.approx(4.8))
    assert {"0 = LP", "1 = mean LP"} <= set(words(figure))
    assert rows.lines[0] == ("char", 0.0, 0.754, 0.189, GAP, GAP)


def test_regions_are_named_beside_every_panel_since_paradigms_differ_in_them() -> None:
    np_, vp = Line("NP", TOKENS, np.array([0, -0.5, -1, -2.0])), Line("VP", TOKENS, np.array([0, 0.5, 1, 2.5]))
    figure, rows = region_differences({"npi_renhe": [np_, vp], "BA_deletion": [vp]})
    assert line(panel(figure, "npi_renhe"), "NP")[-1] == (1e8, -2)
    assert words(figure).count("VP") == 2
    assert "training steps" in words(figure)
    assert rows.head == ("paradigm", "region", "kind", "steps", "difference", "low", "high")


@pytest.mark.parametrize(("panels", "columns"), [(1, 1), (4, 4), (5, 3), (6, 3), (9, 3), (15, 4), (16, 4)])
def test_panels_stand_in_rows_as_full_as_can_be(panels: int, columns: int) -> None:
    assert column_count(panels, "page") == columns


def test_numbers_are_short_in_both_languages() -> None:
    assert [short_number(10.0**n, "en") for n in (2, 5, 6, 9, 12)] == ["100", "100K", "1M", "1B", "1T"]
    assert [short_number(10.0**n, "zh") for n in (2, 5, 7, 8, 12)] == ["100", "10万", "1000万", "1亿", "1万亿"]
    assert power_of_ten(17) == "10¹⁷"


def test_a_mean_sweep_has_its_deviation_as_a_band() -> None:
    alpha, level, spread = np.array([0.0, 1.0]), np.array([0.5, 0.75]), np.array([0.125, 0.25])
    figure, rows = alpha_sweep([AlphaSweep("mean", alpha, level, level, spread, spread)])
    assert all(any(isinstance(one, PolyCollection) for one in axes.collections) for axes in figure.axes)
    assert rows.lines == (("mean", 0.0, 0.5, 0.5, 0.125, 0.125), ("mean", 1.0, 0.75, 0.75, 0.25, 0.25))


def test_families_are_drawn_by_size_with_published_ones_in_grey() -> None:
    """Two sizes are few enough to stand below the axis themselves: 14M and 1.4B."""
    sizes = np.array([1.4e7, 1.4e9])
    own = Line("runs, n = 3", sizes, np.array([0.7, 0.8]), np.array([0.69, 0.79]), np.array([0.71, 0.81]))
    grey = Line("Qwen2.5 †4", sizes, np.array([0.75, 0.85]))
    figure, rows = accuracy_by_size({"all": [own]}, published=[grey])
    axes = panel(figure, "all")
    assert [text.get_text() for text in axes.get_xticklabels()] == ["14M", "1.4B"]
    assert {"runs, n = 3", "Qwen2.5 †4", "parameters"} <= set(words(figure))
    assert rows.head == ("group", "family", "kind", "parameters", "accuracy", "low", "high")
    assert rows.lines[0] == ("all", "runs, n = 3", "run", 1.4e7, 0.7, 0.69, 0.71)
    assert rows.lines[2][:5] == ("all", "Qwen2.5 †4", "published", 1.4e7, 0.75)


def test_a_family_keeps_its_colour_and_a_benchmark_its_mark() -> None:
    x, y = np.array([1e8, 1e9]), np.array([0.7, 0.8])
    kinds = {f"{family}, {one}": (family, one) for family in ("Qwen", "Pythia") for one in ("BLiMP", "ZhoBLiMP")}
    figure, _ = accuracy_by_size({"all": [Line(name, x, y) for name in kinds]}, kinds=kinds)
    drawn = {str(one.get_label()): one for one in panel(figure, "all").lines}
    first, second, third = (drawn[name] for name in ("Qwen, BLiMP", "Qwen, ZhoBLiMP", "Pythia, BLiMP"))
    assert first.get_color() == second.get_color() != third.get_color()
    assert first.get_marker() == third.get_marker() != second.get_marker()


def test_bars_of_one_size_stand_side_by_side() -> None:
    """Three benchmarks at one size: 3 points between neighbours, and nothing moves where no two lines share a size."""
    x, y = np.array([1e8, 1e9]), np.array([0.7, 0.8])
    lines = [Line(name, x, y, y - 0.1, y + 0.1) for name in ("a", "b", "c")]
    axes = panel(accuracy_by_size({"all": lines}).figure, "all")
    drawn = [one for one in axes.lines if one.get_label() in ("a", "b", "c")]
    places = [one.get_transform().transform([(1e8, 70.0)])[0] * 72 / axes.figure.dpi for one in drawn]
    assert [place[0] - places[1][0] for place in places] == pytest.approx([-3, 0, 3])
    alone = panel(accuracy_by_size({"all": lines[:1]}).figure, "all")
    assert alone.lines[0].get_transform().transform([(1e8, 70.0)]) == pytest.approx(
        alone.transData.transform([(1e8, 70.0)])
    )


def test_a_name_with_a_mark_has_no_leader() -> None:
    """A family that ends in the middle of the panel had a dotted line from the edge, where it has no point."""
    ends = [Line("a", np.array([1e8]), np.array([0.7])), Line("b", np.array([1e9]), np.array([0.7]))]
    axes = panel(accuracy_by_size({"all": ends}).figure, "all")
    assert not [text for text in axes.texts if text.arrow_patch is not None]


def test_the_accuracy_stands_behind_the_regions_on_an_axis_of_its_own() -> None:
    vp = Line("VP", TOKENS, np.array([0, 0.5, 1, 2.5]))
    grey = Line("", TOKENS, np.array([0.5, 0.25, 0.5, 1.0]))
    figure, rows = region_differences({"npi_renhe": [vp]}, accuracies={"npi_renhe": grey})
    second = next(axes for axes in figure.axes if axes.get_ylim() == (-3, 103))
    assert second.lines[0].get_ydata().tolist() == [50, 25, 50, 100]
    assert "accuracy (%)" in words(figure)
    assert [line[2:5] for line in rows.lines[4:6]] == [("accuracy", TOKENS[0], 0.5), ("accuracy", TOKENS[1], 0.25)]


def test_ratings_stand_over_scores_with_r() -> None:
    """Three sentences on a line: r is 1."""
    one = Scatter(np.array([-3.0, -2, -1]), np.array([-1.0, 0, 1]), np.array([False, True, True]), Estimate(1, 1, 1))
    figure, rows = rating_scatter({"lp": one})
    assert "r = 1.000 [1.000, 1.000]" in words(figure) and {"good", "bad"} <= set(words(figure))
    assert rows.lines == (("lp", "bad", -3.0, -1.0), ("lp", "good", -2.0, 0.0), ("lp", "good", -1.0, 1.0))
    differences = rating_scatter({"lp": replace(one, good=None)}, differences=True)
    assert "good" not in words(differences.figure) and differences.rows.lines[0] == ("lp", "", -3.0, -1.0)
