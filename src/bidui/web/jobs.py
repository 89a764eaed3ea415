"""What takes long: questions to the preview workers, counts of a whole project, and exports of pairs.

All of it waits without holding up other requests, and no longer than the browser does.
"""

import asyncio
import os
import shutil
import signal
import sys
import tempfile
import time
import zipfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal, TypeVar

from fastapi import Request
from pydantic import TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool

from bidui.errors import InputError, Problem, fail
from bidui.files import Json, for_spreadsheets
from bidui.grammar.archives import add_to_zip
from bidui.grammar.names import check_file_name
from bidui.grammar.network import Compiler
from bidui.grammar.project import chosen, load_project
from bidui.pairs.diversity import Diversity
from bidui.pairs.folder import read_manifest, read_pairs
from bidui.pairs.pair import Pairs, Short
from bidui.people.study import pinned_version
from bidui.web.accounts import Access
from bidui.web.editing.diagnostics import located
from bidui.web.editing.edits import MAX_CHARACTERS
from bidui.web.editing.preview import Answer, Counts, Result, Source, Tally, as_browsers_count, source_of
from bidui.web.editing.preview import Request as Question
from bidui.web.pair_sets import PairSet, pack_pairs, read_diversity
from bidui.web.problems import PlaceShape, ProblemShape
from bidui.web.store.disk import copy_sources, refresh
from bidui.web.store.overview import ParadigmLine, paradigm_keys, recall, remember
from bidui.web.store.revisions import latest
from bidui.web.store.workspace import Entry
from bidui.words import Language

Format = Literal["jsonl", "csv", "spreadsheet"]  # the last is CSV that spreadsheets open safely
T = TypeVar("T")

SECONDS = 1.0  # after which no other count is started, so that the page gets some
EXPORT_SECONDS = 300.0
MOST = 10_000  # pairs of a paradigm
_FACT = "count-3"  # change the number where counts come to mean something else
_BASES = "count-bases-3"  # the same counts, by what they owe to the lexicon
_MOST_BASES = 8  # of a paradigm that are remembered
_LASTING = {"preview-memory", "preview-too-large"}  # these would come again the next time
# The command in a process that ends, with all of its own, when its standard input does: when this server was killed.
_WATCHED = """
import os, runpy, threading
def watch():
    while os.read(0, 1):
        pass
    os.killpg(0, 9) if hasattr(os, "killpg") else os._exit(1)
threading.Thread(target=watch, daemon=True).start()
runpy.run_module("bidui", run_name="__main__", alter_sys=True)
"""
_BIDUI = (sys.executable, "-P", "-c", _WATCHED)


# Questions to a worker


async def ask(access: Access, question: Question, *, request: Request, editor: str) -> Answer:
    """Return the answer of a worker; raises `InputError` where a newer question has replaced this one.

    The question is dropped when the browser goes away.
    """
    check_file_name(question.name)
    if len(question.text) > MAX_CHARACTERS:
        raise fail("text-too-long", None, {"length": len(question.text), "limit": MAX_CHARACTERS})
    source = await run_in_threadpool(source_of, access.entry.folder)
    who = str(access.user.id)
    future = access.bench.workers.ask(question, source=source, editor=f"{who}/{access.entry.id}/{editor}", who=who)
    answer = await until_gone(asyncio.wrap_future(future), request)
    if answer is None:
        raise fail("superseded")
    return answer


def result_of(answer: Answer) -> Result:
    """Return the result in an answer; raises `InputError` where there is none."""
    if answer.result is None:
        raise InputError([answer.problem] if answer.problem else [])
    return answer.result


async def until_gone(waiting: "asyncio.Future[T]", request: Request) -> T | None:
    """Return what is waited for; cancel it and return None where the browser goes away first."""
    gone = asyncio.ensure_future(_gone(request))
    both: set[asyncio.Future[Any]] = {waiting, gone}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        return waiting.result() if waiting.done() and not waiting.cancelled() else None
    finally:
        gone.cancel()
        waiting.cancel()


async def _gone(request: Request) -> None:
    """Wait until the browser has gone away; what it sent was read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


# Counts: how many pairs each paradigm of a project has, computed once by workers and then remembered by all that a
# count follows from. When the lexicon has changed, a worker compares what each paradigm's pairs owe to it (`basis`)
# with what they did at earlier counts, so that only the paradigms that the change touches are counted again.


@dataclass(frozen=True, slots=True)
class ParadigmCount(Counts):
    """How many pairs a paradigm has, and how many errors keep it from having any."""

    errors: int = 0


_COUNT = TypeAdapter(ParadigmCount)


def known_counts(entry: Entry, *, language: Language) -> dict[str, ParadigmCount]:
    """Return the counts of a project's paradigms that are known, by file; `refresh` first."""
    keys = paradigm_keys(entry)
    facts = recall(entry.store, _FACT, set(keys.values()))
    counts = {}
    for file, key in keys.items():
        try:
            if key in facts:
                counts[file] = _spoken(_COUNT.validate_python(facts[key]), language)
        except ValidationError:
            continue  # written by another version; it is counted again
    return counts


def count_errors(line: ParadigmLine, count: ParadigmCount | None) -> int:
    """Count the errors of a paradigm that parses but does not fit the other files."""
    return count.errors if count and line.parsed else 0


def count_problems(line: ParadigmLine, count: ParadigmCount | None) -> Iterator[ProblemShape]:
    """Return the same errors, each in words and with its place."""
    for each in count.reasons if count and count_errors(line, count) else ():
        if each.severity == "error":
            at = each.range
            place = PlaceShape(each.file or line.file, at.line if at else 0, at.column if at else 0)
            yield ProblemShape(each.kind, each.severity, each.text, place, dict(each.values))


@dataclass(frozen=True, slots=True)
class _State:
    """What counts follow from, and those known of paradigms whose lexicon may have changed, by file and basis."""

    source: Source
    keys: Mapping[str, str]  # by file: a hash of all that its count follows from
    own_keys: Mapping[str, str]  # the same without the lexicon
    known: Mapping[str, dict[str, Json]]


async def count_some(
    access: Access, *, most: int, first: Sequence[str] = (), request: Request, language: Language
) -> tuple[dict[str, ParadigmCount], int]:
    """Count some paradigms that were not counted yet; return the counts by file, and how many are left.

    Those of the files `first` are counted before the others.
    """
    entry = access.entry
    state = await run_in_threadpool(_state, entry)
    texts = await run_in_threadpool(_uncounted, entry)
    order = dict.fromkeys(file for file in (*first, *texts) if file in texts)
    counts: dict[str, ParadigmCount] = {}
    bases: dict[str, str] = {}
    start = time.monotonic()
    for file in list(order)[:most]:
        if counts and time.monotonic() - start > SECONDS:
            break
        known = state.known.get(file, {})
        question = Question("count", texts[file], file, known=tuple(known))
        editor = f"counts/{entry.id}/{file}"
        future = access.bench.workers.ask(question, source=state.source, editor=editor, who=str(access.user.id))
        answer = await until_gone(asyncio.wrap_future(future), request)
        if answer is None:
            break  # the browser has gone, or another page counts the same
        if (count := _count(file, texts[file], answer, known)) is not None:
            counts[file] = count
            bases |= {file: answer.result.basis} if isinstance(answer.result, Tally) else {}
    await run_in_threadpool(_keep, entry, counts, bases, state)
    return {file: _spoken(count, language) for file, count in counts.items()}, len(texts) - len(counts)


def _state(entry: Entry) -> _State:
    refresh(entry)
    own_keys = paradigm_keys(entry, without=("lexicon", "features"))
    facts = recall(entry.store, _BASES, set(own_keys.values()))
    known = {file: fact for file, key in own_keys.items() if isinstance(fact := facts.get(key), dict)}
    return _State(source_of(entry.folder), paradigm_keys(entry), own_keys, known)


def _uncounted(entry: Entry) -> dict[str, str]:
    """Return the texts of paradigms whose counts are not known."""
    counted = known_counts(entry, language="en")
    versions = latest(entry, {"paradigm"})
    return {file: version.shown for file, version in versions.items() if file not in counted}


def _count(file: str, text: str, answer: Answer, known: Mapping[str, Json]) -> ParadigmCount | None:
    """Return the count in an answer, or the one that was known; None where the worker had no time for it."""
    if isinstance(answer.result, Tally):
        if answer.result.counts is None:
            return _COUNT.validate_python(known[answer.result.basis])
        counts = as_browsers_count(answer.result.counts, text)
        errors = sum(reason.severity == "error" for reason in counts.reasons) if counts.value == 0 else 0
        return ParadigmCount(counts.value, counts.exact, counts.reasons, counts.least, errors)
    problem = answer.problem or Problem("preview-crashed")
    if problem.kind == "preview-too-long":  # on a machine that is too busy; the page asks again
        return None
    return ParadigmCount(None, False, as_browsers_count(located(text, [problem], name=file), text))


def _keep(entry: Entry, counts: Mapping[str, ParadigmCount], bases: Mapping[str, str], state: _State) -> None:
    """Remember counts, except those whose files have changed meanwhile and those that may be better the next time."""
    now = _state(entry)
    facts: dict[str, Json] = {}
    by_basis: dict[str, Json] = {}
    for file, count in counts.items():
        lasting = file in bases or (count.reasons and count.reasons[0].kind in _LASTING)
        if not lasting or now.source != state.source or state.keys.get(file) != now.keys.get(file):
            continue
        value = facts[state.keys[file]] = _COUNT.dump_python(count, mode="json")
        if bases.get(file):
            others = {basis: other for basis, other in now.known.get(file, {}).items() if basis != bases[file]}
            newest = dict(list(others.items())[1 - _MOST_BASES :])
            by_basis[state.own_keys[file]] = {**newest, bases[file]: value}
    remember(entry.store, _FACT, facts)
    remember(entry.store, _BASES, by_basis)


def _spoken(count: ParadigmCount, language: Language) -> ParadigmCount:
    """Return the count with its reasons in the reader's language; what is remembered has none."""
    return replace(count, reasons=tuple(reason.said(language) for reason in count.reasons))


# Exports: pairs made by `bidui generate` in a process of its own, so that they are the same byte for byte


@dataclass(frozen=True, slots=True)
class PairsDownload:
    """A temporary file to be sent, open at its start, the paradigms that fell short, and the hashes of all sources."""

    name: str
    file: IO[bytes]
    size: int
    short: tuple[Short, ...]
    sources: Mapping[str, str]


async def export_pairs(
    folder: Path, *, name: str, n: int, seed: int, format: Format, uid: str | None, seconds: float = EXPORT_SECONDS
) -> PairsDownload:
    """Make the pairs of one paradigm, or of all in a zip; raises `InputError` where there are none.

    Cancelling this also ends the process.
    """
    written = "csv" if format == "spreadsheet" else format
    options = ["-n", str(n), "--seed", str(seed), "--format", written]
    async with _generated(folder, options, name=name, uid=uid, seconds=seconds) as made:
        only = f"{uid}.{written}" if uid is not None else None
        return await run_in_threadpool(_packed, made.pairs, only, format == "spreadsheet", made.sources)


async def make_pool(
    folder: Path, *, n: int, seed: int, uids: Sequence[str], seconds: float = EXPORT_SECONDS
) -> tuple[Pairs, dict[str, str]]:
    """Make pairs of some paradigms for a study to be drawn from; return them with a hash of each paradigm.

    They are those that `bidui study new` draws from. Cancelling this also ends the process.
    """
    only = [word for uid in uids for word in ("--only", uid)]
    async with _generated(folder, ["-n", str(n), "--seed", str(seed), *only], seconds=seconds) as made:
        pairs = await run_in_threadpool(read_pairs, made.pairs)
        return pairs, await run_in_threadpool(_paradigm_hashes, made.source)


async def make_pair_set(
    folder: Path, *, n: int, seed: int, uid: str | None, seconds: float = EXPORT_SECONDS
) -> PairSet:
    """Make pairs to look at, of one paradigm or of all that are included; raises `InputError` where there are none.

    Cancelling this also ends the process.
    """
    async with _generated(folder, ["-n", str(n), "--seed", str(seed)], uid=uid, seconds=seconds) as made:
        return await run_in_threadpool(pack_pairs, made.pairs)


async def measure(pairs: PairSet, *, uid: str = "", lang: str, seconds: float = EXPORT_SECONDS) -> Diversity:
    """Return the diversity of a set of pairs, as `bidui diversity` gives it; it takes a few seconds of a process."""
    place = Path(await run_in_threadpool(tempfile.mkdtemp, prefix="bidui-pairs-"))
    try:
        await run_in_threadpool(partial(pairs.copy_to, place / "pairs.jsonl", uid=uid))
        arguments = ["diversity", str(place / "pairs.jsonl"), "--lang", lang, "--format", "json"]
        status, output = await _run(arguments, place=place, seconds=seconds)
        if status != 0:
            raise fail("pairs-failed", None, {"reason": output.strip().rpartition("\n")[2] or "?"})
        return read_diversity(output)
    finally:
        await asyncio.shield(run_in_threadpool(shutil.rmtree, place, ignore_errors=True))


@dataclass(frozen=True, slots=True)
class _Generation:
    """The files that pairs were made from, with their hashes, and the folder of the pairs; soon to be removed."""

    source: Path
    sources: Mapping[str, str]
    pairs: Path


@asynccontextmanager
async def _generated(
    folder: Path, options: Sequence[str], *, name: str = "pairs", uid: str | None = None, seconds: float
) -> AsyncIterator[_Generation]:
    """Run `bidui generate` on a copy of a project, in a folder that is removed afterwards.

    With a `uid`, the pairs are of that paradigm alone, whatever its status.
    """
    place = Path(await run_in_threadpool(tempfile.mkdtemp, prefix="bidui-pairs-"))
    try:
        source = place / "source" / folder.name
        sources = await run_in_threadpool(copy_sources, folder, source, uid=uid)
        only = ["--only", uid, "--include-excluded"] if uid is not None else []
        arguments = ["generate", str(source), *options, *only, "-o", str(place / name)]
        status, output = await _run(arguments, place=place, seconds=seconds)
        if status not in {0, 1}:  # 1: some paradigms fell short
            await run_in_threadpool(_explain, source, uid, output)
        yield _Generation(source, sources, place / name)
    finally:
        await asyncio.shield(run_in_threadpool(shutil.rmtree, place, ignore_errors=True))


def _paradigm_hashes(folder: Path) -> dict[str, str]:
    return {each.uid: pinned_version(each) for each in load_project(folder).paradigms}


async def _run(arguments: Sequence[str], *, place: Path, seconds: float) -> tuple[int, str]:
    """Run a command; return its exit status and the end of its output. All its processes are ended with it."""
    with (place / "output").open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *(*_BIDUI, *arguments),
            cwd=place,
            stdin=asyncio.subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            status = await asyncio.wait_for(process.wait(), seconds)
        except TimeoutError:
            raise fail("pairs-too-long", None, {"seconds": f"{seconds:g}"}) from None
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    if hasattr(os, "killpg"):
                        os.killpg(process.pid, signal.SIGKILL)  # it leads its group
                    else:
                        process.kill()
            await asyncio.shield(process.wait())
    return status, (place / "output").read_text("utf-8", "replace")[-2_000:]


def _explain(folder: Path, uid: str | None, output: str) -> None:
    """Raise what kept the command from making pairs, as problems with their places."""
    project = load_project(folder)
    compiler = Compiler.of(project)
    for paradigm in chosen(project.paradigms, only=[] if uid is None else [uid]):
        compiler.networks(paradigm)
    raise fail("pairs-failed", None, {"reason": output.strip().rpartition("\n")[2] or "?"})


def _packed(folder: Path, only: str | None, spreadsheet: bool, sources: Mapping[str, str]) -> PairsDownload:
    """Return one file of a folder of pairs, or all of it in a zip, as a file without a name.

    For spreadsheets, files differ from those that the manifest describes, so it is left out.
    """
    manifest = read_manifest(folder)
    target: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (whoever sends it closes it)
    if only is not None:
        with (folder / only).open("rb") as source:
            if spreadsheet:
                target.write(for_spreadsheets(source.read()))
            else:
                shutil.copyfileobj(source, target)
    else:
        with zipfile.ZipFile(target, "w") as archive:
            for path in sorted(path for path in folder.rglob("*.csv" if spreadsheet else "*") if path.is_file()):
                data = for_spreadsheets(path.read_bytes()) if spreadsheet else path.read_bytes()
                add_to_zip(archive, f"{folder.name}/{path.relative_to(folder).as_posix()}", data)
    size = target.tell()
    target.seek(0)
    short = manifest.short if manifest else ()
    return PairsDownload(only or f"{folder.name}.zip", target, size, short, sources)
