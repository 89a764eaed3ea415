"""Agreement: published worked examples, the two codings of kappa, intervals, and decisions."""

from pathlib import Path

import numpy as np
import pytest

from bidui.benchmarks import new_study
from bidui.errors import InputError
from bidui.grammar.project import load_project, new_project
from bidui.intervals import Estimate
from bidui.people.agreement import (
    Figure,
    exclude,
    figures,
    fleiss_kappa,
    kappa,
    krippendorff_alpha,
    propose,
    write_decisions,
)
from bidui.people.design import Design
from bidui.people.responses import Response

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
