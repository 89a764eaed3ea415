"""A whole study in a browser: people with known abilities answer, and the figures are those worked out by hand."""

import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bidui.pairs import Pair, Pairs
from bidui.people.agreement import results_of
from bidui.people.design import Design
from bidui.people.lists import Trial
from bidui.people.responses import study_exclusions
from bidui.people.study import Study, draw_study
from bidui.web.store.disk import open_store
from bidui.web.store.studies import StudyRecord, create_study, participants_of, responses_of, set_state
from bidui.web.store.workspace import Store, entry

from .conftest import Witness
from .running import Running
from .test_accessible import Faults, look, needs_axe

PARADIGMS = 4
# Of the four test pairs of her list, how many each person gets wrong, in the order in which they come.
WRONG = (0, 1, 0, 2, 1, 0, 0, 0, 1, 0, 1, 4)
CARELESS = 11  # she fails the catch trial, and is left out


def small_study(**settings: Any) -> Study:
    """Eight pairs on two lists of six people: four pairs, a catch trial and two of practice for each."""
    pool = Pairs(
        tuple(
            Pair(f"小王在第{u}间屋里看第{n}本书。", f"小王看在第{u}间屋里第{n}本书。", f"u{u}", f"p{u % 2}", n)
            for u in range(PARADIGMS)
            for n in range(1, 6)
        )
    )
    chosen = {"per_paradigm": 2, "lists": 2, "raters": 6, "catch": 1, "practice": 2, "background": ("raised", "age")}
    return draw_study(pool, Design(**{**chosen, **settings}), name="naturalness")


@pytest.fixture
def opened(workbench: Running) -> Any:
    """Opens studies in the project that is served, as a researcher would."""
    stores: list[Store] = []

    def make(study: Study) -> StudyRecord:
        stores.append(open_store(workbench.folder))
        return set_state(create_study(entry(stores[-1], workbench.project), study), "open")

    yield make
    for store in stores:
        store.close()


def right(trial: Trial) -> int:
    return 1 if trial.shown == "good-bad" else 2


def own_trials(study: Study, number: int) -> list[Trial]:
    """The trials of the person of this number: lists and slots are given out in turn."""
    slot = (number % 2 + 1, number // 2 + 1)
    return [trial for trial in study.trials if (trial.list, trial.slot) == slot]


def plan(study: Study, number: int) -> dict[int, int]:
    """What the person of this number answers, by position."""
    own = own_trials(study, number)
    tests = [trial.position for trial in own if trial.kind == "test"]
    wrong = set(tests[: WRONG[number]])
    if number == CARELESS:
        wrong |= {trial.position for trial in own if trial.kind == "catch"}
    return {trial.position: 3 - right(trial) if trial.position in wrong else right(trial) for trial in own}


def post(address: str, body: Any, token: str = "") -> Any:
    headers = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def answer_by_calls(home: str, record: StudyRecord, number: int) -> None:
    """Take part without a browser."""
    body = {"version": record.study.version, "language": "zh"}
    token = post(f"{home}/api/s/{record.token}/join", body)["token"]
    shown = {"rt_ms": 2000, "layout": "rows", "language": "zh"}
    for position, answer in plan(record.study, number).items():
        post(f"{home}/api/s/answers", {"answers": [{"position": position, "answer": answer, **shown}]}, token)


def enter(page: Page, home: str, record: StudyRecord, query: str = "") -> None:
    page.goto(f"{home}/s/{record.token}{query}")
    page.get_by_role("button", name="I agree and take part").click()
    page.get_by_label("Where did you live").fill("=HYPERLINK(0)")
    page.get_by_label("How old are you?").select_option("25–34")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Start").click()


def answer_trial(page: Page, position: int, answer: int, how: str) -> None:
    """Answer the trial that is on the screen, which must be this one; where practice ends, begin."""
    expect(page.locator(".place")).to_contain_text(f"{position} of 7")
    page.wait_for_timeout(220)  # sooner, it would be taken for a second tap
    if how == "key":
        page.keyboard.press(str(answer))
    elif how == "tap":
        page.locator("button.sentence").nth(answer - 1).tap()
    else:
        page.locator("button.sentence").nth(answer - 1).click()
    if position == 2:
        page.get_by_role("button", name="Start").click()


def test_a_whole_study(workbench: Running, opened: Any, someone: Callable[..., Page], witness: Witness) -> None:
    record = opened(small_study())
    home = workbench.home
    # The first closes the page and comes back; the second goes offline for five answers; the third has a phone.
    first, second = someone(), someone()
    third = someone(has_touch=True, is_mobile=True, viewport={"width": 360, "height": 640})
    enter(first, home, record, "?id=panel-1")
    for position, answer in list(plan(record.study, 0).items())[:4]:
        answer_trial(first, position, answer, "key")
    expect(first.locator("#status")).to_have_text("All answers are saved.")
    browser = first.context
    first.close()

    enter(second, home, record)
    answers = list(plan(record.study, 1).items())
    for position, answer in answers[:2]:
        answer_trial(second, position, answer, "click")
    expect(second.locator("#status")).to_have_text("All answers are saved.")
    witness.forgive("ERR_INTERNET_DISCONNECTED")
    second.context.set_offline(True)
    for position, answer in answers[2:]:
        answer_trial(second, position, answer, "click")
    expect(second.locator("#status")).to_contain_text("5 not sent yet")
    expect(second.locator("main")).to_contain_text("kept on this device")
    assert len(responses_of(record)) == 4 + 2
    second.context.set_offline(False)
    expect(second.locator("dd").first).to_have_text(record.code)

    enter(third, home, record)
    for position, answer in plan(record.study, 2).items():
        answer_trial(third, position, answer, "tap")
    expect(third.locator("dd").first).to_have_text(record.code)
    assert third.evaluate("document.documentElement.scrollWidth") == 360

    first = browser.new_page()
    first.goto(f"{home}/s/{record.token}")
    for position, answer in list(plan(record.study, 0).items())[4:]:
        answer_trial(first, position, answer, "key")
    expect(first.locator("dd").first).to_have_text(record.code)
    for number in range(3, 12):
        answer_by_calls(home, record, number)

    check_figures(record)
    set_state(record, "closed")
    witness.forgive("status of 410")
    first.reload()  # who is asked for the code later still has it
    expect(first.locator("dd").first).to_have_text(record.code)
    researcher = someone(storage_state=workbench.session)
    researcher.goto(workbench.at(f"/studies/{record.id}/results"))
    figures = researcher.locator("dl.figures").first
    expect(figures).to_contain_text("86.4%")  # 38 of 44
    expect(figures).to_contain_text("44 / 84")  # answers to test pairs by people who stay, of seven by each of twelve


def test_answers_wait_while_a_study_is_paused_and_end_with_it(
    workbench: Running, opened: Any, someone: Callable[..., Page], witness: Witness
) -> None:
    witness.forgive("status of 4(09|10)")
    record = opened(small_study())
    page = someone()
    status = page.locator("#status")
    enter(page, workbench.home, record)
    answers = list(plan(record.study, 0).items())
    answer_trial(page, *answers[0], "click")
    expect(status).to_have_text("All answers are saved.")
    record = set_state(record, "paused")
    answer_trial(page, *answers[1], "click")
    expect(status).to_have_text("The study is paused. 1 not sent yet; kept on this device")
    record = set_state(record, "open")
    expect(status).to_have_text("All answers are saved.")
    assert [one.position for one in responses_of(record)] == [1, 2]
    set_state(record, "closed")
    answer_trial(page, *answers[2], "click")
    expect(page.locator("main")).to_contain_text("The study is closed")
    expect(status).to_have_text("")


def check_figures(record: StudyRecord) -> None:
    """By hand: twelve people answered seven trials each; one is left out, and the others got six of 44 wrong."""
    people, responses = participants_of(record), responses_of(record)
    assert [person.list for person in people] == [1, 2] * 6
    assert people[0].external == "panel-1" and dict(people[0].background) == {"raised": "=HYPERLINK(0)", "age": "25–34"}
    for number, person in enumerate(people):
        own = {one.position: one.answer for one in responses if one.participant == person.pseudonym}
        assert own == plan(record.study, number)
    excluded = study_exclusions(record.study, responses)
    assert [(one.participant, one.rule) for one in excluded] == [(people[CARELESS].pseudonym, "catch")]
    results = results_of(record.study, responses, by="overall", resamples=100)
    assert [(figure.correct, figure.judgements) for figure in results.figures.values()] == [(38, 44)]
    by_paradigm: dict[str, tuple[int, int]] = {}
    for number in range(12):
        for trial in own_trials(record.study, number) if number != CARELESS else ():
            if trial.kind == "test":
                uid = trial.item.partition("/")[0]
                correct, all_ = by_paradigm.get(uid, (0, 0))
                good = plan(record.study, number)[trial.position] == right(trial)
                by_paradigm[uid] = (correct + good, all_ + 1)
    found = results_of(record.study, responses, resamples=100).figures
    assert {uid: (figure.correct, figure.judgements) for uid, figure in found.items()} == by_paradigm
    assert {one.layout for one in responses} == {"rows"}
    assert all(one.rt_ms is not None and 200 <= one.rt_ms < 600_000 for one in responses)


@needs_axe
def test_the_screens_of_a_participant(
    workbench: Running, opened: Any, someone: Callable[..., Page], tmp_path: Path
) -> None:
    """Every screen, for choices in Chinese on a phone and for ratings in English; then she withdraws by her link."""
    faults: Faults = {}
    for lang, settings in (("zh", {}), ("en", {"lists": 0, "rating_lists": 2})):
        record = opened(small_study(**settings, practice=0, per_paradigm=1))
        page = someone(viewport={"width": 360, "height": 640})
        page.goto(f"{workbench.home}/s/{record.token}?lang={lang}")
        for screen in ("consent", "background", "instructions"):
            expect(page.locator("button.primary")).to_be_visible()
            look(page, f"{screen} {lang}", faults)
            assert page.evaluate("document.documentElement.scrollWidth") == 360, screen
            page.locator("button.primary").click()
        expect(page.locator("progress")).to_be_visible()
        look(page, f"trial {lang}", faults)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        while page.locator("progress").count():
            page.wait_for_timeout(220)
            page.keyboard.press("2")
        expect(page.locator("dl")).to_be_visible()
        page.locator("summary").click()
        look(page, f"end {lang}", faults)
        link = page.locator("#link").input_value()
        other = someone()
        other.goto(link)
        expect(other.locator("dl")).to_be_visible()
        assert "#" not in other.url
        other.locator("summary").click()
        other.locator("#withdraw").click()
        look(other, f"withdrawal {lang}", faults)
        other.locator("button.primary").click()
        expect(other.locator("#status")).to_have_text("")
        expect(other.locator("button")).to_have_count(0)
        assert responses_of(record) == ()
    assert faults == {}
