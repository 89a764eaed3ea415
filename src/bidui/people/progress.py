"""How far a study is: who is where, how people agree so far, who fails catch trials, and how long answers take.

The page of a study in the workbench shows this while people answer, and `bidui study progress` of the folder of a
study. Nothing here is NaN, which JSON lacks: a figure that nobody's answers give is None.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import nan
from pathlib import Path
from statistics import median

from bidui.files import Json
from bidui.intervals import Estimate, wilson
from bidui.people.agreement import percent
from bidui.people.design import Task
from bidui.people.participants import Participant, read_participants
from bidui.people.responses import Exclusion, Response, by_person, kept, read_responses, study_exclusions
from bidui.people.study import Study, read_study
from bidui.words import Language


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, with Wilson's interval; no interval of nothing."""

    correct: int
    all: int
    interval: Estimate | None


def share_of(correct: int, count: int) -> Share:
    """Return a share with its interval."""
    return Share(correct, count, wilson(correct / count, pairs=count) if count else None)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who takes part: her place, if she is active, done or withdrawn, and when she was last seen.

    List and slot are 0 if unknown; `seen` is ISO 8601 in UTC, and empty if unknown.
    """

    participant: str
    list: int
    slot: int
    state: str
    seen: str


@dataclass(frozen=True, slots=True)
class PersonLine:
    """How far somebody is, how she does, and by which rules she is left out."""

    participant: str
    list: int
    state: str
    seen: str
    answered: int
    trials: int
    catch: Share
    agreement: Share
    median_ms: int | None
    excluded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListLine:
    """A list, with its places for people, and how many of these are filled."""

    list: int
    task: Task
    trials: int
    slots: int
    done: int
    active: int


@dataclass(frozen=True, slots=True)
class ItemTime:
    """How long people took for an item, and how they judged it."""

    item: str
    kind: str
    good: str
    bad: str
    answers: int
    median_ms: int
    agreement: Share


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """How far a study is. Agreement is on test pairs, without people whom a rule leaves out already."""

    people: int
    done: int  # who have finished and are not left out: these fill slots
    left_out: int
    slots: int
    answers: int
    agreement: Share
    catch: Share
    median_ms: int | None  # of an answer to a test item
    median_minutes: float | None  # of somebody who has finished: the sum of her answers' times
    persons: tuple[PersonLine, ...]
    lists: tuple[ListLine, ...]
    slowest: tuple[ItemTime, ...]

    def rows(self) -> list[dict[str, Json]]:
        """Return one row per person, for tables and files; shares are in percent."""
        return [
            {
                **{"participant": one.participant, "list": one.list, "state": one.state, "seen": one.seen},
                **{"answered": one.answered, "trials": one.trials},
                **_cells(one.catch, one.agreement),
                **{"median_ms": one.median_ms, "left_out": "; ".join(one.excluded)},
            }
            for one in self.persons
        ]

    def summary(self) -> dict[str, Json]:
        """Return everything as JSON stores it; shares are in percent."""
        return {
            **{"people": self.people, "done": self.done, "left_out": self.left_out, "slots": self.slots},
            "answers": self.answers,
            **_cells(self.catch, self.agreement),
            **{"median_ms": self.median_ms, "median_minutes": self.median_minutes},
            "persons": [*self.rows()],
            "lists": [asdict(one) for one in self.lists],
            "slowest": [
                {
                    **{"item": one.item, "kind": one.kind, "good": one.good, "bad": one.bad, "answers": one.answers},
                    **{"median_ms": one.median_ms, **_agreement_cells(one.agreement)},
                }
                for one in self.slowest
            ],
        }


def _cells(catch: Share, agreement: Share) -> dict[str, Json]:
    return {"catch_right": catch.correct, "catch": catch.all, **_agreement_cells(agreement)}


def _agreement_cells(share: Share) -> dict[str, Json]:
    found = share.interval or Estimate(nan)
    return {
        **{"agreement": percent(found.value), "wilson_low": percent(found.low), "wilson_high": percent(found.high)},
        **{"correct": share.correct, "judgements": share.all},
    }


def study_progress(folder: str | Path, *, language: Language = "en", slowest: int = 10) -> StudyProgress:
    """Return how far the study in a folder is, by its responses and, if there are any, its participants.

    `language` is that of the reasons why people are left out; `slowest` is how many of the items are listed that take
    longest.
    """
    study = read_study(folder)
    responses = read_responses(folder, study)
    answers = by_person(responses)
    people = [_as_person(one, answers.get(one.participant, ())) for one in read_participants(folder, study)]
    return progress_of(study, people, responses, language=language, slowest=slowest)


def _as_person(one: Participant, own: Sequence[Response]) -> Person:
    """Return a participant with the place and the state that her facts and her answers tell.

    Whoever has begun and not finished is active. If neither time was recorded, her answers are all that she gave.
    """
    number, slot = (own[0].list, own[0].slot) if own else (0, 0)
    done = one.finished or (own and not one.started)
    seen = one.finished or max((each.at for each in own), default="") or one.started
    return Person(one.participant, one.list or number, one.slot or slot, "done" if done else "active", seen)


def progress_of(
    study: Study,
    people: Sequence[Person],
    responses: Sequence[Response],
    *,
    language: Language = "en",
    slowest: int = 10,
) -> StudyProgress:
    """Return how far a study is, wherever it is stored; whoever answers without being among `people` has finished.

    Somebody who is active may still finish, and is not counted as left out for it.
    """
    trials = Counter((trial.list, trial.slot) for trial in study.trials)
    answers = by_person(responses)
    known = {person.participant for person in people}
    imported = [Person(who, own[0].list, own[0].slot, "done", "") for who, own in answers.items() if who not in known]
    everybody = [*people, *imported]
    active = {person.participant for person in everybody if person.state == "active"}
    excluded = [
        each
        for each in study_exclusions(study, responses)
        if each.rule != "unfinished" or each.participant not in active
    ]
    left = kept(responses, excluded)
    out = {each.participant for each in excluded if not each.item}
    finished = [person.participant for person in everybody if person.state == "done" and person.participant not in out]
    minutes = [sum(times) / 60_000 for who in finished if (times := _times(answers.get(who, ())))]
    return StudyProgress(
        people=sum(person.state != "withdrawn" for person in everybody),
        done=len(finished),
        left_out=len(out),
        slots=len(trials),
        answers=len(responses),
        agreement=_agreement(left),
        catch=_catch(responses),
        median_ms=_middle(_times(left)),
        median_minutes=median(minutes) if minutes else None,
        persons=tuple(
            _person(each, answers.get(each.participant, ()), trials, excluded, language) for each in everybody
        ),
        lists=_lists(study, [each for each in everybody if each.participant not in out], trials),
        slowest=_slowest(study, responses, slowest),
    )


def _person(
    person: Person,
    own: Sequence[Response],
    trials: Mapping[tuple[int, int], int],
    excluded: Iterable[Exclusion],
    language: Language,
) -> PersonLine:
    mine = [each for each in excluded if each.participant == person.participant and not each.item]
    return PersonLine(
        *(person.participant, person.list, person.state, person.seen, len(own)),
        trials.get((person.list, person.slot), 0),
        _catch(own),
        _agreement([one for one in own if one.kind == "test"]),
        _middle(_times(own)),
        tuple(each.text(language) for each in mine),
    )


def _lists(study: Study, people: Sequence[Person], trials: Mapping[tuple[int, int], int]) -> tuple[ListLine, ...]:
    tasks = {trial.list: trial.task for trial in study.trials}
    slots = Counter(number for number, _ in trials)
    states = Counter((person.list, person.state) for person in people)
    most = {number: count for (number, _), count in trials.items()}
    return tuple(
        ListLine(number, task, most[number], slots[number], states[number, "done"], states[number, "active"])
        for number, task in tasks.items()
    )


def _slowest(study: Study, responses: Iterable[Response], most: int) -> tuple[ItemTime, ...]:
    by_item: dict[str, list[Response]] = {}
    for one in responses:
        if one.rt_ms is not None and one.kind != "practice":
            by_item.setdefault(one.item, []).append(one)
    middles = {item: _middle(_times(own)) or 0 for item, own in by_item.items()}
    items = study.item
    return tuple(
        ItemTime(
            *(name, items[name].kind, items[name].good, items[name].bad),
            *(len(by_item[name]), middles[name], _agreement(by_item[name])),
        )
        for name in sorted(middles, key=lambda name: -middles[name])[:most]
    )


def _agreement(responses: Iterable[Response]) -> Share:
    choices = [one.chosen == "good" for one in responses if one.task == "choice"]
    return share_of(sum(choices), len(choices))


def _catch(responses: Iterable[Response]) -> Share:
    checks = [one.right for one in responses if one.kind == "catch"]
    return share_of(sum(checks), len(checks))


def _times(responses: Iterable[Response]) -> list[int]:
    return [one.rt_ms for one in responses if one.rt_ms is not None]


def _middle(times: Sequence[int]) -> int | None:
    return round(median(times)) if times else None
