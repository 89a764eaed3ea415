"""Suites of training runs as data: those of the paper (Zh-Pythia) or of a file (`suite_file`), and what they cost."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from heapq import heapreplace
from pathlib import Path
from typing import Literal

from bidui.errors import InputError, Place, fail
from bidui.training.recipe import VALIDATION, Recipe, RunRecipe, milestone_steps, short_count, steps_of, token_count
from bidui.training.sizes import SIZES

PAPER_SIZES = ("14m", "70m", "160m", "410m", "1.4b")  # listed here, so that a new entry of SIZES adds no run
SEEDS = (0, 1, 2)  # the paper says only that there were three
TOKENS = (10_000_000, 100_000_000, 1_000_000_000, 3_000_000_000)  # Table 3
VOCABULARIES = {"cllama": 49_953, "word": 20_276, "char": 12_142}  # Table 4
CLLAMA = "0cff10f34de997ce46f2d4ba7dd6b41bc34805dfff7909539defa1a68d9d537c"  # the hash of its vocabulary
PAIRS = 300  # per paradigm
USUAL = Recipe("14m")  # its settings are those of every suite that does not say otherwise

# Tokens per second on one H200 with the vocabulary of cllama, as measured: see docs/benchmarks.md.
H200 = {"14m": 4.3e6, "70m": 1.49e6, "160m": 0.6e6, "410m": 0.23e6, "1.4b": 0.0716e6}
FLOAT32 = 4  # bytes
SCORES = 6_100_000  # bytes of the token scores of 35,400 pairs with one token per character, as measured


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """One run of a suite: a size, a tokenizer, a number of tokens and a seed."""

    size: str
    tokenizer: str
    tokens: int
    seed: int

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            raise fail("size-unknown", Place(), {"value": self.size, "known": list(SIZES)})

    @property
    def name(self) -> str:
        """The name of its folder: 160m-3B-char-0."""
        return f"{self.size}-{self.tokens_name}-{self.tokenizer}-{self.seed}"

    @property
    def tokens_name(self) -> str:
        """The number of tokens as names and tables write it: 10M, 3B."""
        return short_count(self.tokens)


@dataclass(frozen=True, slots=True)
class SuiteTokenizer:
    """A tokenizer of a suite: how a corpus is recognized as its corpus, and how it is made if there is none."""

    kind: Literal["char", "word"] | None = None  # of its tokens; it can be trained
    least: int = 8  # how often a character must occur, in training
    size: int | None = None  # of the vocabulary of words, in training
    source: str | None = None  # instead of a kind: a folder, a hub name or a sentencepiece file
    vocabulary: int | None = None  # the number of entries that it must have
    hash: str | None = None  # of the vocabulary that it must have
    corpus: Path | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """Runs, the tokenizers that they name, and the settings that they share."""

    runs: tuple[SuiteRun, ...]
    tokenizers: Mapping[str, SuiteTokenizer]
    settings: Mapping[str, int | float | str] = field(default_factory=dict)  # fields of `Recipe`
    keep: Literal["all", "last"] = "all"
    score: str | None = None  # pairs, as in `bidui score`
    n: int = PAIRS  # pairs per paradigm that are generated
    text: Path | None = None  # to train tokenizers on and to build corpora from
    speed: Mapping[str, float] = field(default_factory=dict)  # tokens per second by size; others are those of an H200
    description: str = ""


# The tokenizers `word` and `char` of the paper depend on its text and are not published, so only their kind is checked.
PAPER_TOKENIZERS = {
    "cllama": SuiteTokenizer(vocabulary=VOCABULARIES["cllama"], hash=CLLAMA),
    "word": SuiteTokenizer("word"),
    "char": SuiteTokenizer("char"),
}


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run and its costs."""

    run: SuiteRun
    vocabulary: int
    parameters: int
    body: int  # of the parameters: without embedding and head
    steps: int
    warmup: int  # of the steps
    tokens: int  # in whole steps; the rest of the corpus is left out
    milestones: int  # including step 0 and the last
    validation: int  # held-out tokens that are read at all milestones together
    flops: int  # 6 N per token of training and 2 N per held-out token, with all parameters
    weights: int  # bytes of all milestones, in fp32
    scores: int  # bytes of the token scores at all milestones
    hours: float


@dataclass(frozen=True, slots=True)
class Totals:
    """The costs of several runs together."""

    runs: int
    steps: int
    tokens: int
    milestones: int
    validation: int
    flops: int
    weights: int
    scores: int
    hours: float


def zh_pythia(*, seeds: Sequence[int] = SEEDS) -> tuple[SuiteRun, ...]:
    """Return the 66 runs of section 3 of the paper; with other seeds, 22 for each.

    Five sizes on four corpora with the tokenizer of Chinese-LLaMA, and 160M on the largest with two others.
    """
    main = [("cllama", size, tokens) for size in PAPER_SIZES for tokens in TOKENS]
    others = [(tokenizer, "160m", TOKENS[-1]) for tokenizer in ("word", "char")]
    return tuple(
        SuiteRun(size, tokenizer, tokens, seed) for tokenizer, size, tokens in (*main, *others) for seed in seeds
    )


def suite_of(runs: Suite | Iterable[SuiteRun]) -> Suite:
    """Return runs as a suite, with the tokenizers and the recipe of the paper."""
    return runs if isinstance(runs, Suite) else Suite(tuple(runs), PAPER_TOKENIZERS)


def choose_runs(
    runs: Sequence[SuiteRun],
    *,
    sizes: str | Collection[str] = (),
    tokens: int | str | Collection[int | str] = (),
    tokenizers: str | Collection[str] = (),
) -> tuple[SuiteRun, ...]:
    """Return the runs that match in size, tokens and tokenizer; nothing given matches all, and no match is an error."""
    sizes, tokenizers = ([names] if isinstance(names, str) else names for names in (sizes, tokenizers))
    tokens = [tokens] if isinstance(tokens, int | str) else tokens
    numbers = [token_count(number) if isinstance(number, str) else number for number in tokens]
    wanted: dict[str, Collection[str | int]] = {"size": sizes, "tokens": numbers, "tokenizer": tokenizers}
    for name, values in wanted.items():
        known = list(dict.fromkeys(getattr(run, name) for run in runs))
        for value in values:
            if value not in known:
                texts = [short_count(v) if isinstance(v, int) else v for v in (value, *known)]
                raise fail("suite-choice", Place(part=f"--{name}"), {"value": texts[0], "known": texts[1:]})
    chosen = tuple(r for r in runs if all(not v or getattr(r, name) in v for name, v in wanted.items()))
    if not chosen:
        raise fail("suite-nothing", Place(), {"count": len(runs)})
    return chosen


def parse_speeds(texts: Iterable[str], *, known: Mapping[str, float] = H200) -> dict[str, float]:
    """Return the tokens per second of every size: `14m=2.7M` sets one, `0.5x` scales all; others are as known."""
    speeds = dict(known)
    for text in texts:
        size, _, number = text.partition("=")
        try:
            if size in SIZES:
                speeds[size] = float(token_count(number))
            elif text.endswith("x"):
                speeds = {size: value * float(text[:-1]) for size, value in speeds.items()}
            else:
                raise ValueError
        except (ValueError, InputError) as error:
            raise fail("suite-speed", Place(part="--speed"), {"value": text}) from error
    return speeds


def plan_suite(
    runs: Suite | Iterable[SuiteRun],
    *,
    speed: Mapping[str, float] | Iterable[str] = (),
    vocabularies: Mapping[str, int] | None = None,
) -> tuple[PlannedRun, ...]:
    """Return the costs of each run, at `speed` tokens per second by size, or as `14m=2.7M` or `0.5x`.

    `vocabularies` are sizes by tokenizer, by default those that the suite states, or those of the paper. The speed is
    taken to be the same for all tokenizers; with a smaller vocabulary, runs take fewer hours than this.
    """
    suite = suite_of(runs)
    sizes = {**VOCABULARIES, **stated_vocabularies(suite), **(vocabularies or {})}
    known = {**H200, **suite.speed}
    speeds = {**known, **speed} if isinstance(speed, Mapping) else parse_speeds(speed, known=known)
    return tuple(_planned(run, suite, speed=speeds.get(run.size), vocabularies=sizes) for run in suite.runs)


def stated_vocabularies(suite: Suite) -> dict[str, int]:
    """Return the sizes of vocabularies that a suite states, and those of the paper for tokenizers of the same kind."""
    sizes = {
        name: one.vocabulary or one.size or VOCABULARIES.get(one.kind or "") for name, one in suite.tokenizers.items()
    }
    return {name: size for name, size in sizes.items() if size}


def suite_totals(planned: Sequence[PlannedRun]) -> Totals:
    """Return the sums over runs."""
    names = [field.name for field in fields(Totals) if field.name != "runs"]
    return Totals(len(planned), **{name: sum(getattr(run, name) for run in planned) for name in names})


def schedule_hours(planned: Sequence[PlannedRun], *, gpus: int) -> float:
    """Return the hours until all runs are trained on so many GPUs: one run per GPU, those that take longest first."""
    ends = [0.0] * max(1, min(gpus, len(planned)))
    for run in sorted(planned, key=lambda run: -run.hours):
        heapreplace(ends, ends[0] + run.hours)
    return max(ends)


def shared_recipe(suite: Suite, run: SuiteRun, *, vocabulary: int = 1) -> RunRecipe:
    """Return the recipe of a run, as far as the suite decides it."""
    settings: dict[str, object] = dict(suite.settings)
    settings["micro_batch"] = settings.get("batch", USUAL.batch)  # how a step is divided is not for the suite
    return RunRecipe(run.size, "", "", vocabulary, "", run.tokens, run.seed, **settings)  # type: ignore[arg-type]


def _planned(run: SuiteRun, suite: Suite, *, speed: float | None, vocabularies: Mapping[str, int]) -> PlannedRun:
    if run.tokenizer not in vocabularies:
        raise fail("suite-tokenizer", Place(), {"value": run.tokenizer, "known": list(vocabularies)})
    if speed is None:
        raise fail("suite-no-speed", Place(), {"size": run.size})
    if not speed > 0:
        raise fail("suite-speed", Place(), {"value": f"{run.size}={speed:g}"})
    size, vocabulary = SIZES[run.size], vocabularies[run.tokenizer]
    recipe = shared_recipe(suite, run, vocabulary=vocabulary)
    steps = steps_of(run.tokens // recipe.context, batch=recipe.batch, epochs=recipe.epochs)
    tokens = steps * recipe.batch * recipe.context
    parameters = size.parameters(vocabulary)
    milestones = len(milestone_steps(recipe.milestones, steps=steps))
    validation = milestones * max(1, VALIDATION // recipe.context) * recipe.context
    return PlannedRun(
        run=run,
        vocabulary=vocabulary,
        parameters=parameters,
        body=size.body,
        steps=steps,
        warmup=math.ceil(recipe.warmup * steps),
        tokens=tokens,
        milestones=milestones,
        validation=validation,
        flops=size.flops(vocabulary, tokens=tokens) + size.flops(vocabulary, tokens=validation) // 3,
        weights=(milestones if suite.keep == "all" else 1) * parameters * FLOAT32,
        scores=milestones * SCORES * suite.n // PAIRS,
        hours=(tokens + validation / 3) / speed / 3600,
    )
