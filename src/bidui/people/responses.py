"""Responses: one row per answer, always; checked, stored, exported with a codebook, and excluded only by rule.

Nothing is ever dropped from what is stored: `exclusions` says which people and answers the rules of the design leave
out, and why, and `kept` applies that. Answers may come one at a time (`answer_trial`) or from a file.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from bidui.errors import InputError, Place, Problem, fail, first_of
from bidui.files import decode, encode, for_spreadsheets, json_text, parse_json, read_bytes, write_file
from bidui.pairs import Side
from bidui.people.design import SCALE, Design, Kind, Layout, Task
from bidui.people.lists import SHOWN, Item, Shown, Trial
from bidui.people.ratings import Rating
from bidui.people.study import LARGEST, Study
from bidui.words import Language, texts

RESPONSES = "responses.jsonl"
Rule = Literal["catch", "fast", "side", "fillers", "unfinished", "answer"]
CODEBOOK: Mapping[str, str] = {
    "study": "name of the study",
    "version": "version of the texts that the participant read",
    "participant": "pseudonym",
    "list": "number of the list",
    "slot": "number of the slot on the list; it fixes the order and the sides; 0 if unknown",
    "position": "position of the trial in the slot, from 1, practice first; 0 if unknown",
    "task": "choice (which of two sentences sounds more natural) or rating (1 to 7)",
    "item": "id of the item in items.jsonl",
    "kind": "test, catch, practice or filler",
    "uid": "paradigm; empty unless kind is test",
    "phenomenon": "phenomenon of the paradigm",
    "pair": "number of the pair in its paradigm",
    "shown": "good-bad or bad-good: which sentence came first; unrecorded: not known, and answer 1 is the good one; "
    "good or bad: which sentence was rated",
    "layout": "rows (one sentence above the other) or columns (side by side)",
    "answer": "1 or 2: the first or second sentence on the screen; 1 to 7: the rating",
    "chosen": "good or bad: the sentence chosen; empty for ratings",
    "rt_ms": "response time in milliseconds; empty if it was not measured",
    "at": "time of the answer, ISO 8601 in UTC; empty if unknown",
    "language": "language of the page",
}


@dataclass(frozen=True, slots=True)
class Response:
    """What one participant answered in one trial, with everything that was on the screen."""

    study: str
    version: str
    participant: str
    list: int
    slot: int
    position: int
    task: Task
    item: str
    kind: Kind
    uid: str
    phenomenon: str
    pair: int
    shown: Shown
    layout: Layout
    answer: int
    rt_ms: int | None = None
    at: str = ""
    language: str = ""

    @property
    def chosen(self) -> Side | None:
        """The sentence that was chosen; None for a rating."""
        if self.task == "rating":
            return None
        return "good" if (self.shown != "bad-good") == (self.answer == 1) else "bad"

    @property
    def right(self) -> bool:
        """Whether the answer is the expected one; for a rating, the scrambled sentence is below the middle."""
        if self.task == "choice":
            return self.chosen == "good"
        return self.answer >= (SCALE + 1) // 2 if self.shown == "good" else self.answer < (SCALE + 1) // 2


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Somebody, or one answer (`item`), that a rule leaves out, with the value found and the limit."""

    participant: str
    rule: Rule
    found: str
    limit: str
    item: str = ""

    def text(self, language: Language = "en") -> str:
        """Return the reason."""
        return texts("study", language)[f"excluded-{self.rule}"].format(found=self.found, limit=self.limit)


def answer_trial(
    study: Study,
    trial: Trial,
    *,
    participant: str,
    answer: int,
    rt_ms: int | None = None,
    at: str = "",
    layout: Layout | None = None,
    language: str = "",
) -> Response:
    """Return the response to a trial; an answer that is not on the screen is refused."""
    most = 2 if trial.task == "choice" else SCALE
    if isinstance(answer, bool) or not isinstance(answer, int) or not 1 <= answer <= most:
        raise fail("response-answer", None, {"most": most, "value": answer})
    if rt_ms is not None and (isinstance(rt_ms, bool) or not 0 <= rt_ms < 10**10):
        raise fail("response-field", None, {"field": "rt_ms", "value": rt_ms})
    if not participant:
        raise fail("response-field", None, {"field": "participant", "value": '""'})
    return response_to(
        trial,
        study.item[trial.item],
        study=study.name,
        version=study.version,
        participant=participant,
        answer=answer,
        rt_ms=rt_ms,
        at=at,
        layout=layout or study.design.layout,
        language=language,
    )


def response_to(
    trial: Trial,
    item: Item,
    *,
    study: str,
    version: str,
    participant: str,
    answer: int,
    rt_ms: int | None,
    at: str,
    layout: Layout,
    language: str,
) -> Response:
    """Return the response to a trial of an item; what was answered has been checked."""
    return Response(
        study=study,
        version=version,
        participant=participant,
        list=trial.list,
        slot=trial.slot,
        position=trial.position,
        task=trial.task,
        item=item.id,
        kind=item.kind,
        uid=item.uid,
        phenomenon=item.phenomenon,
        pair=item.pair,
        shown=trial.shown,
        layout=layout,
        answer=answer,
        rt_ms=rt_ms,
        at=at,
        language=language,
    )


def distinct(responses: Iterable[Response], *, places: Iterable[Place] = ()) -> tuple[Response, ...]:
    """Count every answer once: rows that say the same are one, and two different answers to an item are an error.

    `places` are those of the responses, as far as they are known.
    """
    first: dict[tuple[str, str, Task], Response] = {}
    for response, place in zip_longest(responses, places, fillvalue=None):
        assert response is not None
        key = (response.participant, response.item, response.task)
        before = first.setdefault(key, response)
        if before.answer != response.answer:
            values = {"participant": response.participant, "item": response.item}
            raise fail("response-twice", place, values)
    return tuple(first.values())


# Files


def to_jsonl(responses: Iterable[Response]) -> bytes:
    """Write one JSON object per response."""
    return encode("".join(json_text(_record(response)) + "\n" for response in responses))


def to_csv(responses: Iterable[Response]) -> bytes:
    """Write CSV that spreadsheets open as UTF-8 and in which no text is computed as a formula."""
    return csv_rows(CODEBOOK, map(_record, responses))


def csv_rows(columns: Iterable[str], rows: Iterable[Mapping[str, object]]) -> bytes:
    """Write a table for spreadsheets; a quote before a text is doubled, so that the guard can be taken off again."""
    names, text = list(columns), io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(names)
    for row in rows:
        cells = ["" if row[name] is None else str(row[name]) for name in names]
        writer.writerow(f"'{cell}" if cell.startswith("'") else cell for cell in cells)
    return for_spreadsheets(encode(text.getvalue()))


def table_rows(data: bytes, *, file: str) -> list[tuple[int, dict[str, Any]]]:
    """Read rows with the numbers of their lines: JSON objects from `.jsonl`, or CSV or TSV, without our guards."""
    text = decode(data, file=file)
    if not file.lower().endswith(".jsonl"):
        comma = file.lower().endswith(".csv")
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter="," if comma else "\t")
        try:
            rows = [(reader.line_num, row) for row in reader]
        except csv.Error as error:
            raise fail("ratings-unreadable", Place(file, reader.line_num), {"reason": str(error)}) from None
        return [(line, {k: (v or "").removeprefix("'") for k, v in row.items() if k is not None}) for line, row in rows]
    objects: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            row = parse_json(line, place=Place(file, number))
            if not isinstance(row, dict):
                raise fail("response-field", Place(file, number), {"field": "row", "value": row})
            objects.append((number, row))
    return objects


def codebook(columns: Mapping[str, str] = CODEBOOK) -> str:
    """Return what every column means, as Markdown."""
    return "\n".join(["| column | meaning |", "|---|---|", *(f"| `{k}` | {v} |" for k, v in columns.items()), ""])


def _record(response: Response) -> dict[str, Any]:
    record = {**asdict(response), "chosen": response.chosen}
    return {name: record[name] for name in CODEBOOK}


def parse_responses(data: bytes, study: Study, *, file: str) -> tuple[Response, ...]:
    """Read responses in JSONL or in our CSV (by the name of the file); every problem is reported with its line."""
    problems: list[Problem] = []
    responses: list[Response] = []
    places: list[Place] = []
    for number, row in table_rows(data, file=file):
        try:
            responses.append(_response(row, study, Place(file, number)))
            places.append(Place(file, number))
        except InputError as error:
            problems += error.problems
    if problems:
        raise first_of(problems)
    return distinct(responses, places=places)


def _response(row: Mapping[str, Any], study: Study, place: Place) -> Response:
    """Return the response of one row; what contradicts the study or itself is an error."""
    values: dict[str, Any] = {}
    for each in fields(Response):
        value = row.get(each.name)
        if each.name in ("list", "slot", "position", "pair", "answer", "rt_ms"):
            try:
                value = None if value in (None, "") and each.name == "rt_ms" else int(str(value))
            except ValueError:
                raise fail("response-field", place, {"field": each.name, "value": value}) from None
        else:
            value = "" if value is None else str(value)
        values[each.name] = value
    response = Response(**values)
    item = study.item.get(response.item)
    if item is None:
        raise fail("response-item", place, {"item": response.item})
    facts = {"kind": item.kind, "uid": item.uid, "phenomenon": item.phenomenon, "pair": item.pair, "study": study.name}
    for name, fact in facts.items():
        if getattr(response, name) != fact:
            raise fail("response-field", place, {"field": name, "value": getattr(response, name)})
    if response.task not in SHOWN or response.shown not in (*SHOWN[response.task], "unrecorded"):
        raise fail("response-field", place, {"field": "shown", "value": response.shown})
    if not response.participant:
        raise fail("response-field", place, {"field": "participant", "value": '""'})
    most = 2 if response.task == "choice" else SCALE
    if not 1 <= response.answer <= most:
        raise fail("response-answer", place, {"most": most, "value": response.answer})
    if (chosen := row.get("chosen")) and chosen != response.chosen:
        values = {"value": chosen, "shown": response.shown, "answer": response.answer}
        raise fail("response-chosen", place, values)
    return response


def read_responses(folder: str | Path, study: Study) -> tuple[Response, ...]:
    """Read the responses in the folder of a study; none is no error."""
    path = Path(folder) / RESPONSES
    return parse_responses(read_bytes(path, limit=LARGEST), study, file=str(path)) if path.exists() else ()


def add_responses(folder: str | Path, study: Study, new: Iterable[Response]) -> int:
    """Add responses to the folder of a study, all or none; return how many were new. What is there stays."""
    before = read_responses(folder, study)
    together = distinct([*before, *new])
    if len(together) > len(before):
        write_file(Path(folder) / RESPONSES, to_jsonl(together))
    return len(together) - len(before)


# Exclusion by rule


def study_exclusions(study: Study, responses: Sequence[Response]) -> tuple[Exclusion, ...]:
    """Return who and what the rules of a study leave out, person by person."""
    slots = _slots(study)
    elsewhere = _asked_elsewhere(responses)
    return tuple(
        one for who, own in by_person(responses).items() for one in _excluded(who, own, study.design, slots, elsewhere)
    )


def unchecked(study: Study, responses: Sequence[Response]) -> dict[Rule, int]:
    """Return the rules that could not be applied, and to how many people: what they need was not recorded."""
    rules, elsewhere, counts = study.design.rules, _asked_elsewhere(responses), dict[Rule, int]()
    for own in by_person(responses).values():
        tests = [one for one in own if one.kind == "test"]
        choices = [one for one in tests if one.task == "choice"]
        placed = all(one.slot for one in own)
        lacking: dict[Rule, bool] = {
            "catch": bool(study.design.catch) and not placed and not elsewhere,
            "fast": bool(rules.floor_ms and tests) and all(one.rt_ms is None for one in tests),
            "side": bool(rules.side_bias and choices) and all(one.shown == "unrecorded" for one in choices),
            "unfinished": bool(rules.least_share) and not placed,
        }
        for rule, lacks in lacking.items():
            if lacks:
                counts[rule] = counts.get(rule, 0) + 1
    return counts


def by_person(responses: Iterable[Response]) -> dict[str, list[Response]]:
    """Return the responses of each participant."""
    people: dict[str, list[Response]] = {}
    for response in responses:
        people.setdefault(response.participant, []).append(response)
    return people


def _slots(study: Study) -> dict[tuple[int, int], list[Trial]]:
    """Return the trials of each list and slot that count: practice does not."""
    slots: dict[tuple[int, int], list[Trial]] = {}
    for trial in study.trials:
        if trial.kind != "practice":
            slots.setdefault((trial.list, trial.slot), []).append(trial)
    return slots


def _asked_elsewhere(responses: Iterable[Response]) -> bool:
    """Whether catch trials were part of what was collected elsewhere; if so, whoever lacks them skipped them."""
    return any(one.kind == "catch" and not one.slot for one in responses)


def _excluded(
    who: str,
    own: Sequence[Response],
    design: Design,
    slots: Mapping[tuple[int, int], Sequence[Trial]],
    elsewhere: bool,
) -> list[Exclusion]:
    rules, found = design.rules, []
    expected = [trial for place in {(one.list, one.slot) for one in own} for trial in slots.get(place, ())]
    answered = {one.item for one in own if one.kind != "practice"}
    share = sum(trial.item in answered for trial in expected) / len(expected) if expected else 1.0
    unfinished = share < rules.least_share
    wrong = sum(one.kind == "catch" and not one.right for one in own) + _skipped(
        own, design, expected, elsewhere=elsewhere, unfinished=unfinished
    )
    if design.catch and wrong > rules.catch_failures:
        found.append(Exclusion(who, "catch", str(wrong), str(rules.catch_failures)))
    tests = [one for one in own if one.kind == "test"]
    times = [one.rt_ms for one in tests if one.rt_ms is not None]
    fast = [one for one in tests if one.rt_ms is not None and one.rt_ms < rules.floor_ms]
    if fast and len(fast) / len(times) > rules.fast_share:
        found.append(Exclusion(who, "fast", f"{len(fast) / len(times):.0%}", f"{rules.fast_share:.0%}"))
    choices = [one for one in tests if one.task == "choice" and one.shown != "unrecorded"]
    if choices and rules.side_bias:
        p = side_bias(sum(one.answer == 1 for one in choices), len(choices))
        if p < rules.side_bias:
            found.append(Exclusion(who, "side", f"{p:.2g}", f"{rules.side_bias:g}"))
    fillers = [one.right for one in own if one.kind == "filler"]
    if fillers and sum(fillers) / len(fillers) < rules.filler_accuracy:
        right = f"{sum(fillers) / len(fillers):.0%}"
        found.append(Exclusion(who, "fillers", right, f"{rules.filler_accuracy:.0%}"))
    if unfinished:
        # rounded down: 99.7% of the trials are not all of them
        found.append(Exclusion(who, "unfinished", f"{int(100 * share)}%", f"{rules.least_share:.0%}"))
    return found or [Exclusion(who, "answer", str(one.rt_ms), str(rules.floor_ms), one.item) for one in fast]


def _skipped(
    own: Sequence[Response], design: Design, expected: Sequence[Trial], *, elsewhere: bool, unfinished: bool
) -> int:
    """Return how many catch trials somebody skipped, which is as bad as failing them.

    Whoever is not through yet has skipped only those before her last answer. Of a table made elsewhere, which names no
    slots, we know only how many catch trials there were.
    """
    answered = {one.item for one in own if one.kind == "catch"}
    if not expected:
        return max(0, design.catch - len(answered)) if elsewhere else 0
    last = max(one.position for one in own)
    return sum(
        trial.kind == "catch" and trial.item not in answered and (not unfinished or trial.position < last)
        for trial in expected
    )


def side_bias(first: int, choices: int) -> float:
    """Return the p of an exact two-sided binomial test that both sides are chosen equally often."""
    from scipy.stats import binomtest

    return float(binomtest(first, choices).pvalue)


def kept(responses: Iterable[Response], excluded: Iterable[Exclusion]) -> tuple[Response, ...]:
    """Return the responses to test items that no rule leaves out."""
    excluded = list(excluded)
    people = {one.participant for one in excluded if not one.item}
    answers = {(one.participant, one.item) for one in excluded}
    return tuple(
        one
        for one in responses
        if one.kind == "test" and one.participant not in people and (one.participant, one.item) not in answers
    )


def ratings_of(responses: Iterable[Response]) -> tuple[Rating, ...]:
    """Return the ratings of single sentences, as `bidui.people.ratings` z-scores them."""
    return tuple(
        Rating(one.participant, one.uid, one.pair, "good" if one.shown == "good" else "bad", one.answer)
        for one in responses
        if one.task == "rating"
    )
