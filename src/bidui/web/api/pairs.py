"""Calls for the pairs of a project: looking at them, a few at a time, how varied they are, and downloading them.

They are always those that `bidui generate` makes from the saved files, with the same numbers.
"""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from bidui.errors import Place, fail
from bidui.grammar.names import Kind, kind_of
from bidui.pairs.diversity import Diversity
from bidui.pairs.pair import Pair, Short
from bidui.web import jobs
from bidui.web.accounts import Access, Reader, Spoken
from bidui.web.api.projects import attached
from bidui.web.editing.preview import PreviewPair, preview_pair
from bidui.web.jobs import Format, PairsDownload
from bidui.web.pair_sets import PairSet
from bidui.web.problems import fails
from bidui.web.store.disk import is_source, refresh
from bidui.web.store.overview import coverage, draft_lines
from bidui.web.store.revisions import heads, number_of
from bidui.words import Language

router = APIRouter(prefix="/api", tags=["pairs"], responses=fails(400, 401, 404, 422))
Seed = Annotated[int, Query(ge=0, le=2**53)]
Shown = Annotated[int, Query(ge=1, le=1_000, description="Pairs of each paradigm; a download may have more.")]
Text = Annotated[str, Query(max_length=200)]
SOURCES: frozenset[Kind] = frozenset({"settings", "lexicon", "features", "phrases", "relation", "paradigm"})


# Looking at pairs


@dataclass(frozen=True, slots=True)
class ShownPair(PreviewPair):
    """A pair: its number in its paradigm, and the file of the paradigm."""

    uid: str
    file: str
    phenomenon: str
    pair: int
    edit: str


@dataclass(frozen=True, slots=True)
class PairsOf:
    """A paradigm and how many pairs of it are there to be seen; null where it is excluded and was not asked for."""

    uid: str
    file: str
    phenomenon: str
    excluded: bool
    pairs: int | None


@dataclass(frozen=True, slots=True)
class ShortParadigm:
    """A paradigm that gave fewer pairs than were asked for, and why."""

    uid: str
    file: str
    asked: int
    given: int
    reason: str


@dataclass(frozen=True, slots=True)
class PairsPage:
    """Some pairs, beginning at number `start` of the `total` that were looked for, of `all` that were made.

    `drafts` are files of which the reader has a text that is not in the pairs.
    """

    pairs: list[ShownPair]
    start: int
    total: int
    all: int
    paradigms: list[PairsOf]
    short: list[ShortParadigm]
    drafts: list[str]


@router.get("/projects/{project}/pairs/page")
async def look_at_pairs(
    access: Reader,
    language: Spoken,
    request: Request,
    n: Shown = 300,
    seed: Seed = 0,
    phenomenon: Text = "",
    uid: Text = "",
    text: Text = "",
    start: Annotated[int, Query(ge=0, le=2**53)] = 0,
    most: Annotated[int, Query(ge=1, le=200)] = 50,
) -> PairsPage:
    """Return some pairs: of a phenomenon or a paradigm, or with a text in one of the sentences.

    The first time they are made, which takes seconds, and then kept until the project changes.
    """
    pairs = await _pair_set(access, request, n=n, seed=seed, uid=uid)
    numbers = await run_in_threadpool(pairs.find, phenomenon=phenomenon, uid=uid, text=text)
    shown = await run_in_threadpool(pairs.read, numbers[start : start + most])
    return await run_in_threadpool(_page, access, language, pairs, shown, start, len(numbers))


@router.get("/projects/{project}/pairs/diversity")
async def diversity(access: Reader, request: Request, n: Shown = 300, seed: Seed = 0, uid: Text = "") -> Diversity:
    """Return how varied the pairs of a project are, or those of one paradigm, as `bidui diversity` does."""
    state = await run_in_threadpool(_state, access)  # first: what changes meanwhile is measured again the next time
    pairs = await _pair_set(access, request, n=n, seed=seed, uid=uid)
    kept = access.bench.diversity
    key = (access.entry.id, uid, n, seed)
    if (known := kept.peek(key, state=state)) is not None:
        return known
    facts = (await run_in_threadpool(coverage, access.entry)).facts
    figures = await jobs.until_gone(asyncio.ensure_future(_measured(access, pairs, uid=uid, lang=facts.lang)), request)
    if figures is None:
        raise fail("superseded")
    kept.put(key, figures, state=state)
    return figures


async def _measured(access: Access, pairs: PairSet, *, uid: str, lang: str) -> Diversity:
    async with access.bench.exports.take(access.user.id):
        return await jobs.measure(pairs, uid=uid, lang=lang)


async def _pair_set(access: Access, request: Request, *, n: int, seed: int, uid: str) -> PairSet:
    """Return the pairs of all paradigms, or of one where that is quicker; none for a browser that has gone away."""
    await run_in_threadpool(_check_uid, access, uid or None)
    making = asyncio.ensure_future(_looked_up(access, n=n, seed=seed, uid=uid))
    if (pairs := await jobs.until_gone(making, request)) is None:
        raise fail("superseded")
    return pairs


async def _looked_up(access: Access, *, n: int, seed: int, uid: str) -> PairSet:
    entry, kept = access.entry, access.bench.pair_sets
    state = await run_in_threadpool(_state, access)

    def known() -> PairSet | None:
        for which in dict.fromkeys(("", uid)):
            pairs = kept.peek((entry.id, which, n, seed), state=state)
            if pairs is not None and (not uid or pairs.has(uid)):
                return pairs
        return None

    if (pairs := known()) is not None:
        return pairs
    async with access.bench.exports.take(access.user.id):
        if (pairs := known()) is None:  # nobody else has made them while we waited
            pairs = await jobs.make_pair_set(entry.folder, n=n, seed=seed, uid=uid or None)
            kept.put((entry.id, uid, n, seed), pairs, state=state)
    return pairs


def _state(access: Access) -> tuple[tuple[str, int], ...]:
    """Return what pairs follow from: the latest revisions of all files that they are made from."""
    refresh(access.entry)
    return tuple(sorted(heads(access.entry, SOURCES).items()))


def _page(
    access: Access, language: Language, pairs: PairSet, shown: tuple[Pair, ...], start: int, total: int
) -> PairsPage:
    files = {line.uid: line.file for line in coverage(access.entry).paradigms}
    given = {each.uid: each.count for each in pairs.paradigms} | {each.uid: each.given for each in pairs.short}
    drafts = {line.file for line in draft_lines(access.entry) if line.author == access.user.name}
    return PairsPage(
        pairs=[_shown_pair(pair, files) for pair in shown],
        start=start,
        total=total,
        all=len(pairs),
        paradigms=paradigms_of(access, given),
        short=_short_paradigms(access, language, pairs.short, files),
        drafts=sorted(file for file in drafts if is_source(file, uid=None)),
    )


def paradigms_of(access: Access, given: Mapping[str, int]) -> list[PairsOf]:
    """Return the paradigms of a project, with how many pairs of each are there."""
    return [
        PairsOf(line.uid, line.file, line.phenomenon, line.status != "included", given.get(line.uid))
        for line in coverage(access.entry).paradigms
    ]


def _shown_pair(pair: Pair, files: Mapping[str, str]) -> ShownPair:
    preview = preview_pair(pair)
    sentences = (preview.good, preview.bad, preview.good_regions, preview.bad_regions, preview.variant, preview.slots)
    return ShownPair(*sentences, pair.uid, files.get(pair.uid, ""), pair.phenomenon, pair.pair_id, pair.edit)


def _short_paradigms(
    access: Access, language: Language, short: tuple[Short, ...], files: Mapping[str, str]
) -> list[ShortParadigm]:
    """Return why paradigms fell short, in the reader's language where their pairs were counted."""
    counts = jobs.known_counts(access.entry, language=language) if short else {}
    found = []
    for each in short:
        file = files.get(each.uid, "")
        reasons = counts[file].reasons if file in counts else ()
        reason = "\n".join(one.text for one in reasons) or each.reason
        found.append(ShortParadigm(each.uid, file, each.asked, each.given, reason))
    return found


# Downloading them

_CHUNK = 1 << 18
_NAMED = 50  # paradigms that the header names; the manifest has them all
_PAIRS: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"application/zip": {}, "application/jsonl": {}, "text/csv": {}},
        "headers": {
            name: {"schema": {"type": "string"}, "description": text}
            for name, text in {
                "Bidui-Short": "uid=given of those that fell short",
                "Bidui-Revision": "The revision of the paradigm that the pairs were made from",
                "Bidui-Drafts": "Files of which the reader has a draft that is not in the pairs",
            }.items()
        },
        "description": "The pairs of one paradigm, or a zip of all",
    }
}


@router.get("/projects/{project}/pairs", responses={**fails(404), **_PAIRS}, response_class=Response)
async def pairs(
    access: Reader,
    request: Request,
    n: Annotated[int, Query(ge=1, le=jobs.MOST)] = 300,
    seed: Seed = 0,
    format: Format = "jsonl",
    uid: str | None = None,
) -> Response:
    """Return pairs as `bidui generate` writes them: of one paradigm, or of all in a zip.

    They are made from the files as they are saved: the headers say from which revision of the paradigm, and of which
    files the reader has a draft that is not in them.
    """
    await run_in_threadpool(_check_uid, access, uid)
    making = _made(access, n=n, seed=seed, format=format, uid=uid)
    download = await jobs.until_gone(asyncio.ensure_future(making), request)
    if download is None:
        return Response(status_code=204)  # nobody is there to read it
    kind = "application/zip" if uid is None else "text/csv" if format != "jsonl" else "application/jsonl"
    origin = await run_in_threadpool(_origin, access, uid, download.sources)
    headers = {**attached(download.name), "Content-Length": str(download.size), **_short(download.short), **origin}
    return StreamingResponse(_chunks(download), headers=headers, media_type=kind)


async def _made(access: Access, *, n: int, seed: int, format: Format, uid: str | None) -> PairsDownload:
    """Make pairs when it is our turn: each export is a process that takes all it can get."""
    entry = access.entry
    async with access.bench.exports.take(access.user.id):
        return await jobs.export_pairs(entry.folder, name=f"{entry.name}-pairs", n=n, seed=seed, format=format, uid=uid)


def _check_uid(access: Access, uid: str | None) -> None:
    """Refuse what is no paradigm's name before a process is started; to the command, `*` would mean all."""
    refresh(access.entry)
    uids = [line.uid for line in coverage(access.entry).paradigms] if uid is not None else []
    if uid is not None and uid not in uids:
        raise fail("uid-unknown", Place(), {"uid": repr(uid), "uids": uids})


def _short(short: tuple[Short, ...]) -> dict[str, str]:
    return _listed("Bidui-Short", [f"{quote(each.uid)}={each.given}" for each in short])


def _origin(access: Access, uid: str | None, sources: Mapping[str, str]) -> dict[str, str]:
    """Return headers that say which revision of a paradigm pairs were made from, and which drafts are not in them."""
    entry = access.entry
    refresh(entry)
    files = {line.file for line in draft_lines(entry) if line.author == access.user.name}
    headers = _listed("Bidui-Drafts", [quote(file) for file in sorted(files) if is_source(file, uid=uid)])
    paradigm = next((name for name in sources if uid is not None and kind_of(name) == "paradigm"), None)
    number = number_of(entry, paradigm, sources[paradigm]) if paradigm else None
    return headers if number is None else {**headers, "Bidui-Revision": str(number)}


def _listed(header: str, names: list[str]) -> dict[str, str]:
    more = [f"+{len(names) - _NAMED}"] if len(names) > _NAMED else []
    return {header: ", ".join((*names[:_NAMED], *more))} if names else {}


def _chunks(download: PairsDownload) -> Iterator[bytes]:
    with download.file as file:
        while chunk := file.read(_CHUNK):
            yield chunk
