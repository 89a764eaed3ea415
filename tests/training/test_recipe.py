"""Learning rates, milestones, sizes and first weights, against the papers and by hand."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import GPTNeoXForCausalLM

from bidui.errors import InputError
from bidui.files import Manifest
from bidui.training.network import initialise
from bidui.training.recipe import (
    OPTIMIZERS,
    RunRecipe,
    epoch_order,
    learning_rates,
    milestone_steps,
    recipe_from,
    rows_of,
    steps_of,
    validation_sample,
)
from bidui.training.sizes import SIZES, neox_config
from tests.training.small import recipe


def test_sizes_have_the_parameters_of_pythia() -> None:
    """Pythia's own counts at its vocabulary of 50,304, and those of its published 14M to 1.4B models."""
    counts = [size.parameters(50_304) for size in SIZES.values()]
    assert counts == [14_067_712, 70_426_624, 162_322_944, 405_334_016, 1_414_647_808]


@pytest.mark.parametrize("name", list(SIZES))
def test_the_count_is_that_of_the_network(name: str) -> None:
    with torch.device("meta"):
        network = GPTNeoXForCausalLM(neox_config(SIZES[name], vocabulary=12_142))
    assert sum(p.numel() for p in network.parameters()) == SIZES[name].parameters(12_142)


def test_flops_are_six_times_parameters_times_tokens() -> None:
    assert SIZES["14m"].flops(50_304, tokens=10) == 60 * 14_067_712


@pytest.mark.parametrize(("steps", "kept"), [(610, 24), (6_103, 33), (61_035, 42), (183_105, 46)])
def test_decades_give_as_many_checkpoints_as_the_paper_has(steps: int, kept: int) -> None:
    """46 below the 183,105 steps of 3B tokens (and 47 with the last, 230 = 46 x 5 sizes), as in both versions."""
    found = milestone_steps("decades", steps=steps)
    assert found[0] == 0
    assert found[-1] == steps
    assert len(found) == kept + 2


@given(st.integers(1, 200_000), st.sampled_from(["decades", "geometric:47", "last"]))
def test_milestones_rise_and_end_with_the_last_step(steps: int, rule: str) -> None:
    found = milestone_steps(rule, steps=steps)
    assert list(found) == sorted(set(found))
    assert (found[0], found[-1]) == (0, steps)


@pytest.mark.parametrize(("count", "steps"), [(47, 183_105), (47, 610), (47, 61), (10, 77_120), (2, 5), (3, 25)])
def test_geometric_gives_as_many_checkpoints_as_it_says(count: int, steps: int) -> None:
    """In all, with step 0 and the last; whole numbers at equal ratios would meet below 10, and some were lost."""
    assert len(milestone_steps(f"geometric:{count}", steps=steps)) == count


def test_geometric_steps_by_hand() -> None:
    """1, 4.64, 21.5, 100; where a ratio gives no new whole number, the next one: 2, not 1.78, then 3.42 and 5.85."""
    assert milestone_steps("geometric:5", steps=100) == (0, 1, 5, 22, 100)
    assert milestone_steps("geometric:6", steps=10) == (0, 1, 2, 3, 6, 10)
    assert milestone_steps("geometric:47", steps=5) == (0, 1, 2, 3, 4, 5)  # there are no more


@given(st.integers(1, 200_000), st.integers(2, 300))
def test_geometric_gives_the_number_or_every_step(steps: int, count: int) -> None:
    found = milestone_steps(f"geometric:{count}", steps=steps)
    assert len(set(found)) == len(found) == min(count, steps + 1)
    gaps = np.diff(found[1:])
    assert (np.diff(gaps) >= -1).all()  # apart from rounding, later ones are never closer


def test_the_validation_sample_is_fixed_and_nested() -> None:
    """Runs of any seed and length are measured on the same rows; more of them contain the fewer."""
    few, more = validation_sample(1000, count=10), validation_sample(1000, count=100)
    assert len(set(few.tolist())) == 10 and set(few.tolist()) < set(more.tolist())
    assert few.tolist() == sorted(few.tolist()) and max(more) < 1000
    assert validation_sample(5, count=512).tolist() == [0, 1, 2, 3, 4]
    assert validation_sample(0, count=512).tolist() == []


@pytest.mark.parametrize("rule", ["decade", "geometric:", "geometric:1", "geometric:x", "", "decades:3"])
def test_an_unknown_rule_is_refused(rule: str) -> None:
    with pytest.raises(InputError, match="decades"):
        milestone_steps(rule, steps=10)


def test_rates_of_hf_start_at_zero_and_end_near_zero() -> None:
    """By hand for ten steps, one of them warm-up: 0, then the peak, then the cosine over the nine that are left."""
    rates = learning_rates(recipe(peak=1.0), steps=10)
    assert rates[0] == 0.0
    assert rates[1] == pytest.approx(1.0)
    assert rates[4] == pytest.approx((1 + math.cos(math.pi * 3 / 9)) / 2)  # 0.75
    assert rates[9] == pytest.approx((1 + math.cos(math.pi * 8 / 9)) / 2)


def test_rates_of_pythia_start_in_the_warm_up_and_end_at_a_tenth() -> None:
    rates = learning_rates(recipe(peak=1.0, optimizer="pythia"), steps=20)
    assert rates[0] == pytest.approx(0.5)  # the first of two steps of warm-up
    assert rates[-1] == pytest.approx(0.1)


@pytest.mark.parametrize(("steps", "warm"), [(610, 61), (6_103, 611), (61_035, 6_104), (183_105, 18_311)])
def test_warm_up_is_a_tenth_rounded_up(steps: int, warm: int) -> None:
    rates = learning_rates(recipe(peak=1.0), steps=steps)
    assert int(np.argmax(rates)) == warm


@pytest.mark.parametrize(("optimizer", "inward", "outward"), [("hf", 0.02, 0.02), ("pythia", 0.05590, 0.02946)])
def test_first_weights_have_the_deviations_of_the_recipe(optimizer: str, inward: float, outward: float) -> None:
    """Pythia's at 14M: sqrt(2 / (5 x 128)) = 0.05590 and 2 / (6 sqrt(128)) = 0.02946."""
    network = GPTNeoXForCausalLM(neox_config(SIZES["14m"], vocabulary=500))
    initialise(network, OPTIMIZERS[optimizer], seed=0)
    for name, parameter in network.named_parameters():
        if parameter.ndim == 2:
            wanted = outward if name.endswith(("attention.dense.weight", "dense_4h_to_h.weight")) else inward
            assert float(parameter.detach().std()) == pytest.approx(wanted, rel=0.03), name
        else:
            assert float(parameter.detach().unique()) == (0.0 if name.endswith("bias") else 1.0), name


def test_first_weights_depend_on_the_seed_alone() -> None:
    one, same, other = (GPTNeoXForCausalLM(neox_config(SIZES["14m"], vocabulary=50)) for _ in range(3))
    for network, seed in ((one, 1), (same, 1), (other, 2)):
        initialise(network, OPTIMIZERS["hf"], seed=seed)
    assert torch.equal(one.get_input_embeddings().weight, same.get_input_embeddings().weight)
    assert not torch.equal(one.get_input_embeddings().weight, other.get_input_embeddings().weight)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tokens", 0),
        ("context", 1),
        ("batch", 0),
        ("peak", 0.0),
        ("peak", math.inf),
        ("peak", 1e39),
        ("warmup", 1.0),
        ("optimizer", "adam"),
        ("seed", -1),
        ("micro_batch", 3),
        ("world", 3),
        ("mode", "fast"),
        ("precision", "float8"),
    ],
)
def test_a_recipe_that_cannot_be_is_refused(field: str, value: object) -> None:
    with pytest.raises(InputError):
        recipe(**{field: value})


def test_a_recipe_survives_being_stored_and_says_what_changed() -> None:
    from dataclasses import asdict

    from bidui.errors import Place

    one = recipe()
    assert recipe_from(asdict(one), place=Place()) == one
    assert Manifest(asdict(one)).differences(Manifest(asdict(recipe(seed=4, peak=1e-3)))) == (
        "seed (3, now 4)",
        "peak (0.002, now 0.001)",
    )
    with pytest.raises(InputError, match="seed"):
        recipe_from({k: v for k, v in asdict(one).items() if k != "seed"}, place=Place())
    assert isinstance(one, RunRecipe)
    assert one.hash != recipe(seed=4).hash


# The order of rows.


@given(st.integers(1, 400), st.integers(0, 2**32 - 1), st.integers(0, 3), st.sampled_from([4, 8, 16]))
def test_every_row_comes_at_most_once_an_epoch(rows: int, seed: int, epoch: int, batch: int) -> None:
    order = epoch_order(rows, seed=seed, epoch=epoch)
    steps = steps_of(rows, batch=batch)
    taken = [row for step in range(steps) for row in rows_of(order, step, batch=batch)]
    assert len(taken) == len(set(taken)) == rows // batch * batch


@given(st.integers(0, 9), st.sampled_from([1, 2, 4, 8]))
def test_the_rows_of_a_step_do_not_depend_on_the_number_of_processes(step: int, world: int) -> None:
    order = epoch_order(100, seed=7, epoch=0)
    parts = [rows_of(order, step, batch=8, rank=rank, world=world) for rank in range(world)]
    assert np.concatenate(parts).tolist() == rows_of(order, step, batch=8).tolist()


def test_the_stream_is_the_frozen_one() -> None:
    """A change here is a new order of every run. Worked out without numpy: the Mersenne Twister of Python's `random`,
    seeded with seed + 2^32 epoch, has the same key; place i, from the last to 1, changes with the place drawn for it.

    seed 7, epoch 1: the places drawn are 4 1 0 0 3 2 0, so 01234567 becomes
    01237564, 06237514, 56237014, 76235014, twice the same, 67235014
    seed 0, epoch 2: 5 0, a 6 that is beyond place 5 and drawn again, 3 3 1 1 0
    """
    assert epoch_order(8, seed=7, epoch=1).tolist() == [6, 7, 2, 3, 5, 0, 1, 4]
    assert epoch_order(8, seed=0, epoch=2).tolist() == [2, 6, 4, 1, 7, 3, 0, 5]
    assert epoch_order(50, seed=0, epoch=0).tolist() != epoch_order(50, seed=0, epoch=1).tolist()
    assert epoch_order(50, seed=0, epoch=0).tolist() != epoch_order(50, seed=1, epoch=0).tolist()
