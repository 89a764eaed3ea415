"""Results: what a folder holds, as values: models with their scores, and training runs with their milestones."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.analysis.baselines import SLING_BASELINES
from bidui.errors import Place, Problem, fail
from bidui.pairs import sha256
from bidui.report.runs import TrainingRun, read_run
from bidui.report.tables import NOTHING
from bidui.scores.milestones import FILE
from bidui.scores.run import ScoreManifest, read_manifest, read_totals, score_folders
from bidui.scores.totals import PairTotals
from bidui.scores.unigrams import UNIGRAMS

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
