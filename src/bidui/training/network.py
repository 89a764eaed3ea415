"""Networks to train: Zh-Pythia and LSTM, with their initial weights, and how `bidui score` gets them.

Initial weights are those of transformers, a normal distribution with deviation 0.02 for all, or those of Pythia. Pythia
takes small_init, sqrt(2 / (5 h)) (Nguyen and Salazar 2019), for embeddings, the head, and what goes into
attention and MLP; and wang_init, 2 / (L sqrt(h)) (Wang and Komatsuzaki 2021), for what comes out of them.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from transformers import GPTNeoXForCausalLM, PreTrainedTokenizerBase, PreTrainedTokenizerFast
from transformers.utils.logging import disable_progress_bar

from bidui.errors import Place, fail
from bidui.models.causal import CausalModel
from bidui.models.conventions import DECLARATION, decide
from bidui.models.huggingface import causal_model
from bidui.models.lstm import LstmModel, LstmNetwork, LstmShape, Words, lstm_model, save_lstm, untrained
from bidui.models.model import Model
from bidui.models.tokenize import declared_kind, tokenizer_files
from bidui.scores.unigrams import UNIGRAMS, Unigrams, write_unigrams
from bidui.training.kernels import attends, attention, gelu
from bidui.training.publish import ends_text
from bidui.training.recipe import OPTIMIZERS, Optimizer, RunRecipe
from bidui.training.sizes import SIZES, neox_config
from bidui.training.step import Hidden


@torch.no_grad()
def initialise(network: GPTNeoXForCausalLM, optimizer: Optimizer, *, seed: int) -> None:
    """Set every weight from the seed; biases are 0, norms 1.

    The random numbers are numpy's, whose stream is the same on every machine and in every version; torch's is not.
    """
    width, layers = network.config.hidden_size, network.config.num_hidden_layers
    stream = np.random.RandomState(seed)
    for name, parameter in network.named_parameters():
        if parameter.ndim >= 2:
            scale = 0.02
            if optimizer.init == "small":
                outward = name.endswith(("attention.dense.weight", "mlp.dense_4h_to_h.weight"))
                scale = 2 / (layers * math.sqrt(width)) if outward else math.sqrt(2 / (5 * width))
            drawn = stream.standard_normal(parameter.numel()).astype(np.float32).reshape(parameter.shape)
            parameter.copy_(torch.from_numpy(drawn * np.float32(scale)))
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
        else:
            nn.init.ones_(parameter)


@dataclass(frozen=True, slots=True)
class Trainee:
    """A network in training; `save` writes it to a folder, and `model` makes it a model to score with, as it is."""

    network: nn.Module
    hidden: Hidden
    head: nn.Linear
    unigrams: Unigrams  # of the rows it learns from
    save: Callable[[Path], None]
    model: Callable[[str], Model]  # from the name of its checkpoint


def make_neox(
    recipe: RunRecipe,
    tokenizer: PreTrainedTokenizerBase,
    unigrams: Unigrams,
    *,
    bos: int | None,
    device: torch.device,
) -> Trainee:
    """Make a Zh-Pythia of the recipe's size, with its initial weights."""
    disable_progress_bar()  # type: ignore[no-untyped-call]  # ours shows the steps
    config = neox_config(
        SIZES[recipe.size], vocabulary=recipe.vocabulary, context=recipe.context, bos=bos, eos=tokenizer.eos_token_id
    )
    network = GPTNeoXForCausalLM(config)  # type: ignore[no-untyped-call]
    initialise(network, OPTIMIZERS[recipe.optimizer], seed=recipe.seed)
    network.to(device)  # type: ignore[arg-type]  # its stubs take the method for a function
    network.train()
    declaration = {"bos": "none" if bos is None else str(bos)}
    files = tokenizer_files(tokenizer)
    if ends_text(recipe.bos) and network.generation_config is not None:
        # What a text ends with in training; the tokenizer's own EOS never occurs there.
        network.generation_config.eos_token_id = network.generation_config.pad_token_id = bos

    def save(folder: Path) -> None:
        network.save_pretrained(folder)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        (folder / UNIGRAMS).write_bytes(write_unigrams(unigrams))
        (folder / DECLARATION).write_text(json.dumps(declaration) + "\n", encoding="utf-8", newline="\n")

    def model(name: str) -> CausalModel:
        return causal_model(name, network, tokenizer, declaration=declaration)

    head = network.get_output_embeddings()  # type: ignore[no-untyped-call]
    assert isinstance(head, nn.Linear)
    return Trainee(network, neox_hidden(network), head, unigrams, save, model)


def neox_hidden(network: GPTNeoXForCausalLM) -> Hidden:
    """Return the function from rows of tokens, as long as the context or shorter, to the input of the head.

    What the device can do is asked here, since the function is compiled.
    """
    config = network.config
    head = config.hidden_size // config.num_attention_heads
    return partial(
        neox_states, network, kernels=attends(network.device, length=config.max_position_embeddings, head=head)
    )


def neox_states(network: GPTNeoXForCausalLM, tokens: torch.Tensor, *, kernels: bool = False) -> torch.Tensor:
    """Return the input of the head, for rows without padding; with `kernels`, by those of our own under autocast.

    The parts are called one by one: the network's own `forward` makes a mask where it is compiled, and attention with a
    mask is slow.
    """
    body: Any = network.base_model
    states: torch.Tensor = body.embed_in(tokens)
    positions = torch.arange(tokens.shape[1], device=tokens.device)[None]
    rotations = body.rotary_emb(states, position_ids=positions)
    heads = network.config.num_attention_heads
    for layer in body.layers:
        if kernels and torch.is_autocast_enabled(tokens.device.type):
            qkv = layer.attention.query_key_value(layer.input_layernorm(states))
            mixed = layer.attention.dense(attention(qkv, rotations[0][0], rotations[1][0], heads=heads))
            widen, narrow = layer.mlp.dense_h_to_4h, layer.mlp.dense_4h_to_h
            active = gelu(F.linear(layer.post_attention_layernorm(states), widen.weight), widen.bias)
            states = narrow(active) + mixed + states
        else:
            states = layer(states, attention_mask=None, position_ids=positions, position_embeddings=rotations)
            states = states[0] if isinstance(states, tuple) else states  # a tuple in version 4 of transformers
    normal: torch.Tensor = body.final_layer_norm(states)
    return normal


# LSTMs over characters or words, in the shape of CLiMP's (Xiang et al. 2021), which is all they share with them.
#
# CLiMP used the word language model of PyTorch's examples, which reads the text as one stream, carries the state from
# one part to the next, and learns by SGD, with a rate divided by four whenever validation gets worse. Here an LSTM
# learns like every other model: with AdamW, by the recipe, from shuffled rows that each begin with an empty state, so
# that it can be compared with a Zh-Pythia that saw the same rows in the same order.


def make_lstm(
    recipe: RunRecipe,
    tokenizer: PreTrainedTokenizerBase,
    unigrams: Unigrams,
    *,
    bos: int | None,
    device: torch.device,
) -> Trainee:
    """Make an LSTM with its initial weights, over words if the tokenizer looks up the words that jieba finds."""
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise fail("lstm-tokenizer", Place(), {"found": type(tokenizer).__name__})
    words: Words | None = "jieba" if declared_kind(tokenizer) == "jieba" else None
    network = untrained(LstmShape(recipe.vocabulary))
    initialise_lstm(network, seed=recipe.seed)
    network.to(device).train()
    declaration = {"bos": "none" if bos is None else str(bos)}

    def hidden(tokens: torch.Tensor) -> torch.Tensor:
        outputs, _ = network.lstm(network.dropout(network.embedding(tokens)))
        states: torch.Tensor = network.dropout(outputs)
        return states

    def save(folder: Path) -> None:
        save_lstm(folder, network, tokenizer, declaration, words=words)
        (folder / UNIGRAMS).write_bytes(write_unigrams(unigrams))

    def model(name: str) -> LstmModel:
        conventions = decide(tokenizer, declaration=declaration)
        return lstm_model(name, network, tokenizer, conventions, words=words)

    return Trainee(network, hidden, network.head, unigrams, save, model)


@torch.no_grad()
def initialise_lstm(network: LstmNetwork, *, seed: int) -> None:
    """Set every weight from the seed, with numpy's stream, which is the same on every machine.

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
