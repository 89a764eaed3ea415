"""Results: what a folder holds, as values: models with their scores, training runs with their counts, and choices.

`collect` reads the folder, and `pair_sets` divides it by what was scored: only results on the same pairs are averaged
or compared. `model_choices` gives the choices that tables of accuracy are made of, from token scores or, where there
are none, from the counts of training runs. `series_of` groups runs that differ only in their seed.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bidui.analysis.curves import LearningCurve
from bidui.analysis.estimate import stratify
from bidui.analysis.length_bias import Sweep, held_out_morcela
from bidui.analysis.people import StudyPeople
from bidui.analysis.scaling import training_flops
from bidui.errors import InputError, Place, Problem, fail
from bidui.files import natural, sha256
from bidui.reports.published import all_published, benchmark_of_paradigms, published_uid
from bidui.reports.tables import NOTHING, short_count
from bidui.scores.choices import BASELINES, Choices, PairTotals, choose_from
from bidui.scores.links import Floats, Link, slor
from bidui.scores.milestones import FILE, AlphaCount, Milestone, read_alphas, read_milestones
from bidui.scores.run import read_totals
from bidui.scores.table import LengthUnit, ScoreManifest, read_manifest, read_scores, score_folders
from bidui.scores.unigrams import UNIGRAMS
from bidui.words import Language, texts

SCORES = "scores.json"
HELD_OUT = "morcela*"  # fitted on some paradigms and used on the others, in folds
ALL = "all"  # the group of all pairs
USUAL = ("lp", "mean_lp", "pen_lp", "slln:0.5", "log_norm")  # the linking functions, unless some are given
MAIN = "slln:0.5"  # the one for details, unless some are given

# The fields of a recipe that decide what is learned, besides the seed; the others say how it was computed. Recipes are
# read leniently here: a report also shows runs of earlier versions, whose recipes had other fields.
DATA = ("corpus", "tokenizer", "bos", "tokens", "epochs", "context")
LEARNT = ("size", *DATA, "optimizer", "batch", "peak", "warmup")


TITLES = {  # of benchmarks, as readers know them; the last three are known by the names of their folders only
    "zhoblimp": "ZhoBLiMP",
    "sling": "SLING",
    "climp": "CLiMP",
    "blimp": "BLiMP",
    "jblimp": "JBLiMP",
    "blimp-nl": "BLiMP-NL",
}

Key = TypeVar("Key")
SetKey = tuple[str, frozenset[tuple[str, str]]]  # the benchmark, and the paradigms with the hashes of their pairs


@dataclass(frozen=True, slots=True)
class ScoredModel:
    """A model with the totals of the pairs it was scored on; `earlier` checkpoints of its run were scored too."""

    name: str
    manifest: ScoreManifest
    totals: PairTotals
    baselines: PairTotals | None  # SLING's, which do not belong in an average and are not among the totals
    folder: Path
    earlier: tuple[Path, ...] = ()  # their folders, in order


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A training run and what it got right: per linking function, one row per checkpoint and one column per uid."""

    name: str
    recipe: Mapping[str, object]  # the fields that decide what is learned
    seed: int
    parameters: int
    steps: int  # planned
    tokens_per_step: int
    at: tuple[int, ...]  # the steps of its checkpoints
    uids: tuple[str, ...]
    phenomena: tuple[str, ...]
    pairs: Floats
    right: Mapping[str, Floats]
    alphas: Sweep | None  # of the last checkpoint, where it was counted

    @property
    def finished(self) -> bool:
        """Whether the last checkpoint is at the last step."""
        return self.at[-1] >= self.steps

    @property
    def label(self) -> str:
        """The name; with the progress of a run that is not finished."""
        return self.name if self.finished else f"{self.name} ({self.at[-1]:,}/{self.steps:,})"

    @property
    def tokens(self) -> Floats:
        """Tokens seen at each checkpoint."""
        return np.array(self.at, np.float64) * self.tokens_per_step

    @property
    def size(self) -> str:
        """The name of its size, with the number of parameters where that is another: 14m (2.6M)."""
        count = short_count(self.parameters)
        name = str(self.recipe.get("size") or count)
        return name if name.lower() == count.lower() else f"{name} ({count})"

    @property
    def budget(self) -> int:
        """Planned number of training tokens."""
        return self.steps * self.tokens_per_step

    @property
    def data(self) -> str:
        """The name of its training data, with the number of epochs if more than one."""
        epochs = self.recipe.get("epochs", 1)
        tokens = short_count(float(str(self.recipe.get("tokens") or self.budget)))
        return tokens if epochs == 1 else f"{epochs}×{tokens}"

    def in_group(self, group: str) -> NDArray[np.bool_]:
        """Return which paradigms belong to a group: a phenomenon, or all pairs."""
        return np.array([group in (ALL, phenomenon) for phenomenon in self.phenomena])

    def accuracies(self, link: str, group: str) -> Floats:
        """Return the accuracy at each checkpoint, over the pairs of a group."""
        inside = self.in_group(group)
        return np.asarray(self.right[link][:, inside].sum(axis=1) / self.pairs[inside].sum())


@dataclass(frozen=True, slots=True)
class Series:
    """Runs that differ only in their seed."""

    name: str
    data: str  # the name of the training data, the same for other sizes trained on them
    runs: tuple[ScoredRun, ...]

    @property
    def size(self) -> str:
        """The size of its models, which is the same for all."""
        return self.runs[0].size

    @property
    def parameters(self) -> int:
        """The number of parameters, which is the same for all."""
        return self.runs[0].parameters


@dataclass(frozen=True, slots=True)
class Results:
    """Everything in a folder, in the order in which it is shown, and what had to be left out."""

    models: tuple[ScoredModel, ...]
    runs: tuple[ScoredRun, ...]
    problems: tuple[Problem, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)  # the files that describe the scores, and their hashes

    @property
    def uids(self) -> set[str]:
        """Every paradigm that was scored, without baselines."""
        scored = {uid for model in self.models for uid in model.manifest.shards} - BASELINES
        return scored | {uid for run in self.runs for uid in run.uids}


def collect(
    folder: Path, *, unigrams: Path | None = None, on_folder: Callable[[Path], None] = lambda folder: None
) -> Results:
    """Read all folders of scores and of training runs in a folder.

    Of scores inside a run, which are of its checkpoints, the last are used. Unigrams are those of the file given, or
    those stored with the scores.
    """
    if not folder.exists():
        raise fail("file-missing", None, {"path": str(folder)})
    run_folders = sorted((file.parent for file in folder.rglob(FILE)), key=natural)
    scored = score_folders(folder) if any(folder.rglob(SCORES)) else []
    chosen = _last_of_runs(scored, run_folders)
    if not chosen and not run_folders:
        raise fail("report-nothing", Place(str(folder)), {"scores": SCORES, "milestones": FILE})

    def path(inside: Path) -> str:
        return inside.relative_to(folder).as_posix()

    names = model_names(chosen, inside=folder)
    run_names = _distinct({run: run.name for run in run_folders}, instead=path)
    models, runs = [], []
    problems: list[Problem] = []
    for scores, earlier in chosen.items():
        on_folder(scores)
        try:
            model = read_model(scores, names[scores], earlier=earlier, unigrams=unigrams or stored_unigrams(scores))
        except InputError as error:  # such as a file that is missing: the other models are shown without it
            problems += [replace(problem, severity="warning") for problem in error.problems]
            continue
        problems += model.totals.notes
        if model.manifest.left:
            problems.append(unfinished(scores, model.manifest))
        elif len(model.totals):
            models.append(model)
        else:
            kind = "report-only-baselines" if model.baselines else "report-no-pairs"
            problems.append(Problem(kind, Place(str(scores)), {}, "warning"))
    for run_folder in run_folders:
        on_folder(run_folder)
        run = read_run(run_folder, name=run_names[run_folder])
        if isinstance(run, Problem):
            problems.append(run)
        else:
            runs.append(run)
    if not models and not runs:
        raise fail("report-nothing-left", Place(str(folder)), {"reasons": [str(problem) for problem in problems]})
    files = [*(scores / SCORES for scores in chosen), *(run / FILE for run in run_folders)]
    inputs = {path(file): sha256(file.read_bytes()) for file in files}
    ordered = sorted(runs, key=lambda run: (run.parameters, run.budget, run.seed, natural(run.name)))
    return Results(tuple(models), tuple(ordered), tuple(problems), inputs)


def model_names(folders: Iterable[Path], *, inside: Path) -> dict[Path, str]:
    """Return the names of the models scored in folders; models of the same name are called by their folders.

    So is one whose manifest cannot be read; whoever reads its scores meets the error.
    """

    def path(folder: Path) -> str:
        return folder.relative_to(inside).as_posix()

    names = {}
    for folder in folders:
        try:
            names[folder] = read_manifest(folder).model
        except InputError:
            names[folder] = path(folder)
    return _distinct(names, instead=path)


def unfinished(folder: Path, manifest: ScoreManifest) -> Problem:
    """Say that scoring was interrupted, so that nobody takes an accuracy over some pairs for one over all."""
    scored = sum(shard.count for shard in manifest.shards.values())
    values = {"scored": f"{scored:,}", "planned": f"{scored + manifest.left:,}"}
    return Problem("scores-unfinished", Place(str(folder)), values, "warning")


def stored_unigrams(folder: Path) -> Path | None:
    """Return the file of unigram counts stored with scores, if there is one."""
    file = folder / UNIGRAMS
    return file if file.is_file() else None


def read_model(
    folder: Path,
    name: str,
    *,
    earlier: tuple[Path, ...] = (),
    unigrams: Path | None = None,
    smoothing: float = 1.0,
    unseen: float | None = None,
) -> ScoredModel:
    """Read the scores of a model; a phenomenon without a name, which would look broken in a table, becomes a dash."""
    manifest, totals = read_totals(folder, unigrams=unigrams, smoothing=smoothing, unseen=unseen)
    totals = replace(totals, phenomena=np.where(totals.phenomena == "", NOTHING, totals.phenomena))
    return ScoredModel(name, manifest, *split_baselines(totals), folder, earlier)


def split_baselines(totals: PairTotals) -> tuple[PairTotals, PairTotals | None]:
    """Return the pairs without SLING's baselines, which do not belong in an average, and the baselines, if any."""
    baselines = np.isin(totals.uids.astype(str), sorted(BASELINES))
    return (_select(totals, ~baselines), _select(totals, baselines)) if baselines.any() else (totals, None)


def _select(totals: PairTotals, pairs: NDArray[np.bool_]) -> PairTotals:
    rows = np.repeat(pairs, 2)
    return PairTotals(
        totals.uids[pairs],
        totals.phenomena[pairs],
        totals.pairs[pairs],
        totals.logprob[rows],
        {unit: lengths[rows] for unit, lengths in totals.lengths.items()},
        None if totals.unigram is None else totals.unigram[rows],
        totals.notes,
        {name: values[pairs] for name, values in totals.columns.items()},
    )


def _last_of_runs(scored: Sequence[Path], runs: Sequence[Path]) -> dict[Path, tuple[Path, ...]]:
    """Return the folders of scores to read, each with the earlier ones in the same run."""
    chosen: dict[Path, tuple[Path, ...]] = {}
    last: dict[Path, Path] = {}
    for scores in scored:
        home = next((run for run in runs if run in scores.parents), None)
        before = last.get(home) if home else None
        chosen[scores] = (*chosen.pop(before), before) if before else ()
        if home is not None:
            last[home] = scores
    return chosen


def _distinct(names: Mapping[Key, str], *, instead: Callable[[Key], str]) -> dict[Key, str]:
    """Return names as they are; where two are equal, what `instead` makes of their keys."""
    counts = Counter(names.values())
    return {key: name if counts[name] == 1 else instead(key) for key, name in names.items()}


# Sets of pairs: averages and comparisons are made only among results on the same pairs


@dataclass(frozen=True, slots=True)
class PairSet:
    """Results on one set of pairs, by the name of the benchmark if it is known."""

    name: str
    benchmark: str  # empty if unknown
    results: Results

    @property
    def pairs(self) -> int:
        """The number of pairs, without baselines."""
        first = self.results.models[0].totals if self.results.models else None
        return len(first) if first is not None else int(self.results.runs[0].pairs.sum())


def pair_sets(results: Results, *, language: Language = "en") -> tuple[PairSet, ...]:
    """Divide results by benchmark and by set of pairs; a model scored on two benchmarks takes part in both.

    Models are on the same pairs if the hashes of all their test paradigms are equal. Runs store no hashes: they are put
    together if they have as many pairs of the same paradigms, and with models that have as many. Paradigms beside those
    of a benchmark, such as the later ones in the archive of SLING, are a set of their own.
    """
    known = benchmark_of_paradigms()
    members: dict[SetKey, tuple[list[ScoredModel], list[ScoredRun]]] = {}
    of_sizes: dict[frozenset[tuple[str, int]], SetKey] = {}
    beside: dict[SetKey, str] = {}  # the benchmarks beside which the paradigms of a set were scored
    for model in results.models:
        divided = _by_benchmark(model.manifest.shards, known)
        for benchmark, uids in divided.items():
            part = _part(model, uids) if len(divided) > 1 else model
            if not len(part.totals):
                continue
            tests = {uid: shard for uid, shard in part.manifest.shards.items() if uid not in BASELINES}
            key = benchmark, frozenset((uid, shard.pairs) for uid, shard in tests.items())
            members.setdefault(key, ([], []))[0].append(part)
            of_sizes.setdefault(frozenset((uid, shard.count) for uid, shard in tests.items()), key)
            beside.setdefault(key, _others(benchmark, divided))
    for run in results.runs:
        divided = _by_benchmark(run.uids, known)
        for benchmark, uids in divided.items():
            own = _part_of_run(run, uids) if len(divided) > 1 else run
            sizes = [(uid, int(count)) for uid, count in zip(own.uids, own.pairs.tolist(), strict=True)]
            counted = benchmark, frozenset((uid, str(count)) for uid, count in sizes)
            key = of_sizes.setdefault(frozenset(sizes), counted)
            members.setdefault(key, ([], []))[1].append(own)
            beside.setdefault(key, _others(benchmark, divided))
    rest = texts("report", language)["set-beside"]
    titles = [_title(key, members) or (rest.format(benchmarks=beside[key]) if beside[key] else "") for key in members]
    counts = Counter(titles)
    numbers: Counter[str] = Counter()
    sets = []
    for title, ((benchmark, _), (models, runs)) in zip(titles, members.items(), strict=True):
        numbers[title] += 1
        number = f"#{numbers[title]}" if counts[title] > 1 or not title else ""
        names = _distinct({model.name: model.manifest.model for model in models}, instead=lambda name: name)
        models = [replace(model, name=names[model.name]) for model in models]
        sets.append(PairSet(f"{title} {number}".strip(), benchmark, Results(tuple(models), tuple(runs))))
    return tuple(sets)


def _title(key: SetKey, members: Mapping[SetKey, tuple[list[ScoredModel], list[ScoredRun]]]) -> str:
    """Return how readers know a set of pairs: by its benchmark, the project of its pairs, or a folder of its own.

    In a folder with blimp/pythia and jblimp/gpt2, the sets are called after blimp and jblimp. Empty if nothing says.
    """
    models, _ = members[key]
    projects = {tuple(origin.name for origin in model.manifest.benchmarks) for model in models}
    shared = projects.pop() if len(projects) == 1 else ()
    named = key[0] or (shared[0] if len(shared) == 1 else "")
    if not named and len(members) > 1 and len({model.folder.parent for model in models}) == 1:
        home = models[0].folder.parent
        others = (model for other, (own, _) in members.items() if other != key for model in own)
        named = "" if any(home in model.folder.parents for model in others) else home.name
    return TITLES.get(named.lower(), named)


def _by_benchmark(uids: Iterable[str], known: Mapping[str, str]) -> dict[str, set[str]]:
    """Divide paradigms by benchmark, under "" those of none.

    Anyone may call a paradigm `any`, as SLING does. Beside paradigms of no benchmark, one is that of a benchmark only
    if more than half of the benchmark is there.
    """
    every = Counter(name for uid, name in known.items() if uid not in BASELINES)
    divided: dict[str, set[str]] = {}
    for uid in uids:
        divided.setdefault(known.get(published_uid(uid), ""), set()).add(uid)
    if "" in divided:
        for name in divided.keys() - {""}:
            if 2 * len(divided[name] - BASELINES) <= every[name]:
                divided[""] |= divided.pop(name)
    return dict(sorted(divided.items(), key=lambda item: not item[0]))  # those of none last


def _others(benchmark: str, divided: Iterable[str]) -> str:
    """Return the titles of the benchmarks beside which paradigms of no benchmark were scored."""
    return "" if benchmark else ", ".join(TITLES.get(name, name) for name in divided if name)


def _part(model: ScoredModel, uids: Set[str]) -> ScoredModel:
    """Return a model on some of its paradigms."""

    def inside(totals: PairTotals) -> PairTotals:
        return _select(totals, np.isin(totals.uids.astype(str), sorted(uids)))

    shards = {uid: shard for uid, shard in model.manifest.shards.items() if uid in uids}
    baselines = None if model.baselines is None else inside(model.baselines)
    return replace(
        model,
        manifest=replace(model.manifest, shards=shards),
        totals=inside(model.totals),
        baselines=baselines if baselines is not None and len(baselines) else None,
    )


def _part_of_run(run: ScoredRun, uids: Set[str]) -> ScoredRun:
    """Return a run on some of its paradigms; its alphas were counted over all of them."""
    inside = np.array([uid in uids for uid in run.uids])

    def chosen(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name, there in zip(names, inside, strict=True) if there)

    right = {link: counts[:, inside] for link, counts in run.right.items()}
    here = replace(run, uids=chosen(run.uids), phenomena=chosen(run.phenomena), pairs=run.pairs[inside], right=right)
    return replace(here, alphas=None)


# The pairs of a study: models and people on the same ones


def on_study(results: Results, people: StudyPeople) -> Results:
    """Return the models on the pairs that the people of a study judged, and what had to be left out.

    A model takes part if it was scored on all of these pairs, sentence by sentence. Training runs count paradigms as a
    whole and cannot be limited to some pairs.
    """
    wanted = {(pair.uid, pair.pair_id): (pair.good, pair.bad) for pair in people.pairs}
    models: list[ScoredModel] = []
    problems = list(results.problems)
    for model in results.models:
        part = _judged(model, wanted)
        if len(part.totals) == len(wanted):
            models.append(part)
        else:
            values = {"model": model.name, "study": people.study, "found": len(part.totals), "count": len(wanted)}
            problems.append(Problem("study-other-pairs", Place(str(model.folder)), values, "warning"))
    if not models:
        others = [problem for problem in problems if problem.kind == "study-other-pairs"]
        raise InputError(others) if others else fail("report-no-scores")
    if results.runs:
        problems.append(Problem("study-no-runs", values={"count": len(results.runs)}, severity="warning"))
    return replace(results, models=tuple(models), runs=(), problems=tuple(problems))


def _judged(model: ScoredModel, wanted: Mapping[tuple[str, int], tuple[str, str]]) -> ScoredModel:
    """Return a model on those of the pairs that it was scored on, known by their sentences and not only by numbers."""
    frame = read_scores(model.folder).table.frame.select("uid", "pair", "sentence")
    uids, numbers, sentences = (frame[name].to_list() for name in ("uid", "pair", "sentence"))
    sides = zip(uids[::2], numbers[::2], sentences[::2], sentences[1::2], strict=True)
    same = {(uid, number) for uid, number, *both in sides if wanted.get((uid, number)) == tuple(both)}
    keys = zip(model.totals.uids.tolist(), model.totals.pairs.tolist(), strict=True)
    totals = _select(model.totals, np.fromiter((key in same for key in keys), bool, len(model.totals)))
    counts = Counter(totals.uids.tolist())
    shards = {
        uid: replace(shard, pairs="", count=counts[uid])
        for uid, shard in model.manifest.shards.items()
        if uid in counts
    }
    return replace(model, manifest=replace(model.manifest, shards=shards), totals=totals, baselines=None, earlier=())


# Training runs


def read_run(folder: Path, *, name: str) -> ScoredRun | Problem:
    """Read the run in a folder, or return why it is left out; all checkpoints must have the same pairs."""
    try:
        recipe = json.loads((folder / "recipe.json").read_text(encoding="utf-8"))
        facts = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        parameters, steps, tokens = (int(facts[fact]) for fact in ("parameters", "steps", "tokens_per_step"))
        learnt, seed = {key: recipe[key] for key in LEARNT if key in recipe}, int(recipe["seed"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        return Problem("run-facts", Place(str(folder)), {"reason": str(error)}, "warning")
    milestones = [milestone for milestone in read_milestones(folder) if milestone.uid not in BASELINES]
    if not milestones:
        return Problem("run-no-milestones", Place(str(folder)), {}, "warning")
    by_step: dict[int, list[Milestone]] = {}
    for milestone in milestones:
        by_step.setdefault(milestone.step, []).append(milestone)
    at = sorted(by_step)
    paradigms = [(m.uid, m.phenomenon, m.pairs) for m in by_step[at[0]]]
    for step in at:
        if [(m.uid, m.phenomenon, m.pairs) for m in by_step[step]] != paradigms:
            return Problem("run-uneven", Place(str(folder / FILE)), {"first": at[0], "step": step}, "warning")
    links = [link for link in milestones[0].right if all(link in m.right for m in milestones)]
    uids, phenomena, pairs = zip(*paradigms, strict=True)
    return ScoredRun(
        name,
        learnt,
        seed,
        parameters,
        steps,
        tokens,
        at=tuple(at),
        uids=uids,
        phenomena=tuple(phenomenon or NOTHING for phenomenon in phenomena),
        pairs=np.array(pairs, np.float64),
        right={link: np.array([[m.right[link] for m in by_step[step]] for step in at]) for link in links},
        alphas=_sweep([count for count in read_alphas(folder) if count.step == at[-1]]),
    )


def series_of(runs: Iterable[ScoredRun]) -> tuple[Series, ...]:
    """Group runs by what they share; where two series or data have the same name, add the name of a run."""
    members: dict[str, list[ScoredRun]] = {}
    firsts: dict[str, ScoredRun] = {}
    for run in runs:
        members.setdefault(_key(run, LEARNT), []).append(run)
        firsts.setdefault(_key(run, DATA), run)
    data = {key: run.data for key, run in firsts.items()}
    corpora = _distinct(data, instead=lambda key: f"{data[key]} ({firsts[key].name})")
    labels = {key: f"{run.size}, {corpora[_key(run, DATA)]}" for key, (run, *_) in members.items()}
    names = _distinct(labels, instead=lambda key: f"{labels[key]} ({members[key][0].name})")
    return tuple(Series(names[key], corpora[_key(own[0], DATA)], tuple(own)) for key, own in members.items())


def _key(run: ScoredRun, fields: Sequence[str]) -> str:
    return json.dumps([run.recipe.get(name) for name in fields])


def _sweep(counts: Sequence[AlphaCount]) -> Sweep | None:
    """Return the counts at every alpha as accuracies."""
    if not counts:
        return None
    pairs, right = np.array([count.pairs for count in counts], np.float64), np.array([count.right for count in counts])
    with np.errstate(invalid="ignore"):  # a group without pairs has no accuracy
        groups = (right / pairs).T
    return Sweep(tuple((count.alpha,) for count in counts), right.sum(axis=1) / pairs.sum(axis=1), *groups)


def comparable(runs: Sequence[ScoredRun], link: str) -> tuple[tuple[ScoredRun, ...], tuple[Problem, ...]]:
    """Return the runs scored on the same pairs by a linking function, and why the others are left out.

    Where there are several sets of pairs, the one with the most runs is used.
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


def groups_of(runs: Sequence[ScoredRun]) -> tuple[str, ...]:
    """Return all pairs, and the phenomena in the order of their names."""
    return (ALL, *sorted({phenomenon for run in runs for phenomenon in run.phenomena}))


def learning_curve(run: ScoredRun, link: str, group: str) -> LearningCurve:
    """Return accuracy against the tokens seen, without the untrained network, which has learned nothing."""
    trained = run.tokens > 0
    return LearningCurve(run.name, run.tokens[trained], run.accuracies(link, group)[trained])


@dataclass(frozen=True, slots=True)
class EndPoint:
    """The end of a series: the accuracies of its runs by group, and the training FLOPs until then."""

    series: Series
    flops: float
    tokens: float
    accuracies: Mapping[str, Floats]  # by group, one per run

    def mean(self, group: str) -> float:
        """Return the mean over the runs."""
        return float(self.accuracies[group].mean())


def end_point(series: Series, link: str, groups: Sequence[str]) -> EndPoint:
    """Return where a series ends: each run at its last checkpoint."""
    tokens = float(np.mean([run.tokens[-1] for run in series.runs]))
    last = {group: np.array([run.accuracies(link, group)[-1] for run in series.runs]) for group in groups}
    return EndPoint(series, training_flops(series.parameters, tokens), tokens, last)


def untrained(runs: Iterable[ScoredRun], link: str, group: str) -> float | None:
    """Return the mean accuracy of the untrained networks, at step 0; None where none was scored."""
    values = [float(run.accuracies(link, group)[0]) for run in runs if run.at[0] == 0]
    return float(np.mean(values)) if values else None


def last_accuracies(series: Series, link: str) -> tuple[Floats, Floats]:
    """Return the accuracies at the ends of the runs, one row per run and one column per paradigm; and their pairs."""
    pairs = series.runs[0].pairs
    return np.stack([run.right[link][-1] / pairs for run in series.runs]), pairs


# Choices


@dataclass(frozen=True, slots=True)
class ModelChoices:
    """A model's choices by the names of linking functions, and why some of these are missing.

    Those of a run are made of its counts: how many pairs of a paradigm are right is known, but not which, nor which are
    ties.
    """

    name: str
    choices: Mapping[str, Choices]
    problems: tuple[Problem, ...] = ()
    counted: bool = False


def decided(models: Sequence[ModelChoices], link: str) -> dict[str, Choices]:
    """Return the choices by a linking function, of the models for which not all pairs are ties."""
    chosen = {model.name: model.choices[link] for model in models if link in model.choices}
    return {name: choices for name, choices in chosen.items() if not choices.undecided}


def model_choices(results: Results, links: Sequence[Link], *, usual: bool) -> tuple[ModelChoices, ...]:
    """Return the choices of every model; or, where there are no token scores at all, of every run.

    Where the links are the usual ones, SLOR and MORCELA are added for models whose unigrams are known.
    """
    if results.models:
        return tuple(_choices_of_model(model, links, usual=usual) for model in results.models)
    return tuple(_choices_of_run(run, [*links, *([slor()] if usual else [])]) for run in results.runs)


def unigram_choices(
    totals: PairTotals, *, unit: LengthUnit = "tokens", groups: LengthUnit = "tokens"
) -> tuple[list[Choices], tuple[Problem, ...]]:
    """Return the choices by SLOR and by held-out MORCELA, where unigrams are known, and why MORCELA is missing."""
    if totals.unigram is None:
        return [], ()
    choices = [choose_from(totals, slor(), unit=unit, groups=groups)]
    try:
        fitted = held_out_morcela(totals, seed=0, unit=unit, groups=groups).choices
    except InputError as error:  # such as for a model that has not learned anything yet
        return choices, error.problems
    return [*choices, replace(fitted, link=HELD_OUT)], ()


def _choices_of_model(model: ScoredModel, links: Sequence[Link], *, usual: bool) -> ModelChoices:
    lacking = [link.name for link in links if link.needs_unigrams and model.totals.unigram is None]
    problems = [Problem("link-needs-unigrams", values={"link": name}) for name in lacking]
    choices = [choose_from(model.totals, link) for link in links if link.name not in lacking]
    if usual:
        more, reasons = unigram_choices(model.totals)
        choices, problems = [*choices, *more], [*problems, *reasons]
    return ModelChoices(model.name, {one.link: one for one in choices}, tuple(problems))


def _choices_of_run(run: ScoredRun, links: Sequence[Link]) -> ModelChoices:
    names = [link.name for link in links]
    missing = [name for name in names if name not in run.right]
    problems = [Problem("link-not-counted", values={"link": name, "known": [*run.right]}) for name in missing]
    choices = {name: counted_choices(run, name) for name in names if name in run.right}
    return ModelChoices(run.label, choices, tuple(problems), counted=True)


def counted_choices(run: ScoredRun, link: str, *, checkpoint: int = -1) -> Choices:
    """Make choices with as many right as a run had at a checkpoint, the right ones first in every paradigm."""
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
    """Return worths that sum to `right`: ones, one half where it is not whole, and zeros."""
    return np.clip(right - np.arange(size), 0.0, 1.0)


def as_printed(choices: Choices, benchmark: str) -> Choices:
    """Return choices with the phenomena over which the published table of a benchmark averages, if it has one."""
    for table in all_published():
        if table.benchmark == benchmark and table.whole == "phenomena" and table.phenomena:
            printed = [table.phenomena[published_uid(uid)] for uid in choices.uids.tolist()]
            return replace(choices, phenomena=np.array(printed, object))
    return choices


def phenomenon_of(choices: Iterable[Choices]) -> dict[str, str]:
    """Return the phenomenon of every uid, sorted by phenomenon and uid."""
    phenomena: dict[str, str] = {}
    for one in choices:
        strata = stratify(one)
        phenomena |= dict(zip(strata.uids, strata.phenomena, strict=True))
    return dict(sorted(phenomena.items(), key=lambda item: (item[1], natural(item[0]))))
