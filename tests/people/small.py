"""Studies and answers for the tests."""

from bidui.pairs import Pair, Pairs
from bidui.people.design import Design, standard_texts
from bidui.people.lists import Item, Trial
from bidui.people.responses import Response, answer_trial
from bidui.people.study import Study, draw_study


def pool(paradigms: int = 12, pairs: int = 10, phenomena: int = 4) -> Pairs:
    return Pairs(
        tuple(
            Pair(f"第{u}组的第{n}个好句子。", f"第{u}组的坏第{n}个句子。", f"u{u}", f"p{u % phenomena}", n, f"v{n % 2}")
            for u in range(paradigms)
            for n in range(pairs)
        )
    )


def study(**settings: object) -> Study:
    defaults = {"per_paradigm": 4, "lists": 4, "raters": 4, "catch": 2, "practice": 2, "fillers": 3, "seed": 7}
    return draw_study(pool(), Design(**{**defaults, **settings}), name="small")  # type: ignore[arg-type]


def answers(study: Study, *, wrong: set[tuple[str, str]] = frozenset()) -> list[Response]:  # type: ignore[assignment]
    """Everybody answers everything right, except for these participants and items."""
    responses = []
    for trial in study.trials:
        who = f"p{trial.list}.{trial.slot}"
        right = 1 if trial.shown == "good-bad" else 2
        answer = (3 - right if (who, trial.item) in wrong else right) if trial.task == "choice" else 4
        responses.append(answer_trial(study, trial, participant=who, answer=answer, rt_ms=2000))
    return responses


def by_hand() -> Study:
    """Two lists of three trials for two people each, so few that every figure can be worked out by hand."""
    made = pool(2, 2)
    tests = [Item(f"{p.uid}/{p.pair_id}", "test", p.uid, p.phenomenon, p.pair_id, p.good, p.bad) for p in made]
    items = (*tests, Item("catch/1", "catch", "", "", 1, "他来了。", "了来他。"))
    trials = [
        Trial(number, slot, at, "choice", item, "catch" if at == 2 else "test", "good-bad")
        for number, own in ((1, ("u0/0", "catch/1", "u1/0")), (2, ("u0/1", "catch/1", "u1/1")))
        for slot in (1, 2)
        for at, item in enumerate(own, start=1)
    ]
    design = Design(per_paradigm=2, lists=2, raters=2, catch=1, language="zh")
    return Study("hand", design, made, items, tuple(trials), standard_texts())


def given_by_hand(study: Study) -> list[Response]:
    """Ann and Bob answer everything, Cleo two trials and Dan one; the good sentence is always 1."""
    said = {
        ("ann", 1, 1): ((1, 1000), (1, 2000), (2, 9000)),
        ("bob", 1, 2): ((1, 1000), (2, 1000), (1, 2000)),  # he fails the catch trial
        ("cleo", 2, 1): ((1, 4000), (1, 3000)),
        ("dan", 2, 2): ((2, 500),),
    }
    places = {(trial.list, trial.slot, trial.position): trial for trial in study.trials}
    return [
        answer_trial(study, places[number, slot, at], participant=who, answer=answer, rt_ms=rt_ms)
        for (who, number, slot), own in said.items()
        for at, (answer, rt_ms) in enumerate(own, start=1)
    ]
