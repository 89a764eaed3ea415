"""Twenty people at one server, each with her own paradigm and all at one more and at the lexicon: nothing is lost."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from httpx2 import Client

from bidui.web.accounts import sealed
from bidui.web.store.accounts import add_user, set_role, start_session
from bidui.web.store.disk import open_store
from bidui.web.store.workspace import Store
from bidui.web.workbench import Settings

from .browser.running import SECONDS, SECRET, Running
from .store.small import write_small

PEOPLE = 20
ROUNDS = 2
PASSWORD = "correct horse battery"
SHARED = "paradigms/shared/shared.yaml"
LEXICON = "lexicon.tsv"


def shared_text() -> str:
    """A paradigm with a slot for everyone."""
    names = [f"s{number}" for number in range(PEOPLE)]
    rows = "".join(f"  {name}: 甲\n" for name in names)
    line = " ".join(names)
    return (
        f"format: 1\nuid: shared\nphenomenon: shared\nsource: nobody\nslots:\n{rows}good: {line} 。\nbad: {line} ！\n"
    )


@dataclass(slots=True)
class Person:
    """Somebody with a browser; what she was told is safe is in `told`."""

    number: int
    client: Client
    told: list[str] = field(default_factory=list)
    conflicts: int = 0

    def call(self, method: str, path: str, body: object = None, *, expected: tuple[int, ...] = (200,)) -> Any:
        for _ in range(60):  # on a busy machine the database may be busy, too; a page would also ask again
            answer = self.client.request(method, f"/api/projects/small/{path}", json=body)
            if answer.status_code != 503:
                break
        assert answer.status_code in expected, (method, path, answer.status_code, answer.text)
        return answer.json() | {"status": answer.status_code}

    def save(self, file: str, text: str, base: int) -> int:
        """Save a text, merging with what others saved until it is taken; of a row that both changed, mine."""
        for _ in range(20 * PEOPLE):
            body = {"text": text, "base": base, "tab": f"tab{self.number}"}
            answer = self.call("PUT", f"files/{file}", body, expected=(200, 409))
            if answer["status"] == 200:
                assert answer["saved"], answer
                return int(answer["revision"])
            self.conflicts += 1
            assert answer["conflict"]["yours"] == text
            merging = {"base": base, "mine": text, "choose": {}}
            rows = self.call("POST", f"merge/{file}", merging)["conflicts"]
            choose = {row["row"]: "mine" for row in rows}
            merged = self.call("POST", f"merge/{file}", merging | {"choose": choose})
            if {row["row"] for row in merged["conflicts"]} <= choose.keys():  # no newer revision in between
                text, base = merged["text"], merged["revision"]
        raise AssertionError("it could never be saved")

    def preview(self, file: str, text: str) -> list[str]:
        question = {"file": file, "text": text, "n": 3, "seed": 1, "editor": f"tab{self.number}"}
        for _ in range(60):  # a worker gives up after some seconds, and on a busy machine those pass before it begins
            answer = self.call("POST", "preview", question, expected=(200, 400))
            if "preview-too-long" not in {each["kind"] for each in answer.get("problems", [])}:
                break
        assert answer["status"] == 200, answer
        return [pair["good"] for pair in answer["pairs"]]

    def history(self, file: str) -> list[str]:
        """The texts of all revisions of a file."""
        found = self.call("GET", f"history/{file}")
        numbers = [each["id"] for each in found["revisions"]]
        while found["more"]:
            found = self.call("GET", f"history/{file}?before={numbers[-1]}")
            numbers += [each["id"] for each in found["revisions"]]
        return [self.call("GET", f"revisions/{number}")["text"] for number in numbers]

    def work(self, gate: Barrier) -> None:
        gate.wait(SECONDS)
        name = {"uid": f"own{self.number}", "phenomenon": "own"}
        own = self.call("POST", "paradigms", name, expected=(201,))["file"]
        for step in range(ROUNDS):
            said = f"p{self.number}r{step}"
            self.write_own(own, said)
            self.write_shared(said)
            self.write_word(said)
            self.call("POST", f"presence/{SHARED}", {"tab": f"tab{self.number}"})

    def write_own(self, file: str, said: str) -> None:
        """What nobody else touches."""
        text = f"format: 1\nuid: own{self.number}\nphenomenon: own\nslots:\n  a: {said}\ngood: a 好\nbad: a 坏\n"
        self.save(file, text, self.call("GET", f"files/{file}")["revision"])
        assert self.preview(file, text) == [f"{said}好"]
        assert self.call("GET", f"files/{file}")["text"] == text

    def write_shared(self, said: str) -> None:
        """A row of mine, and one that everyone wants."""
        opened = self.call("GET", f"files/{SHARED}")
        text = re.sub(rf"(?m)^  s{self.number}: .*$", f"  s{self.number}: {said}", opened["text"])
        text = re.sub(r"(?m)^source: .*$", f"source: {said}", text)
        (good,) = self.preview(SHARED, text)
        assert said in good
        self.save(SHARED, text, opened["revision"])
        self.told.append(said)

    def write_word(self, said: str) -> None:
        """A new word at the end of the lexicon, where everyone puts theirs."""
        opened = self.call("GET", f"files/{LEXICON}")
        last = opened["text"].count("\n")
        body = {"base": opened["revision"], "tab": f"tab{self.number}"}
        body["ops"] = [{"do": "add", "rows": [[f"词{said}", "NN", ""]], "after": last}]
        assert self.call("POST", f"tables/{LEXICON}", body)["saved"]


@pytest.fixture
def people(tmp_path: Path, database: str | None) -> Iterator[list[Person]]:
    """Everyone, signed in at a server of their own."""
    folder = tmp_path / "work"
    write_small(folder / "small")
    (folder / "small" / SHARED).parent.mkdir()
    (folder / "small" / SHARED).write_text(shared_text(), "utf-8")
    store = open_store(folder, database=database)
    try:
        tokens = [_session(store, f"Person {number}") for number in range(PEOPLE)]
    finally:
        store.close()
    server = Running(folder, ("--team", "--owner", "Li", *(("--database", database) if database else ())))
    server.start()
    try:
        with ExitStack() as stack:
            yield [Person(number, _client(server, token, stack)) for number, token in enumerate(tokens)]
    finally:
        said = server.stop()
    assert "Traceback" not in said, said


def _session(store: Store, name: str) -> str:
    who = add_user(store, name, PASSWORD)
    set_role(store, who, "editor")
    return start_session(store, who)


def _client(server: Running, token: str, stack: ExitStack) -> Client:
    headers = {"Authorization": f"Bearer {sealed(token, Settings(team=True, secret=SECRET))}"}
    return stack.enter_context(Client(base_url=server.home, headers=headers, timeout=SECONDS))


def source_of(text: str) -> str:
    """The row that everyone wrote."""
    found = re.search(r"(?m)^source: (.*)$", text)
    assert found, text
    return found[1]


def test_twenty_people_at_once_lose_nothing(people: list[Person], tmp_path: Path) -> None:
    """A class, or a team the day before a deadline; nobody sees an error but a conflict that can be merged."""
    gate = Barrier(PEOPLE)
    with ThreadPoolExecutor(PEOPLE) as threads:
        for done in [threads.submit(person.work, gate) for person in people]:
            done.result()
    assert sum(person.conflicts for person in people) > 0
    project = tmp_path / "work" / "small"
    last = [f"p{number}r{ROUNDS - 1}" for number in range(PEOPLE)]
    shared = (project / SHARED).read_text("utf-8")
    assert [said for number, said in enumerate(last) if f"  s{number}: {said}\n" not in shared] == []
    for number, said in enumerate(last):
        assert f"  a: {said}\n" in (project / f"paradigms/own/own{number}.yaml").read_text("utf-8")
    words = [line.split("\t")[0] for line in (project / LEXICON).read_text("utf-8").splitlines()]
    everything = [said for person in people for said in person.told]
    assert sorted(words[5:]) == sorted(f"词{said}" for said in everything)
    assert len(everything) == PEOPLE * ROUNDS
    # The row that everyone wanted holds one text; all others that were ever saved are in the history.
    assert source_of(shared) in last
    found = [source_of(text) for text in people[0].history(SHARED)]
    assert sorted(found) == sorted(["nobody", *everything])
