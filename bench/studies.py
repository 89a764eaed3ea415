"""Load of a study: many participants who answer at once, while the server is killed in the middle and started again.

    python bench/studies.py [--database sqlite | postgres] [--people 200]     prints the tables of docs/benchmarks.md

`bidui serve` runs as a process on a database that waits for the disk at every commit. Participants join, and then

steady    each answers a trial, waits for the acknowledgement, and answers the next half a second to a second and a half
          later: ten times as fast as people do
burst     all of them answer in the same moment, again and again
killed    as steady, but the server gets SIGKILL halfway and is started again; what was not acknowledged is sent again

In the end, the answers in the database are compared with those that were acknowledged: each must be there, once. The
participants run on the same machine, which is part of what is measured; run this when nothing else runs.
"""

import argparse
import asyncio
import json
import os
import pwd
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bidui.grammar.project import new_project
from bidui.pairs import Pair, Pairs
from bidui.people.design import Design
from bidui.people.study import Study, draw_study
from bidui.web.store.disk import open_store
from bidui.web.store.studies import StudyRecord, create_study, responses_of, set_state
from bidui.web.store.workspace import Store, entry

LISTS = 10
TRIALS = 60
PAUSE = (0.5, 1.5)
ROUNDS = {"steady": 20, "burst": 10, "killed": 30}
OUTAGE = 60  # seconds in which a server must be back


@dataclass
class Server:
    """`bidui serve` as a process, which keeps its port when it is started again."""

    folder: Path
    database: str | None
    port: int = 0
    process: Any = None

    def start(self) -> None:
        """Start it, and wait until it says where it is."""
        words = [sys.executable, "-m", "bidui", "serve", str(self.folder), "--port", str(self.port), "--no-browser"]
        words += ["--database", self.database] if self.database else []
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        found = re.search(r"127\.0\.0\.1:(\d+)", self.process.stdout.readline())
        assert found, "the server did not start"
        self.port = int(found[1])

    def busy(self) -> float:
        """Return the seconds of CPU that it has used."""
        cells = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(cells[11]) + int(cells[12])) / os.sysconf("SC_CLK_TCK")

    def end(self, sign: int) -> None:
        """End it by a signal."""
        self.process.send_signal(sign)
        self.process.wait()
        self.process.stdout.close()


@dataclass
class Person:
    """A participant: her connection, what was acknowledged, and how long each acknowledgement took."""

    number: int
    port: int
    rng: random.Random = field(init=False)
    token: str = ""
    known: dict[int, int] = field(default_factory=dict)  # position -> answer
    waits: list[float] = field(default_factory=list)
    lost: int = 0  # requests that were not answered
    streams: Any = None

    def __post_init__(self) -> None:
        self.rng = random.Random(self.number)

    async def ask(self, path: str, body: object) -> Any:
        """Send a request over the open connection, or a new one; without an answer this is an OSError."""
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nSec-Fetch-Site: same-origin\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        head += f"Authorization: Bearer {self.token}\r\n\r\n" if self.token else "\r\n"
        try:
            if self.streams is None:
                self.streams = await asyncio.open_connection("127.0.0.1", self.port)
            reader, writer = self.streams
            writer.write(head.encode() + data)
            answered = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = re.search(r"content-length: (\d+)", answered)
            content = await reader.readexactly(int(length[1]) if length else 0)
        except (OSError, asyncio.IncompleteReadError):
            self.leave()
            raise OSError("no answer") from None
        assert " 20" in answered.partition("\r\n")[0], (answered, content[:500])
        return json.loads(content)

    def leave(self) -> None:
        """Close the connection."""
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None

    async def join(self, record: StudyRecord) -> None:
        """Take part."""
        body = {"version": record.study.version, "language": "zh"}
        self.token = (await self.ask(f"/api/s/{record.token}/join", body))["token"]

    async def answer(self) -> None:
        """Answer the next trial, again and again until it is acknowledged."""
        position, answer = len(self.known) + 1, self.rng.choice((1, 2))
        shown = {"position": position, "answer": answer, "rt_ms": 900, "layout": "rows", "language": "zh"}
        end = time.monotonic() + OUTAGE
        while True:
            begun = time.perf_counter()
            try:
                receipt = await self.ask("/api/s/answers", {"answers": [shown]})
                break
            except OSError:
                self.lost += 1
                assert time.monotonic() < end, "the server did not come back"
                await asyncio.sleep(self.rng.uniform(0.2, 0.6))
        self.waits.append(time.perf_counter() - begun)
        assert receipt["answered"] == position
        self.known[position] = answer

    async def go_on(self, trials: int) -> None:
        """Answer some trials, with a pause before each."""
        for _ in range(trials):
            await asyncio.sleep(self.rng.uniform(*PAUSE))
            await self.answer()


async def burst(people: Sequence[Person], rounds: int) -> None:
    """Let all answer in the same moment."""
    for _ in range(rounds):
        await asyncio.gather(*(person.answer() for person in people))
        await asyncio.sleep(1)


async def play(people: Sequence[Person], record: StudyRecord, server: Server) -> None:
    """Join, answer, and go through everything that is measured."""
    for person in people:
        await person.join(record)
    for name, trials in ROUNDS.items():
        for person in people:
            person.waits.clear()
        before, mine = server.busy(), time.process_time()
        if name == "burst":
            await burst(people, trials)
        else:
            answering = asyncio.gather(*(person.go_on(trials) for person in people))
            if name == "killed":
                await asyncio.sleep(trials / 2)
                await asyncio.to_thread(server.end, signal.SIGKILL)
                await asyncio.to_thread(server.start)
            await answering
        waits = sorted(wait for person in people for wait in person.waits)
        cells = [statistics.median(waits), waits[int(0.95 * len(waits))], waits[int(0.99 * len(waits))], waits[-1]]
        work = "" if name == "killed" else f"{1000 * (server.busy() - before) / len(waits):.2f} ms"
        own = f"{1000 * (time.process_time() - mine) / len(waits):.2f} ms"
        times = " | ".join(f"{1000 * cell:.0f} ms" for cell in cells)
        print(f"| {name} ({len(waits):,}) | {times} | {work} | {own} |", flush=True)
    for person in people:
        person.leave()


def made_up_study(people: int) -> Study:
    """As many slots as people, with sixty pairs each."""
    numbers = [(paradigm, number) for paradigm in range(TRIALS) for number in range(LISTS)]
    pool = Pairs(
        tuple(
            Pair(f"小王在第{p}间屋里看第{n}本书。", f"小王看在第{p}间屋里第{n}本书。", f"u{p}", f"p{p % 9}", n)
            for p, n in numbers
        )
    )
    design = Design(per_paradigm=LISTS, lists=LISTS, raters=-(-people // LISTS), language="zh")
    return draw_study(pool, design, name="load")


def check(record: StudyRecord, people: Sequence[Person]) -> None:
    """Compare what is stored with what was acknowledged, answer by answer."""
    stored = responses_of(record)
    places = [(one.participant, one.position) for one in stored]
    assert len(set(places)) == len(places), "an answer is there twice"
    found = sorted(tuple(one.answer for one in stored if one.participant == name) for name in {p for p, _ in places})
    known = sorted(tuple(person.known.values()) for person in people)
    assert found == known, "stored and acknowledged answers differ"
    lost = sum(person.lost for person in people)
    print(
        f"\n{len(stored):,} answers acknowledged, each of them stored once; {lost:,} requests were cut off and repeated"
    )


@contextmanager
def postgres() -> Iterator[str]:
    """Run a PostgreSQL of our own in a temporary folder, with its usual settings."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    assert programs or shutil.which("initdb"), "PostgreSQL is not installed"
    at = f"{programs[-1]}/" if programs else ""
    folder = Path(tempfile.mkdtemp(prefix="bidui-bench-"))
    before: list[str] = []
    if os.geteuid() == 0:  # it refuses to run as root
        owner = pwd.getpwnam("postgres").pw_uid
        os.chown(folder, owner, -1)
        before = ["setpriv", f"--reuid={owner}", "--clear-groups", "--inh-caps=-all"]
    data = str(folder / "data")
    subprocess.run(
        [*before, f"{at}initdb", "-D", data, "-U", "bidui", "-A", "trust", "-E", "UTF8"],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd=folder,
    )
    with (folder / "log").open("wb") as log:
        words = [*before, f"{at}postgres", "-D", data, "-k", str(folder), "-c", "listen_addresses="]
        running = subprocess.Popen(words, stderr=log, cwd=folder)
    address = f"postgresql://bidui@/postgres?host={folder}"
    try:
        import psycopg

        for _ in range(200):
            with suppress(psycopg.OperationalError):
                psycopg.connect(address).close()
                break
            time.sleep(0.1)
        yield address
    finally:
        running.send_signal(signal.SIGINT)
        running.wait()
        shutil.rmtree(folder, ignore_errors=True)


def run(database: str | None, *, people: int) -> None:
    """Make a study, serve it, let people answer, and compare."""
    with tempfile.TemporaryDirectory(prefix="bidui-bench-") as name:
        folder = Path(name)
        new_project(folder / "small", lang="zh")
        store: Store = open_store(folder, database=database)
        record = set_state(create_study(entry(store, "small"), made_up_study(people)), "open")
        server = Server(folder, database)
        server.start()
        crowd = [Person(number, server.port) for number in range(people)]
        try:
            asyncio.run(play(crowd, record, server))
        finally:
            server.end(signal.SIGTERM)
        check(record, crowd)
        store.close()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", choices=("sqlite", "postgres"), action="append")
    parser.add_argument("--people", type=int, default=200)
    chosen = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for kind in chosen.database or ("sqlite", "postgres"):
        print(f"\n| {chosen.people} people, {kind} | median | p95 | p99 | most | CPU, server | participants |")
        print("|---|---|---|---|---|---|---|", flush=True)
        if kind == "sqlite":
            run(None, people=chosen.people)
        else:
            with postgres() as address:
                run(address, people=chosen.people)


if __name__ == "__main__":
    main()
