"""A run made ready: from a corpus and a few wishes to the recipe, the rows, and the network with its first weights."""

import os

import torch
from transformers import PreTrainedTokenizerBase

from bidui.errors import Place, fail
from bidui.models.huggingface import first_line
from bidui.models.tokenizing import declared_kind
from bidui.train.loop import Data
from bidui.train.lstm_trainee import make_lstm
from bidui.train.recipe import Mode, Precision, Recipe
from bidui.train.shards import TOKENIZER, Corpus, count_rows_unigrams, rows
from bidui.train.sizes import LSTM
from bidui.train.tokenizers import load_tokenizer
from bidui.train.trainee import Trainee, make_neox

ON_CPU = 32  # rows at a time: with more, the logits no longer stay in the cache


def make_recipe(
    size: str,
    corpus: Corpus,
    *,
    device: torch.device,
    tokens: int | None = None,
    seed: int = 0,
    optimizer: str = "hf",
    epochs: int = 1,
    batch: int = 256,
    context: int = 64,
    peak: float = 6e-4,
    warmup: float = 0.1,
    milestones: str = "decades",
    micro_batch: int | None = None,
    precision: Precision | None = None,
    mode: Mode | None = None,
    deterministic: bool = False,
    world: int = 1,
) -> Recipe:
    """The recipe for a size on a corpus; what is not given is as in the paper, or what suits the device.

    On a GPU that is bf16, compiled and captured; bit by bit the same in every run only where `deterministic`, which
    is eager and slower. An LSTM is always eager, and in fp32.
    """
    on_gpu = device.type == "cuda"
    quick = on_gpu and size != LSTM
    fast: Mode = "captured" if world == 1 else "compiled"
    return Recipe(
        size=size,
        corpus=corpus.hash,
        tokenizer=corpus.tokenizer,
        vocabulary=corpus.vocabulary,
        bos=corpus.bos,
        tokens=tokens if tokens is not None else corpus.tokens,
        seed=seed,
        optimizer=optimizer,
        epochs=epochs,
        batch=batch,
        context=context,
        peak=peak,
        warmup=warmup,
        milestones=milestones,
        micro_batch=micro_batch or _fitting(batch // world, on_gpu=on_gpu),
        precision=precision or ("bfloat16" if quick else "float32"),
        mode=mode or ("eager" if deterministic or not quick else fast),
        deterministic=deterministic,
        world=world,
    )


def _fitting(rows: int, *, on_gpu: bool) -> int:
    """How many of a process's rows are run at a time, so that they come out even."""
    most = rows if on_gpu else ON_CPU
    return next((part for part in range(min(most, rows), 0, -1) if rows % part == 0), 1)


def make_data(corpus: Corpus, recipe: Recipe) -> Data:
    """The rows that a recipe takes from a corpus."""
    train = rows(corpus, tokens=recipe.tokens if recipe.tokens != corpus.tokens else None, context=recipe.context)
    validation = rows(corpus, context=recipe.context, part="validation")
    characters = corpus.validation_characters
    ratio = corpus.validation_tokens / characters if characters else float("nan")
    return Data(train, validation, ratio)


def make_trainee(recipe: Recipe, corpus: Corpus, data: Data, *, device: torch.device) -> Trainee:
    """The network of a recipe, with the tokenizer of the corpus and the unigrams of the rows it learns from."""
    tokenizer: PreTrainedTokenizerBase = load_tokenizer(corpus.folder / TOKENIZER)
    unigrams = count_rows_unigrams(
        data.train, vocabulary=corpus.vocabulary, tokenizer_hash=corpus.tokenizer, leave_out=corpus.bos_id
    )
    if recipe.size == LSTM:
        return make_lstm(recipe, tokenizer, unigrams, bos=corpus.bos_id, device=device)
    if declared_kind(tokenizer) == "jieba":
        raise fail("jieba-needs-lstm", Place(str(corpus.folder)), {"size": recipe.size})
    return make_neox(recipe, tokenizer, unigrams, bos=corpus.bos_id, device=device)


def usable(name: str) -> torch.device:
    """The device of that name; one that is not there is an error with the reason."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:  # the second is what a torch without CUDA raises
        raise fail("device-unusable", Place(), {"device": name, "reason": first_line(error)}) from error
    return device


def be_deterministic() -> None:
    """Have torch take only kernels that give the same bits every time; to be asked for before a GPU is used."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)
