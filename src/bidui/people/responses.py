"""Responses: one row per answer, always; checked, stored, exported with a codebook, and excluded only by rule.

Nothing is ever dropped from what is stored: `exclusions` says which people and answers the rules of the design leave
out, and why, and `kept` applies that. Answers may come one at a time (`answer_trial`) or from a file.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import decode, encode, for_spreadsheets, json_text, parse_json, read_bytes, write_file
from bidui.pairs import Side
from bidui.people.design import SCALE, Design, Kind, Layout, Task
from bidui.people.lists import SHOWN, Shown, Trial
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
    item = study.item[trial.item]
    return Response(
        study=study.name,
        version=study.version,
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
        layout=layout or study.design.layout,
        answer=answer,
        rt_ms=rt_ms,
        at=at,
        language=language,
    )


def distinct(responses: Iterable[Response]) -> tuple[Response, ...]:
    """Count every answer once: rows that say the same are one, and two different answers to an item are an error."""
    first: dict[tuple[str, str, Task], Response] = {}
    for response in responses:
        key = (response.participant, response.item, response.task)
        if first.setdefault(key, response).answer != response.answer:
            values = {"participant": response.participant, "item": response.item}
            raise fail("response-twice", None, values)
    return tuple(first.values())


# Files


def to_jsonl(responses: Iterable[Response]) -> bytes:
    """Write one JSON object per response."""
    return encode("".join(json_text(_record(response)) + "\n" for response in responses))


def to_csv(responses: Iterable[Response]) -> bytes:
    """Write CSV that spreadsheets open as UTF-8 and in which no text is computed as a formula."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(CODEBOOK))
    writer.writeheader()
    writer.writerows({key: "" if value is None else value for key, value in _record(row).items()} for row in responses)
    return for_spreadsheets(text.getvalue().encode())


def codebook() -> str:
    """Return what every column means, as Markdown."""
    return "\n".join(["| column | meaning |", "|---|---|", *(f"| `{k}` | {v} |" for k, v in CODEBOOK.items()), ""])


def _record(response: Response) -> dict[str, Any]:
    record = {**asdict(response), "chosen": response.chosen}
    return {name: record[name] for name in CODEBOOK}


def parse_responses(data: bytes, study: Study, *, file: str) -> tuple[Response, ...]:
    """Read responses in JSONL or in our CSV (by the name of the file); every problem is reported with its line."""
    text = decode(data, file=file)
    rows: list[tuple[int, object]]
    if file.lower().endswith(".csv"):
        reader = csv.DictReader(io.StringIO(text, newline=""))
        rows = [(reader.line_num, row) for row in reader]
    else:
        lines = enumerate(text.split("\n"), start=1)
        rows = [(number, parse_json(line, place=Place(file, number))) for number, line in lines if line.strip()]
    problems: list[Problem] = []
    responses: list[Response] = []
    for number, row in rows:
        try:
            responses.append(_response(row, study, Place(file, number)))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems[:20])
    return distinct(responses)


def _response(row: object, study: Study, place: Place) -> Response:
    """Return the response of one row; what contradicts the study or itself is an error."""
    if not isinstance(row, dict):
        raise fail("response-field", place, {"field": "row", "value": row})
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
            value = value[1:] if value[:1] == "'" else value  # the guard of spreadsheets
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


def exclusions(
    design: Design, responses: Sequence[Response], *, trials: Mapping[tuple[int, int], int]
) -> tuple[Exclusion, ...]:
    """Return who and what the rules of a design leave out; `trials` has the number of trials of each list and slot."""
    people: dict[str, list[Response]] = {}
    for response in responses:
        people.setdefault(response.participant, []).append(response)
    return tuple(one for who, own in people.items() for one in _excluded(who, own, design, trials))


def _excluded(
    who: str, own: Sequence[Response], design: Design, trials: Mapping[tuple[int, int], int]
) -> list[Exclusion]:
    rules, found = design.rules, []
    wrong = sum(one.kind == "catch" and not one.right for one in own)
    if design.catch and wrong > rules.catch_failures:
        found.append(Exclusion(who, "catch", str(wrong), str(rules.catch_failures)))
    tests = [one for one in own if one.kind == "test"]
    fast = [one for one in tests if one.rt_ms is not None and one.rt_ms < rules.floor_ms]
    if tests and len(fast) / len(tests) > rules.fast_share:
        found.append(Exclusion(who, "fast", f"{len(fast) / len(tests):.0%}", f"{rules.fast_share:.0%}"))
    choices = [one for one in tests if one.task == "choice" and one.shown != "unrecorded"]
    if choices and rules.side_bias:
        p = side_bias(sum(one.answer == 1 for one in choices), len(choices))
        if p < rules.side_bias:
            found.append(Exclusion(who, "side", f"{p:.2g}", f"{rules.side_bias:g}"))
    fillers = [one.right for one in own if one.kind == "filler"]
    if fillers and sum(fillers) / len(fillers) < rules.filler_accuracy:
        share = f"{sum(fillers) / len(fillers):.0%}"
        found.append(Exclusion(who, "fillers", share, f"{rules.filler_accuracy:.0%}"))
    expected = trials.get((own[0].list, own[0].slot), 0)
    if expected and len(own) / expected < rules.least_share:
        found.append(Exclusion(who, "unfinished", f"{len(own) / expected:.0%}", f"{rules.least_share:.0%}"))
    return found or [Exclusion(who, "answer", str(one.rt_ms), str(rules.floor_ms), one.item) for one in fast]


def side_bias(first: int, choices: int) -> float:
    """Return the p of an exact two-sided binomial test that both sides are chosen equally often."""
    from scipy.stats import binomtest

    return float(binomtest(first, choices).pvalue)


def study_exclusions(study: Study, responses: Sequence[Response]) -> tuple[Exclusion, ...]:
    """Return who and what the rules of a study leave out."""
    trials: dict[tuple[int, int], int] = {}
    for trial in study.trials:
        trials[trial.list, trial.slot] = trials.get((trial.list, trial.slot), 0) + 1
    return exclusions(study.design, responses, trials=trials)


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
