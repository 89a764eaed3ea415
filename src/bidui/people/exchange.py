"""Exchange: a study as an experiment for PCIbex, answers that were collected elsewhere, and files for publication.

PennController's results are read by the columns that their comments name. Answers in any other table need a
participant, an item (or uid and pair), and what was chosen.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from math import nan
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

from bidui.errors import InputError, Place, Problem, fail, first_of
from bidui.files import Json, check_new_folder, decode, encode, read_bytes, sha256, write_new_folder
from bidui.people.agreement import Level, Over, doubt_rows, exclusion_rows, results_of
from bidui.people.design import SCALE, design_record
from bidui.people.lists import Trial
from bidui.people.participants import (
    Participant,
    parse_participants,
    participant_codebook,
    participants_csv,
    participants_jsonl,
    read_participants,
)
from bidui.people.responses import (
    Response,
    answer_trial,
    codebook,
    csv_rows,
    distinct,
    parse_responses,
    read_responses,
    table_rows,
    to_csv,
    to_jsonl,
)
from bidui.people.study import LARGEST, Study, read_study
from bidui.words import Language

PCIBEX = "# 1. Results reception time"  # in the comments of its results
ANSWERS = {"item", "pair", "chosen", "answer"}  # a table with none of these columns is about participants


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file holds: responses, or participants."""

    responses: tuple[Response, ...] = ()
    participants: tuple[Participant, ...] = ()


def import_file(path: str | Path, study: Study) -> Imported:
    """Read answers (`import_answers`) or, from a table with the column participant and no answers, participants."""
    data, file = read_bytes(Path(path), limit=LARGEST), str(path)
    rows = table_rows(data, file=file) if PCIBEX.encode() not in data else []
    names = set(rows[0][1]) if rows else set()
    if "participant" in names and not names & ANSWERS:
        return Imported(participants=parse_participants(data, study, file=file))
    return Imported(responses=parse_answers(data, study, file=file))


def import_answers(path: str | Path, study: Study) -> tuple[Response, ...]:
    """Read answers from a file: our own rows (JSONL or CSV), PCIbex results, or a plain table (CSV, TSV, JSONL).

    A plain table has the columns participant; item, or uid and pair; and chosen (good or bad), or shown (good-bad or
    bad-good) with answer (1 or 2). Ratings have shown (good or bad) and answer (1 to 7). rt_ms and at are optional.
    """
    return parse_answers(read_bytes(Path(path), limit=LARGEST), study, file=str(path))


def parse_answers(data: bytes, study: Study, *, file: str) -> tuple[Response, ...]:
    """Read answers as `import_answers` does from the bytes of a file of this name."""
    text = decode(data, file=file)
    if PCIBEX in text:
        return _pcibex(text, study, file)
    rows = table_rows(data, file=file)
    if rows and {"version", "slot", "position", "kind", "layout"} <= rows[0][1].keys():
        return parse_responses(data, study, file=file)
    cells = [(line, {k: "" if v is None else str(v).strip() for k, v in row.items()}) for line, row in rows]
    return _collected(cells, study, file)


def _collected(rows: list[tuple[int, dict[str, str]]], study: Study, file: str) -> tuple[Response, ...]:
    if not rows:
        raise fail("answers-none", Place(file))
    names = rows[0][1].keys()
    missing = [] if "participant" in names else ["participant"]
    missing += [] if "item" in names or {"uid", "pair"} <= set(names) else ["item (or uid and pair)"]
    missing += [] if "chosen" in names or {"shown", "answer"} <= set(names) else ["chosen (or shown and answer)"]
    if missing:
        raise fail("study-columns", Place(file, 1), {"missing": missing, "columns": list(names)})
    trials: dict[tuple[str, str], list[Trial]] = {}
    for trial in study.trials:
        trials.setdefault((trial.item, trial.shown), []).append(trial)
    responses: list[Response] = []
    places: list[Place] = []
    problems: list[Problem] = []
    for number, row in rows:
        try:
            responses.append(_answer(row, trials, study, Place(file, number)))
            places.append(Place(file, number))
        except InputError as error:
            problems += [Problem(each.kind, Place(file, number), each.values) for each in error.problems]
    if problems:
        raise first_of(problems)
    return distinct(responses, places=places)


def _answer(
    row: Mapping[str, str], trials: Mapping[tuple[str, str], list[Trial]], study: Study, place: Place
) -> Response:
    """Return the response of a row; what was not recorded (side, slot, position) is stored as unknown, not guessed."""
    item = row.get("item") or f"{row.get('uid', '')}/{row.get('pair', '')}"
    if item not in study.item:
        raise fail("response-item", place, {"item": item})
    shown, chosen, answer = row.get("shown") or "unrecorded", row.get("chosen", ""), row.get("answer", "")
    if chosen and chosen not in ("good", "bad"):
        raise fail("response-field", place, {"field": "chosen", "value": chosen})
    same = trials.get((item, "good-bad" if shown == "unrecorded" else shown), [])
    if not same or (shown == "unrecorded" and not chosen):
        raise fail("response-field", place, {"field": "shown", "value": shown})
    if shown == "unrecorded" or (not answer and chosen):
        answer = "1" if (shown != "bad-good") == (chosen == "good") else "2"
    time = row.get("rt_ms", "")
    for name, cell, pattern in (("answer", answer, r"[0-9]{1,3}"), ("rt_ms", time, r"([0-9]{1,10}(\.[0-9]+)?)?")):
        if not re.fullmatch(pattern, cell):
            raise fail("response-field", place, {"field": name, "value": cell})
    wanted = (row.get("list", ""), row.get("slot", ""))
    trial = next((one for one in same if (str(one.list), str(one.slot)) == wanted), None)
    if trial is None or shown == "unrecorded":
        trial = replace(same[0], slot=0, position=0, shown="unrecorded" if shown == "unrecorded" else same[0].shown)
    response = answer_trial(
        study,
        trial,
        participant=row["participant"],
        answer=int(answer),
        rt_ms=round(float(time)) if time else None,
        at=row.get("at", ""),
    )
    if chosen and response.chosen != chosen:
        values = {"value": chosen, "shown": shown, "answer": answer}
        raise fail("response-chosen", place, values)
    return response


# PCIbex


def _pcibex(text: str, study: Study, file: str) -> tuple[Response, ...]:
    """Read the results of an experiment that `export_pcibex` wrote.

    Somebody is one reception time and one hash; both are replaced by a pseudonym, since the hash is of her address. It
    is the same in every file of results, so that a longer file can be imported after a shorter one.
    """
    starts: dict[tuple[str, str, str], float] = {}
    rows: list[tuple[int, dict[str, str]]] = []
    for number, cells in _pcibex_rows(text):
        who = (cells.get("Results reception time", ""), cells.get("MD5 hash of participant's IP address", ""))
        trial, parameter = cells.get("Order number of item", ""), cells.get("Parameter", "")
        if parameter == "_Trial_" and cells.get("Value") == "Start":
            starts[(*who, trial)] = _milliseconds(cells)
        kind, item = cells.get("PennElementType", ""), cells.get("item", "")
        if item in ("", "undefined", "NULL") or (kind, parameter) not in (
            ("Selector", "Selection"),
            ("Scale", "Choice"),
        ):
            continue
        name = f"pcibex-{sha256('/'.join((study.name, *who)).encode())[:10]}"
        answer = {"first": "1", "second": "2"}.get(cells.get("Value", ""), cells.get("Value", ""))
        row = {"participant": name, "item": item, "answer": answer}
        row |= {key: cells.get(key, "") for key in ("shown", "list", "slot")}
        took = _milliseconds(cells) - starts.get((*who, trial), nan)
        if took >= 0:
            row["rt_ms"] = str(round(took))
        rows.append((number, row))
    return _collected(rows, study, file)


def _milliseconds(cells: Mapping[str, str]) -> float:
    """Return the time of an event; NaN where it did not happen ("Never") or was not logged."""
    try:
        return float(cells.get("EventTime") or nan)
    except ValueError:
        return nan


def _pcibex_rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows by the column names of the comments above them; a comma in a value is written `%2C`."""
    names: dict[int, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#"):
            index, dot, name = line.lstrip("# ").partition(". ")
            if dot and index.isdecimal():
                if index == "1":
                    names = {}
                names[int(index) - 1] = name.strip().rstrip(".")
        elif line.strip():
            cells = line.split(",")
            yield number, {name: unquote(cells[at]) for at, name in names.items() if at < len(cells)}


def export_pcibex(study: Study, out: str | Path, *, language: Language | None = None) -> int:
    """Write a study as an experiment for PCIbex: a script, a table of trials and pages; return the number of files.

    Every slot is a group of PennController's counter, so that order and sides are those of the study. The pages are in
    Chinese if the sentences are, else in English, unless a `language` is given.
    """
    table = io.StringIO(newline="")
    columns = ("group", "item", "kind", "task", "list", "slot", "position", "shown", "first", "second")
    writer = csv.writer(table)
    writer.writerow(columns)
    items = study.item
    for trial in study.trials:
        sentences = {"good": items[trial.item].good, "bad": items[trial.item].bad}
        first, _, second = trial.shown.partition("-")
        # PennController orders the groups by name
        group = f"{trial.list:04d}-{trial.slot:04d}"
        writer.writerow(
            (
                *(group, trial.item, trial.kind, trial.task, trial.list, trial.slot, trial.position, trial.shown),
                *(sentences[first], sentences.get(second, "")),
            )
        )
    spoken = language or ("zh" if study.design.language.startswith("zh") else "en")
    say = {key: own[spoken] for key, own in study.texts.items()}
    pages = ["consent", *(f"instructions-{task}" for task in dict.fromkeys(trial.task for trial in study.trials))]
    files = {f"chunk_includes/{name}.html": encode(_page(say[name])) for name in pages}
    files["chunk_includes/trials.csv"] = encode(table.getvalue())
    files["data_includes/main.js"] = encode(_script(say))
    files["README.md"] = encode(
        f"# {study.name}\n\nUpload `data_includes/main.js` to *Scripts* and the files of `chunk_includes` to "
        "*Resources* of an empty PennController project on farm.pcibex.net. Read the results back with "
        "`bidui study import`.\n"
    )
    return write_new_folder(Path(out), files.items())


def _page(text: str) -> str:
    return "".join(f"<p>{escape(line)}</p>\n" for line in text.split("\n"))


def _script(say: Mapping[str, str]) -> str:
    words: dict[str, Any] = {
        name: say[name] for name in ("question-choice", "question-rating", "scale-low", "scale-high", "thanks")
    }
    points = ", ".join(f'"{number}"' for number in range(1, SCALE + 1))
    return SCRIPT.replace("WORDS", json.dumps(words, ensure_ascii=False, indent=1)).replace("POINTS", points)


SCRIPT = """// Written by bidui; order and sides come from trials.csv.
PennController.ResetPrefix(null);
DebugOff();
const words = WORDS;

Sequence("counter", "consent", "instructions", "practice", "main", SendResults(), "end");
SetCounter("counter", "inc", 1);

newTrial("consent", newHtml("consent", "consent.html").print(), newButton("agree", "OK").center().print().wait());
Template(GetTable("trials.csv").setGroupColumn("group").filter(row => row.position === "1"), row => newTrial(
  "instructions",
  newHtml("text", `instructions-${row.task}.html`).print(),
  newButton("go", "OK").center().print().wait(),
));

const choice = row => [
  newText("question", words["question-choice"]).center().print(),
  newText("first", row.first).css("margin", "1em").center().print(),
  newText("second", row.second).css("margin", "1em").center().print(),
  newSelector("choice").add(getText("first"), getText("second")).keys("1", "2").log().wait(),
];
const rating = row => [
  newText("question", words["question-rating"]).center().print(),
  newText("first", row.first).css("margin", "1em").center().print(),
  newScale("rating", POINTS)
    .before(newText("low", words["scale-low"])).after(newText("high", words["scale-high"]))
    .labelsPosition("top").keys().log().center().print().wait(),
];
const trial = label => row => newTrial(label, ...(row.task === "rating" ? rating(row) : choice(row)))
  .log("item", row.item).log("kind", row.kind).log("shown", row.shown).log("list", row.list).log("slot", row.slot);

Template(GetTable("trials.csv").setGroupColumn("group").filter(row => row.kind === "practice"), trial("practice"));
Template(GetTable("trials.csv").setGroupColumn("group").filter(row => row.kind !== "practice"), trial("main"));

newTrial("end", newText("thanks", words["thanks"]).center().print(), newButton("wait", "").wait());
"""


def export_study(
    folder: str | Path,
    *,
    out: str | Path,
    to: Literal["csv", "jsonl", "pcibex"] = "csv",
    external: bool = False,
    language: Language | None = None,
) -> int:
    """Export the responses and participants of a study with a codebook, or the study for PCIbex.

    Ids that a panel gave to participants are exported only if `external`. Return the number of files.
    """
    study = read_study(folder)
    if to == "pcibex":
        return export_pcibex(study, out, language=language)
    files = response_files(read_responses(folder, study), read_participants(folder, study), to=to, external=external)
    return write_new_folder(Path(out), files.items())


def response_files(
    responses: Iterable[Response],
    participants: Iterable[Participant] = (),
    *,
    to: Literal["csv", "jsonl"] = "csv",
    external: bool = False,
) -> dict[str, bytes]:
    """Return the files of an export by name: one row per response, one per participant, and what the columns mean."""
    rows, people = list(responses), list(participants)
    files = {f"responses.{to}": to_csv(rows) if to == "csv" else to_jsonl(rows)}
    texts = ["# Responses\n\n", codebook()]
    if people:
        write = participants_csv if to == "csv" else participants_jsonl
        files[f"participants.{to}"] = write(people, external=external)
        texts += ["\n# Participants\n\n", codebook(participant_codebook(external=external))]
    return {**files, "codebook.md": encode("".join(texts))}


def write_results(
    folder: str | Path, *, out: str | Path, over: Over = "pairs", resamples: int = 1000, language: Language = "en"
) -> int:
    """Write the results of a study to a new folder: tables of every level, doubtful pairs, who was left out, and JSON.

    The tables are CSV for spreadsheets; shares are in percent. Return the number of files.
    """
    check_new_folder(out)
    study = read_study(folder)
    responses = read_responses(folder, study)
    levels: tuple[Level, ...] = ("overall", "phenomenon", "paradigm", "pair")
    found = {by: results_of(study, responses, by=by, over=over, resamples=resamples) for by in levels}
    one = found["paradigm"]
    tables: dict[str, list[dict[str, Json]]] = {by: results.rows() for by, results in found.items()}
    tables |= {"doubtful": doubt_rows(one.doubts), "left-out": exclusion_rows(one.exclusions, language)}
    files = {f"{name}.csv": csv_rows(rows[0], rows) for name, rows in tables.items() if rows}
    record = {"design": design_record(study.design), **one.summary()}  # with its rules
    files["results.json"] = encode(json.dumps(record, ensure_ascii=False, indent=1) + "\n")
    files |= response_files(responses, read_participants(folder, study))
    return write_new_folder(Path(out), files.items())
