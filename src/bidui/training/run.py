"""A training run from end to end: corpus, recipe, network, checkpoints, and their accuracy on pairs.

`train` is the whole of it and the function to read first. What a run is made of is made by `make_data` and
`make_trainee`; `loop` trains; `score_milestone` scores a checkpoint by the code of `bidui score`.
"""

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import torch
from transformers import PreTrainedTokenizerBase

from bidui.errors import OutputRefused, Place, Problem, fail
from bidui.files import write_file
from bidui.models.fingerprint import tokenizer_hash
from bidui.models.model import Model, first_line
from bidui.models.specs import load_model
from bidui.models.tokenize import declared_kind
from bidui.notebooks import to_pandas
from bidui.pairs import AnyPairs, Pairs
from bidui.scale.storage import fetched, inner_path, is_remote, open_folder
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
from bidui.training.build import build_corpus
from bidui.training.checkpoints import milestone_folder, moved, validation_rows
from bidui.training.corpus import (
    NAME,
    TOKENIZER,
    Bos,
    Corpus,
    count_rows_unigrams,
    read_corpus,
    row_count,
    rows,
    verify_corpus,
)
from bidui.training.kernels import compiles
from bidui.training.loop import Data, Progress, Watch, processes, tensorboard_log, together, train_network
from bidui.training.network import Trainee, make_lstm, make_neox
from bidui.training.publish import MANIFEST
from bidui.training.recipe import (
    VALIDATION,
    Recipe,
    RunRecipe,
    milestone_steps,
    steps_of,
    token_count,
    validation_sample,
)
from bidui.training.sizes import LSTM
from bidui.training.tokenizers import load_tokenizer

if TYPE_CHECKING:
    import pandas
    import polars as pl

PUSH = 60.0  # seconds between two times that a run is sent to its URL
SCORES = "scores"  # the folder in a run's folder that holds one folder of token scores per checkpoint


@dataclass(frozen=True, slots=True)
class RunStart:
    """What a run is about to do."""

    folder: Path
    recipe: RunRecipe
    parameters: int
    steps: int
    checkpoints: int  # including step 0 and the last
    rows: int
    validation_rows: int  # on which the validation loss is measured at every checkpoint
    held_out_rows: int  # which they are drawn from
    moved: list[str]  # what changed since an interruption and may change the last bits: device, threads, versions

    @property
    def rows_left_out(self) -> int:
        """The rows of every epoch that do not fill a step."""
        return self.rows % self.recipe.batch

    @property
    def validation_cost(self) -> float:
        """The computation of all validation, as a fraction of that of training: a step back costs two forward."""
        trained = 3 * self.steps * self.recipe.batch
        return self.checkpoints * self.validation_rows / trained if trained else 0.0


@dataclass(frozen=True, slots=True)
class RunEvents:
    """Functions that are called while a run is under way; none of them changes what is learned."""

    on_corpus: Callable[[str, int, int], None] = lambda activity, done, total: None  # if text has to be encoded first
    on_corpus_built: Callable[[Corpus], None] = lambda corpus: None
    on_start: Callable[[RunStart], None] = lambda start: None
    on_step: Callable[[int], None] = lambda step: None  # first with the step that the run starts or resumes from
    on_log: Callable[[Progress], None] = lambda progress: None
    on_score: Callable[[int], None] = lambda step: None  # before a checkpoint is scored
    on_scored_later: Callable[[int], None] = lambda step: None  # after a checkpoint of an earlier run was scored


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A finished run: a folder with its recipe, a log, and one checkpoint per milestone, which transformers loads."""

    folder: Path
    recipe: RunRecipe
    new: bool  # False if it was finished before
    rank: int = 0  # of this process

    @property
    def checkpoints(self) -> list[Path]:
        """The folders of the checkpoints, by step."""
        return [milestone_folder(self.folder, step) for step in kept_steps(self.folder)]

    @property
    def accuracies(self) -> list[Milestone]:
        """The accuracy on every paradigm at every checkpoint that was scored."""
        return read_milestones(self.folder) if (self.folder / FILE).is_file() else []

    @property
    def frame(self) -> "pl.DataFrame":
        """The same as a data frame: step, uid, phenomenon, pairs, and the number right by each linking function."""
        import polars as pl  # machines that only train do without it

        columns = ("step", "uid", "phenomenon", "pairs")
        return pl.DataFrame([{**{name: getattr(m, name) for name in columns}, **m.right} for m in self.accuracies])

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def __repr__(self) -> str:
        count = len(self.checkpoints)
        return f"TrainingRun of {self.recipe.size} in {self.folder}: {count} checkpoint{'' if count == 1 else 's'}"

    def _repr_html_(self) -> str:
        return f"<p>{self!r}</p>{self.frame._repr_html_()}"


def train(
    recipe: str | Recipe,
    *,
    corpus: str | Path | Corpus,
    out: str | Path = "runs",
    name: str | None = None,
    tokenizer: str | Path | None = None,
    bos: Bos | None = None,
    score: "AnyPairs | None" = None,
    n: int = 300,
    keep: Literal["all", "last"] = "all",
    device: str = "cpu",
    tensorboard: bool = False,
    validation_tokens: int | str | None = None,
    events: RunEvents | None = None,
) -> TrainingRun:
    """Train a language model from scratch, in a folder of `out`; an interrupted run resumes, a finished one is left.

    `recipe` may be a size alone, such as "14m", which reads the whole corpus once. `corpus` is what `build_corpus`
    made; or text, which is encoded by `tokenizer` with BOS as `bos` says. With `score`, pairs as `bidui.score` takes
    them, every checkpoint is scored when it is saved, or afterwards if it was not. `keep` says whether the weights of
    all checkpoints are kept, or only those of the last. The validation loss is measured on `validation_tokens` held-out
    tokens, 32,768 by default or "all", the same ones at every checkpoint and in every run on the corpus. Under
    torchrun, several processes train one model. `corpus` and `out` may also be URLs such as `s3://bucket/runs`.
    """
    recipe, events = Recipe(recipe) if isinstance(recipe, str) else recipe, events or RunEvents()
    team = processes()
    if is_remote(out) and team.world > 1:
        raise fail("run-url-torchrun", Place(str(out)))
    home = open_folder(inner_path(out, name or recipe.name))
    home.pull()  # what another machine has done, if the folder is at a URL
    folder = home.path
    if recipe.deterministic:  # only kernels that give the same bits every time; set before a GPU is used
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(True)
    pairs = None
    if score is not None:
        from bidui.benchmarks import find_pairs  # machines that only train do without grammars and tables

        pairs = find_pairs(fetched(score) if isinstance(score, str | Path) and is_remote(score) else score, n=n)
        check_pairs(folder, pairs)
    where = usable(team.device(device))
    source = _corpus(
        corpus,
        str(tokenizer) if tokenizer else None,
        bos,
        out=open_folder(out).path,
        alone=team.world == 1,
        events=events,
    )
    fixed = recipe.on(source, gpu=where.type == "cuda", compiles=compiles(where), world=team.world)
    data = make_data(source, fixed, validation=_validation_rows(folder, validation_tokens, source, fixed))
    with enough_memory(fixed), together(team, device=where):
        trainee = make_trainee(fixed, source, data, device=where)
        if not team.rank:
            parameters = sum(parameter.numel() for parameter in trainee.network.parameters())
            steps = steps_of(len(data.train), batch=fixed.batch, epochs=fixed.epochs)
            saved = len(milestone_steps(fixed.milestones, steps=steps)) if steps else 0
            counts = (parameters, steps, saved, len(data.train), len(data.validation), data.held_out)
            events.on_start(RunStart(folder, fixed, *counts, moved=moved(folder, trainee)))

        def milestone(step: int, trainee: Trainee) -> None:
            if pairs is not None:
                events.on_score(step)
                model = trainee.model(f"{folder.name}@{milestone_folder(folder, step).name}")
                score_milestone(step, model, pairs, run=folder, unigrams=trainee.unigrams)
            home.push()

        pushed = [time.monotonic()]
        logged = tensorboard_log(folder / "tensorboard") if tensorboard and not team.rank else nullcontext(None)
        with logged as board:

            def log(progress: Progress) -> None:
                events.on_log(progress)
                if home.url and time.monotonic() - pushed[0] > PUSH:  # a state may have been saved since
                    home.push()
                    pushed[0] = time.monotonic()
                if board is not None:
                    board(progress)

            watch = Watch(on_step=events.on_step, on_log=log, on_milestone=milestone, keep=keep)
            try:
                new = train_network(fixed, data, trainee, out=folder, watch=watch, rank=team.rank)
            finally:
                if not team.rank:
                    home.push()
    if pairs is not None and not team.rank:
        # the checkpoints that were saved without scoring, or whose scoring was interrupted
        if not kept_steps(folder) and not (folder / FILE).is_file():
            raise fail("run-no-checkpoints", Place(str(folder)), {})
        for step in unscored_steps(folder):
            model = load_model(str(milestone_folder(folder, step)), device=str(where))
            score_milestone(step, model, pairs, run=folder, unigrams=trainee.unigrams)
            home.push()
            events.on_scored_later(step)
    return TrainingRun(folder, fixed, new, team.rank)


def _corpus(
    corpus: str | Path | Corpus, tokenizer: str | None, bos: Bos | None, *, out: Path, alone: bool, events: RunEvents
) -> Corpus:
    """Open the corpus at a path, or build one from text there, next to the runs, where the next run finds it."""
    if isinstance(corpus, Corpus):
        return corpus
    path = fetched(corpus)
    if (path / NAME).is_file():
        return open_corpus(path, tokenizer=tokenizer, bos=bos)
    if tokenizer is None or not alone:  # several processes would build it at the same time
        raise fail("corpus-or-tokenizer" if path.exists() else "corpus-missing", Place(str(path)), {})
    rule = bos or "line"
    folder = out / f"corpus-{path.resolve().name}-{Path(tokenizer).name}-{rule}"
    built = build_corpus(path, load_tokenizer(tokenizer), out=folder, bos=rule, on_progress=events.on_corpus)
    events.on_corpus_built(built)
    return built


def open_corpus(folder: Path, *, tokenizer: str | None = None, bos: Bos | None = None) -> Corpus:
    """Read the corpus in a folder; a tokenizer or a rule for BOS that it was not made with is refused."""
    corpus = read_corpus(folder)
    if bos is not None and bos != corpus.bos:
        raise fail("corpus-bos", Place(str(folder)), {"own": corpus.bos, "asked": bos})
    if tokenizer is not None:
        load_fitting(tokenizer, corpus)
    return corpus


def _validation_rows(run: Path, tokens: int | str | None, corpus: Corpus, recipe: RunRecipe) -> int:
    """Return how many rows to measure the validation loss on; a run that resumes measures it as before."""
    there = row_count(corpus, context=recipe.context, part="validation")
    number = token_count(tokens) if isinstance(tokens, str) and tokens != "all" else tokens
    if isinstance(number, int) and number < recipe.context:
        raise fail("recipe-number", Place(part="validation_tokens"), {"value": number, "least": recipe.context})
    asked = there if number == "all" else min(there, int(number or VALIDATION) // recipe.context or 1)
    stored = validation_rows(run)
    if stored is None:
        return asked
    stored = min(stored, there)
    if number is not None and asked != stored:
        raise fail("run-validation", Place(str(run)), {"stored": stored, "asked": asked})
    return stored


def make_data(corpus: Corpus, recipe: RunRecipe, *, validation: int = sys.maxsize) -> Data:
    """Return the rows that a recipe takes from a corpus, and up to `validation` of those held out.

    A shard that was changed is an error.
    """
    verify_corpus(corpus, tokens=recipe.tokens)
    train = rows(corpus, tokens=recipe.tokens if recipe.tokens != corpus.tokens else None, context=recipe.context)
    held_out = rows(corpus, context=recipe.context, part="validation")
    sample = held_out[validation_sample(len(held_out), count=validation)]
    part = corpus.validation
    rate = part.tokens / part.characters if part.characters else float("nan")
    return Data(train, sample, rate, held_out=len(held_out), about=_about(corpus))


def _about(corpus: Corpus) -> str:
    """Describe a corpus for a model card: its texts by name and hash, never by path."""
    part = corpus.train
    files = "".join(f"- `{name}`, sha256 `{digest}`\n" for name, digest in sorted(corpus.sources.items())[:100])
    more = f"- and {len(corpus.sources) - 100:,} other files\n" if len(corpus.sources) > 100 else ""
    return (
        f"{part.documents:,} documents with {part.characters:,} characters, deduplicated and shuffled; {part.tokens:,}"
        f" tokens of\na vocabulary of {corpus.vocabulary:,}. {corpus.validation.documents:,} other documents are held"
        f" out. The texts:\n\n{files}{more}\n"
    )


def make_trainee(recipe: RunRecipe, corpus: Corpus, data: Data, *, device: torch.device) -> Trainee:
    """Return the network of a recipe, with the tokenizer of the corpus and the unigrams of the rows it learns from."""
    folder = corpus.folder / TOKENIZER
    if not folder.is_dir():  # otherwise transformers would look for the path on the hub
        raise fail("corpus-broken", Place(str(folder)), {"reason": os.strerror(errno.ENOENT)})
    tokenizer = load_fitting(folder, corpus)
    unigrams = count_rows_unigrams(
        data.train, vocabulary=corpus.vocabulary, tokenizer_hash=corpus.tokenizer, leave_out=corpus.bos_id
    )
    if recipe.size == LSTM:
        return make_lstm(recipe, tokenizer, unigrams, bos=corpus.bos_id, device=device)
    if declared_kind(tokenizer) == "jieba":
        raise fail("jieba-needs-lstm", Place(str(corpus.folder)), {"size": recipe.size})
    return make_neox(recipe, tokenizer, unigrams, bos=corpus.bos_id, device=device)


def load_fitting(name: str | Path, corpus: Corpus) -> PreTrainedTokenizerBase:
    """Load a tokenizer; one that the corpus was not encoded with would spell another text, so it is refused."""
    tokenizer = load_tokenizer(name)
    vocabulary = tokenizer_hash(tokenizer)
    if vocabulary != corpus.tokenizer:
        values = {"own": vocabulary[:12], "wanted": corpus.tokenizer[:12], "corpus": str(corpus.folder)}
        raise fail("corpus-tokenizer", Place(str(name)), values)
    return tokenizer


def usable(name: str) -> torch.device:
    """Return the device of that name; one that cannot be used is an error with the reason."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:  # torch without CUDA raises the second
        raise fail("device-unusable", Place(), {"device": name, "reason": first_line(error)}) from error
    return device


@contextmanager
def enough_memory(recipe: RunRecipe) -> Iterator[None]:
    """Turn a device's lack of memory into an error that says what to do."""
    try:
        yield
    except torch.cuda.OutOfMemoryError as error:
        values = {"size": recipe.size, "rows": recipe.micro_batch, "reason": first_line(error)}
        raise fail("device-memory", Place(), values) from error


def score_milestone(step: int, model: Model, pairs: Pairs, *, run: Path, unigrams: Unigrams) -> list[Milestone]:
    """Score a checkpoint and enter its accuracies in the run's tables; paradigms already scored are skipped."""
    from bidui.scores.run import read_totals, run_scoring  # tables need polars, which training does not

    folder = milestone_folder(run / SCORES, step)
    run_scoring(pairs, model, out=folder, force=True)  # scores of other weights are from before a resumption
    write_file(folder / UNIGRAMS, write_unigrams(unigrams))
    _, totals = read_totals(folder, unigrams=folder / UNIGRAMS)
    both = totals.totals()
    assert both.unigram is not None
    good, bad = (Totals(both.logprob[n::2], both.length[n::2], both.unigram[n::2]) for n in range(2))
    milestones = milestone_accuracy(step, totals.uids.tolist(), totals.phenomena.tolist(), good=good, bad=bad)
    write_milestones(run, milestones)
    write_alphas(run, alpha_counts(step, good=good, bad=bad))
    return milestones


def check_pairs(run: Path, pairs: Pairs) -> None:
    """Refuse pairs other than those of the run's table, whose accuracies would be taken for accuracies on these.

    They are compared by the hashes of stored scores, or else by the number of pairs of each paradigm.
    """
    from bidui.scores.run import pairs_hash
    from bidui.scores.table import MANIFEST as SCORES_MANIFEST
    from bidui.scores.table import read_manifest

    if not len(pairs):
        raise fail("run-without-pairs", Place(str(run)), {})
    if not (run / FILE).is_file():
        return
    by_uid = pairs.by_uid()
    counts = {(uid, len(paradigm)) for uid, paradigm in by_uid.items()}
    hashes = {uid: pairs_hash(paradigm) for uid, paradigm in by_uid.items()}
    others: set[str] = set()
    for _, table in groupby(read_milestones(run), key=lambda milestone: milestone.step):
        others |= {uid for uid, _ in counts ^ {(milestone.uid, milestone.pairs) for milestone in table}}
    for file in (run / SCORES).glob(f"*/{SCORES_MANIFEST}"):
        others |= {uid for uid, shard in read_manifest(file.parent).shards.items() if shard.pairs != hashes.get(uid)}
    if others:
        values = {"uid": min(others), "count": len(others)}
        raise OutputRefused(str(Problem("run-of-other-pairs", Place(str(run / FILE)), values)))


def kept_steps(run: Path) -> list[int]:
    """Return the steps whose checkpoints are there, in order."""
    steps = (path.parent.name.removeprefix("step-") for path in run.glob(f"step-*/{MANIFEST}"))
    return sorted(int(step) for step in steps if step.isdigit())


def unscored_steps(run: Path) -> list[int]:
    """Return the steps whose checkpoints are there without accuracies."""
    done = {milestone.step for milestone in read_milestones(run)} if (run / FILE).is_file() else set()
    return [step for step in kept_steps(run) if step not in done]
