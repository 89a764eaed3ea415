"""Recipes: what a training run learns from and how, its learning rates, its milestones and the order of its rows.

`Recipe` is what a user decides. Together with a corpus and a device it gives a `RunRecipe`, which holds everything that
decides what the run learns: it is stored in the run's folder, and a run with another one is refused there.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.files import sha256
from bidui.training.sizes import CONTEXT, LSTM, check_size

if TYPE_CHECKING:
    from bidui.training.corpus import Corpus

Mode = Literal["eager", "compiled", "captured"]
Precision = Literal["float32", "bfloat16"]
VALIDATION = 32_768  # held-out tokens on which the loss is measured at each milestone, unless told otherwise
VALIDATION_SEED = 0  # of the draw of these; not the run's own, so that runs can be compared
USUAL_PEAK = 6e-4  # the highest learning rate, as in the paper
ROWS_ON_CPU = 32  # per forward pass: with more, the logits no longer stay in the cache


@dataclass(frozen=True, slots=True)
class Optimizer:
    """AdamW with its schedule and the initial weights, under the name of the training that it imitates.

    The papers do not say which they used. `hf` is what the Trainer of transformers does by default, and "warm-up ratio"
    is its term; `pythia` is what Pythia was trained with.
    """

    name: str
    betas: tuple[float, float]
    decay: float  # of matrices and embeddings; never of norms and biases
    final: float  # the last learning rate, as a fraction of the peak
    init: Literal["normal", "small"]  # N(0, 0.02), or Pythia's small_init and wang_init
    first: Literal["zero", "one"]  # the first step has the learning rate of warm-up step 0, or of step 1
    epsilon: float = 1e-8
    clip: float = 1.0


OPTIMIZERS = {
    "hf": Optimizer("hf", (0.9, 0.999), decay=0.0, final=0.0, init="normal", first="zero"),
    "pythia": Optimizer("pythia", (0.9, 0.95), decay=0.1, final=0.1, init="small", first="one"),
}


@dataclass(frozen=True, slots=True)
class RunRecipe:
    """Everything that decides what a run learns. Two runs of one recipe on one kind of machine give the same model."""

    size: str  # a name in SIZES, or lstm
    corpus: str  # its hash
    tokenizer: str  # its hash
    vocabulary: int
    bos: str
    tokens: int  # from the beginning of the corpus; tokens that do not fill a whole step are left out
    seed: int = 0
    optimizer: str = "hf"
    epochs: int = 1
    batch: int = 256  # rows per step
    context: int = CONTEXT  # tokens per row
    peak: float = USUAL_PEAK
    warmup: float = 0.1  # fraction of all steps
    milestones: str = "decades"
    micro_batch: int = 256  # rows per forward pass; the mean over a step does not depend on it, its last bits do
    precision: Precision = "float32"
    mode: Mode = "eager"
    deterministic: bool = False
    world: int = 1  # number of processes

    def __post_init__(self) -> None:
        check_size(self.size)
        for name in ("tokens", "epochs", "batch", "context", "micro_batch", "world", "vocabulary"):
            if getattr(self, name) < 1:
                raise fail("recipe-number", Place(part=name), {"value": getattr(self, name), "least": 1})
        if self.context < 2:
            raise fail("recipe-number", Place(part="context"), {"value": self.context, "least": 2})
        if not 0 < self.peak < 1e38 or not 0 <= self.warmup < 1:  # fp32 has no greater numbers
            raise fail("recipe-rate", Place(), {"peak": self.peak, "warmup": self.warmup})
        if self.optimizer not in OPTIMIZERS:
            raise fail("recipe-optimizer", Place(), {"value": self.optimizer, "known": list(OPTIMIZERS)})
        for name, kind in (("mode", Mode), ("precision", Precision)):
            if getattr(self, name) not in get_args(kind):
                raise fail("recipe-choice", Place(part=name), {"value": getattr(self, name), "known": get_args(kind)})
        if self.size == LSTM and (self.mode, self.precision) != ("eager", "float32"):
            # Dropout draws new numbers in every step, which a graph does not, and autocast may use fp16 for its layers.
            raise fail("recipe-lstm", Place(), {"mode": self.mode, "precision": self.precision})
        if not 0 <= self.seed < 2**32:
            raise fail("recipe-seed", Place(part="seed"), {"value": self.seed})
        if self.batch % (self.micro_batch * self.world):
            raise fail("recipe-batch", Place(), {n: getattr(self, n) for n in ("batch", "micro_batch", "world")})

    @property
    def hash(self) -> str:
        """A hash that is the same for equal recipes on every machine."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode())


def recipe_from(values: Mapping[str, object], *, place: Place) -> RunRecipe:
    """Return the recipe that was stored; fields that are missing or unknown are an error."""
    names = {field.name for field in fields(RunRecipe)}
    if values.keys() != names:
        raise fail("recipe-fields", place, {"fields": sorted(values.keys() ^ names)})
    return RunRecipe(**values)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to train: a size, how much of the corpus, and the settings, which by default are the paper's.

        Recipe("14m", tokens="10M", seed=1)

    Without `micro_batch`, `precision` and `mode`, they are chosen for the device: on a GPU bf16, compiled and captured;
    on one that cannot compile, because it is older than Ampere or Triton is missing, fp32 and eager. Runs are the same
    bit by bit only if `deterministic`, which on a GPU is eager and slower. An LSTM is always eager, in fp32.
    """

    size: str  # 14m, 70m, 160m, 410m, 1.4b or lstm
    tokens: int | str | None = None  # from the beginning of the corpus: 500000, "10M", "3B"; None is all
    seed: int = 0  # of the initial weights and of the order of rows
    optimizer: str = "hf"  # or pythia
    epochs: int = 1
    batch: int = 256  # rows per step
    context: int = CONTEXT  # tokens per row
    peak: float = USUAL_PEAK  # the highest learning rate
    warmup: float = 0.1  # fraction of all steps in which the learning rate rises
    milestones: str = "decades"  # when checkpoints are saved: decades, geometric:47 or last
    micro_batch: int | None = None  # rows per forward pass
    precision: Precision | None = None
    mode: Mode | None = None
    deterministic: bool = False

    def __post_init__(self) -> None:
        check_size(self.size)
        if isinstance(self.tokens, str):
            object.__setattr__(self, "tokens", token_count(self.tokens))

    @property
    def name(self) -> str:
        """The name of the run's folder: 14m-10M-0."""
        return f"{self.size}-{'all' if self.tokens is None else short_count(int(self.tokens))}-{self.seed}"

    def on(self, corpus: "Corpus", *, gpu: bool = False, compiles: bool = True, world: int = 1) -> RunRecipe:
        """Return the recipe of a run on a corpus, by `world` processes, with what suits the device.

        `compiles` says whether torch compiles a step in bf16 for the GPU.
        """
        quick = gpu and compiles and self.size != LSTM
        fast: Mode = "captured" if world == 1 else "compiled"
        rows = self.batch // world
        most = min(rows, rows if gpu else ROWS_ON_CPU)
        even = next((part for part in range(most, 0, -1) if rows % part == 0), 1)
        values = asdict(self) | {
            "tokens": corpus.tokens if self.tokens is None else self.tokens,
            "micro_batch": even if self.micro_batch is None else self.micro_batch,
            "precision": self.precision or ("bfloat16" if quick else "float32"),
            "mode": self.mode or ("eager" if self.deterministic or not quick else fast),
        }
        source = {"tokenizer": corpus.tokenizer, "vocabulary": corpus.vocabulary, "bos": corpus.bos}
        return RunRecipe(corpus=corpus.hash, world=world, **source, **values)  # type: ignore[arg-type]


def token_count(text: str) -> int:
    """Parse a number of tokens: 500000, 10M, 1.5B."""
    factor = {"K": 10**3, "M": 10**6, "B": 10**9}.get(text[-1:].upper(), 1)
    try:
        number = float(text[:-1] if factor > 1 else text) * factor
        if not 1 <= number < 1e15:
            raise ValueError
        return round(number)
    except ValueError as error:
        raise fail("tokens-text", Place(), {"value": text}) from error


def short_count(number: int) -> str:
    """Write a number of tokens as 10M or 3B, or in digits where these would not be exact."""
    for unit, letter in ((10**9, "B"), (10**6, "M")):
        if number and number % unit == 0:
            return f"{number // unit}{letter}"
    return str(number)


# Learning rates, milestones and the order of rows: pure functions of the step, so that a run resumes anywhere.


def learning_rates(recipe: RunRecipe, *, steps: int) -> NDArray[np.float64]:
    """Return the learning rate of every step: linear warm-up, then a cosine down to the last value.

    Recipe `hf` takes its first step with 0, as the Trainer does, so that its checkpoint 1 is the initial model;
    `pythia` takes it with the first part of the warm-up.
    """
    optimizer = OPTIMIZERS[recipe.optimizer]
    warm = math.ceil(recipe.warmup * steps)
    step = np.arange(steps) + (optimizer.first == "one")
    rising = step / max(1, warm)
    falling = np.cos(np.pi * np.clip((step - warm) / max(1, steps - warm), 0, 1))
    return recipe.peak * np.where(step < warm, rising, optimizer.final + (1 - optimizer.final) * (1 + falling) / 2)


def milestone_steps(rule: str, *, steps: int) -> tuple[int, ...]:
    """Return the steps after which a checkpoint is saved; 0 and the last are always among them.

    `decades` is 1 to 9, 10 to 90, 100 to 900 and so on: 46 below the 183,105 steps of three billion tokens, as many
    checkpoints as the paper had. `geometric:47` is 47 checkpoints in all: 0, 1, and others up to the last, at ratios as
    equal as whole numbers allow; a run of fewer steps has one after every step. `last` has only the two ends.
    """
    name, _, number = rule.partition(":")
    if name == "decades" and not number:
        inner = {d * 10**e for e in range(len(str(steps))) for d in range(1, 10)}
    elif name == "geometric" and number.isdigit() and int(number) > 1:
        inner = set(_geometric(steps, count=min(int(number) - 1, steps)))
    elif rule == "last":
        inner = set()
    else:
        raise fail("milestones-unknown", Place(), {"value": rule})
    return tuple(sorted({0, steps} | {step for step in inner if step < steps}))


def _geometric(last: int, *, count: int) -> list[int]:
    """Return `count` different whole numbers up to `last`, at equal ratios where these are more than 1 apart."""
    values = [1.0]
    while len(values) < count:
        ratio = (last / values[-1]) ** (1 / (count - len(values)))
        values.append(max(values[-1] * ratio, values[-1] + 1))
    return [*(math.floor(value + 0.5) for value in values[: count - 1]), last]


def validation_sample(rows: int, *, count: int) -> NDArray[np.int64]:
    """Return the numbers of `count` held-out rows, or of all if there are fewer: the same in every run on a corpus."""
    sample: NDArray[np.int64] = np.sort(np.random.RandomState(VALIDATION_SEED).permutation(rows)[:count])
    return sample


def steps_of(rows: int, *, batch: int, epochs: int = 1) -> int:
    """Return the number of steps; rows that do not fill a whole step are left out of each epoch."""
    return rows // batch * epochs


def epoch_order(rows: int, *, seed: int, epoch: int) -> NDArray[np.int64]:
    """Return the numbers of all rows, in a different order in every epoch.

    The generator is RandomState because numpy promises that its streams never change (NEP 19); the newer ones may.
    """
    order: NDArray[np.int64] = np.random.RandomState([seed, epoch]).permutation(rows)
    return order


def rows_of(order: NDArray[np.int64], step: int, *, batch: int, rank: int = 0, world: int = 1) -> NDArray[np.int64]:
    """Return the rows of a step of an epoch, or the part of one process: together they are the same for any number."""
    part = batch // world
    start = step * batch + rank * part
    return order[start : start + part]
