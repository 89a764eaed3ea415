"""A small run: a vocabulary of 60 characters, rows of 16 tokens, the shape of the 14M model."""

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from bidui.scores.unigrams import Unigrams
from bidui.training.loop import Data
from bidui.training.network import Trainee, make_neox
from bidui.training.recipe import RunRecipe

VOCABULARY = 60
CONTEXT = 16


def tokenizer() -> PreTrainedTokenizerFast:
    """A token a character."""
    tokens = ["<unk>", "<s>", "</s>", "<pad>", *(chr(0x4E00 + n) for n in range(VOCABULARY - 4))]
    inner = Tokenizer(models.WordLevel({token: n for n, token in enumerate(tokens)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    return PreTrainedTokenizerFast(tokenizer_object=inner, bos_token="<s>", unk_token="<unk>", eos_token="</s>")


def data(rows: int = 100) -> Data:
    """Rows in which each token says which comes next, so that there is something to learn."""
    start = np.random.RandomState(5).randint(4, VOCABULARY, (rows, 1))
    found = (4 + (start + 7 * np.arange(CONTEXT)) % (VOCABULARY - 4)).astype(np.uint16)
    return Data(found, found[:5], 1.0)


def recipe(**changes: object) -> RunRecipe:
    """24 steps of four rows, unless changed."""
    usual: dict[str, object] = {"size": "14m", "corpus": "corpus", "tokenizer": "tokenizer", "bos": "line"}
    usual |= {"batch": 4, "micro_batch": 2, "context": CONTEXT, "seed": 3, "tokens": 1600, "peak": 2e-3}
    return RunRecipe(**{"vocabulary": VOCABULARY, **usual, **changes})  # type: ignore[arg-type]


def trainee(chosen: RunRecipe) -> Trainee:
    """The network of a recipe, on the CPU."""
    unigrams = Unigrams(np.ones(VOCABULARY, np.int64), "tokenizer")
    return make_neox(chosen, tokenizer(), unigrams, bos=1, device=torch.device("cpu"))
