"""What calls are given besides their bodies: a project for somebody of a role, a file's name, the name of a tab."""

import asyncio
from concurrent.futures import Future
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Path, Query, Request
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from bidui.errors import InputError, fail
from bidui.web.accounts import Access, editor, owner, reader, signed_in, someone
from bidui.web.editing.edits import MAX_CHARACTERS
from bidui.web.editing.preview import Answer, Result, source_of
from bidui.web.editing.preview import Request as Question
from bidui.web.store.accounts import User
from bidui.web.store.names import check_file_name

Reader = Annotated[Access, Depends(reader)]
Editor = Annotated[Access, Depends(editor)]
Owner = Annotated[Access, Depends(owner)]
Who = Annotated[User, Depends(signed_in)]
Someone = Annotated[User | None, Depends(someone)]
File = Annotated[str, Path(description="The file's name in the project, such as `paradigms/BA/BA_inversion.yaml`.")]
Tab = Annotated[str, Field(description="A name for the page, at most 64 ASCII characters.")]
TabQuery = Annotated[str, Query(description="A name for the page, at most 64 ASCII characters.")]
Base = Annotated[int | None, Field(description="The revision that the writer began with; none for a new file.")]


# Waiting for a worker: without holding up other requests, and no longer than the browser does.

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
