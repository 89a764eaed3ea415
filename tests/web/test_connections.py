"""Connections: a request has a time to arrive, and slow ones make room for others."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn

from bidui.web.connections import PunctualProtocol, SparingLog

from .served import complete

SECONDS = 120  # for anything to happen, on a machine that is busy
HEAD = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"


class Hasty(PunctualProtocol):
    """A protocol that waits little."""

    HEADERS = 0.5
    BODY = 0.5
    TICK = 0.05


class Crowded(PunctualProtocol):
    """A protocol that takes few connections."""

    MOST = 5


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Read the body, think for longer than a client may, and answer with its length."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size += len(message["body"])
        more = message["more_body"]
    await asyncio.sleep(1)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]})
    await send({"type": "http.response.body", "body": str(size).encode()})


def served(protocol: type[PunctualProtocol], test: Callable[[int], Awaitable[None]]) -> None:
    """Run a test against a server at a port."""

    async def run() -> None:
        config = uvicorn.Config(app, port=0, http=protocol, lifespan="off", log_level="critical")
        server = uvicorn.Server(config)
        task = asyncio.ensure_future(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            await asyncio.wait_for(test(server.servers[0].sockets[0].getsockname()[1]), SECONDS)
        finally:
            server.should_exit = True
            await task

    complete(run())


async def answer(port: int, *parts: bytes, pause: float = 0) -> bytes:
    """What the server sends until it closes the connection, to a request that comes in parts."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in parts:
        writer.write(part)
        await asyncio.sleep(pause)
    try:
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


def test_half_a_request_is_not_waited_for() -> None:
    async def test(port: int) -> None:
        slow = [b"", HEAD[:20], HEAD, HEAD + b"\r\n", HEAD + b"\r\n12"]
        assert await asyncio.gather(*(answer(port, each) for each in slow)) == [b""] * len(slow)

    served(Hasty, test)


def test_a_whole_request_is_answered_however_long_that_takes() -> None:
    """The server thinks for twice as long as a client may take to send; also when a second request follows."""

    async def test(port: int) -> None:
        whole = await answer(port, HEAD + b"\r\n12345", HEAD + b"Connection: close\r\n\r\n12345")
        assert whole.count(b"200 OK") == 2 and whole.endswith(b"\r\n\r\n5")

    served(Hasty, test)


def test_slow_connections_make_room_for_others() -> None:
    async def test(port: int) -> None:
        slow = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
        for _, writer in slow:
            writer.write(HEAD)
        for reader, _ in slow[:15]:  # the first of them have made room for the others
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
        whole = await answer(port, HEAD + b"Connection: close\r\n\r\n12345")
        assert whole.endswith(b"\r\n\r\n5")
        for _, writer in slow:
            writer.close()

    served(Crowded, test)


def test_many_connections_at_once_are_not_held() -> None:
    """Those that come in one moment must make room for each other as well: each is an open file."""

    async def test(port: int) -> None:
        opening = [asyncio.open_connection("127.0.0.1", port) for _ in range(100)]
        slow = await asyncio.gather(*opening)
        for _ in range(2):  # whatever the server has taken by now, it takes a moment to close
            await answer(port, HEAD + b"Connection: close\r\n\r\n12345")
        at_end = [reader.at_eof() or reader.exception() is not None for reader, _ in slow]
        assert at_end.count(False) <= Crowded.MOST
        for _, writer in slow:
            writer.close()

    served(Crowded, test)


def test_strangers_do_not_fill_the_log() -> None:
    log = SparingLog()
    record = logging.LogRecord("a", logging.WARNING, "", 0, "Invalid HTTP request received.", None, None)
    other = logging.LogRecord("a", logging.WARNING, "", 0, "something else", None, None)
    log._minute = float("inf")  # no new minute begins on a slow machine
    passed = sum(log.filter(record) for _ in range(10_000))
    assert 10 <= passed <= 20 and log.filter(other)


def test_a_request_that_the_end_of_the_server_cuts_short_is_no_error() -> None:
    ends = asyncio.CancelledError()
    record = logging.LogRecord("a", logging.ERROR, "", 0, "Exception in ASGI application", None, None)
    record.exc_info = (type(ends), ends, None)
    assert not SparingLog().filter(record)
