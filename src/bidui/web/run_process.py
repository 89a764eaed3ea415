"""What a process of a long run does: it scores pairs or makes a report, and tells the server how far it is.

It reads what to do as one line of JSON from its standard input, and writes one line of JSON for each step. It is a
module of its own because it is all that the process loads of the workbench.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from typing import IO, TYPE_CHECKING, Any

from bidui.errors import BiduiError, InputError, Problem
from bidui.web.editing.workers import limit_memory
from bidui.web.problems import plain

if TYPE_CHECKING:
    from bidui.pairs import Pairs, StoredPairs
    from bidui.scores.run import Described

SHARE = 0.75  # of the machine's memory
LEAST = 8 << 30  # bytes of addresses, most of which torch reserves and never uses
POLITE = 10  # the people who edit go first

Say = Callable[[dict[str, Any]], None]


def main() -> None:
    """Do what the first line of the standard input asks, and end with the server that asked."""
    task = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_server, daemon=True).start()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what is scored is saved
    with suppress(OSError, AttributeError):
        os.nice(POLITE)
    limit_memory(_memory())
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is not for the server
    say = _sayer(out)
    try:
        {"score": _score, "report": _report}[task.pop("kind")](task, say)
    except KeyboardInterrupt:
        sys.exit(130)
    except InputError as error:
        say({"problems": [_sent(problem) for problem in error.problems]})
        sys.exit(2)
    except BiduiError as error:
        say({"problems": [_sent(Problem("run-refused", values={"reason": str(error)}))]})
        sys.exit(2)
    except MemoryError:
        say({"problems": [_sent(Problem("run-memory"))]})
        sys.exit(2)


def _end_with_server() -> None:
    while os.read(0, 1):
        pass
    os.killpg(0, signal.SIGKILL) if hasattr(os, "killpg") else os._exit(1)


def _memory() -> int:
    try:
        return max(LEAST, int(SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    except (ValueError, OSError, AttributeError):
        return LEAST


def _sayer(out: IO[str]) -> Say:
    def say(message: dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    return say


def _sent(problem: Problem) -> dict[str, Any]:
    return asdict(replace(problem, values=plain(dict(problem.values))))


def _score(task: dict[str, Any], say: Say) -> None:
    from bidui.scores.run import score

    count = 0
    notes: list[Problem] = []

    def start(model: "Described", pairs: "Pairs | StoredPairs") -> None:
        short = [each.uid for each in getattr(pairs, "short", ())]
        notes.extend([Problem("run-short", values={"uids": short}, severity="warning")] if short else [])
        say({"label": model.name, "total": len(pairs)})

    def advance(_: str, pairs: int) -> None:
        nonlocal count
        count += pairs
        say({"done": count})

    scores = score(**task, on_start=start, on_paradigm=advance)
    notes += [*scores.notes, *scores.problems]
    say({"problems": [_sent(problem) for problem in notes]})


def _report(task: dict[str, Any], say: Say) -> None:
    from bidui.reports.site import report as make_report

    total = done = 0

    def step(name: str, count: int) -> None:
        nonlocal total, done
        total, done = count, done + 1 if count == total else 0
        say({"step": name, "done": done, "total": total})

    site = make_report(**task, on_step=step)
    say({"problems": [_sent(problem) for problem in site.problems]})
