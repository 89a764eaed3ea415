"""Kendall's tau-b by hand, beside scipy's, and as SLING prints it."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bidui.analysis.significance import kendall_tau_b
from bidui.errors import InputError
from bidui.reports.published import columns, read_published


def test_tau_counts_pairs_in_the_same_order() -> None:
    """1 2 3 4 beside 1 3 2 4: five of six pairs agree and one does not."""
    assert kendall_tau_b([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(4 / 6)
    assert kendall_tau_b([1, 2, 3], [3, 2, 1]) == -1


def test_ties_are_taken_out_of_what_could_agree() -> None:
    """1 1 2 beside 1 2 3: of three pairs one ties on the left, and two agree: 2 / sqrt(2 * 3)."""
    assert kendall_tau_b([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / 6**0.5)
    assert isnan(kendall_tau_b([1, 1], [1, 2]))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=20))
def test_tau_b_is_scipys(couples: list[tuple[int, int]]) -> None:
    x, y = zip(*couples, strict=True)
    assert kendall_tau_b(x, y) == pytest.approx(float(stats.kendalltau(x, y).statistic), nan_ok=True)


def test_one_model_has_no_ranking() -> None:
    with pytest.raises(InputError, match="1 values are too few"):
        kendall_tau_b([1], [1])


@pytest.mark.parametrize("table", ["sling-8", "sling-5"])
def test_footnote_18_of_sling_comes_out(table: str) -> None:
    """0.42 between the orders of 10 monolingual models on CLiMP and SLING, 0.79 of 8 multilingual ones.

    Tables 5 and 8 print other averages for xlm-R-large and gpt3, but the same order.
    """
    climp = columns(read_published("sling-7"), link="mean_lp", level="overall")
    sling = columns(read_published(table), link="mean_lp", level="overall")
    models = list(climp)
    tau = [
        kendall_tau_b([climp[model]["all"] for model in some], [sling[model]["all"] for model in some])
        for some in (models[:10], models[10:])
    ]
    assert [round(number, 2) for number in tau] == [0.42, 0.79]
