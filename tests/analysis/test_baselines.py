"""Baselines show bias, not knowledge: values by hand, and what SLING says of its models."""

import numpy as np
import pytest

from bidui.analysis.accuracy import Accuracy, accuracy
from bidui.analysis.estimate import wilson
from bidui.analysis.significance import bias, read_against, readings, without
from bidui.errors import InputError
from bidui.reports.published import columns, read_published
from bidui.scores.choices import Choices

MONOLINGUAL = 10  # the first columns of the tables


def of(percent: float, *, pairs: int = 1000) -> Accuracy:
    return Accuracy(wilson(percent / 100, pairs=pairs), pairs, 0)


def test_fifty_per_cent_is_neutral_and_the_sign_is_the_direction() -> None:
    """8 of 10: 0.8 - 0.2 = 0.6 towards the good side, and 2 * (1 + 10 + 45) / 2^10 = 0.109. 2 of 10: the other way."""
    assert (bias(of(50)).estimate.value, bias(of(50)).p) == (0, 1)
    found = [bias(of(percent, pairs=10)) for percent in (80, 20)]
    assert [b.estimate.value for b in found] == pytest.approx([0.6, -0.6])
    assert [b.p for b in found] == pytest.approx([0.109375, 0.109375])
    assert found[0].estimate.low == pytest.approx(-found[1].estimate.high)


def test_ties_lean_to_neither_side() -> None:
    """Of 10 pairs 4 tie and 6 go one way: 6 + 4 / 2 = 8 of 10, and 2 / 2^6 for the six."""
    found = bias(Accuracy(wilson(0.8, pairs=10), 10, 4))
    assert (found.estimate.value, found.p) == pytest.approx((0.6, 2 / 64))


def test_a_test_paradigm_counts_by_how_far_it_rises_above_its_baseline() -> None:
    """Newcombe's example again: 56 of 70 less 48 of 80 is 0.2, from 0.0524 to 0.3339."""
    found = read_against(of(80, pairs=70), of(60, pairs=80))
    assert (found.gain.value, *found.gain.interval) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def made() -> Choices:
    """Four pairs of a baseline, of which one is right, and four of a test, all right."""
    names = np.array(["base"] * 4 + ["test"] * 4, object)
    good = np.array([1, 0, 0, 0, 1, 1, 1, 1], np.float64)
    return Choices("lp", names, names, np.arange(8, dtype=np.int32), good, 1 - good, np.zeros(8, np.int8))


def test_paradigms_are_read_against_the_baselines_they_are_given() -> None:
    (found,) = readings(made(), baselines={"test": "base"}).values()
    assert (found.test.value, found.baseline.value, found.gain.value, found.bias.estimate.value) == (
        1,
        0.25,
        0.75,
        -0.5,
    )
    assert not found.favoured


def test_a_baseline_that_was_not_scored_is_named() -> None:
    with pytest.raises(InputError, match="no pair of the paradigm other was scored; there are: base, test"):
        readings(made(), baselines={"test": "other"})


def test_averages_do_without_baselines() -> None:
    assert accuracy(made())["all"].value == 5 / 8
    assert accuracy(without(made(), uids=["base"]))["all"].value == 1
    assert accuracy(without(made(), uids=[]))["all"].value == 5 / 8


def test_four_models_of_sling_are_neutral_with_a_male_subject() -> None:
    """Section 5.4: "only four monolingual LMs (gpt2-zh, CPM, pert-base, and ernie) are gender neutral".

    The paper gives no test. These four come out at the level of 0.01; CPM, with 541 of 1,000, is at 0.0104.
    """
    assert neutral("baseline_male") == ["gpt2-zh", "CPM", "pert-base", "ernie"]
    assert 0.01 < bias(of(54.1)).p < 0.011


def test_with_a_female_subject_not_all_models_lean_to_the_female() -> None:
    """Section 5.4 says that all are biased towards a female object; the cells say so of 14 of 18.

    byt5-large, with 480 of 1,000, is neutral; mt5-large, byt5-small and gpt3 lean to the male.
    """
    cells = columns(read_published("sling-8"), link="mean_lp", level="paradigm", measure="bias")
    assert neutral("baseline_female") == ["byt5-large"]
    found = {model: bias(of(values["baseline_female"])) for model, values in cells.items()}
    assert [model for model, b in found.items() if b.estimate.high < 0] == ["mt5-large", "byt5-small", "gpt3"]
    assert sum(b.estimate.low > 0 for b in found.values()) == 14


def test_a_strong_bias_answers_the_test_by_itself() -> None:
    """PanGu-α is always right with a male reflexive, and as often in the baseline: it may know nothing.

    bert-base-zh rises from 42.7 to 92.6, against its bias. xlm-R-large rises by 35.2 to 61.9, though the paper finds a
    "meaningful accuracy increase" among multilingual models in gpt3 only, which rises by 24.1 to 91.6. Of monolingual
    models "most were able to use ziji as a hint": eight of ten rise by more than noise.
    """
    table = read_published("sling-8")
    tests = columns(table, link="mean_lp", level="paradigm")
    bases = columns(table, link="mean_lp", level="paradigm", measure="bias")
    found = {m: read_against(of(tests[m]["self_male"]), of(bases[m]["baseline_male"])) for m in bases}
    assert found["PanGu-α"].favoured and found["PanGu-α"].gain.value == 0
    assert not found["bert-base-zh"].favoured
    assert {m: round(100 * found[m].gain.value, 1) for m in ("bert-base-zh", "xlm-R-large", "gpt3")} == {
        "bert-base-zh": 49.9,
        "xlm-R-large": 35.2,
        "gpt3": 24.1,
    }
    monolingual = list(found)[:MONOLINGUAL]
    assert [m for m in monolingual if found[m].gain.low <= 0] == ["CPM", "PanGu-α"]  # by 3.6, within 1.96 * 2.2, and 0


def neutral(uid: str) -> list[str]:
    cells = columns(read_published("sling-8"), link="mean_lp", level="paradigm", measure="bias")
    return [model for model, values in cells.items() if bias(of(values[uid])).p > 0.01]
