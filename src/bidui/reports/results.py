"""Results: what a folder holds, as values: models with their scores, and training runs with their milestones."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.analysis.curves import LearningCurve
from bidui.analysis.estimate import stratify
from bidui.analysis.length_bias import Sweep, held_out_morcela
from bidui.analysis.scaling import training_flops
from bidui.analysis.significance import SLING_BASELINES
from bidui.errors import InputError, Place, Problem, fail
from bidui.files import sha256
from bidui.reports.tables import NOTHING, short_count
from bidui.scores.choices import Choices, PairTotals, choose_from
from bidui.scores.links import Floats, Link, slor
from bidui.scores.milestones import FILE, AlphaCount, Milestone, read_alphas, read_milestones
from bidui.scores.run import read_totals
from bidui.scores.table import ScoreManifest, read_manifest, score_folders
from bidui.scores.unigrams import UNIGRAMS

# Training runs: what they got right at their checkpoints, as read from their folders, and series of them.

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


SCORES = "scores.json"


@dataclass(frozen=True, slots=True)
class ScoredModel:
    """A model with the totals of the pairs it was scored on; `earlier` checkpoints of its run were scored too."""

    name: str
    manifest: ScoreManifest
    totals: PairTotals
    baselines: PairTotals | None  # of SLING, which have no place in an average, and are not among the totals
    folder: Path
    earlier: tuple[Path, ...] = ()  # their folders, in order


@dataclass(frozen=True, slots=True)
class Results:
    """Everything in a folder, in the order in which it is shown, and what had to be left out."""

    models: tuple[ScoredModel, ...]
    runs: tuple[TrainingRun, ...]
    problems: tuple[Problem, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)  # the files that say what was scored, and their hashes


def collect(
    folder: Path, *, unigrams: Path | None = None, on_folder: Callable[[Path], None] = lambda found: None
) -> Results:
    """All folders of scores and of training runs in a folder.

    Of scores inside a run, which are of its checkpoints, the last are taken. Unigrams are those of the file given, or
    those beside the scores.
    """
    if not folder.exists():
        raise fail("file-missing", None, {"path": str(folder)})
    run_folders = sorted((file.parent for file in folder.rglob(FILE)), key=_natural)
    scored = score_folders(folder) if any(folder.rglob(SCORES)) else []
    chosen = _last_of_runs(sorted(scored, key=_natural), run_folders)
    if not chosen and not run_folders:
        raise fail("report-nothing", Place(str(folder)), {"scores": SCORES, "milestones": FILE})
    names = _names(folder, {found: read_manifest(found).model for found in chosen})
    run_names = _names(folder, {found: found.name for found in run_folders})
    models, runs = [], []
    problems: list[Problem] = []
    for found, earlier in chosen.items():
        on_folder(found)
        model = _model(found, names[found], earlier, unigrams)
        if len(model.totals):
            models.append(model)
        else:
            kind = "report-only-baselines" if model.baselines else "report-no-pairs"
            problems.append(Problem(kind, Place(str(found)), {}, "warning"))
    for found in run_folders:
        on_folder(found)
        read = read_run(found, name=run_names[found])
        if isinstance(read, Problem):
            problems.append(read)
        else:
            runs.append(read)
    if not models and not runs:
        raise fail("report-nothing-left", Place(str(folder)), {"reasons": [str(problem) for problem in problems]})
    files = [*(found / SCORES for found in chosen), *(found / FILE for found in run_folders)]
    inputs = {file.relative_to(folder).as_posix(): sha256(file.read_bytes()) for file in files}
    ordered = sorted(runs, key=lambda run: (run.parameters, run.budget, run.seed, run.name))
    return Results(tuple(models), tuple(ordered), tuple(problems), inputs)


def _model(folder: Path, name: str, earlier: tuple[Path, ...], unigrams: Path | None) -> ScoredModel:
    own = folder / UNIGRAMS
    manifest, totals = read_totals(folder, unigrams=unigrams or (own if own.is_file() else None))
    phenomena = np.where(totals.phenomena == "", NOTHING, totals.phenomena)  # a row without a name would look broken
    return ScoredModel(name, manifest, *parted(replace(totals, phenomena=phenomena)), folder=folder, earlier=earlier)


def parted(totals: PairTotals) -> tuple[PairTotals, PairTotals | None]:
    """The totals of pairs that test something, and those of baselines, if there are any."""
    those = np.isin(totals.uids.astype(str), sorted(set(SLING_BASELINES.values())))
    return (_kept(totals, ~those), _kept(totals, those)) if those.any() else (totals, None)


def _kept(totals: PairTotals, pairs: NDArray[np.bool_]) -> PairTotals:
    rows = np.repeat(pairs, 2)
    return PairTotals(
        totals.uids[pairs],
        totals.phenomena[pairs],
        totals.pairs[pairs],
        totals.logprob[rows],
        {unit: lengths[rows] for unit, lengths in totals.lengths.items()},
        None if totals.unigram is None else totals.unigram[rows],
    )


def _last_of_runs(scored: Sequence[Path], runs: Sequence[Path]) -> dict[Path, tuple[Path, ...]]:
    """The folders of scores to be read, each with the earlier ones in the same run."""
    chosen: dict[Path, tuple[Path, ...]] = {}
    last: dict[Path, Path] = {}
    for found in scored:
        home = next((run for run in runs if run in found.parents), None)
        before = last.get(home) if home else None
        chosen[found] = (*chosen.pop(before), before) if before else ()
        if home is not None:
            last[home] = found
    return chosen


def _names(folder: Path, own: Mapping[Path, str]) -> dict[Path, str]:
    """Names as they are; where two are called alike, the paths of their folders."""
    names = list(own.values())
    return {
        found: name if names.count(name) == 1 else found.relative_to(folder).as_posix() for found, name in own.items()
    }


def _natural(path: Path) -> list[tuple[int, str]]:
    """Numbers by their size: 70m before 160m."""
    parts = re.findall(r"\d+|\D+", path.as_posix())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


# Standings: the choices that tables of accuracy are made from, of models, or of the last checkpoints of runs.

HELD_OUT = "morcela*"  # fitted on one half of the pairs and used on the other, both ways


@dataclass(frozen=True, slots=True)
class Standing:
    """A model's choices by the names of linking functions, and why some of these are not there.

    Those of a run are made of its counts: how many pairs of a paradigm are right is known, but not which, nor which are
    ties.
    """

    name: str
    choices: Mapping[str, Choices]
    problems: tuple[Problem, ...] = ()
    counted: bool = False


def standings(results: Results, links: Sequence[Link], *, usual: bool) -> tuple[Standing, ...]:
    """Of every model; or, where there are no token scores at all, of every run.

    Where the links are the usual ones, SLOR and MORCELA join them for models whose unigrams are known.
    """
    if results.models:
        return tuple(_of_model(model, links, usual=usual) for model in results.models)
    return tuple(_of_run(run, [*links, *([slor()] if usual else [])]) for run in results.runs)


def _of_model(model: ScoredModel, links: Sequence[Link], *, usual: bool) -> Standing:
    known = model.totals.unigram is not None
    wanted = [*links, *([slor()] if usual and known else [])]
    lacking = [] if known else [link.name for link in wanted if link.needs_unigrams]
    problems = [Problem("link-needs-unigrams", values={"link": name}) for name in lacking]
    chosen = [choose_from(model.totals, link) for link in wanted if link.name not in lacking]
    if usual and known:
        try:
            chosen.append(replace(held_out_morcela(model.totals, seed=0).choices, link=HELD_OUT))
        except InputError as error:  # as for a model that has learnt nothing yet
            problems += error.problems
    return Standing(model.name, {choices.link: choices for choices in chosen}, tuple(problems))


def _of_run(run: TrainingRun, links: Sequence[Link]) -> Standing:
    there = [link.name for link in links if link.name in run.right]
    absent = [link.name for link in links if link.name not in run.right]
    problems = [Problem("link-not-counted", values={"link": link, "known": [*run.right]}) for link in absent]
    return Standing(run.label, {link: counted_choices(run, link) for link in there}, tuple(problems), counted=True)


def counted_choices(run: TrainingRun, link: str, *, checkpoint: int = -1) -> Choices:
    """Choices with as many right as a run had at a checkpoint, the right ones first in every paradigm."""
    sizes = run.pairs.astype(np.intp)
    numbers = np.concatenate([np.arange(size) for size in sizes])
    worth = np.concatenate([worths(n, size) for n, size in zip(run.right[link][checkpoint], sizes, strict=True)])
    return Choices(
        link,
        np.repeat(np.array(run.uids, object), sizes),
        np.repeat(np.array(run.phenomena, object), sizes),
        numbers.astype(np.int32),
        worth,
        1 - worth,
        np.zeros(len(worth), np.int8),
    )


def worths(right: float, size: int) -> Floats:
    """Worths that sum to `right`: ones, a half where it is not whole, and zeros."""
    return np.clip(right - np.arange(size), 0.0, 1.0)


# Training: curves of runs, and averages over seeds, as the sections on training take them.

ALL = "all"  # the group of all pairs


@dataclass(frozen=True, slots=True)
class EndPoint:
    """The end of a series: accuracies by group, the mean over its seeds, and the FLOPs spent until then."""

    series: Series
    flops: float
    tokens: float
    accuracies: Mapping[str, Floats]  # by group, of each run

    def mean(self, group: str) -> float:
        """Over the runs."""
        return float(self.accuracies[group].mean())


def comparable(runs: Sequence[TrainingRun], link: str) -> tuple[tuple[TrainingRun, ...], tuple[Problem, ...]]:
    """The runs that were scored on the same pairs by a linking function, and why the others cannot stand with them.

    Where there are several sets of pairs, it is the one of the most runs.
    """
    usable = [run for run in runs if link in run.right and run.at[-1] > 0]
    if not usable:
        reason = Problem("report-link-absent", values={"link": link}) if runs else Problem("report-no-runs")
        return (), (reason,)
    sets = Counter((run.uids, tuple(run.pairs)) for run in usable)
    most = sets.most_common(1)[0][0]
    kept = [run for run in usable if (run.uids, tuple(run.pairs)) == most]
    others = [run.name for run in runs if not any(run is one for one in kept)]
    values = {"runs": others, "kept": [run.name for run in kept]}
    return tuple(kept), (Problem("report-runs-apart", values=values),) if others else ()


def groups_of(runs: Sequence[TrainingRun]) -> tuple[str, ...]:
    """All pairs, and the phenomena by their names."""
    return (ALL, *sorted({phenomenon for run in runs for phenomenon in run.phenomena}))


def accuracies(run: TrainingRun, link: str, group: str) -> Floats:
    """At each checkpoint, over the pairs of a group."""
    own = np.array([group in (ALL, phenomenon) for phenomenon in run.phenomena])
    return np.asarray(run.right[link][:, own].sum(axis=1) / run.pairs[own].sum())


def learning_curve(run: TrainingRun, link: str, group: str) -> LearningCurve:
    """Against the tokens seen; without the untrained network, whose choices nothing was learnt for."""
    trained = run.tokens > 0
    return LearningCurve(run.name, run.tokens[trained], accuracies(run, link, group)[trained])


def end_point(series: Series, link: str, groups: Sequence[str]) -> EndPoint:
    """Where a series stands: each run at its last checkpoint."""
    tokens = float(np.mean([run.tokens[-1] for run in series.runs]))
    found = {group: np.array([accuracies(run, link, group)[-1] for run in series.runs]) for group in groups}
    return EndPoint(series, training_flops(series.parameters, tokens), tokens, found)


def worth_of_counts(series: Series, link: str, group: str, *, seed: int) -> tuple[Floats, Floats]:
    """The tokens of the checkpoints, and the mean worth over runs: a row a pair, a column a checkpoint.

    Runs keep how many pairs of a paradigm are right, not which. So at each checkpoint other ones are drawn, as if the
    pairs were new each time. Noise is then independent from checkpoint to checkpoint, and more of it than there truly
    is, since a pair that is right once is likely to be right again: a test on this finds too few dips, not too many.
    All runs of a series were scored on the same pairs, so they share a draw: noise of pairs is not averaged away.
    """
    rng = np.random.default_rng(seed)
    shared = sorted(set.intersection(*(set(run.at) for run in series.runs)) - {0})
    columns = [_drawn(series.runs, link, group, step, rng) for step in shared]
    tokens = np.array(shared, np.float64) * series.runs[0].tokens_per_step
    return tokens, np.stack(columns, axis=1) if columns else np.zeros((0, 0))


def _drawn(runs: Sequence[TrainingRun], link: str, group: str, step: int, rng: np.random.Generator) -> Floats:
    own = [number for number, phenomenon in enumerate(runs[0].phenomena) if group in (ALL, phenomenon)]
    orders = [rng.permutation(int(runs[0].pairs[number])) for number in own]
    found = []
    for run in runs:
        right = run.right[link][run.at.index(step)]
        parts = [worths(right[number], len(order))[order] for number, order in zip(own, orders, strict=True)]
        found.append(np.concatenate(parts))
    return np.asarray(np.mean(found, axis=0))


# Homes: the phenomenon of every paradigm that was scored.


def homes(chosen: Iterable[Choices]) -> dict[str, str]:
    """By uid, phenomenon after phenomenon in the order of their names."""
    found: dict[str, str] = {}
    for choices in chosen:
        strata = stratify(choices)
        found |= dict(zip(strata.uids, strata.phenomena, strict=True))
    return dict(sorted(found.items(), key=lambda one: (one[1], one[0])))
