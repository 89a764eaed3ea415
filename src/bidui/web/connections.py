"""Connections: what each may cost. Slow ones are closed, and many of them do not take the server or its log away.

uvicorn waits for the rest of a request for ever, and each connection is an open file, of which a process has perhaps a
thousand. So a request has a time to arrive, and when there are too many connections, the one whose request has been
arriving longest makes room.
"""

import asyncio
import logging
import time
from collections import Counter

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

BACKLOG = 128  # connections that wait to be taken
_PER_MINUTE = 10  # lines of the log that say the same


class PunctualProtocol(H11Protocol):
    """HTTP for clients that send their requests in time."""

    HEADERS = 20.0  # seconds for the headers of a request
    BODY = 30.0  # seconds for its body, and one more for each
    RATE = 10_000  # bytes of it
    TICK = 2.0
    MOST = 400  # connections

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch a connection; the slowest of too many makes room for it."""
        super().connection_made(transport)
        self._state = self.conn.their_state
        self._restart()
        self._timer = self.loop.call_later(self.TICK, self._look)
        if len(self.connections) > self.MOST:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Note how much has arrived."""
        self._follow()
        self._bytes += len(data)
        super().data_received(data)
        self._follow()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching."""
        self._timer.cancel()
        super().connection_lost(exc)

    def _make_room(self) -> None:
        """Close the connection whose request has been arriving longest; those closed just now do not count."""
        punctual = [each for each in self.connections if isinstance(each, PunctualProtocol)]
        there = [each for each in punctual if not each.transport.is_closing()]
        if len(there) > self.MOST:
            late = [each for each in there if each._arriving()]
            min(late, key=lambda each: each._since).transport.abort()

    def _arriving(self) -> bool:
        """Whether the client has to send something; not while we do not read, or have yet to answer."""
        return self.conn.their_state in {h11.IDLE, h11.SEND_BODY} and not self.flow.read_paused

    def _restart(self) -> None:
        self._since, self._bytes = self.loop.time(), 0

    def _follow(self) -> None:
        """Start the clock again when the request comes to its body, or to its end."""
        if self._state is not self.conn.their_state or not self._arriving():
            self._state = self.conn.their_state
            self._restart()

    def _look(self) -> None:
        self._follow()
        allowed = self.HEADERS if self._state is h11.IDLE else self.BODY + self._bytes / self.RATE
        if self.loop.time() - self._since > allowed:
            self.transport.abort()
        else:
            self._timer = self.loop.call_later(self.TICK, self._look)


class SparingLog(logging.Filter):
    """Lets a line of the log pass a few times each minute: strangers can cause some as often as they like."""

    def __init__(self) -> None:
        super().__init__()
        self._minute = 0.0
        self._lines: Counter[str] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written; that the end of the server cut a request short is no error."""
        if record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError):
            return False
        if (minute := time.monotonic() // 60) != self._minute:
            self._minute = minute
            self._lines.clear()
        self._lines[str(record.msg)] += 1
        return self._lines[str(record.msg)] <= _PER_MINUTE
