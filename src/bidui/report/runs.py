"""Training runs: what they got right at their checkpoints, as read from their folders, and series of them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from bidui.analysis.baselines import SLING_BASELINES
from bidui.analysis.length_bias import Sweep
from bidui.errors import Place, Problem, fail
from bidui.report.tables import NOTHING, short_count
from bidui.scores.alphas import AlphaCount, read_alphas
from bidui.scores.links import Floats
from bidui.scores.milestones import FILE, Milestone, read_milestones

# What makes two runs differ in what they learnt, besides the seed; the rest of a recipe says how it was computed.
DATA = ("corpus", "tokenizer", "bos", "tokens", "epochs", "context")
LEARNT = ("size", *DATA, "optimizer", "batch", "peak", "warmup")


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A run with what it got right at its checkpoints: of each linking function a row a checkpoint, a column a uid."""

    name: str
    recipe: Mapping[str, object]  # those parts of it that decide what is learnt
    seed: int
    parameters: int
    steps: int  # that it is to make
    tokens_per_step: int
    at: tuple[int, ...] = ()  # the steps of its checkpoints
    uids: tuple[str, ...] = ()
    phenomena: tuple[str, ...] = ()
    pairs: Floats = field(default_factory=lambda: np.zeros(0))
    right: Mapping[str, Floats] = field(default_factory=dict)
    alphas: Sweep | None = None  # of the last checkpoint, where it was counted

    @property
    def finished(self) -> bool:
        """Whether the last checkpoint is at the last step."""
        return self.at[-1] >= self.steps

    @property
    def label(self) -> str:
        """Its name; with how far it has come, where it is not finished."""
        return self.name if self.finished else f"{self.name} ({self.at[-1]:,}/{self.steps:,})"

    @property
    def tokens(self) -> Floats:
        """Seen at each checkpoint."""
        return np.array(self.at, np.float64) * self.tokens_per_step

    @property
    def size(self) -> str:
        """As it is called, or else its parameters."""
        return str(self.recipe.get("size") or short_count(self.parameters))

    @property
    def budget(self) -> int:
        """The tokens it is to see."""
        return self.steps * self.tokens_per_step


@dataclass(frozen=True, slots=True)
class Series:
    """Runs that differ in nothing but their seed."""

    name: str
    data: str  # what it was trained on, as it is called; the same for other sizes that were
    runs: tuple[TrainingRun, ...]

    @property
    def size(self) -> str:
        """Of its models, which are all of one."""
        return self.runs[0].size

    @property
    def parameters(self) -> int:
        """Likewise."""
        return self.runs[0].parameters


def read_run(folder: Path, *, name: str) -> TrainingRun | Problem:
    """The run in a folder; or, if its facts are not known, why it is left out."""
    try:
        recipe = json.loads((folder / "recipe.json").read_text(encoding="utf-8"))
        facts = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        parameters, steps, tokens = (int(facts[name]) for name in ("parameters", "steps", "tokens_per_step"))
        learnt, seed = {name: recipe[name] for name in LEARNT if name in recipe}, int(recipe["seed"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        return Problem("run-facts", Place(str(folder)), {"reason": str(error)}, "warning")
    baselines = set(SLING_BASELINES.values())  # they have no place in an average
    milestones = [milestone for milestone in read_milestones(folder) if milestone.uid not in baselines]
    if not milestones:
        return Problem("run-no-milestones", Place(str(folder)), {}, "warning")
    run = _with_checkpoints(TrainingRun(name, learnt, seed, parameters, steps, tokens), milestones, folder)
    return replace(run, alphas=_sweep([count for count in read_alphas(folder) if count.step == run.at[-1]]))


def series_of(runs: Iterable[TrainingRun]) -> tuple[Series, ...]:
    """The runs by what they share; where two series or data would be called alike, with the name of a run."""
    found: dict[str, list[TrainingRun]] = {}
    data: dict[str, tuple[str, str]] = {}
    for run in runs:
        found.setdefault(_key(run, LEARNT), []).append(run)
        data.setdefault(_key(run, DATA), (_data(run), run.name))
    corpora = _distinct(data)
    names = _distinct({key: (f"{run.size}, {corpora[_key(run, DATA)]}", run.name) for key, (run, *_) in found.items()})
    return tuple(Series(names[key], corpora[_key(own[0], DATA)], tuple(own)) for key, own in found.items())


def _key(run: TrainingRun, fields: Sequence[str]) -> str:
    return json.dumps([run.recipe.get(name) for name in fields])


def _data(run: TrainingRun) -> str:
    """The training data of a run, and how many times it went through them, if more than once."""
    epochs = run.recipe.get("epochs", 1)
    tokens = short_count(float(str(run.recipe.get("tokens") or run.budget)))
    return tokens if epochs == 1 else f"{epochs}×{tokens}"


def _distinct(labels: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Labels by key; those that are not the only ones of their kind with what tells them apart."""
    texts = [text for text, _ in labels.values()]
    return {key: text if texts.count(text) == 1 else f"{text} ({apart})" for key, (text, apart) in labels.items()}


def _sweep(counts: Sequence[AlphaCount]) -> Sweep | None:
    """What was counted at every alpha, as accuracies."""
    if not counts:
        return None
    pairs, right = np.array([count.pairs for count in counts], np.float64), np.array([count.right for count in counts])
    with np.errstate(invalid="ignore"):  # a group without pairs has no accuracy
        groups = (right / pairs).T
    return Sweep(tuple((count.alpha,) for count in counts), right.sum(axis=1) / pairs.sum(axis=1), *groups)


def _with_checkpoints(run: TrainingRun, milestones: Sequence[Milestone], folder: Path) -> TrainingRun:
    """A run with its checkpoints; each must have the same paradigms and as many pairs."""
    by_step: dict[int, list[Milestone]] = {}
    for milestone in milestones:
        by_step.setdefault(milestone.step, []).append(milestone)
    steps = sorted(by_step)
    paradigms = [(m.uid, m.phenomenon, m.pairs) for m in by_step[steps[0]]]
    for step in steps:
        if [(m.uid, m.phenomenon, m.pairs) for m in by_step[step]] != paradigms:
            raise fail("run-uneven", Place(str(folder / FILE)), {"first": steps[0], "step": step})
    links = [link for link in milestones[0].right if all(link in m.right for m in milestones)]
    uids, phenomena, pairs = zip(*paradigms, strict=True)
    right = {link: np.array([[m.right[link] for m in by_step[step]] for step in steps]) for link in links}
    return replace(
        run,
        at=tuple(steps),
        uids=uids,
        phenomena=tuple(phenomenon or NOTHING for phenomenon in phenomena),
        pairs=np.array(pairs, np.float64),
        right=right,
    )
