"""Trains one model of zh-pythia-open and scores its milestones, with nothing but torch, transformers and numpy.

    python results/zh-pythia-open/run.py corpus TEXTS CORPUS            the corpus, with a character tokenizer
    python results/zh-pythia-open/run.py train CORPUS PAIRS RUN --size 14m --tokens 10M --seed 0

`bidui train 14m --corpus CORPUS --tokens 10M --seed 0 --score zhoblimp -o runs` does the same where bidui is installed,
and keeps the score of every token. Here only sums are kept, and those of the last checkpoint.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import torch

from bidui.models.causal import CausalModel
from bidui.pairs import Pairs, read_pairs
from bidui.scores.links import Totals
from bidui.scores.milestones import LINKS, alpha_counts, milestone_accuracy, write_alphas, write_milestones
from bidui.training.build import build_corpus
from bidui.training.corpus import read_corpus
from bidui.training.documents import SourceCounts, read_documents
from bidui.training.loop import Progress, Watch, train_network
from bidui.training.network import Trainee
from bidui.training.recipe import Recipe
from bidui.training.run import make_data, make_trainee, usable
from bidui.training.tokenizers import train_char

LEAST = 20  # occurrences of a character that has a token of its own


def main() -> None:
    """What was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["corpus", "train"])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--size", default="14m")
    parser.add_argument("--tokens", type=lambda text: int(float(text.replace("M", "e6"))))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--peak", type=float, default=6e-4)
    parser.add_argument("--recipe", default="hf")
    parser.add_argument("--milestones", default="decades")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--deterministic", action="store_true")
    parser.add_argument("--save-seconds", type=float, default=60.0)
    asked = parser.parse_args()
    if asked.what == "corpus":
        make_corpus(*asked.paths)
    else:
        train_one(asked, *asked.paths)


def make_corpus(texts: Path, out: Path) -> None:
    """Characters that occur often enough are the vocabulary; a BOS stands before every line."""
    began = time.perf_counter()
    tokenizer = train_char(read_documents(texts, seen=SourceCounts()), least=LEAST)
    print(f"tokenizer of {len(tokenizer)} after {time.perf_counter() - began:.0f} s", flush=True)
    corpus = build_corpus(texts, tokenizer, out=out)
    print(f"{corpus.tokens:,} tokens, validation {corpus.validation.tokens:,}, {time.perf_counter() - began:.0f} s")


def train_one(asked: argparse.Namespace, folder: Path, pairs: Path, out: Path) -> None:
    """One run; it goes on where it was left."""
    if asked.deterministic:  # only kernels that give the same bits every time; set before a GPU is used
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(True)
    device = usable(asked.device)
    corpus = read_corpus(folder)
    settings = Recipe(
        asked.size,
        tokens=asked.tokens,
        seed=asked.seed,
        epochs=asked.epochs,
        peak=asked.peak,
        optimizer=asked.recipe,
        milestones=asked.milestones,
        batch=asked.batch,
        deterministic=asked.deterministic,
    )
    recipe = settings.on(corpus, gpu=device.type == "cuda")
    data = make_data(corpus, recipe)
    trainee = make_trainee(recipe, corpus, data, device=device)
    scorer = Scorer(read_pairs(str(pairs)), out)
    began = time.perf_counter()

    def show(progress: Progress) -> None:
        if progress.step % 1000 == 0 or progress.step == progress.steps:
            print(f"{out.name} {progress}, {time.perf_counter() - began:.0f} s", flush=True)

    watch = Watch(on_log=show, on_milestone=scorer.score, log_every=50, keep="last", save_seconds=asked.save_seconds)
    train_network(recipe, data, trainee, out=out, watch=watch)
    print(f"{out.name}: {time.perf_counter() - began:.0f} s, of it scoring {scorer.seconds:.0f}", flush=True)


class Scorer:
    """The pairs, divided into tokens once, and what becomes of them at each milestone."""

    def __init__(self, pairs: Pairs, out: Path) -> None:
        self.pairs = list(pairs)
        self.out = out
        self.sentences = [side for pair in self.pairs for side in (pair.good, pair.bad)]
        self.seconds = 0.0
        self.model: CausalModel | None = None

    def score(self, step: int, trainee: Trainee) -> None:
        """Accuracy by paradigm; the network is in memory, so the model made of it is the same at every milestone."""
        began = time.perf_counter()
        if self.model is None:
            model = trainee.model(self.out.name)
            assert isinstance(model, CausalModel)
            self.model = model
            self.found = model.prepared(self.sentences)
            self.lengths = np.diff(self.found.bounds)
            scored = np.ones(len(self.found.ids), np.bool_)
            scored[self.found.bounds[:-1]] = False
            self.starts = np.cumsum(self.lengths - 1) - (self.lengths - 1)
            unigrams = trainee.unigrams.logprobs(smoothing=1.0)
            self.unigram = np.add.reduceat(unigrams[self.found.ids[scored]], self.starts)
        trainee.network.eval()
        values = self.model.run(self.found.ids, self.lengths)
        logprob = np.add.reduceat(values.astype(np.float64), self.starts)
        totals = Totals(logprob, (self.lengths - 1).astype(np.float64), self.unigram)
        good, bad = (Totals(totals.logprob[n::2], totals.length[n::2], self.unigram[n::2]) for n in range(2))
        uids, phenomena = [pair.uid for pair in self.pairs], [pair.phenomenon for pair in self.pairs]
        found = milestone_accuracy(step, uids, phenomena, good=good, bad=bad)
        write_milestones(self.out, found)
        write_alphas(self.out, alpha_counts(step, good=good, bad=bad))
        np.save(self.out / "last.npy", values)
        right = {name: sum(m.right[name] for m in found) / len(self.pairs) for name in LINKS}
        shown = ", ".join(f"{name} {100 * value:.2f}" for name, value in right.items())
        self.seconds += time.perf_counter() - began
        print(f"{self.out.name} step {step}: {shown}; {self.seconds:.0f} s of scoring", flush=True)


if __name__ == "__main__":
    main()
