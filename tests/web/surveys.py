"""A study of the project `small`, and people who answer it as the test says."""

from collections.abc import Callable

from bidui.files import sha256
from bidui.grammar.paradigm_file import parse_paradigm
from bidui.grammar.project import paradigm_text
from bidui.pairs import Pair, Pairs
from bidui.people.design import Design, Rules
from bidui.people.lists import Item, Trial
from bidui.people.study import Study, draw_study
from bidui.web.store.studies import (
    GivenAnswer,
    Sheet,
    StudyRecord,
    create_study,
    join,
    participants_of,
    save_answers,
    set_state,
)
from bidui.web.store.workspace import entry
from bidui.web.workbench import Workbench

from .store.small import PARADIGM, TEXTS

DESIGN = Design(
    "custom", per_paradigm=4, lists=2, most_per_paradigm=2, raters=6, catch=2, rules=Rules(catch_failures=0)
)
PINNED = sha256(paradigm_text(_paradigm).encode()) if (_paradigm := parse_paradigm(TEXTS[PARADIGM], name="")[0]) else ""
Says = Callable[[str, Item], bool]


def a_study(design: Design = DESIGN, *, name: str = "pilot", follows: Study | None = None) -> Study:
    """Two paradigms of one phenomenon each: `gender`, which the project has, and `other`, which it has not."""
    pool = Pairs(
        tuple(
            Pair(f"{uid}的第{n}个好句子。", f"{uid}的坏第{n}个句子。", uid, phenomenon, n)
            for uid, phenomenon in (("gender", "anaphor"), ("other", "classifier"))
            for n in range(8)
        )
    )
    return draw_study(pool, design, name=name, paradigms={"gender": PINNED}, follows=follows)


def opened(bench: Workbench, study: Study | None = None, *, earlier: int | None = None) -> StudyRecord:
    record = create_study(entry(bench.store, "small"), study or a_study(), earlier=earlier)
    return set_state(record, "open")


def answered(bench: Workbench, record: StudyRecord, people: int, right: Says, *, rt_ms: int = 2000) -> list[str]:
    """So many people answer everything; `right` says of the number of a person (from 1) and an item how."""
    names = []
    for number in range(1, people + 1):
        token, seat = join(bench.store, record.token, language="zh", version=record.study.version, background={})
        who = next(each for each in participants_of(record) if each.pseudonym == seat.pseudonym)
        trials = [trial for trial in record.study.trials if (trial.list, trial.slot) == (who.list, who.slot)]
        answers = {
            trial.position: _answer(trial, right(str(number), record.study.item[trial.item])) for trial in trials
        }
        given = tuple(GivenAnswer(at, answer, rt_ms, 0, "rows", "zh") for at, answer in answers.items())
        receipts = save_answers(bench.store, [Sheet(token, given)])
        assert not any(isinstance(receipt, Exception) for receipt in receipts)
        names.append(seat.pseudonym)
    return names


def _answer(trial: Trial, right: bool) -> int:
    if trial.task == "rating":
        return 6 if (trial.shown == "good") == right else 2
    return 1 if (trial.shown == "good-bad") == right else 2
