"""Calls that bring projects in and take them, and pairs, away."""

import asyncio
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO, Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, File, Form, Query, Request, Response, UploadFile
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from bidui.errors import Place, fail
from bidui.pairs.pair import Short
from bidui.web.api.parameters import Reader
from bidui.web.api.projects import Maker
from bidui.web.api.waiting import until_gone
from bidui.web.exporting import MOST, Exported, Format, export_pairs
from bidui.web.identity import Access, Bench, Spoken
from bidui.web.problems import ProblemShape, fails, problem_shapes
from bidui.web.store import Unpacked, coverage, export_project, import_project, read_zip
from bidui.web.store.archives import read_files

router = APIRouter(prefix="/api", tags=["transfers"], responses=fails(400, 401, 422))
_CHUNK = 1 << 18
_NAMED = 50  # paradigms that the header names; the manifest has them all
_ZIP: dict[int | str, dict[str, Any]] = {200: {"content": {"application/zip": {}}, "description": "A zip"}}
_PAIRS: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"application/zip": {}, "application/jsonl": {}, "text/csv": {}},
        "headers": {"Bidui-Short": {"schema": {"type": "string"}, "description": "uid=given of those that fell short"}},
        "description": "The pairs of one paradigm, or a zip of all",
    }
}


class ImportedAnswer(BaseModel):
    """A project that has come in, how many files it has, what was left out, and what was changed on the way."""

    name: str
    files: int
    skipped: list[str]
    problems: list[ProblemShape]


@router.post("/projects/import", status_code=201, responses=fails(403, 409, 413))
def import_files(
    bench: Bench,
    who: Maker,
    language: Spoken,
    name: Annotated[str, Form()],
    files: Annotated[list[UploadFile], File(description="A zip, or the files of a project, ours or classic.")],
) -> ImportedAnswer:
    """A project from a zip, or from several files: ours, or templates in JSON with a vocabulary in TSV."""
    with bench.turns.take("import"):  # each may fill a hundred megabytes
        done = import_project(bench.store, _unpacked(files), name=name, who=who)
    problems = problem_shapes(done.problems, language)
    return ImportedAnswer(name=done.entry.name, files=done.files, skipped=list(done.skipped), problems=problems)


@router.get("/projects/{project}/export", responses={**fails(404), **_ZIP}, response_class=Response)
def export_files(access: Reader) -> Response:
    """The files of a project as a zip that can be imported again."""
    data = export_project(access.bench.store, access.entry)
    return Response(data, headers=_attached(f"{access.entry.name}.zip"), media_type="application/zip")


@router.get("/projects/{project}/pairs", responses={**fails(404), **_PAIRS}, response_class=Response)
async def pairs(
    access: Reader,
    request: Request,
    n: Annotated[int, Query(ge=1, le=MOST)] = 300,
    seed: Annotated[int, Query(ge=0, le=2**53)] = 0,
    format: Format = "jsonl",
    uid: str | None = None,
) -> Response:
    """The pairs as `bidui generate` writes them: of one paradigm, or of all in a zip."""
    await run_in_threadpool(_check_uid, access, uid)
    making = _made(access, n=n, seed=seed, format=format, uid=uid)
    done = await until_gone(asyncio.ensure_future(making), request)
    if done is None:
        return Response(status_code=204)  # nobody is there to read it
    kind = "application/zip" if uid is None else "text/csv" if format == "csv" else "application/jsonl"
    headers = {**_attached(done.name), "Content-Length": str(done.size), **_short(done.short)}
    return StreamingResponse(_chunks(done), headers=headers, media_type=kind)


async def _made(access: Access, *, n: int, seed: int, format: Format, uid: str | None) -> Exported:
    """The pairs, made when it is our turn: each making is a process that takes all it can get."""
    entry = access.entry
    async with access.bench.exports:
        return await export_pairs(entry.folder, name=f"{entry.name}-pairs", n=n, seed=seed, format=format, uid=uid)


def _check_uid(access: Access, uid: str | None) -> None:
    """Refuse what is no paradigm's name before a process is started; to the command, `*` would mean all."""
    uids = [line.uid for line in coverage(access.bench.store, access.entry).paradigms] if uid is not None else []
    if uid is not None and uid not in uids:
        raise fail("uid-unknown", Place(), {"uid": repr(uid), "uids": uids})


def _unpacked(files: list[UploadFile]) -> Unpacked:
    named: list[tuple[str, IO[bytes]]] = [(each.filename or "", each.file) for each in files]
    if not named:
        raise fail("import-nothing")
    if not all(name for name, _ in named):
        raise fail("import-name-missing")
    if len(named) == 1 and PurePosixPath(named[0][0]).suffix.lower() == ".zip":
        return read_zip(named[0][1])
    return read_files(named)


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}", "Cache-Control": "no-store"}


def _short(short: tuple[Short, ...]) -> dict[str, str]:
    named = [f"{quote(each.uid)}={each.given}" for each in short[:_NAMED]]
    more = [f"+{len(short) - _NAMED}"] if len(short) > _NAMED else []
    return {"Bidui-Short": ", ".join((*named, *more))} if short else {}


def _chunks(done: Exported) -> Iterator[bytes]:
    with done.file as file:
        while chunk := file.read(_CHUNK):
            yield chunk
