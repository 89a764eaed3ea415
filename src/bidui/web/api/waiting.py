"""Waiting for a worker: without holding up other requests, and no longer than the browser does."""

import asyncio
from concurrent.futures import Future
from typing import Any, TypeVar

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from bidui.errors import InputError, fail
from bidui.web.editing.layout import MAX_CHARACTERS
from bidui.web.editing.opened import source_of
from bidui.web.editing.requests import Answer, Result
from bidui.web.editing.requests import Request as Question
from bidui.web.identity import Access
from bidui.web.store.names import check_file_name

T = TypeVar("T")


async def ask(access: Access, question: Question, *, request: Request, editor: str) -> Answer:
    """The answer of a worker; raises `InputError` where a newer question has replaced this one.

    The question is dropped when the browser goes away.
    """
    check_file_name(question.name)
    if len(question.text) > MAX_CHARACTERS:
        raise fail("text-too-long", None, {"length": len(question.text), "limit": MAX_CHARACTERS})
    source = await run_in_threadpool(source_of, access.entry.folder)
    who = str(access.user.id)
    future = access.bench.workers.ask(question, source=source, editor=f"{who}/{access.entry.id}/{editor}", who=who)
    answer = await answered(future, request)
    if answer is None:
        raise fail("superseded")
    return answer


def result_of(answer: Answer) -> Result:
    """The result in an answer; raises `InputError` where there is none."""
    if answer.result is None:
        raise InputError([answer.problem] if answer.problem else [])
    return answer.result


async def answered(future: "Future[Answer]", request: Request) -> Answer | None:
    """The answer, or None where the question was dropped."""
    return await until_gone(asyncio.wrap_future(future), request)


async def until_gone(waiting: "asyncio.Future[T]", request: Request) -> T | None:
    """What is waited for; None where it was cancelled, or the browser has gone away, and then it is cancelled."""
    gone = asyncio.ensure_future(_gone(request))
    both: set[asyncio.Future[Any]] = {waiting, gone}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        return waiting.result() if waiting.done() and not waiting.cancelled() else None
    finally:
        gone.cancel()
        waiting.cancel()


async def _gone(request: Request) -> None:
    """Ends when the browser has gone away; what it sent was read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
