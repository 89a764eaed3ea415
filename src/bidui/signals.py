"""Signals that ask long work to stop, noted and not raised: it stops where nothing is lost."""

import ctypes
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass(slots=True)
class Stop:
    """The number of the signal that asked to stop; 0 while there was none."""

    signal: int = 0


@contextmanager
def stop_signals() -> Iterator[Stop]:
    """Let SIGTERM and SIGINT be noted, so that work stops where it can; only in the main thread.

    A second Ctrl-C stops at once: the last state that was saved is whole.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def note(number: int, frame: FrameType | None) -> None:
        if stop.signal and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.signal = stop.signal or number

    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def kept_signals() -> Iterator[None]:
    """Restore the handlers of SIGTERM and SIGINT at the end of the block; only in the main thread.

    Ray puts its own in their place when it starts, and SIGTERM then aborts the process.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def die_with_parent() -> None:
    """Let the kernel kill this process when the one that started it dies, so that no two write the same run.

    Only Linux can; elsewhere this does nothing.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
