"""What can be trained: a network, what stands before its head, and how it is saved so that `bidui score` loads it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn
from transformers import GPTNeoXForCausalLM, PreTrainedTokenizerBase
from transformers.utils.logging import disable_progress_bar

from bidui.models.causal import CausalModel
from bidui.models.conventions import DECLARATION
from bidui.models.huggingface import causal_model
from bidui.models.tokens import Model
from bidui.scores.unigrams import Unigrams, write_unigrams
from bidui.train.initialise import initialise
from bidui.train.recipe import OPTIMIZERS, Recipe
from bidui.train.shards import UNIGRAMS
from bidui.train.sizes import SIZES, neox_config
from bidui.train.step import Hidden


@dataclass(frozen=True, slots=True)
class Trainee:
    """A network in training, and its two ways out: into a folder, and to the scorer as it is."""

    network: nn.Module
    hidden: Hidden
    head: nn.Linear
    unigrams: Unigrams  # of the rows it learns from
    save: Callable[[Path], None]
    model: Callable[[str], Model]  # under the name of its checkpoint


def make_neox(
    recipe: Recipe,
    tokenizer: PreTrainedTokenizerBase,
    unigrams: Unigrams,
    *,
    bos: int | None,
    device: torch.device,
) -> Trainee:
    """A Zh-Pythia of the recipe's size, with its initial weights."""
    disable_progress_bar()  # type: ignore[no-untyped-call]  # ours shows the steps
    config = neox_config(
        SIZES[recipe.size], vocabulary=recipe.vocabulary, context=recipe.context, bos=bos, eos=tokenizer.eos_token_id
    )
    network = GPTNeoXForCausalLM(config)  # type: ignore[no-untyped-call]
    initialise(network, OPTIMIZERS[recipe.optimizer], seed=recipe.seed)
    network.to(device)  # type: ignore[arg-type]  # its stubs take the method for a function
    network.train()
    declaration = {"bos": "none" if bos is None else str(bos)}

    def hidden(tokens: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = network.base_model(input_ids=tokens, use_cache=False).last_hidden_state
        return found

    def save(folder: Path) -> None:
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        (folder / UNIGRAMS).write_bytes(write_unigrams(unigrams))
        (folder / DECLARATION).write_text(json.dumps(declaration) + "\n", encoding="utf-8", newline="\n")

    def model(name: str) -> CausalModel:
        return causal_model(name, network, tokenizer, declaration=declaration)

    head = network.get_output_embeddings()  # type: ignore[no-untyped-call]
    assert isinstance(head, nn.Linear)
    return Trainee(network, hidden, head, unigrams, save, model)
