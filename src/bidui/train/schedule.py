"""Learning rates and milestones, as functions of the step."""

import math

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.train.recipe import OPTIMIZERS, Recipe


def learning_rates(recipe: Recipe, *, steps: int) -> NDArray[np.float64]:
    """The learning rate of every step: linear warm-up, then a cosine down to the last value.

    Recipe `hf` takes its first step with 0, as the Trainer does, so that its checkpoint 1 is the initial model;
    `pythia` takes it with the first part of the warm-up.
    """
    optimizer = OPTIMIZERS[recipe.optimizer]
    warm = math.ceil(recipe.warmup * steps)
    step = np.arange(steps) + (optimizer.first == "one")
    rising = step / max(1, warm)
    falling = np.cos(np.pi * np.clip((step - warm) / max(1, steps - warm), 0, 1))
    return recipe.peak * np.where(step < warm, rising, optimizer.final + (1 - optimizer.final) * (1 + falling) / 2)


def milestone_steps(rule: str, *, steps: int) -> tuple[int, ...]:
    """The steps after which a checkpoint is kept; 0 and the last are always among them.

    `decades` is 1 to 9, 10 to 90, 100 to 900 and so on: 46 below the 183,105 steps of three billion tokens, as many as
    the paper had checkpoints. `geometric:47` is so many steps at equal ratios; `last` keeps only the two ends.
    """
    name, _, number = rule.partition(":")
    if name == "decades" and not number:
        inner = {d * 10**e for e in range(len(str(steps))) for d in range(1, 10)}
    elif name == "geometric" and number.isdigit() and int(number) > 1:
        inner = {round(value) for value in np.geomspace(1, steps, int(number))}
    elif rule == "last":
        inner = set()
    else:
        raise fail("milestones-unknown", Place(), {"value": rule})
    return tuple(sorted({0, steps} | {step for step in inner if step < steps}))
