"""Calls for results: what models made of a project's pairs, scoring in the background, and the report.

A viewer sees everything; an editor scores, stops runs, deletes scores and makes the report. On one's own machine any
model may be loaded, as with `bidui score`; the editors of a team choose among those that its server was started with,
since a model can be a program of its own.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from bidui.errors import InputError, Place, Problem, distinct, fail
from bidui.files import file_hash, sha256
from bidui.models.specs import DEFAULT, parse_spec
from bidui.web.accounts import Access, Editor, Reader, Spoken
from bidui.web.api.studies import ModelName, computed_results
from bidui.web.fieldwork import Interval
from bidui.web.problems import ProblemShape, fails, problem_shapes
from bidui.web.results import (
    MAIN,
    RESULTS,
    SCORES,
    Figures,
    PairLine,
    PairTokensShape,
    SetFigures,
    StoredModel,
    delete_scores,
    figures_of,
    find_scores,
    find_set,
    label_in_study,
    pair_lines,
    pair_tokens,
    parse_safe_link,
    read_results,
    report_folder,
    results_folder,
    state_of,
    stored_models,
    worth_of,
)
from bidui.web.runs import OPEN, Plan, Run, RunKind, RunState
from bidui.web.store import studies
from bidui.web.store.disk import refresh
from bidui.web.store.overview import coverage, source_hash
from bidui.web.store.studies import StudyRecord
from bidui.web.studies import folder_files
from bidui.web.workbench import Settings
from bidui.words import Language

if TYPE_CHECKING:
    from bidui.reports.results import Results as Scored

router = APIRouter(prefix="/api/projects/{project}", tags=["results"], responses=fails(400, 401, 404, 422))
LinkName = Annotated[str, Query(max_length=60)]
SetName = Annotated[str, Query(max_length=40)]
Uid = Annotated[str, Query(max_length=400)]
OneModel = Annotated[str, Query(max_length=400)]
PairNumber = Annotated[int, Query(ge=0, lt=2**31)]
Again = Annotated[int, Query(ge=1, le=10_000)]
MOST_PAIRS = 1_000  # per paradigm that can be scored here
ENDED = 3  # runs that are listed after they have ended
STUDIES = 3  # closed studies whose people are shown
NEEDED = ("torch", "transformers", "tokenizers", "safetensors")  # of bidui[lm]


# Runs


@dataclass(frozen=True, slots=True)
class RunShape:
    """A run in the background; `ahead` counts the runs, of any project, that come before one that waits."""

    id: int
    kind: RunKind
    model: str
    n: int
    seed: int
    study: int | None
    link: str
    by: str
    queued: datetime
    state: RunState
    label: str
    step: str
    done: int
    total: int
    ahead: int
    problems: list[ProblemShape]


@dataclass(frozen=True, slots=True)
class RunList:
    """The runs of a project: those that wait or are at work, and the last that have ended."""

    runs: list[RunShape]


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The models that can be chosen: any spec, or one of these; `installed` says whether models can be loaded."""

    models: tuple[str, ...]
    free: bool
    installed: bool


class ScoreRequest(BaseModel):
    """A model, and how many pairs per paradigm to make with which seed."""

    model: Annotated[str, Field(min_length=1, max_length=400)] = DEFAULT
    n: Annotated[int, Field(ge=1, le=MOST_PAIRS)] = 100
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0


class ReportRequest(BaseModel):
    """The study whose people are beside the models, on the pairs that they judged; without one, models only."""

    study: Annotated[int, Field(ge=1)] | None = None


class StudyScoreRequest(BaseModel):
    """A model for the pairs of a study, and the linking function by which it is shown beside people."""

    model: Annotated[str, Field(min_length=1, max_length=400)] = DEFAULT
    link: Annotated[str, Field(max_length=60)] = MAIN


class StoredRequest(BaseModel):
    """Stored scores to show beside the people of a study, by a linking function."""

    id: Annotated[str, Field(max_length=1000)]
    link: Annotated[str, Field(max_length=60)] = MAIN


@router.get("/results/runs")
def list_runs(access: Reader, language: Spoken) -> RunList:
    """List the runs of a project, the latest first."""
    return RunList(run_shapes(access, language))


def run_shapes(access: Access, language: Language, *, study: int | None = None) -> list[RunShape]:
    """Return the runs of a project, or of one of its studies."""
    runs = [run for run in access.bench.runs.of(access.entry.id) if study is None or run.plan.study == study]
    ended = [run for run in runs if run.state not in OPEN][:ENDED]
    return [_run_shape(access, run, language) for run in runs if run.state in OPEN or run in ended]


def _run_shape(access: Access, run: Run, language: Language) -> RunShape:
    plan = run.plan
    return RunShape(
        *(run.id, plan.kind, plan.model, plan.n, plan.seed, plan.study, plan.link, run.by, run.queued, run.state),
        *(run.label, run.step, run.done, run.total),
        access.bench.runs.ahead(run) if run.state == "waiting" else 0,
        problem_shapes(run.problems, language),
    )


@router.post("/results/runs", status_code=201, responses=fails(403, 409, 503))
def start_scoring(access: Editor, language: Spoken, body: ScoreRequest) -> RunShape:
    """Score the pairs of a project in the background; what is scored already is kept."""
    check_model(access.bench.settings, body.model)
    results_folder(access.entry)
    return _started(access, Plan("score", body.model, body.n, body.seed), language)


@router.post("/results/report", status_code=201, responses=fails(403, 409, 503))
def start_report(access: Editor, language: Spoken, body: ReportRequest) -> RunShape:
    """Make the report of a project's results, or of a study's pairs, in the background, in the reader's language."""
    if not any(results_folder(access.entry).rglob(SCORES)):
        raise fail("results-unknown", Place(), {"name": RESULTS})
    if body.study is not None:
        studies.study_of(access.entry, body.study)
    return _started(access, Plan("report", study=body.study, language=language), language)


@router.post("/studies/{number}/score", status_code=201, responses=fails(403, 409, 503))
def score_study(access: Editor, language: Spoken, number: int, body: StudyScoreRequest) -> RunShape:
    """Score the pairs of a study in the background; the model is then shown beside its people."""
    studies.study_of(access.entry, number)
    check_model(access.bench.settings, body.model)
    return _started(access, Plan("score", body.model, study=number, link=_plain_link(body.link)), language)


def _started(access: Access, plan: Plan, language: Language) -> RunShape:
    run = access.bench.runs.add(access.entry, plan, user=access.user.id, by=access.user.name)
    return _run_shape(access, run, language)


@router.delete("/results/runs/{number}", status_code=204, responses=fails(403))
def stop_run(access: Editor, number: int) -> None:
    """Stop a run, or remove one that has ended from the list; what is scored stays."""
    access.bench.runs.cancel(access.entry.id, number)


def model_choice(settings: Settings) -> ModelChoice:
    """Return the models that can be chosen here."""
    models = tuple(dict.fromkeys((DEFAULT, *settings.models)))
    return ModelChoice(models, not settings.team, all(find_spec(name) is not None for name in NEEDED))


def check_model(settings: Settings, model: str) -> None:
    """Refuse what is no model, and in a team what its server was not started with."""
    choice = model_choice(settings)
    if not choice.free and model not in choice.models:
        raise fail("model-not-allowed", Place(), {"model": model, "known": choice.models})
    if not choice.installed:
        raise fail("needs-extra", Place(), {"package": "torch", "extra": "lm"})
    parse_spec(model)


def _plain_link(text: str) -> str:
    """Return the full name of a linking function; refuse one that needs more than the scores of a sentence."""
    link = parse_safe_link(text)
    if link.needs_unigrams:
        raise fail("show-link", Place(), {"link": text})
    return link.name


# Figures


@dataclass(frozen=True, slots=True)
class PeopleColumn:
    """How often the people of a study that is closed chose the good sentence, on the pairs of that study."""

    study: int
    name: str
    overall: Interval | None
    phenomena: dict[str, Interval]
    paradigms: dict[str, Interval]


@dataclass(frozen=True, slots=True)
class ReportState:
    """A report in the reader's language: the study whose people it has, and whether it shows all as it is now."""

    study: int | None
    fresh: bool


@dataclass(frozen=True, slots=True)
class ProjectResults:
    """All that models made of a project's pairs, by one linking function, with people beside them.

    `sets`, those of the project before those of studies, are never mixed: the models of one were scored on the same
    pairs. `problems` say which scores are left out, `notes` why a linking function is missing.
    """

    link: str
    sets: tuple[SetFigures, ...]
    stored: list[StoredModel]
    studies: dict[int, str]  # the names of the project's studies
    opened: list[int]  # the studies that are no drafts, so that people may have answered
    people: list[PeopleColumn]
    runs: list[RunShape]
    choice: ModelChoice
    reports: list[ReportState]
    problems: list[ProblemShape]
    notes: list[ProblemShape]


@router.get("/results")
async def project_results(access: Reader, language: Spoken, link: LinkName = MAIN) -> ProjectResults:
    """Return the accuracies of all models that were scored for a project."""
    figures = await run_in_threadpool(_figures, access, link)
    stored, problems = await run_in_threadpool(_stored, access)
    names = await run_in_threadpool(studies.study_names, access.entry)
    opened = [each.id for each in names if each.state != "draft"]
    return ProjectResults(
        figures.link,
        tuple(sorted(figures.sets, key=lambda each: each.study or 0)),
        stored,
        {each.id: each.name for each in names},
        opened,
        await _people(access) if figures.sets else [],
        run_shapes(access, language),
        model_choice(access.bench.settings),
        await run_in_threadpool(_reports, access, language, opened),
        problem_shapes(distinct([*figures.problems, *problems]), language),
        problem_shapes(figures.notes, language),
    )


def _scored(access: Access, state: str) -> "Scored | None":
    """Return the scores of a project, read once for the same files; two people who ask at once wait for one reading."""
    folder = results_folder(access.entry)
    with access.bench.turns.take(("results", access.entry.id)):
        return access.bench.scores.get(access.entry.id, lambda: read_results(folder), state=state)


def _figures(access: Access, link: str) -> Figures:
    chosen, folder = parse_safe_link(link), results_folder(access.entry)
    state = state_of(folder)  # before anything is read: what changes meanwhile is then read again the next time
    scored = _scored(access, state)
    if scored is None:
        return Figures(chosen.name, (), ())
    with access.bench.turns.take(("figures", access.entry.id)):
        key = (access.entry.id, chosen.name)
        return access.bench.figures.get(key, lambda: figures_of(scored, chosen, folder=folder), state=state)


def _stored(access: Access) -> tuple[list[StoredModel], list[Problem]]:
    entry = access.entry
    refresh(entry)
    paradigms = coverage(entry).paradigms
    included = [line.uid for line in paradigms if line.parsed and line.status != "excluded"]
    known = [line.uid for line in paradigms]
    return stored_models(results_folder(entry), source=source_hash(entry), included=included, known=known)


async def _people(access: Access) -> list[PeopleColumn]:
    """Return the people of the last studies that are closed; one whose figures cannot be had now is left out."""
    names = await run_in_threadpool(studies.study_names, access.entry)
    columns = []
    for name in [each for each in names if each.state == "closed"][:STUDIES]:
        with suppress(InputError):  # nobody has answered, or too much is asked for at once
            record = await run_in_threadpool(studies.study_of, access.entry, name.id)
            results = (await computed_results(access, record)).results
            overall = results.overall.wider if results.overall else None
            parts = [{figure.name: figure.wider for figure in part} for part in (results.phenomena, results.paradigms)]
            columns.append(PeopleColumn(record.id, record.name, overall, *parts))
    return columns


@router.delete("/results/scores/{name:path}", status_code=204, responses=fails(403, 409))
def remove_scores(access: Editor, name: str) -> None:
    """Delete the scores of a model, unless a run of the project is at work."""
    access.bench.runs.check_idle(access.entry.id)
    delete_scores(results_folder(access.entry), name)


# A closer look: the pairs of a paradigm, and the tokens of a pair


@dataclass(frozen=True, slots=True)
class ParadigmResults:
    """The pairs of a paradigm with what each model chose; `wrong` counts the pairs that each got wrong, by model."""

    set: str
    set_name: str
    uid: str
    phenomenon: str
    link: str
    models: list[str]
    wrong: dict[str, int]
    pairs: list[PairLine]


@dataclass(frozen=True, slots=True)
class PairResults:
    """The tokens of one pair with their surprisals in bits, by every model of its set."""

    set: str
    uid: str
    number: int
    again: int
    link: str
    models: list[PairTokensShape]


@router.get("/results/pairs", responses=fails(404))
def paradigm_results(
    access: Reader, set: SetName, uid: Uid, link: LinkName = MAIN, model: OneModel = "", wrong: bool = False
) -> ParadigmResults:
    """Return the pairs of a paradigm; with `wrong`, only those whose bad sentence was preferred by a model, or by any.

    With `model`, only its choices decide.
    """
    chosen, pairs = parse_safe_link(link), find_set(_found(access), set)
    lines = pair_lines(pairs, uid, chosen)
    models = [each.name for each in pairs.results.models if any(each.name in line.prefers for line in lines)]
    if model and model not in models:
        raise fail("results-unknown", Place(), {"name": model})
    counted = {name: sum(line.prefers.get(name) == "bad" for line in lines) for name in models}
    judges = {model} if model else {*models}
    left = [line for line in lines if any(line.prefers.get(name) == "bad" for name in judges)] if wrong else lines
    totals = pairs.results.models[0].totals
    phenomena = dict(zip(totals.uids.tolist(), totals.phenomena.tolist(), strict=True))
    return ParadigmResults(set, pairs.name, uid, phenomena.get(uid, ""), chosen.name, models, counted, left)


@router.get("/results/pair", responses=fails(404))
def pair_results(
    access: Reader, set: SetName, uid: Uid, number: PairNumber, again: Again = 1, link: LinkName = MAIN
) -> PairResults:
    """Return the surprisal of every token of a pair, as `bidui show` prints it."""
    chosen, pairs = parse_safe_link(link), find_set(_found(access), set)
    if not any(uid in model.manifest.shards for model in pairs.results.models):
        raise fail("results-unknown", Place(), {"name": uid})
    return PairResults(set, uid, number, again, chosen.name, pair_tokens(pairs, uid, number, again, chosen))


def _found(access: Access) -> "Scored":
    scored = _scored(access, state_of(results_folder(access.entry)))
    if scored is None:
        raise fail("results-unknown", Place(), {"name": RESULTS})
    return scored


# Reports


def _reports(access: Access, language: Language, opened: Sequence[int]) -> list[ReportState]:
    """Compare what the reports were made from with the scores and answers as they are now."""
    reports = []
    for study in (None, *opened):
        try:
            manifest = report_folder(access.entry, language, study=study) / "report.json"
            inputs = json.loads(manifest.read_text("utf-8"))["inputs"]
        except (OSError, ValueError, KeyError):  # there is none
            continue
        try:
            reports.append(ReportState(study, inputs == _inputs(access, study)))
        except InputError:  # some were deleted in this very moment
            reports.append(ReportState(study, False))
    return reports


def _inputs(access: Access, study: int | None) -> dict[str, str]:
    """Return the hashes of what a report would be made from now, as its manifest has them."""
    folder = results_folder(access.entry)
    hashes = {path.relative_to(folder).as_posix(): file_hash(path) for path in folder.rglob(SCORES)}
    if study is not None:
        files = sorted(folder_files(studies.study_of(access.entry, study)).items())
        hashes["--study"] = sha256("".join(f"{name} {sha256(data)}\n" for name, data in files).encode())
    return hashes


def report_file(access: Access, language: Language, name: str, *, study: int | None = None) -> Path:
    """Return a file of a report, known by the manifest that came with it, so that no path leads elsewhere."""
    folder = report_folder(access.entry, language, study=study)
    try:
        files = json.loads((folder / "report.json").read_text("utf-8"))["files"]
    except (OSError, ValueError, KeyError):
        raise fail("report-none", Place()) from None
    if name not in files:
        raise fail("report-none", Place())
    return folder / name


# The pairs of a study


@dataclass(frozen=True, slots=True)
class StudyModels:
    """How models can be put beside the people of a study: scores that are there already, and those to be made."""

    stored: list[str]  # folders of scores that have all pairs of the study
    choice: ModelChoice
    runs: list[RunShape]


@router.get("/studies/{number}/models")
def study_models(access: Reader, language: Spoken, number: int) -> StudyModels:
    """Return which models have scored the pairs of a study, and which can."""
    record = studies.study_of(access.entry, number)
    runs = run_shapes(access, language, study=number)
    return StudyModels(_stored_for(access, record), model_choice(access.bench.settings), runs)


def _stored_for(access: Access, record: StudyRecord) -> list[str]:
    """Return the folders of scores that have all pairs of a study, looked through once for the same files."""
    folder = results_folder(access.entry)

    def look() -> list[str]:
        names = []
        for file in sorted(folder.rglob(SCORES)):
            with suppress(InputError):  # what is broken or under way is not offered
                if worth_of(file.parent, record.study, link=MAIN) is not None:
                    names.append(file.parent.relative_to(folder).as_posix())
        return names

    with access.bench.turns.take(("stored", record.id)):
        pairs = sha256("".join(f"{item.id}\t{item.good}\t{item.bad}\n" for item in record.study.items).encode())
        state = (state_of(folder), pairs)  # a draft may be drawn again
        return access.bench.stored.get(record.id, look, state=state)


@router.post("/studies/{number}/models/stored", status_code=201, responses=fails(403))
def show_stored(access: Editor, number: int, body: StoredRequest) -> ModelName:
    """Show a model that has scored the pairs of a study already beside its people."""
    record = studies.study_of(access.entry, number)
    link, folder = _plain_link(body.link), find_scores(results_folder(access.entry), body.id)
    worth = worth_of(folder, record.study, link=link)
    if worth is None:
        raise fail("results-other-pairs", Place(), {"name": body.id, "study": record.name})
    name = label_in_study(folder.name, link)
    studies.keep_scores(record, name, worth)
    return ModelName(name)
