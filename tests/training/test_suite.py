"""The suite against the paper's numbers, and its costs against sums done by hand."""

from collections import Counter

import numpy as np
import pytest

from bidui.errors import InputError
from bidui.training.recipe import RunRecipe, learning_rates, short_count
from bidui.training.sizes import SIZES, Size
from bidui.training.suite import SuiteRun, choose_runs, plan_suite, suite_totals, zh_pythia

CLLAMA = {  # parameters with a vocabulary of 49,953, of models built by transformers
    "14m": 13_977_856,
    "70m": 70_067_200,
    "160m": 161_783_808,
    "410m": 404_615_168,
    "1.4b": 1_413_210_112,
}


def main_runs() -> tuple[SuiteRun, ...]:
    return choose_runs(zh_pythia(), tokenizers=["cllama"])


def test_the_suite_is_that_of_section_3() -> None:
    """20 combinations of Table 3 with cllama, two more at 160M and 3B: 22 models, each with three seeds."""
    runs = zh_pythia()
    assert len(runs) == len(set(runs)) == 66
    assert Counter(run.tokenizer for run in runs) == {"cllama": 60, "word": 3, "char": 3}
    assert {(run.size, run.tokens) for run in runs if run.tokenizer != "cllama"} == {("160m", 3_000_000_000)}
    assert Counter(run.size for run in main_runs()) == dict.fromkeys(CLLAMA, 12)
    assert Counter(run.tokens for run in main_runs()) == dict.fromkeys((10**7, 10**8, 10**9, 3 * 10**9), 15)
    assert set(Counter((run.size, run.tokenizer, run.tokens) for run in runs).values()) == {3}


def test_a_new_size_adds_no_run_to_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paper trained five sizes; whoever adds a sixth to train one would have changed what is called its suite."""
    monkeypatch.setitem(SIZES, "30m", Size("30m", 6, 256, 8))
    assert len(zh_pythia()) == 66
    assert {run.size for run in zh_pythia()} == {"14m", "70m", "160m", "410m", "1.4b"}


def test_a_size_without_a_speed_is_an_error_that_says_how_to_give_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SIZES, "30m", Size("30m", 6, 256, 8))
    run = SuiteRun("30m", "cllama", 10**7, 0)
    with pytest.raises(InputError, match="no training speed is known for the size 30m"):
        plan_suite([run])
    (planned,) = plan_suite([run], speed={"30m": 1_000_000})
    assert planned.hours == pytest.approx((9.99424 + 26 * 0.032768 / 3) / 3600)


def test_any_number_of_seeds_may_be_had() -> None:
    assert {run.seed for run in zh_pythia(seeds=[7])} == {7}
    assert len(zh_pythia(seeds=range(5))) == 5 * 22


def test_names_differ_and_sort_by_what_was_trained() -> None:
    runs = zh_pythia()
    assert len({run.name for run in runs}) == 66
    assert runs[0].name == "14m-10M-cllama-0" and runs[-1].name == "160m-3B-char-2"


@pytest.mark.parametrize(("number", "text"), [(10**7, "10M"), (3 * 10**9, "3B"), (1500, "1500"), (1, "1"), (0, "0")])
def test_counts_are_short_where_that_is_exact(number: int, text: str) -> None:
    assert short_count(number) == text


@pytest.mark.parametrize(
    ("tokens", "steps", "warmup", "milestones"),
    [  # 1..9, 10..90, … below the steps, and with them 0 and the last: 24 + 2, 33 + 2, 42 + 2, 46 + 2
        (10**7, 610, 61, 26),
        (10**8, 6_103, 611, 35),
        (10**9, 61_035, 6_104, 44),
        (3 * 10**9, 183_105, 18_311, 48),
    ],
)
def test_steps_warm_up_and_milestones_are_those_of_the_recipe(
    tokens: int, steps: int, warmup: int, milestones: int
) -> None:
    """A plan of other steps than training takes would be worse than none."""
    (one,) = plan_suite([SuiteRun("14m", "cllama", tokens, 0)])
    assert (one.steps, one.warmup, one.milestones) == (steps, warmup, milestones)
    assert one.tokens == steps * 256 * 64 and 0 <= tokens - one.tokens < 256 * 64
    rates = learning_rates(RunRecipe("14m", "", "", 10, "line", tokens), steps=steps)
    assert int(np.argmax(rates)) == one.warmup  # the peak comes when the warm-up is over


def test_parameters_are_the_true_ones() -> None:
    """160M is 104M with characters: the vocabularies of Table 4 make that much of a difference."""
    runs = choose_runs(zh_pythia(seeds=[0]), tokens=[3 * 10**9])
    found = {(one.run.size, one.run.tokenizer): one.parameters for one in plan_suite(runs)}
    others = {("160m", "word"): 116_199_936, ("160m", "char"): 103_706_112}
    assert found == {**{(size, "cllama"): number for size, number in CLLAMA.items()}, **others}
    assert {f"{one.body / 1e6:.3g}" for one in plan_suite(runs)} == {"1.19", "18.9", "85.1", "302", "1.21e+03"}


def test_costs_of_one_run_by_hand() -> None:
    """14M on 10M tokens: 6 x 13,977,856 x 9,994,240, and 26 checkpoints of four bytes a parameter.

    At each of them, 32,768 held-out tokens are read, which is a third of the work of learning from them.
    """
    (one,) = plan_suite([SuiteRun("14m", "cllama", 10**7, 0)], speed={"14m": 1_000_000})
    assert one.flops == 838_188_285_296_640 + 2 * 13_977_856 * 26 * 32_768
    assert one.validation == 851_968
    assert one.weights == 26 * 55_911_424
    assert one.hours == pytest.approx((9.99424 + 0.851968 / 3) / 3600)


def test_disk_for_the_705_checkpoints_of_the_paper_is_as_reckoned_before() -> None:
    """The paper's 47 a run are ours without step 0; in fp32 those of the 15 runs on 3B tokens are 1.16 TB."""
    planned = plan_suite(choose_runs(main_runs(), tokens=[3 * 10**9]))
    assert sum(one.milestones - 1 for one in planned) == 705
    assert sum((one.milestones - 1) * 4 * one.parameters for one in planned) / 1e12 == pytest.approx(1.16, abs=0.005)


def test_totals_of_the_main_suite_by_hand() -> None:
    """The parameters of all sizes are 2,063,654,144, and the tokens of all corpora 4.11B, three times.

    Validation at 153 checkpoints is 0.04% of that, and left out here.
    6 N D counts the embedding, from which a row is only looked up. Without it, there is the 1.4e20 that kernels do.
    """
    planned = plan_suite(main_runs())
    found = suite_totals(planned)
    assert (found.runs, found.steps) == (60, 15 * (610 + 6_103 + 61_035 + 183_105))
    assert found.milestones == 15 * (26 + 35 + 44 + 48)
    assert found.flops == pytest.approx(6 * 2_063_654_144 * 4.11e9 * 3, rel=6e-4)
    assert found.weights == 3 * 4 * 2_063_654_144 * (26 + 35 + 44 + 48)
    looked_up = sum(6 * (one.parameters - one.body) / 2 * one.tokens for one in planned)
    assert found.flops - looked_up == pytest.approx(1.4e20, rel=0.05)


def test_hours_at_the_measured_speeds_by_hand() -> None:
    """4.11B tokens three times at each speed, and six runs of 3B at that of 160M; 26 + 35 + 44 + 48 checkpoints."""
    read = 32_768 / 3  # held-out tokens at a checkpoint, as tokens of training
    main = 12.33e9 + 3 * 153 * read
    seconds = main * sum(1 / speed for speed in (4.3e6, 1.49e6, 0.6e6, 0.23e6, 0.0716e6))
    seconds += (18e9 + 6 * 48 * read) / 0.6e6
    assert suite_totals(plan_suite(zh_pythia())).hours == pytest.approx(seconds / 3600, rel=1e-4)


def test_speeds_that_are_given_replace_the_measured_ones() -> None:
    runs = [SuiteRun("14m", "cllama", 10**7, 0), SuiteRun("70m", "cllama", 10**7, 0)]
    usual, given = plan_suite(runs), plan_suite(runs, speed={"14m": 4.3e6 / 2})
    assert given[0].hours == pytest.approx(2 * usual[0].hours) and given[1].hours == usual[1].hours


def test_a_vocabulary_of_ones_own_counts() -> None:
    (one,) = plan_suite([SuiteRun("14m", "char", 10**7, 0)], vocabularies={"char": 6_400})
    assert one.parameters == one.body + 2 * 6_400 * 128


def test_parts_are_chosen_by_every_side() -> None:
    runs = choose_runs(zh_pythia(seeds=[1]), sizes=["14m", "160m"], tokens=[3 * 10**9])
    assert [run.name for run in runs] == ["14m-3B-cllama-1", "160m-3B-cllama-1", "160m-3B-word-1", "160m-3B-char-1"]


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"sizes": ["3b"]}, "--size: no run of the suite has 3b; choose from: 14m, 70m, 160m, 410m, 1.4b"),
        ({"tokens": [7_000_000]}, "--tokens: no run of the suite has 7M; choose from: 10M, 100M, 1B, 3B"),
        ({"tokenizers": ["bpe"]}, "--tokenizer: no run of the suite has bpe; choose from: cllama, word, char"),
        ({"sizes": ["14m"], "tokenizers": ["char"]}, "none of the 66 runs of the suite meets all conditions"),
    ],
)
def test_a_part_that_is_not_there_is_an_error(chosen: dict[str, list[str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        choose_runs(zh_pythia(), **chosen)  # type: ignore[arg-type]


def test_made_up_runs_are_checked() -> None:
    with pytest.raises(InputError, match="there is no size 15m"):
        SuiteRun("15m", "cllama", 10**7, 0)
    with pytest.raises(InputError, match="the vocabulary size of the tokenizer mine is unknown"):
        plan_suite([SuiteRun("14m", "mine", 10**7, 0)])
    with pytest.raises(InputError, match="14m=0 is not a speed"):
        plan_suite([SuiteRun("14m", "cllama", 10**7, 0)], speed={"14m": 0})
