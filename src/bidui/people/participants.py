"""Participants: the facts about a person that stand beside her answers, in the same shape wherever they are stored.

Answers carry only a pseudonym. What else is known of its holder (background, times, which texts she consented to) is a
row of its own; the id by which a panel pays her is left out of exports unless it is asked for, and can be erased alone.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bidui.errors import InputError, Place, Problem, fail, first_of
from bidui.files import encode, json_text, read_bytes, write_file
from bidui.people.design import QUESTIONS, Question
from bidui.people.responses import RESPONSES, csv_rows, read_responses, table_rows, to_jsonl
from bidui.people.study import LARGEST, Study

PARTICIPANTS = "participants.jsonl"
EXTERNAL = "external"
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")
CODEBOOK: Mapping[str, str] = {
    "participant": "pseudonym, as in the responses",
    "list": "number of the list; 0 if unknown",
    "slot": "number of the slot on the list; 0 if unknown",
    "version": "version of the texts that the participant consented to",
    "language": "language of the page",
    "started": "time of consent, ISO 8601 in UTC; empty if unknown",
    "finished": "time of the last answer of a finished list; empty if it was not finished",
    "raised": "where she lived until she was 12, as she wrote it; empty if she skipped the question",
    "dialect": "which dialect or language her family spoke",
    "age": "age band",
    "linguistics": "training in linguistics",
    EXTERNAL: "id given by a panel, only for payment; delete this column before you publish the data",
}


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody who took part."""

    participant: str  # pseudonym
    list: int = 0  # 0 if unknown, as is the slot
    slot: int = 0
    version: str = ""  # of the texts that she consented to
    language: str = ""
    started: str = ""  # ISO 8601 in UTC; empty if unknown
    finished: str = ""  # empty if she did not finish
    background: Mapping[Question, str] = field(default_factory=dict)  # what she answered, in her words
    external: str = ""  # the id of a panel; never in responses


def participants_jsonl(people: Iterable[Participant], *, external: bool = False) -> bytes:
    """Write one JSON object per participant; ids of panels only if asked for."""
    return encode("".join(json_text(_record(one, external)) + "\n" for one in people))


def participants_csv(people: Iterable[Participant], *, external: bool = False) -> bytes:
    """Write CSV for spreadsheets, in which no text is computed as a formula."""
    return csv_rows(participant_codebook(external=external), (_record(one, external) for one in people))


def participant_codebook(*, external: bool = False) -> dict[str, str]:
    """Return what the columns of exported participants mean."""
    return {name: text for name, text in CODEBOOK.items() if external or name != EXTERNAL}


def _record(one: Participant, external: bool) -> dict[str, Any]:
    values: dict[str, Any] = {**asdict(one), **{str(name): one.background.get(name, "") for name in QUESTIONS}}
    return {name: values[name] for name in participant_codebook(external=external)}


def parse_participants(data: bytes, study: Study, *, file: str) -> tuple[Participant, ...]:
    """Read participants in JSONL or our CSV (by the name of the file); every problem is reported with its line."""
    people: dict[str, Participant] = {}
    problems: list[Problem] = []
    lists = {0, *(trial.list for trial in study.trials)}
    for number, row in table_rows(data, file=file):
        try:
            one = _participant(row, lists, Place(file, number))
            if people.setdefault(one.participant, one) != one:
                raise fail("participant-twice", Place(file, number), {"participant": one.participant})
        except InputError as error:
            problems += error.problems
    if problems:
        raise first_of(problems)
    return tuple(people.values())


def _participant(row: Mapping[str, Any], lists: set[int], place: Place) -> Participant:
    cells = {name: "" if row.get(name) is None else str(row[name]) for name in CODEBOOK}
    for name in ("list", "slot"):
        if not re.fullmatch(r"[0-9]{0,9}", cells[name]):
            raise fail("response-field", place, {"field": name, "value": cells[name]})
    if int(cells["list"] or 0) not in lists:
        raise fail("response-field", place, {"field": "list", "value": cells["list"]})
    if not cells["participant"]:
        raise fail("response-field", place, {"field": "participant", "value": '""'})
    for name in ("started", "finished"):
        if cells[name] and not TIME.fullmatch(cells[name]):
            raise fail("response-field", place, {"field": name, "value": cells[name]})
    texts = {name: cells[name] for name in ("version", "language", "started", "finished", EXTERNAL)}
    facts: dict[str, Any] = {**texts, "list": int(cells["list"] or 0), "slot": int(cells["slot"] or 0)}
    return Participant(
        cells["participant"], **facts, background={name: cells[name] for name in QUESTIONS if cells[name]}
    )


def read_participants(folder: str | Path, study: Study) -> tuple[Participant, ...]:
    """Read the participants in the folder of a study; none is no error."""
    path = Path(folder) / PARTICIPANTS
    return parse_participants(read_bytes(path, limit=LARGEST), study, file=str(path)) if path.exists() else ()


def add_participants(folder: str | Path, study: Study, new: Iterable[Participant]) -> int:
    """Add participants to the folder of a study, all or none; return how many were new.

    Facts that were unknown are filled in; facts that contradict what is there are an error.
    """
    before = read_participants(folder, study)
    people = {one.participant: one for one in before}
    for one in new:
        people[one.participant] = _joined(people.get(one.participant, one), one)
    if tuple(people.values()) != before:
        write_file(Path(folder) / PARTICIPANTS, participants_jsonl(people.values(), external=True))
    return len(people) - len(before)


def withdraw(folder: str | Path, study: Study, participant: str) -> int:
    """Delete somebody and all of her answers from the folder of a study; return how many answers there were."""
    responses, people = read_responses(folder, study), read_participants(folder, study)
    others = [one for one in responses if one.participant != participant]
    left = [one for one in people if one.participant != participant]
    if len(others) == len(responses) and len(left) == len(people):
        raise fail("withdraw-unknown", Place(str(folder)), {"participant": participant})
    if len(others) < len(responses):
        write_file(Path(folder) / RESPONSES, to_jsonl(others))
    if len(left) < len(people):
        write_file(Path(folder) / PARTICIPANTS, participants_jsonl(left, external=True))
    return len(responses) - len(others)


def _joined(old: Participant, new: Participant) -> Participant:
    facts: dict[str, Any] = {}
    for name in ("list", "slot", "version", "language", "started", "finished", EXTERNAL):
        mine, other = getattr(old, name), getattr(new, name)
        if mine and other and mine != other:
            raise fail("participant-twice", None, {"participant": old.participant})
        facts[name] = mine or other
    if any(old.background.get(name, text) != text for name, text in new.background.items()):
        raise fail("participant-twice", None, {"participant": old.participant})
    return replace(old, **facts, background={**old.background, **new.background})
