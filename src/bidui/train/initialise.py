"""Initial weights: of transformers, a normal distribution of deviation 0.02 for all; of Pythia, by width and depth.

Pythia takes small_init, sqrt(2 / (5 h)) (Nguyen and Salazar 2019), for embeddings, the head, and what goes into
attention and MLP; and wang_init, 2 / (L sqrt(h)) (Wang and Komatsuzaki 2021), for what comes out of them.
"""

import math

import numpy as np
import torch
from torch import nn
from transformers import GPTNeoXForCausalLM

from bidui.train.recipe import Optimizer


def deviation(name: str, *, init: str, width: int, layers: int) -> float:
    """The standard deviation of a matrix, by its name in the network."""
    if init == "normal":
        return 0.02
    outward = name.endswith(("attention.dense.weight", "mlp.dense_4h_to_h.weight"))
    return 2 / (layers * math.sqrt(width)) if outward else math.sqrt(2 / (5 * width))


@torch.no_grad()
def initialise(network: GPTNeoXForCausalLM, optimizer: Optimizer, *, seed: int) -> None:
    """Set every weight from the seed; biases are 0, norms 1.

    The draws are numpy's, whose stream is the same on every machine and in every version; those of torch are not.
    """
    width, layers = network.config.hidden_size, network.config.num_hidden_layers
    stream = np.random.RandomState(seed)
    for name, parameter in network.named_parameters():
        if parameter.ndim >= 2:
            scale = deviation(name, init=optimizer.init, width=width, layers=layers)
            drawn = stream.standard_normal(parameter.numel()).astype(np.float32).reshape(parameter.shape)
            parameter.copy_(torch.from_numpy(drawn * np.float32(scale)))
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
        else:
            nn.init.ones_(parameter)
