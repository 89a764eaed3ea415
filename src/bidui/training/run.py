"""A run made ready: from a corpus and a few wishes to the recipe, the rows, and the network with its first weights."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import torch
from transformers import PreTrainedTokenizerBase

from bidui.errors import OutputRefused, Place, Problem, fail
from bidui.files import write_file
from bidui.models.huggingface import first_line, tokenizer_hash
from bidui.models.model import Model
from bidui.models.specs import load_model
from bidui.models.tokenize import declared_kind
from bidui.pairs import Pairs
from bidui.scores.links import Totals
from bidui.scores.milestones import (
    FILE,
    Milestone,
    alpha_counts,
    milestone_accuracy,
    read_milestones,
    write_alphas,
    write_milestones,
)
from bidui.scores.unigrams import UNIGRAMS, Unigrams, write_unigrams
from bidui.training.checkpoints import MANIFEST, milestone_folder
from bidui.training.corpus import TOKENIZER, Bos, Corpus, count_rows_unigrams, read_corpus, rows, verify_corpus
from bidui.training.loop import Data
from bidui.training.network import Trainee, make_lstm, make_neox
from bidui.training.recipe import Mode, Precision, Recipe
from bidui.training.sizes import LSTM
from bidui.training.tokenizers import load_tokenizer

ON_CPU = 32  # rows at a time: with more, the logits no longer stay in the cache


def open_corpus(folder: Path, *, tokenizer: str | None = None, bos: Bos | None = None) -> Corpus:
    """The corpus in a folder; a tokenizer or a rule for BOS that it was not made with is refused, not passed over."""
    corpus = read_corpus(folder)
    if bos is not None and bos != corpus.bos:
        raise fail("corpus-bos", Place(str(folder)), {"own": corpus.bos, "asked": bos})
    if tokenizer is not None:
        _load_fitting(tokenizer, corpus)
    return corpus


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
        micro_batch=_fitting(batch // world, on_gpu=on_gpu) if micro_batch is None else micro_batch,
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
    """The rows that a recipe takes from a corpus; a shard that was changed is an error before anything is learned."""
    verify_corpus(corpus, tokens=recipe.tokens)
    train = rows(corpus, tokens=recipe.tokens if recipe.tokens != corpus.tokens else None, context=recipe.context)
    validation = rows(corpus, context=recipe.context, part="validation")
    characters = corpus.validation_characters
    ratio = corpus.validation_tokens / characters if characters else float("nan")
    return Data(train, validation, ratio)


def make_trainee(recipe: Recipe, corpus: Corpus, data: Data, *, device: torch.device) -> Trainee:
    """The network of a recipe, with the tokenizer of the corpus and the unigrams of the rows it learns from."""
    folder = corpus.folder / TOKENIZER
    if not folder.is_dir():  # else its path would be taken for a name on the hub
        raise fail("corpus-broken", Place(str(folder)), {"reason": os.strerror(errno.ENOENT)})
    tokenizer = _load_fitting(folder, corpus)
    unigrams = count_rows_unigrams(
        data.train, vocabulary=corpus.vocabulary, tokenizer_hash=corpus.tokenizer, leave_out=corpus.bos_id
    )
    if recipe.size == LSTM:
        return make_lstm(recipe, tokenizer, unigrams, bos=corpus.bos_id, device=device)
    if declared_kind(tokenizer) == "jieba":
        raise fail("jieba-needs-lstm", Place(str(corpus.folder)), {"size": recipe.size})
    return make_neox(recipe, tokenizer, unigrams, bos=corpus.bos_id, device=device)


def _load_fitting(name: str | Path, corpus: Corpus) -> PreTrainedTokenizerBase:
    """A tokenizer, if it is the one that the corpus was encoded with: any other would spell another text."""
    found = load_tokenizer(name)
    own = tokenizer_hash(found)
    if own != corpus.tokenizer:
        values = {"own": own[:12], "wanted": corpus.tokenizer[:12], "corpus": str(corpus.folder)}
        raise fail("corpus-tokenizer", Place(str(name)), values)
    return found


def usable(name: str) -> torch.device:
    """The device of that name; one that is not there is an error with the reason."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:  # the second is what a torch without CUDA raises
        raise fail("device-unusable", Place(), {"device": name, "reason": first_line(error)}) from error
    return device


@contextmanager
def enough_memory(recipe: Recipe) -> Iterator[None]:
    """Say what to do where the memory of the device does not suffice."""
    try:
        yield
    except torch.cuda.OutOfMemoryError as error:
        values = {"size": recipe.size, "rows": recipe.micro_batch, "reason": first_line(error)}
        raise fail("device-memory", Place(), values) from error


def be_deterministic() -> None:
    """Have torch take only kernels that give the same bits every time; to be asked for before a GPU is used."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)


# Scoring at milestones: the checkpoints of a run on pairs, by the code of `bidui score`, in the run or afterwards.

SCORES = "scores"  # the folder in a run's; one folder of token scores a checkpoint is in it


def score_milestone(step: int, model: Model, pairs: Pairs, *, run: Path, unigrams: Unigrams) -> list[Milestone]:
    """Score a checkpoint, and put its accuracies into the run's table; what is scored already is not run again."""
    from bidui.scores.run import read_totals, run_scoring  # tables need polars, which training does not

    folder = milestone_folder(run / SCORES, step)
    run_scoring(pairs, model, out=folder, force=True)  # what is of other weights is from before a resumption
    write_file(folder / UNIGRAMS, write_unigrams(unigrams))
    _, totals = read_totals(folder, unigrams=folder / UNIGRAMS)
    every = totals.totals()
    assert every.unigram is not None
    good, bad = (Totals(every.logprob[n::2], every.length[n::2], every.unigram[n::2]) for n in range(2))
    uids, phenomena = totals.uids.tolist(), totals.phenomena.tolist()
    found = milestone_accuracy(step, uids, phenomena, good=good, bad=bad)
    write_milestones(run, found)
    write_alphas(run, alpha_counts(step, good=good, bad=bad))
    return found


def check_pairs(run: Path, pairs: Pairs) -> None:
    """Refuse other pairs than those that the run's table is of: what is in it would be taken for accuracies on these.

    Where the scores are there they are told by their hashes, else by how many each paradigm has. None are refused too.
    """
    from bidui.scores.run import pairs_hash
    from bidui.scores.table import read_manifest

    if not len(pairs):
        raise fail("run-without-pairs", Place(str(run)), {})
    if not (run / FILE).is_file():
        return
    by_uid = pairs.by_uid()
    counts = {(uid, len(own)) for uid, own in by_uid.items()}
    hashes = {uid: pairs_hash(own) for uid, own in by_uid.items()}
    others: set[str] = set()
    for _, table in groupby(read_milestones(run), key=lambda found: found.step):
        others |= {uid for uid, _ in counts ^ {(found.uid, found.pairs) for found in table}}
    for file in (run / SCORES).glob("*/scores.json"):
        others |= {uid for uid, shard in read_manifest(file.parent).shards.items() if shard.pairs != hashes.get(uid)}
    if others:
        values = {"uid": min(others), "count": len(others)}
        raise OutputRefused(str(Problem("run-of-other-pairs", Place(str(run / FILE)), values)))


def kept_steps(run: Path) -> list[int]:
    """The steps whose checkpoints are there, in order."""
    found = (path.parent.name.removeprefix("step-") for path in run.glob(f"step-*/{MANIFEST}"))
    return sorted(int(step) for step in found if step.isdigit())


def unscored_steps(run: Path) -> list[int]:
    """The steps whose checkpoints are there, but no accuracies."""
    done = {found.step for found in read_milestones(run)} if (run / FILE).is_file() else set()
    return [step for step in kept_steps(run) if step not in done]


def score_kept(run: Path, step: int, pairs: Pairs, *, unigrams: Unigrams, device: str = "cpu") -> list[Milestone]:
    """Score a checkpoint that was kept, after the run."""
    model = load_model(str(milestone_folder(run, step)), device=device)
    return score_milestone(step, model, pairs, run=run, unigrams=unigrams)
