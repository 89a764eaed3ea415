"""Validation: how well a model in training predicts rows that it never learns from."""

import math

import torch

from bidui.train.recipe import Recipe
from bidui.train.step import Rows, gatherer, mean_loss
from bidui.train.trainee import Trainee


@torch.no_grad()
def validation_loss(trainee: Trainee, rows: Rows, *, recipe: Recipe) -> float:
    """The mean loss in nats per token over rows that are never learned from; NaN where there are none."""
    if not len(rows):
        return math.nan
    device = trainee.head.weight.device
    training = trainee.network.training
    trainee.network.eval()
    gather = gatherer(rows, device)
    total = 0.0  # here, and not on the device: that of a Mac has no float64
    for start in range(0, len(rows), recipe.micro_batch):
        chosen = torch.arange(start, min(start + recipe.micro_batch, len(rows)), device=device)
        tokens = gather(chosen)
        with torch.autocast(device.type, torch.bfloat16, enabled=recipe.precision == "bfloat16", cache_enabled=False):
            loss = mean_loss(trainee.hidden(tokens)[:, :-1], trainee.head, tokens[:, 1:], align=False)
        total += float(loss) * len(chosen)
    trainee.network.train(training)
    return total / len(rows)
