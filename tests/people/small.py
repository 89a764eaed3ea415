"""Studies and answers for the tests."""

from bidui.pairs import Pair, Pairs
from bidui.people.design import Design
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
