"""The studies in the workbench of a project, without its server: for scripts and `bidui study`.

They are in the database beside the project, which a running server shares: what is opened, paused or closed here is so
on its pages at once.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bidui.errors import Place, fail
from bidui.files import Json, check_new_folder, write_new_folder
from bidui.people.agreement import percent
from bidui.people.design import QUESTIONS
from bidui.people.exchange import response_files
from bidui.people.participants import Participant
from bidui.people.progress import Person, Share, StudyProgress, progress_of
from bidui.people.responses import RESPONSES
from bidui.people.study import read_study, study_files
from bidui.web.store import studies
from bidui.web.store.disk import open_store
from bidui.web.store.studies import StudyRecord, StudyState
from bidui.web.store.workspace import HIDDEN, Entry, entries
from bidui.words import Language


@dataclass(frozen=True, slots=True)
class StudyLine:
    """A study in a list; the agreement is without people whom a rule leaves out already."""

    id: int
    name: str
    state: StudyState
    created: datetime
    opened: datetime | None
    closed: datetime | None
    paradigms: int
    pairs: int
    people: int
    done: int
    slots: int
    median_minutes: float | None
    agreement: Share
    earlier: int | None

    def row(self) -> dict[str, Json]:
        """Return the line as tables and files have it; the agreement is in percent."""
        share = self.agreement.interval
        return {
            **{"number": self.id, "study": self.name, "state": self.state, "paradigms": self.paradigms},
            **{"pairs": self.pairs, "people": self.people, "done": self.done, "slots": self.slots},
            "median_minutes": self.median_minutes,
            "agreement": percent(share.value) if share else None,
        }


def workbench_studies(project: str | Path, *, database: str | None = None) -> list[StudyLine]:
    """Return the studies in the workbench of a project, the newest first."""
    with _opened(project, database) as entry:
        return [study_line(record, record_progress(record)) for record in studies.studies_of_project(entry)]


def set_study_state(
    project: str | Path, number: int, state: StudyState, *, database: str | None = None
) -> tuple[str, str]:
    """Open, pause, resume or close a study in the workbench; return its name and the path of its link.

    A paused study can be opened again; closing is for good.
    """
    with _opened(project, database) as entry:
        record = studies.set_state(studies.study_of(entry, number), state)
        return record.name, f"/s/{record.token}"


def send_study(folder: str | Path, project: str | Path, *, database: str | None = None) -> int:
    """Add the study in a folder to the workbench of a project, as a draft; return its number there."""
    study = read_study(folder)
    with _opened(project, database) as entry:
        return studies.create_study(entry, study).id


def fetch_study(project: str | Path, number: int, *, out: str | Path, database: str | None = None) -> int:
    """Write a study of the workbench, with its answers so far, to a new folder; return how many answers it has."""
    check_new_folder(out)
    with _opened(project, database) as entry:
        files = folder_files(studies.study_of(entry, number))
    write_new_folder(Path(out), files.items())
    return files[RESPONSES].count(b"\n")


def delete_from_workbench(project: str | Path, number: int, participant: str, *, database: str | None = None) -> None:
    """Delete somebody and all of her answers from a study in the workbench."""
    with _opened(project, database) as entry:
        studies.delete_participant(studies.study_of(entry, number), participant)


@contextmanager
def _opened(project: str | Path, database: str | None) -> Iterator[Entry]:
    """Open the workbench that has a project: its own, or that of the folder which holds several."""
    folder = Path(project).resolve()
    if not (folder / "project.yaml").is_file():
        raise fail("no-project", Place(str(project)))
    shared = (folder.parent / HIDDEN).is_dir() and not (folder / HIDDEN).is_dir()
    with closing(open_store(folder.parent if shared else folder, database=database)) as store:
        found = [each for each in entries(store) if each.folder == folder]
        if not found:
            raise fail("project-unknown", Place(), {"name": folder.name})
        yield found[0]


# What the store holds of a study, in the shapes of `bidui.people`


def study_line(record: StudyRecord, far: StudyProgress) -> StudyLine:
    """Return a study as a line of a list."""
    study = record.study
    return StudyLine(
        *(record.id, record.name, record.state, record.created, record.opened, record.closed),
        len(study.pairs.by_uid()),
        len(study.pairs),
        *(far.people, far.done, far.slots, far.median_minutes, far.agreement, record.earlier),
    )


def record_progress(record: StudyRecord, *, language: Language = "en") -> StudyProgress:
    """Return how far a study is."""
    persons = [
        Person(
            *(each.pseudonym, each.list, each.slot),
            "withdrawn" if each.withdrawn else "done" if each.finished else "active",
            each.seen.isoformat(timespec="seconds"),
        )
        for each in studies.participants_of(record)
    ]
    return progress_of(record.study, persons, studies.responses_of(record), language=language)


def exported_participants(record: StudyRecord) -> list[Participant]:
    """Return the facts about participants as they are exported; whoever withdrew has none."""
    return [
        Participant(
            *(each.pseudonym, each.list, each.slot, each.version, each.language),
            each.started.isoformat(timespec="seconds"),
            each.finished.isoformat(timespec="seconds") if each.finished else "",
            {name: each.background[name] for name in QUESTIONS if name in each.background},
            each.external or "",
        )
        for each in studies.participants_of(record)
        if each.withdrawn is None
    ]


def folder_files(record: StudyRecord) -> dict[str, bytes]:
    """Return the files of a study as `bidui study` takes them: what it pins, answers, and participants without ids."""
    people = response_files(studies.responses_of(record), exported_participants(record), to="jsonl")
    return study_files(record.study) | {file: data for file, data in people.items() if file.endswith(".jsonl")}
