"""Agreement: published worked examples, the two codings of kappa, intervals, and decisions."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bidui.benchmarks import new_study
from bidui.errors import InputError
from bidui.grammar.project import load_project, new_project
from bidui.intervals import Estimate
from bidui.people.agreement import (
    Figure,
    doubts,
    figures,
    fleiss_kappa,
    kappa,
    krippendorff_alpha,
    rating_figures,
    results_of,
)
from bidui.people.decisions import exclude, propose, write_decisions
from bidui.people.design import PRESETS, Design
from bidui.people.responses import Response, answer_trial
from bidui.people.study import draw_study

from .small import pool, study

# Fleiss (1971), Table 1: 30 patients, 6 psychiatrists, 5 diagnoses
FLEISS = """00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 00501 30012 51000
02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"""


def test_fleiss_kappa_is_that_of_the_published_example() -> None:
    rows = [[int(n) for n in row] for row in FLEISS.split()]
    assert len(rows) == 30 and {sum(row) for row in rows} == {6}
    assert [sum(column) for column in zip(*rows, strict=True)] == [26, 26, 30, 55, 43]
    assert fleiss_kappa(rows) == pytest.approx(0.430, abs=0.0005)


@pytest.mark.parametrize(("measure", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_that_of_the_published_example(measure: str, value: float) -> None:
    observers = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    units = [[float(o[n]) for o in observers if o[n] != "."] for n in range(12)]
    assert krippendorff_alpha(units, measure=measure) == pytest.approx(value, abs=0.0005)  # type: ignore[arg-type]


def choice(who: str, item: str, right: bool) -> Response:
    uid, pair = item.split("/")
    return Response(
        "s", "v", who, 1, 1, 1, "choice", item, "test", uid, "p", int(pair), "good-bad", "rows", 1 if right else 2
    )


def test_kappa_depends_on_its_coding() -> None:
    """600 pairs by 11 raters at 97.12%: about 0.88 by a fixed side, which SLING reports, and about 0 as good/bad."""
    rng = np.random.default_rng(0)
    right = rng.random((600, 11)) < 0.9712
    responses = [choice(f"r{r}", f"u/{i}", bool(right[i, r])) for i in range(600) for r in range(11)]
    assert kappa(responses, coding="fixed side") == pytest.approx(0.885, abs=0.015)
    assert kappa(responses, coding="good/bad") == pytest.approx(0, abs=0.02)


def test_both_codings_are_among_the_results_of_a_study_like_that_of_sling() -> None:
    """The preset: 30 paradigms of 20 pairs, all seen by 11 people, who are right 97.12% of the time (SLING: 0.8823)."""
    made = draw_study(pool(30, 21, phenomena=9), PRESETS["sling"], name="sling")
    rng = np.random.default_rng(1)
    rows = []
    for trial in made.trials:
        good = 1 if trial.shown == "good-bad" else 2
        answer = good if trial.kind != "test" or rng.random() < 0.9712 else 3 - good
        rows.append(answer_trial(made, trial, participant=f"p{trial.slot}", answer=answer, rt_ms=2000))
    found = results_of(made, rows, by="overall", resamples=200)
    assert (found.figures["all"].judgements, found.figures["all"].pairs, found.exclusions) == (6600, 600, ())
    assert found.kappas["fixed side"] == pytest.approx(0.88, abs=0.015)
    assert found.kappas["good/bad"] == pytest.approx(0, abs=0.02)
    # equal numbers of raters: alpha is kappa with chance agreement for a finite sample (Krippendorff 2004)
    assert found.choice_alphas == pytest.approx(dict(found.kappas), abs=0.001)


def test_the_crossed_interval_covers_and_that_of_independent_answers_does_not() -> None:
    """Pairs and people that differ (2 and 0.7 logits): of 120 simulated studies, about 95% should hold the true value.

    The pigeonhole bootstrap is meant to be on the safe side; Wilson's interval takes 240 answers for independent.
    """
    rng = np.random.default_rng(5)
    many = 1 / (1 + np.exp(-(2.5 + 2 * rng.standard_normal(200_000) + 0.7 * rng.standard_normal(200_000))))
    truth = many.mean()
    crossed = independent = 0
    for number in range(120):
        logits = 2.5 + 2 * rng.standard_normal((20, 1)) + 0.7 * rng.standard_normal((1, 12))
        right = rng.random((20, 12)) < 1 / (1 + np.exp(-logits))
        rows = [choice(f"r{r}", f"u/{i}", bool(right[i, r])) for i in range(20) for r in range(12)]
        found = figures(rows, resamples=150, seed=number)["u"]
        crossed += found.crossed.low <= truth <= found.crossed.high
        independent += found.wilson.low <= truth <= found.wilson.high
    assert crossed >= 0.9 * 120
    assert independent <= 0.85 * 120


def test_ratings_are_compared_in_each_persons_own_scale() -> None:
    """By hand: r0 gives 7 and 1 (z = ±1/√2), r1 5 and 4 (the same z); r2 gives 4 to both, and does not count."""
    scale = {"r0": (7, 1), "r1": (5, 4), "r2": (4, 4)}
    rows = [
        replace(choice(who, f"u/{pair}", True), task="rating", shown=side, answer=given)
        for who, both in scale.items()
        for pair, (side, given) in enumerate(zip(("good", "bad"), both, strict=True))
    ]
    found = rating_figures(rows, resamples=100)["u"]
    assert (found.good, found.bad) == pytest.approx((0.7071068, -0.7071068))
    assert found.difference.value == pytest.approx(1.4142136)
    assert (found.ratings, found.people) == (4, 2)
    assert rating_figures([]) == {}


def test_pairs_whose_bad_sentence_too_many_chose_are_listed() -> None:
    """More than 30%: of ten people, three are not enough and four are; the worst pair comes first."""
    made = study(per_paradigm=3, lists=3, catch=0)
    names = [item.id for item in made.items if item.kind == "test"][:3]
    rows = [choice(f"r{r}", name, r >= wrong) for name, wrong in zip(names, (3, 4, 6), strict=True) for r in range(10)]
    found = doubts(made, rows)
    assert [(one.item, one.wrong, one.judgements) for one in found] == [(names[2], 6, 10), (names[1], 4, 10)]
    assert found[0].good == made.item[names[2]].good


def test_figures_count_judgements_and_votes() -> None:
    """By hand: pair 0 has 3 of 3, pair 1 has 1 of 3: 4 of 6 judgements, and one of two pairs by majority."""
    responses = [choice(f"r{r}", f"u/{i}", i == 0 or r == 0) for i in range(2) for r in range(3)]
    figure = figures(responses, by="paradigm")["u"]
    assert (figure.correct, figure.judgements, figure.pairs, figure.people, figure.majority) == (4, 6, 2, 3, 1)
    assert figure.wilson.value == pytest.approx(4 / 6)
    # Wilson's interval for 4 of 6, by R's prop.test(4, 6, correct = FALSE)
    assert figure.wilson.interval == pytest.approx((0.2999934, 0.9032279), abs=1e-4)
    assert figures(responses, by="pair")["u/1"].correct == 1
    assert figures(responses, by="overall")["all"].judgements == 6
    with pytest.raises(InputError, match="no responses"):
        figures([])


def test_the_crossed_interval_knows_that_answers_to_a_pair_are_alike() -> None:
    """Ten people who agree on every one of ten pairs tell no more than one person: the interval is far wider."""
    responses = [choice(f"r{r}", f"u/{i}", i < 8) for i in range(10) for r in range(10)]
    figure = figures(responses)["u"]
    assert figure.wilson.high - figure.wilson.low < 0.17
    assert figure.crossed.low <= 0.6 and figure.crossed.high >= 0.95


def figure(correct: int, judgements: int) -> Figure:
    from bidui.intervals import wilson

    value = correct / judgements
    return Figure("u", correct, judgements, 5, 5, 3, wilson(value, pairs=judgements), Estimate(value, value, value))


SMALL = Design(per_paradigm=2, lists=2, raters=3)


def test_a_paradigm_is_undecided_where_its_interval_straddles_the_threshold() -> None:
    """16 of 22 kept and 15 of 22 dropped, as published, is noise."""
    verdicts = [one.verdict for one in propose({"a": figure(16, 22), "b": figure(15, 22)}, threshold=0.7)]
    assert verdicts == ["undecided", "undecided"]
    assert [one.verdict for one in propose({"a": figure(100, 100), "b": figure(20, 100)})] == ["keep", "exclude"]


def test_a_decision_is_written_and_the_rest_of_the_file_stays(tmp_path: Path) -> None:
    new_project(tmp_path / "p")
    project = load_project(tmp_path / "p")
    uid = project.paradigms[0].uid
    path = tmp_path / "p" / project.paradigms[0].place.file
    before = path.read_text(encoding="utf-8")
    proposals = propose({uid: figure(20, 100), project.paradigms[1].uid: figure(80, 100)})
    assert write_decisions(tmp_path / "p", proposals, study=new_study(tmp_path / "p", design=SMALL)) == {
        uid: "excluded"
    }
    after = load_project(tmp_path / "p").paradigm(uid)
    assert after.status == "excluded" and "20 of 100 judgements" in after.reason
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.startswith(("status:", "reason:"))] == before.splitlines()
    again = exclude("\n".join(lines), reason="other: reason", name="x.yaml")
    assert "status: excluded" in again and "other: reason" in again and again.count("reason:") == 1
