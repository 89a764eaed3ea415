"""Counts of a whole project: how many pairs each paradigm has, worked out once by workers and then remembered."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import Request
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from bidui.errors import Problem
from bidui.web.api.previews import Counts
from bidui.web.api.spans import DiagnosticShape, diagnostic_shapes
from bidui.web.api.waiting import answered
from bidui.web.editing.diagnostics import located
from bidui.web.editing.opened import Source, source_of
from bidui.web.editing.preview import Counted
from bidui.web.editing.requests import Answer
from bidui.web.editing.requests import Request as Question
from bidui.web.problems import PlaceShape, ProblemShape
from bidui.web.store import Entry, ParadigmLine, Store, paradigm_keys, recall, refresh, remember
from bidui.web.store.texts import latest
from bidui.web.workbench import Workbench
from bidui.words import Language

_FACT = "count-2"  # another number where counts come to mean something else
SECONDS = 2.0  # after which no other count is begun, so that the page gets some
_LASTING = {"preview-too-long", "preview-memory", "preview-too-large"}  # it would be no other the next time


class ParadigmCount(Counts):
    """How many pairs a paradigm has, and how many errors keep it from having any."""

    errors: int


def known_counts(store: Store, entry: Entry, *, language: Language) -> dict[str, ParadigmCount]:
    """The counts of a project's paradigms that are known, by file; `refresh` first."""
    keys = paradigm_keys(store, entry)
    facts = recall(store, _FACT, set(keys.values()))
    found = {}
    for file, key in keys.items():
        try:
            if key in facts:
                found[file] = _spoken(ParadigmCount.model_validate(facts[key]), language)
        except ValidationError:
            continue  # written by another version; it is counted anew
    return found


def count_errors(line: ParadigmLine, count: ParadigmCount | None) -> int:
    """The errors of a paradigm that only the other files bring to light; one that does not parse has told its own."""
    return count.errors if count and line.parsed else 0


def count_problems(line: ParadigmLine, count: ParadigmCount | None) -> list[ProblemShape]:
    """The same, each in words and with its place."""
    reasons = count.reasons if count and count_errors(line, count) else []
    return [_placed(each, line.file) for each in reasons if each.severity == "error"]


async def count_some(
    bench: Workbench, entry: Entry, *, most: int, request: Request, language: Language, who: str
) -> tuple[dict[str, ParadigmCount], int]:
    """Counts of paradigms that were not known yet, by file, and how many are still left."""
    before = await run_in_threadpool(_state, bench.store, entry)
    texts = await run_in_threadpool(_uncounted, bench.store, entry)
    done: dict[str, ParadigmCount] = {}
    lasting: dict[str, ParadigmCount] = {}
    start = time.monotonic()
    for file, text in list(texts.items())[:most]:
        if done and time.monotonic() - start > SECONDS:
            break
        question = Question("count", text, file)
        future = bench.workers.ask(question, source=before.source, editor=f"counts/{entry.id}/{file}", who=who)
        answer = await answered(future, request)
        if answer is None:
            break  # the browser has gone, or another page counts the same
        done[file] = _count(file, text, answer)
        if answer.problem is None or answer.problem.kind in _LASTING:
            lasting[file] = done[file]
    await run_in_threadpool(_keep, bench.store, entry, lasting, before)
    return {file: _spoken(count, language) for file, count in done.items()}, len(texts) - len(done)


@dataclass(frozen=True, slots=True)
class _State:
    """What counts are made from: the files beside the paradigms, and the hashes that counts are remembered by."""

    source: Source
    keys: Mapping[str, str]


def _state(store: Store, entry: Entry) -> _State:
    refresh(store, entry)
    return _State(source_of(entry.folder), paradigm_keys(store, entry))


def _uncounted(store: Store, entry: Entry) -> dict[str, str]:
    """The texts of paradigms whose counts are not known."""
    known = known_counts(store, entry, language="en")
    found = latest(store, entry, {"paradigm"})
    return {file: version.data.decode("utf-8-sig", "replace") for file, version in found.items() if file not in known}


def _count(file: str, text: str, answer: Answer) -> ParadigmCount:
    if isinstance(answer.result, Counted):
        reasons = diagnostic_shapes(text, answer.result.reasons)
        errors = sum(reason.severity == "error" for reason in reasons) if answer.result.value == 0 else 0
        return ParadigmCount(value=answer.result.value, exact=answer.result.exact, reasons=reasons, errors=errors)
    problem = answer.problem or Problem("preview-crashed")
    reasons = diagnostic_shapes(text, located(text, [problem], name=file))
    return ParadigmCount(value=None, exact=False, reasons=reasons, errors=0)


def _keep(store: Store, entry: Entry, counts: Mapping[str, ParadigmCount], before: _State) -> None:
    """Remember counts, but for those of which something that they follow from has changed meanwhile."""
    after = _state(store, entry)
    same = [file for file in counts if before.keys.get(file) is not None and before.keys[file] == after.keys.get(file)]
    if after.source == before.source:
        remember(store, _FACT, {before.keys[file]: counts[file].model_dump(mode="json") for file in same})


def _spoken(count: ParadigmCount, language: Language) -> ParadigmCount:
    """The count with its reasons in the reader's language; what is remembered has none."""
    reasons = [_translated(reason, language) for reason in count.reasons]
    return count.model_copy(update={"reasons": reasons})


def _placed(reason: DiagnosticShape, file: str) -> ProblemShape:
    at = reason.range
    place = PlaceShape(file=reason.file or file, line=at.line if at else 0, column=at.column if at else 0)
    return ProblemShape(
        kind=reason.kind, severity=reason.severity, text=reason.text, place=place, values=dict(reason.values)
    )


def _translated(reason: DiagnosticShape, language: Language) -> DiagnosticShape:
    return reason.model_copy(update={"text": Problem(reason.kind, values=reason.values).text(language)})
