"""Calls for studies, on the researcher's side: designing, opening, watching, exporting and deciding.

A viewer sees how a study goes and what it shows; an editor designs, opens, closes and exports it and writes decisions;
an owner may delete somebody's answers. The calls of participants are in `bidui.web.api.answers`.
"""

import asyncio
import re
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Query, Request, Response, UploadFile
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import encode, sha256
from bidui.grammar.archives import add_to_zip
from bidui.grammar.paradigm_file import parse_paradigm
from bidui.pairs.formats import pairs_to_bytes
from bidui.people.agreement import Figure, counts
from bidui.people.decisions import Verdict, propose, reason, set_status
from bidui.people.design import PRESETS, Design, standard_texts
from bidui.people.exchange import export_pcibex, parse_answers, response_files
from bidui.people.lists import fitted
from bidui.people.participants import participants_csv
from bidui.people.progress import PersonLine, StudyProgress
from bidui.people.responses import to_jsonl
from bidui.people.study import Study, draw_study, pinned_version, same_version
from bidui.web import fieldwork, jobs
from bidui.web.accounts import Access, Editor, Owner, Reader, Spoken
from bidui.web.api.projects import attached
from bidui.web.fieldwork import (
    ExclusionLine,
    Findings,
    ModelFigures,
    ProposalLine,
    Results,
    SizeShape,
)
from bidui.web.problems import fails
from bidui.web.store import studies
from bidui.web.store.accounts import check_role, may
from bidui.web.store.disk import refresh
from bidui.web.store.files import Change, commit
from bidui.web.store.overview import coverage
from bidui.web.store.revisions import Version, latest
from bidui.web.store.studies import StudyName, StudyRecord, StudyState
from bidui.web.studies import StudyLine, exported_participants, folder_files, record_progress, study_line
from bidui.words import Language

router = APIRouter(prefix="/api/projects/{project}/studies", tags=["studies"], responses=fails(400, 401, 404, 422))
Name = Annotated[str, Field(min_length=1, max_length=100)]
Text = Annotated[str, Field(max_length=20_000)]
Base = Annotated[str, Field(max_length=64)]
LIGHT = 500  # responses; the results of no more are computed at once
MOST_PAIRS = 200  # of a study that the answer lists by themselves; the export has them all


# The studies of a project


@dataclass(frozen=True, slots=True)
class StudyList:
    """The studies of a project, the latest first."""

    studies: list[StudyLine]


@router.get("")
def list_studies(access: Reader, language: Spoken) -> StudyList:
    """List the studies of a project."""
    records = studies.studies_of_project(access.entry)
    return StudyList([study_line(record, _progress(access, record, language)) for record in records])


def _progress(access: Access, record: StudyRecord, language: Language) -> StudyProgress:
    """Return how far a study is, computed again only after somebody has done something: open pages keep asking."""
    state = (studies.pulse_of(record), record.sha256)  # a draft may be drawn again
    make = partial(record_progress, record, language=language)
    return access.bench.progress.get((record.id, language), make, state=state)


# Designing one


@dataclass(frozen=True, slots=True)
class ParadigmChoice:
    """A paradigm that a study may ask about."""

    uid: str
    phenomenon: str
    file: str
    status: str
    errors: int


@dataclass(frozen=True, slots=True)
class EarlierStudy:
    """A study that another may follow."""

    id: int
    name: str
    state: StudyState


@dataclass(frozen=True, slots=True)
class StudyForm:
    """What the page of a new study starts with: the design as it is, and what can be chosen."""

    id: int | None
    name: str
    design: Design
    uids: list[str]
    texts: dict[str, dict[Language, str]]
    earlier: int | None
    base: str  # the state of the draft, to be sent with what is changed; empty for a new study
    presets: list[Design]
    paradigms: list[ParadigmChoice]
    others: list[EarlierStudy]


class StudyPlan(BaseModel):
    """A study as it is to be drawn; `texts` has those that differ from the standard ones.

    With `base`, a draft that somebody else has changed meanwhile stays as it is.
    """

    name: Name
    design: Design
    uids: Annotated[list[Name], Field(min_length=1, max_length=2_000)]
    texts: dict[str, dict[Language, Text]] = {}
    earlier: int | None = None  # of a new study; a draft keeps the one it has
    base: Base = ""


class SizeQuestion(BaseModel):
    """A design, for so many paradigms, and the agreement that is assumed."""

    design: Design
    paradigms: Annotated[int, Field(ge=1, le=2_000)]
    agreement: Annotated[float, Field(ge=0.5, le=1)] = 0.9


@dataclass(frozen=True, slots=True)
class StudyNumber:
    """A study that was just saved."""

    id: int


@router.get("/form", responses=fails(404))
def study_form(
    access: Reader, study: Annotated[int | None, Query()] = None, follows: Annotated[int | None, Query()] = None
) -> StudyForm:
    """Return what the form of a new study needs, or that of a draft."""
    refresh(access.entry)
    record = studies.study_of(access.entry, study) if study is not None else None
    paradigms = [
        ParadigmChoice(line.uid, line.phenomenon, line.file, line.status, line.errors)
        for line in coverage(access.entry).paradigms
        if line.parsed
    ]
    others = [_named(each) for each in studies.study_names(access.entry) if each.id != study and each.state != "draft"]
    included = [choice.uid for choice in paradigms if choice.status != "excluded"]
    lang = coverage(access.entry).facts.lang
    presets = [fitted(replace(each, language=lang), paradigms=len(included)) for each in PRESETS.values()]
    start = studies.study_of(access.entry, follows) if follows is not None and record is None else record
    if start is None:
        texts = {key: dict(own) for key, own in standard_texts().items()}
        design = next(each for each in presets if each.name == "bidui")
        return StudyForm(None, "", design, included, texts, None, "", presets, paradigms, others)
    known = {choice.uid for choice in paradigms}
    return StudyForm(
        record.id if record else None,
        record.name if record else f"{start.name} 2",
        start.study.design,
        [uid for uid in start.study.pairs.by_uid() if uid in known],
        {key: dict(own) for key, own in start.study.texts.items()},
        record.earlier if record else start.id,
        record.sha256 if record else "",
        presets,
        paradigms,
        others,
    )


@router.post("/size")
def study_size(_: Reader, language: Spoken, body: SizeQuestion) -> SizeShape:
    """Say what a design costs and how narrow its intervals will be."""
    fieldwork.check_design(body.design, paradigms=body.paradigms)
    return fieldwork.size_of(body.design, paradigms=body.paradigms, agreement=body.agreement, language=language)


@router.post("", status_code=201, responses=fails(403))
async def add_study(access: Editor, request: Request, body: StudyPlan) -> StudyNumber:
    """Draw a study as a draft: its pairs are pinned, and edits of the project do not change it."""
    study = await _drawn(access, body, request)
    record = await run_in_threadpool(studies.create_study, access.entry, study, earlier=body.earlier)
    return StudyNumber(record.id)


@router.put("/{number}", responses=fails(403, 409))
async def redraw_study(access: Editor, request: Request, number: int, body: StudyPlan) -> StudyNumber:
    """Draw a draft again, from another design or from the project as it is now."""
    record = _as_seen(await run_in_threadpool(studies.study_of, access.entry, number), body.base)
    _check_draft(record)  # before much work
    study = await _drawn(access, body, request)
    await run_in_threadpool(studies.update_draft, record, study)
    return StudyNumber(record.id)


def _as_seen(record: StudyRecord, base: str) -> StudyRecord:
    """Return a study; one that is not any more what somebody has on her screen is refused."""
    if base not in ("", record.sha256):
        raise fail("study-redrawn", Place(), {"study": record.name})
    return record


def _check_draft(record: StudyRecord) -> None:
    if record.state != "draft":
        raise fail("study-state", Place(), {"state": record.state, "wanted": "draft"})


async def _drawn(access: Access, plan: StudyPlan, request: Request) -> Study:
    """Draw a study in our turn: its pairs are made by a process that takes all it can get."""
    design = plan.design
    await run_in_threadpool(_check_uids, access, plan.uids)
    await run_in_threadpool(fieldwork.check_design, design, paradigms=len(set(plan.uids)))
    follows = await run_in_threadpool(studies.study_of, access.entry, plan.earlier) if plan.earlier else None
    # As `bidui study new` does: all variants should be among them, and catch trials are made of what is left.
    n = max(3 * design.per_paradigm, 20)

    async def draw() -> Study:
        async with access.bench.exports.take(access.user.id):
            pool, hashes = await jobs.make_pool(access.entry.folder, n=n, seed=design.seed, uids=plan.uids)
        return await run_in_threadpool(
            draw_study,
            pool,
            design,
            name=plan.name,
            texts=plan.texts,
            source=access.entry.name,
            paradigms=hashes,
            follows=follows.study if follows else None,
            before=await run_in_threadpool(_counts, follows) if follows else None,
        )

    study = await jobs.until_gone(asyncio.ensure_future(draw()), request)
    if study is None:
        raise fail("superseded", Place())  # nobody is there to read it
    return study


def _counts(record: StudyRecord) -> dict[str, tuple[int, int]]:
    return counts(record.study, studies.responses_of(record))


def _check_uids(access: Access, uids: Sequence[str]) -> None:
    """Refuse what is no paradigm's name before a process is started; to the command, `*` would mean all."""
    refresh(access.entry)
    known = [line.uid for line in coverage(access.entry).paradigms]
    if unknown := [uid for uid in uids if uid not in known]:
        raise fail("uid-unknown", Place(), {"uid": repr(unknown[0]), "uids": known})


# One study: its state, and who is where


@dataclass(frozen=True, slots=True)
class StudyAnswer:
    """A study with its size and how far it is; only editors get the address for participants and the code."""

    id: int
    name: str
    state: StudyState
    created: datetime
    opened: datetime | None
    closed: datetime | None
    design: Design
    paradigms: int
    pairs: int
    version: str
    base: str  # the state of a draft, to be sent when it is opened
    size: SizeShape
    address: str
    code: str  # shown to whoever has finished
    panel: int  # how many participants came with a number in a panel
    earlier: EarlierStudy | None
    later: list[EarlierStudy]
    edited: tuple[str, ...]  # paradigms that were edited since the earlier study
    progress: StudyProgress


class StateChoice(BaseModel):
    """The state that a study is to have; with `base`, a draft is opened only if nobody has changed it meanwhile."""

    state: Literal["open", "paused", "closed"]
    base: Base = ""


@router.get("/{number}")
def study(access: Reader, language: Spoken, number: int) -> StudyAnswer:
    """Return a study: its design and size, and how far people are."""
    record = studies.study_of(access.entry, number)
    pinned, names = record.study, studies.study_names(access.entry)
    count = len(pinned.pairs.by_uid())
    earlier = next((each for each in names if each.id == record.earlier), None)
    return StudyAnswer(
        *(record.id, record.name, record.state, record.created, record.opened, record.closed),
        *(pinned.design, count, len(pinned.pairs), pinned.version, record.sha256),
        fieldwork.size_of(pinned.design, paradigms=count, language=language),
        f"/s/{record.token}" if may(access.role, "editor") and record.state != "draft" else "",
        record.code if may(access.role, "editor") else "",
        studies.count_external(record),
        _named(earlier) if earlier else None,
        [_named(each) for each in names if each.earlier == record.id],
        pinned.follows.edited if pinned.follows else (),
        _progress(access, record, language),
    )


def _named(study: StudyName) -> EarlierStudy:
    return EarlierStudy(study.id, study.name, study.state)


@router.post("/{number}/state", responses=fails(403, 409))
def set_study_state(access: Editor, number: int, body: StateChoice) -> StudyNumber:
    """Open, pause, reopen or close a study; once it is open, nothing of it can be changed."""
    record = _as_seen(studies.study_of(access.entry, number), body.base)
    return StudyNumber(studies.set_state(record, body.state).id)


@router.delete("/{number}", status_code=204, responses=fails(403, 409))
def delete_study(access: Editor, number: int) -> None:
    """Delete a draft; a study that people have answered stays."""
    studies.delete_draft(studies.study_of(access.entry, number))


@router.delete("/{number}/participants/{participant}", status_code=204, responses=fails(403))
def delete_participant(access: Owner, number: int, participant: str) -> None:
    """Delete somebody's answers for good, as she could do herself."""
    studies.delete_participant(studies.study_of(access.entry, number), participant)


# What people's answers show, beside models, and what follows for the project


@dataclass(frozen=True, slots=True)
class ResultsAnswer:
    """The results of a study, with what its rules leave out, what is proposed, and models on the same pairs.

    Of `all_pairs`, the results list the first two hundred, and all doubtful ones.
    """

    id: int
    study: str
    state: StudyState
    results: Results
    all_pairs: int
    failed: list[PersonLine]  # raters who failed a catch trial, also those who are not left out for it
    exclusions: tuple[ExclusionLine, ...]
    threshold: float
    proposals: tuple[ProposalLine, ...]
    models: list[ModelFigures]


class Decision(BaseModel):
    """The paradigms to exclude, and those to include again; `why` is needed where the figures do not say so."""

    threshold: Annotated[float, Field(gt=0, lt=1)]
    exclude: Annotated[list[Name], Field(max_length=2_000)] = []
    include: Annotated[list[Name], Field(max_length=2_000)] = []
    why: Annotated[str, Field(max_length=500)] = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """The new status of each paradigm that was changed."""

    statuses: dict[str, Literal["included", "excluded"]]


Threshold = Annotated[float | None, Query(gt=0, lt=1)]


@router.get("/{number}/results", responses=fails(503))
async def study_results(access: Reader, language: Spoken, number: int, threshold: Threshold = None) -> ResultsAnswer:
    """Return what a study shows so far; an error while nobody has answered."""
    record = await run_in_threadpool(studies.study_of, access.entry, number)
    findings = await computed_results(access, record)
    at = threshold or record.study.design.rules.threshold
    return await run_in_threadpool(_results_answer, access, record, findings, at, language)


async def computed_results(access: Access, record: StudyRecord) -> Findings:
    """Return the results, computed once for the same answers, in a process of its own where they are many."""
    responses = await run_in_threadpool(studies.responses_of, record)
    state = sha256(to_jsonl(responses))
    found = access.bench.results.peek(record.id, state=state)
    if found is None:
        light = len(responses) < LIGHT
        work = access.bench.heavy.run(
            fieldwork.compute_results, record.study, responses, who=access.user.id, light=light
        )
        found = await work
        access.bench.results.put(record.id, found, state=state)
    return found


def _results_answer(
    access: Access, record: StudyRecord, findings: Findings, threshold: float, language: Language
) -> ResultsAnswer:
    results = findings.results
    now = {uid: (each.status, each.edited) for uid, each in _paradigms(access, record.study).items()}
    return ResultsAnswer(
        *(record.id, record.name, record.state),
        replace(results, pairs=results.pairs[: max(MOST_PAIRS, results.doubtful)]),
        len(results.pairs),
        [each for each in _progress(access, record, language).persons if each.catch.correct < each.catch.all],
        fieldwork.exclusion_lines(findings.exclusions, language),
        threshold,
        fieldwork.proposal_lines(findings.figures, threshold=threshold, now=now),
        [fieldwork.model_figures(name, worth, results) for name, worth in studies.scores_of(record).items()],
    )


@dataclass(frozen=True, slots=True)
class _Paradigm:
    """A paradigm as it is in the project now."""

    version: Version
    status: str
    edited: bool  # since the study was drawn, not counting its status


def _paradigms(access: Access, study: Study) -> dict[str, _Paradigm]:
    """Return the paradigms of a study that the project still has, by uid."""
    refresh(access.entry)
    pinned = study.paradigms or {}
    versions = latest(access.entry, {"paradigm"})
    found: dict[str, _Paradigm] = {}
    for line in coverage(access.entry).paradigms:
        paradigm = parse_paradigm(versions[line.file].text, name=line.file)[0] if line.uid in pinned else None
        if paradigm is not None:
            edited = not same_version(pinned[line.uid], pinned_version(paradigm))
            found[line.uid] = _Paradigm(versions[line.file], line.status, edited)
    return found


@router.post("/{number}/decisions", responses=fails(403, 409, 503))
async def write_decisions(access: Editor, number: int, body: Decision) -> Decided:
    """Write `status: excluded`, or `included` again, with the figures into paradigms; each becomes a revision.

    Whatever the figures do not say, and whatever was edited since the study was drawn, needs a reason in words.
    """
    record = await run_in_threadpool(studies.study_of, access.entry, number)
    findings = await computed_results(access, record)
    return await run_in_threadpool(_decide, access, record, findings.figures, body)


def _decide(access: Access, record: StudyRecord, figures: Mapping[str, Figure], body: Decision) -> Decided:
    there = _paradigms(access, record.study)
    wanted: dict[str, Verdict] = {**dict.fromkeys(body.include, "keep"), **dict.fromkeys(body.exclude, "exclude")}
    if missing := [uid for uid in wanted if uid not in there or uid not in figures]:
        raise InputError(Problem("decide-missing", Place(access.entry.name), {"uid": uid}) for uid in missing)
    if not wanted or set(body.include) & set(body.exclude):
        raise fail("decide-nothing")
    proposals = {each.uid: each for each in propose(figures, threshold=body.threshold)}
    changes, problems = [], []
    statuses: dict[str, Literal["included", "excluded"]] = {}
    for uid, verdict in wanted.items():
        proposal, mine, file = proposals[uid], there[uid], there[uid].version.revision.file
        if proposal.verdict != verdict or mine.edited:
            if not body.why.strip():
                kind = "decide-reason" if proposal.verdict != verdict else "decide-edited"
                problems.append(Problem(kind, Place(file), {"uid": uid}))
            proposal = replace(proposal, verdict=verdict, why=body.why.strip())
        statuses[uid] = "excluded" if verdict == "exclude" else "included"
        text = set_status(
            mine.version.text, status=statuses[uid], reason=reason(proposal, study=record.name), name=file
        )
        data, base = encode(text, place=Place(file)), mine.version.revision.id
        changes.append(Change(file, data, base, study=record.id))
    if problems:
        raise InputError(problems)
    commit(access.entry, changes, who=access.user)
    return Decided(statuses)


# Models, whose scores of the pairs of the study somebody has uploaded


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model whose choices are shown beside people's."""

    name: str


@router.post("/{number}/models", status_code=201, responses=fails(403, 413))
def add_model(
    access: Editor,
    number: int,
    scores: Annotated[UploadFile, File(description="A file that `bidui export-scores` wrote.")],
) -> ModelName:
    """Show a model beside people: it must have scored all pairs of the study."""
    record = studies.study_of(access.entry, number)
    file = scores.filename or "scores.jsonl"
    worth = fieldwork.parse_model_scores(scores.file.read(), record.study, file=file)
    name = Path(file).stem[:80] or "model"
    studies.keep_scores(record, name, worth)
    return ModelName(name)


@router.delete("/{number}/models/{name}", status_code=204, responses=fails(403))
def remove_model(access: Editor, number: int, name: str) -> None:
    """Show a model no longer."""
    studies.drop_scores(studies.study_of(access.entry, number), name)


# Answers that were collected elsewhere


@dataclass(frozen=True, slots=True)
class ImportedAnswers:
    """How many answers a file has, by how many people, and how many of them were not there before."""

    answers: int
    people: int
    new: int


@router.post("/{number}/responses", status_code=201, responses=fails(403, 409, 413))
def import_answers(
    access: Editor,
    number: int,
    answers: Annotated[UploadFile, File(description="Results of PCIbex, exported responses, or a plain table.")],
) -> ImportedAnswers:
    """Add answers that were collected elsewhere; each counts once, and nothing is added if a row is wrong."""
    record = studies.study_of(access.entry, number)
    responses = parse_answers(answers.file.read(), record.study, file=Path(answers.filename or "answers.csv").name)
    new = studies.import_responses(record, responses)
    return ImportedAnswers(len(responses), len({each.participant for each in responses}), new)


# Export

ExportFormat = Literal["csv", "jsonl", "study", "pcibex", "pairs"]
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {}, "application/jsonl": {}}, "description": "A zip, or the pairs as JSONL"}
}


@router.get("/{number}/export", responses={**fails(403), **_FILE}, response_class=Response)
def export_study(access: Editor, number: int, format: ExportFormat = "csv", external: bool = False) -> Response:
    """Return all responses with a codebook, the pairs as `bidui score` takes them, or the experiment for PCIbex.

    `study` is the folder that `bidui study` and `bidui report --study` take, with responses and participants. Only an
    owner gets the ids by which a panel pays its people (`external`).
    """
    if external:
        check_role(access.bench.store, access.user, "owner", access.entry)
    record = studies.study_of(access.entry, number)
    plain = re.sub(r"[^\w-]+", "-", record.name).strip("-") or "study"  # it becomes the name of a folder
    name = plain if format == "study" else f"{plain}-{format}"
    if format == "pairs":
        data = pairs_to_bytes(record.study.pairs, format="jsonl")
        return Response(data, headers=attached("pairs.jsonl"), media_type="application/jsonl")
    if format == "pcibex":
        files = _pcibex(record.study)
    elif format == "study":
        files = folder_files(record)
    else:
        files = response_files(
            studies.responses_of(record), exported_participants(record), to=format, external=external
        )
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for file, data in files.items():
            add_to_zip(archive, f"{name}/{file}", data)
    return Response(target.getvalue(), headers=attached(f"{name}.zip"), media_type="application/zip")


@router.get("/{number}/panel", responses={**fails(403), 200: {"content": {"text/csv": {}}}}, response_class=Response)
def export_panel(access: Owner, number: int) -> Response:
    """Return who took part with which number in a panel, for payment; such numbers are in no other export."""
    record = studies.study_of(access.entry, number)
    people = [each for each in exported_participants(record) if each.external]
    data = participants_csv(people, external=True)
    return Response(data, headers=attached(f"{record.name}-panel.csv"), media_type="text/csv")


@router.delete("/{number}/panel", status_code=204, responses=fails(403))
def forget_panel(access: Owner, number: int) -> None:
    """Erase the numbers in a panel, and nothing else."""
    studies.forget_external(studies.study_of(access.entry, number))


def _pcibex(study: Study) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory(prefix="bidui-pcibex-") as place:
        export_pcibex(study, Path(place) / "out")
        files = sorted(path for path in (Path(place) / "out").rglob("*") if path.is_file())
        return {path.relative_to(Path(place) / "out").as_posix(): path.read_bytes() for path in files}
