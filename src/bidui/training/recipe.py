"""Recipes: everything that decides what a training run learns, as one value that is stored, compared and refused."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.training.sizes import CONTEXT, LSTM, check_size

Mode = Literal["eager", "compiled", "captured"]
Precision = Literal["float32", "bfloat16"]


@dataclass(frozen=True, slots=True)
class Optimizer:
    """AdamW with its schedule and the initial weights, under the name of the one it imitates.

    The papers do not say which they used. `hf` is what the Trainer of transformers does unless told otherwise, and
    "warm-up ratio" is its word; `pythia` is what Pythia was trained with.
    """

    name: str
    betas: tuple[float, float]
    decay: float  # of matrices and embeddings; never of norms and biases
    final: float  # the last learning rate, as a part of the peak
    init: Literal["normal", "small"]  # N(0, 0.02), or Pythia's small_init and wang_init
    first: Literal["zero", "one"]  # the first step has the learning rate of warm-up step 0, or of step 1
    epsilon: float = 1e-8
    clip: float = 1.0


OPTIMIZERS = {
    "hf": Optimizer("hf", (0.9, 0.999), decay=0.0, final=0.0, init="normal", first="zero"),
    "pythia": Optimizer("pythia", (0.9, 0.95), decay=0.1, final=0.1, init="small", first="one"),
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """One training run. Two runs of the same recipe on the same kind of machine give the same model."""

    size: str  # a name in SIZES, or lstm
    corpus: str  # its hash
    tokenizer: str  # its hash
    vocabulary: int
    bos: str
    tokens: int  # of the corpus, from its beginning; what fills no whole step is left out
    seed: int = 0
    optimizer: str = "hf"
    epochs: int = 1
    batch: int = 256  # rows a step
    context: int = CONTEXT  # tokens a row
    peak: float = 6e-4
    warmup: float = 0.1  # of all steps
    milestones: str = "decades"
    micro_batch: int = 256  # rows at a time; the mean over a step does not depend on it, its last bits do
    precision: Precision = "float32"
    mode: Mode = "eager"
    deterministic: bool = False
    world: int = 1  # processes

    def __post_init__(self) -> None:
        check_size(self.size)
        for name in ("tokens", "epochs", "batch", "context", "micro_batch", "world", "vocabulary"):
            if getattr(self, name) < 1:
                raise fail("recipe-number", Place(part=name), {"value": getattr(self, name), "least": 1})
        if self.context < 2:
            raise fail("recipe-number", Place(part="context"), {"value": self.context, "least": 2})
        if not self.peak > 0 or not 0 <= self.warmup < 1:
            raise fail("recipe-rate", Place(), {"peak": self.peak, "warmup": self.warmup})
        if self.optimizer not in OPTIMIZERS:
            raise fail("recipe-optimizer", Place(), {"value": self.optimizer, "known": list(OPTIMIZERS)})
        for name, kind in (("mode", Mode), ("precision", Precision)):
            if getattr(self, name) not in get_args(kind):
                raise fail("recipe-choice", Place(part=name), {"value": getattr(self, name), "known": get_args(kind)})
        if self.size == LSTM and (self.mode, self.precision) != ("eager", "float32"):
            # Dropout draws anew in every step, which a graph does not, and autocast may take fp16 for its layers.
            raise fail("recipe-lstm", Place(), {"mode": self.mode, "precision": self.precision})
        if not 0 <= self.seed < 2**32:
            raise fail("recipe-seed", Place(part="seed"), {"value": self.seed})
        if self.batch % (self.micro_batch * self.world):
            raise fail("recipe-batch", Place(), {n: getattr(self, n) for n in ("batch", "micro_batch", "world")})

    @property
    def hash(self) -> str:
        """The same for equal recipes, on every machine."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def recipe_from(found: Mapping[str, object], *, place: Place) -> Recipe:
    """The recipe that was stored; fields that are missing or unknown are an error."""
    names = {field.name for field in fields(Recipe)}
    if found.keys() != names:
        raise fail("recipe-fields", place, {"fields": sorted(found.keys() ^ names)})
    return Recipe(**found)  # type: ignore[arg-type]


# Learning rates and milestones, as functions of the step.


def learning_rates(recipe: Recipe, *, steps: int) -> NDArray[np.float64]:
    """The learning rate of every step: linear warm-up, then a cosine down to the last value.

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
    """The steps after which a checkpoint is kept; 0 and the last are always among them.

    `decades` is 1 to 9, 10 to 90, 100 to 900 and so on: 46 below the 183,105 steps of three billion tokens, as many as
    the paper had checkpoints. `geometric:47` is so many steps at equal ratios; `last` keeps only the two ends.
    """
    name, _, number = rule.partition(":")
    if name == "decades" and not number:
        inner = {d * 10**e for e in range(len(str(steps))) for d in range(1, 10)}
    elif name == "geometric" and number.isdigit() and int(number) > 1:
        inner = {round(value) for value in np.geomspace(1, steps, int(number))}
    elif rule == "last":
        inner = set()
    else:
        raise fail("milestones-unknown", Place(), {"value": rule})
    return tuple(sorted({0, steps} | {step for step in inner if step < steps}))


# The order of rows: a pure function of their number, the seed and the step, so that there is no loader to resume.


def steps_of(rows: int, *, batch: int, epochs: int = 1) -> int:
    """How many steps there are; rows that fill no whole step are left out of each epoch."""
    return rows // batch * epochs


def epoch_order(rows: int, *, seed: int, epoch: int) -> NDArray[np.int64]:
    """All rows, shuffled anew in every epoch.

    RandomState, since numpy promises that its streams never change (NEP 19), and promises nothing of the newer ones.
    """
    found: NDArray[np.int64] = np.random.RandomState([seed, epoch]).permutation(rows)
    return found


def rows_of(order: NDArray[np.int64], step: int, *, batch: int, rank: int = 0, world: int = 1) -> NDArray[np.int64]:
    """The rows of a step of an epoch, or one process's part of them: the data do not depend on how many there are."""
    part = batch // world
    start = step * batch + rank * part
    return order[start : start + part]
