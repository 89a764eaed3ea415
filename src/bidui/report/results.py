"""Results: what a folder holds, as values: models with their scores, and training runs with their milestones."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bidui.errors import Place, Problem, fail
from bidui.scores.links import Floats
from bidui.scores.milestones import FILE, Milestone, read_milestones
from bidui.scores.run import ScoreManifest, read_manifest, read_totals, score_folders
from bidui.scores.totals import PairTotals
from bidui.scores.unigrams import UNIGRAMS

# What makes two runs differ in what they learnt, besides the seed; the rest of a recipe says how it was computed.
LEARNT = ("size", "corpus", "tokenizer", "bos", "tokens", "optimizer", "epochs", "batch", "context", "peak", "warmup")


@dataclass(frozen=True, slots=True)
class ScoredModel:
    """A model with the totals of the pairs it was scored on; `earlier` checkpoints of its run were scored too."""

    name: str
    manifest: ScoreManifest
    totals: PairTotals
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A run with what it got right at its checkpoints: of each linking function a row a checkpoint, a column a uid."""

    name: str
    recipe: Mapping[str, object]  # those parts of it that decide what is learnt
    seed: int
    parameters: int
    steps: int  # that it is to make
    tokens_per_step: int
    at: tuple[int, ...]  # the steps of its checkpoints
    uids: tuple[str, ...]
    phenomena: tuple[str, ...]
    pairs: Floats
    right: Mapping[str, Floats]

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


@dataclass(frozen=True, slots=True)
class Series:
    """Runs that differ in nothing but their seed."""

    name: str
    size: str
    data: str  # how much of it, as it is called
    budget: int  # tokens that are to be seen
    runs: tuple[TrainingRun, ...]

    @property
    def parameters(self) -> int:
        """Of its models, which are all of one size."""
        return self.runs[0].parameters


@dataclass(frozen=True, slots=True)
class Results:
    """Everything in a folder, in the order in which it is shown, and what had to be left out."""

    models: tuple[ScoredModel, ...]
    runs: tuple[TrainingRun, ...]
    problems: tuple[Problem, ...] = ()


def collect(
    folder: Path, *, unigrams: Path | None = None, on_folder: Callable[[Path], None] = lambda found: None
) -> Results:
    """All folders of scores and of training runs in a folder.

    Of scores inside a run, which are of its checkpoints, the last are taken. Unigrams are those of the file given, or
    those beside the scores.
    """
    run_folders = sorted((file.parent for file in folder.rglob(FILE)), key=_natural)
    scored = score_folders(folder) if any(folder.rglob("scores.json")) else []
    chosen = _last_of_runs(sorted(scored, key=_natural), run_folders)
    if not chosen and not run_folders:
        raise fail("report-nothing", Place(str(folder)), {"scores": "scores.json", "milestones": FILE})
    names = _names(folder, list(chosen))
    models = []
    for found, earlier in chosen.items():
        on_folder(found)
        own = found / UNIGRAMS
        manifest, totals = read_totals(found, unigrams=unigrams or (own if own.is_file() else None))
        models.append(ScoredModel(names[found], manifest, totals, earlier))
    runs, problems = [], []
    for found in run_folders:
        on_folder(found)
        read = _run(found)
        if isinstance(read, Problem):
            problems.append(read)
        else:
            runs.append(read)
    by_size = sorted(runs, key=lambda run: (run.parameters, run.steps * run.tokens_per_step, run.seed))
    empty = [model for model in models if not len(model.totals)]
    problems += [Problem("report-no-pairs", Place(model.name), {}, "warning") for model in empty]
    kept = tuple(model for model in models if len(model.totals))
    if not kept and not runs:
        raise fail("report-nothing-left", Place(str(folder)), {"reasons": [str(problem) for problem in problems]})
    return Results(kept, tuple(by_size), tuple(problems))


def series_of(runs: Iterable[TrainingRun]) -> tuple[Series, ...]:
    """The runs by what they share, by size and training data; where two series would be called alike, by their runs."""
    found: dict[str, list[TrainingRun]] = {}
    for run in runs:
        found.setdefault(json.dumps(run.recipe, sort_keys=True, default=str), []).append(run)
    labels = [f"{_size(own[0])}, {_data(own[0])}" for own in found.values()]
    return tuple(
        Series(
            label if labels.count(label) == 1 else f"{label} ({own[0].name})",
            _size(own[0]),
            _data(own[0]),
            own[0].steps * own[0].tokens_per_step,
            tuple(own),
        )
        for label, own in zip(labels, found.values(), strict=True)
    )


def short_count(number: float) -> str:
    """10M, 79M, 1.4B: as sizes and corpora are called."""
    for unit, size in (("B", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size * 0.9995:
            return f"{number / size:.3g}{unit}"
    return f"{number:.3g}"


def _size(run: TrainingRun) -> str:
    return str(run.recipe.get("size") or short_count(run.parameters))


def _data(run: TrainingRun) -> str:
    """The training data of a run, and how many times it went through them, if more than once."""
    epochs = run.recipe.get("epochs", 1)
    tokens = short_count(float(str(run.recipe.get("tokens") or run.steps * run.tokens_per_step)))
    return tokens if epochs == 1 else f"{epochs}×{tokens}"


def _last_of_runs(scored: Sequence[Path], runs: Sequence[Path]) -> dict[Path, int]:
    """The folders of scores to be read, each with the number of earlier ones in the same run."""
    chosen: dict[Path, int] = {}
    last: dict[Path, Path] = {}
    for found in scored:
        home = next((run for run in runs if run in found.parents), None)
        earlier = 0 if home is None or home not in last else chosen.pop(last[home]) + 1
        chosen[found] = earlier
        if home is not None:
            last[home] = found
    return chosen


def _names(folder: Path, scored: Sequence[Path]) -> dict[Path, str]:
    """The models' own names; where two are called alike, the paths of their folders."""
    own = {found: read_manifest(found).model for found in scored}
    names = list(own.values())
    return {
        found: name if names.count(name) == 1 else found.relative_to(folder).as_posix() for found, name in own.items()
    }


def _run(folder: Path) -> TrainingRun | Problem:
    """The run in a folder; or, if its facts are not known, why it is left out."""
    try:
        recipe = json.loads((folder / "recipe.json").read_text(encoding="utf-8"))
        facts = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        known = [int(facts[name]) for name in ("parameters", "steps", "tokens_per_step")]
        learnt, seed = {name: recipe[name] for name in LEARNT if name in recipe}, int(recipe["seed"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        return Problem("run-facts", Place(str(folder)), {"reason": str(error)}, "warning")
    milestones = read_milestones(folder)
    if not milestones:
        return Problem("run-no-milestones", Place(str(folder)), {}, "warning")
    return TrainingRun(folder.name, learnt, seed, *known, *_columns(milestones, folder))  # type: ignore[arg-type]


def _columns(
    milestones: Sequence[Milestone], folder: Path
) -> tuple[tuple[int, ...], tuple[str, ...], tuple[str, ...], Floats, Mapping[str, Floats]]:
    """Steps, uids, phenomena, pairs, and what was right; every step must have the same paradigms."""
    by_step: dict[int, list[Milestone]] = {}
    for milestone in milestones:
        by_step.setdefault(milestone.step, []).append(milestone)
    steps = sorted(by_step)
    first = by_step[steps[0]]
    paradigms = [(m.uid, m.phenomenon, m.pairs) for m in first]
    for step in steps:
        if [(m.uid, m.phenomenon, m.pairs) for m in by_step[step]] != paradigms:
            raise fail("run-uneven", Place(str(folder / FILE)), {"first": steps[0], "step": step})
    links = [link for link in first[0].right if all(link in m.right for m in milestones)]
    uids, phenomena, pairs = zip(*paradigms, strict=True)
    right = {link: np.array([[m.right[link] for m in by_step[step]] for step in steps]) for link in links}
    return tuple(steps), uids, phenomena, np.array(pairs, np.float64), right


def _natural(path: Path) -> list[tuple[int, str]]:
    """Numbers by their size: 70m before 160m."""
    parts = re.findall(r"\d+|\D+", path.as_posix())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
