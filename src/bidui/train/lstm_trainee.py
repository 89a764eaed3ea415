"""LSTM language models to train, over characters or over words, in the shape of CLiMP's (Xiang et al. 2021).

The shape is all they share with them. CLiMP took the word language model of PyTorch's examples, which reads the text on
end, carries the state from one stretch to the next, and learns by SGD, its rate divided by four whenever validation
gets worse. Here an LSTM learns as every other model does: AdamW by the recipe, from shuffled rows that each begin with
an empty state, so that it can be compared with a Zh-Pythia that saw the same rows in the same order.
"""

import math
from pathlib import Path

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from bidui.errors import Place, fail
from bidui.models.conventions import decide
from bidui.models.lstm import LstmModel, Words, lstm_model, save_lstm
from bidui.models.lstm_network import LstmNetwork, LstmShape
from bidui.models.tokenizing import declared_kind, special_tokens
from bidui.scores.unigrams import Unigrams, write_unigrams
from bidui.train.recipe import Recipe
from bidui.train.shards import UNIGRAMS
from bidui.train.trainee import Trainee


def make_lstm(
    recipe: Recipe,
    tokenizer: PreTrainedTokenizerBase,
    unigrams: Unigrams,
    *,
    bos: int | None,
    device: torch.device,
) -> Trainee:
    """An LSTM with its initial weights; it is one over words where the tokenizer looks up words that jieba divides."""
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise fail("lstm-tokenizer", Place(), {"found": type(tokenizer).__name__})
    words: Words | None = "jieba" if declared_kind(tokenizer) == "jieba" else None
    with torch.random.fork_rng(devices=[]):  # its own weights are thrown away, so nobody's seed may feel them
        network = LstmNetwork(LstmShape(recipe.vocabulary))
    initialise_lstm(network, seed=recipe.seed)
    network.to(device).train()
    declaration = {"bos": "none" if bos is None else str(bos)}

    def hidden(tokens: torch.Tensor) -> torch.Tensor:
        outputs, _ = network.lstm(network.dropout(network.embedding(tokens)))
        found: torch.Tensor = network.dropout(outputs)
        return found

    def save(folder: Path) -> None:
        save_lstm(folder, network, tokenizer, declaration, words=words)
        (folder / UNIGRAMS).write_bytes(write_unigrams(unigrams))

    def model(name: str) -> LstmModel:
        conventions = decide(special_tokens(tokenizer), declaration=declaration)
        return lstm_model(name, network, tokenizer, conventions, words=words)

    return Trainee(network, hidden, network.head, unigrams, save, model)


@torch.no_grad()
def initialise_lstm(network: LstmNetwork, *, seed: int) -> None:
    """Set every weight from the seed, by numpy's stream, which is the same on every machine.

    Uniform within 0.1 for embedding and head, whose bias is 0, as in PyTorch's example; within 1 / sqrt(hidden) for
    the layers, as PyTorch itself does.
    """
    stream = np.random.RandomState(seed)
    for name, parameter in network.named_parameters():
        most = 1 / math.sqrt(network.shape.hidden) if name.startswith("lstm.") else 0.1
        if name == "head.bias":
            parameter.zero_()
        else:
            drawn = stream.uniform(-most, most, parameter.numel()).astype(np.float32)
            parameter.copy_(torch.from_numpy(drawn.reshape(parameter.shape)))
