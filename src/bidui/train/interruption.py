"""How a run is interrupted, and kept from being run twice: signals that ask it to stop, and the lock of its folder."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from bidui.errors import Place, fail

LOCK = ".lock"


@contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """SIGTERM and SIGINT ask for a stop after the step under way; outside the main thread there is nobody to ask.

    Whoever presses Ctrl-C again does not want to wait: the last state that was saved is whole.
    """
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Refuse a folder in which another process is at work; the lock goes with the process, however that ends."""
    if os.name != "posix":
        yield
        return
    import fcntl

    with (folder / LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise fail("run-in-use", Place(str(folder)), {}) from error
        except OSError:
            pass  # some network drives have no locks
        yield
