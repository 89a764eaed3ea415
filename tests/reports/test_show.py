"""One pair with the surprisals of its tokens, by hand: `Counting` gives 甲 -1, 乙 -2, 丙 -3 in nats."""

import json
from dataclasses import replace
from math import log
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.pairs import Pairs
from bidui.reports.show import show
from bidui.scores.run import score
from tests.reports.small import PAIRS, write_scores
from tests.scores.small import Counting, pair


def test_a_pair_is_shown_with_its_tokens_by_every_model(tmp_path: Path) -> None:
    """In bits, 甲 is 1 / ln 2 = 1.44 and 乙 2.89; the sum is -LP / ln 2."""
    pairs = Pairs((replace(PAIRS[0], variant="x", columns=(("number", "sg"),)), *PAIRS[1:]))
    write_scores(tmp_path, pairs=pairs)
    write_scores(tmp_path, name="other", pairs=pairs[:1])
    assert repr(show(tmp_path, "u/0")).splitlines() == [
        "u/0, p, variant: x, number: sg",
        "counting",
        "  good  甲 1.44 | 甲 1.44  = 2.89 bits",
        "  bad   甲 1.44 | 乙 2.89  = 4.33 bits",
        "  good preferred by: lp, mean_lp, pen_lp, slln:0.5, log_norm",
        "other",
        "  good  甲 1.44 | 甲 1.44  = 2.89 bits",
        "  bad   甲 1.44 | 乙 2.89  = 4.33 bits",
        "  good preferred by: lp, mean_lp, pen_lp, slln:0.5, log_norm",
    ]
    nats = show(tmp_path, "v/0", unit="nats")
    assert nats.frame.filter(model="counting", side="bad")["surprisal"].to_list() == [3.0]
    assert [str(note) for note in nats.notes] == ["other was not scored on v/0"]
    assert "<table" in nats._repr_html_()


def test_the_tokens_are_written_for_machines(tmp_path: Path) -> None:
    write_scores(tmp_path)
    found = show(tmp_path, "u/0")
    lines = found.write("csv").splitlines()
    assert lines[0] == "model,side,sentence,number,text,token,start,end,logprob,surprisal"
    assert lines[4] == f"counting,bad,甲乙,2,乙,乙,1,2,-2,{2 / log(2):.10g}"
    value = json.loads(found.write("json"))
    assert (value["pair"], value["unit"], value["columns"]) == ("u/0", "bits", {})
    assert value["models"][0]["bad"]["tokens"] == ["甲", "乙"]
    assert value["models"][0]["bad"]["sum"] == pytest.approx(3 / log(2))
    assert value["models"][0]["prefers"]["lp"] == "good"
    assert r"\begin{tabular}" in found.write("latex")


def test_scores_in_memory_and_a_number_alone_are_taken() -> None:
    """With one paradigm only, its name need not be typed; of two pairs with one number, `(2)` is the second."""
    pairs = Pairs((pair("u", 0, "甲", "乙"), pair("u", 0, "丙", "乙")))
    scores = score(pairs, Counting())
    assert show(scores, "0").frame["text"].to_list() == ["甲", "乙"]
    assert show(scores, "u/0 (2)").frame["text"].to_list() == ["丙", "乙"]


def test_the_preferred_sentence_is_said_for_each_linking_function(tmp_path: Path) -> None:
    """甲甲甲甲 has LP -4 and 丙 -3; the means are -1 and -3, and -4 / 2 is above -3, too. u/1 is a tie."""
    write_scores(tmp_path)
    shown = show(tmp_path, "v/0", links=["lp", "mean_lp", "slln:0.5"])
    assert shown.prefers == {"counting": {"lp": "bad", "mean_lp": "good", "slln:0.5": "good"}}
    assert repr(shown).splitlines()[-2:] == ["  bad preferred by: lp", "  good preferred by: mean_lp, slln:0.5"]
    assert repr(show(tmp_path, "u/1", links="lp")).splitlines()[-1] == "  tie by: lp"
    with pytest.raises(InputError, match="slor needs unigram counts"):
        show(tmp_path, "u/1", links="slor")


def test_a_pair_is_found_by_the_names_that_its_table_gives_it(tmp_path: Path) -> None:
    """A number that only one pair has, an id, or the value of any column: all as in the user's own file."""
    own = [
        replace(pair("u", 1, "甲", "乙"), columns=(("id", "npi-01"), ("item", "7"), ("type", "x"))),
        replace(pair("v", 2, "丙", "丁"), columns=(("id", "npi-02"), ("item", "8"), ("type", "x"))),
    ]
    write_scores(tmp_path, pairs=Pairs(tuple(own)))
    for name in ("v/2", "v:2", "2", 2, "npi-02", "item=8"):
        assert show(tmp_path, name).name == "v/2"
        assert show(tmp_path, name).frame["text"].to_list() == ["丙", "丁"]
    with pytest.raises(InputError, match="2 pairs are called type=x: u/1, v/2; write one of these"):
        show(tmp_path, "type=x")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("0", "2 pairs are called 0: u/0, v/0; write one of these"),
        ("u", "no scored pair is called u; write paradigm/number, an id of your table, or column=value; the paradigms"),
        ("w/0", "there are no scores of the paradigm w; there are: u, v"),
        ("u/7", "u has no pair 7; it has: 0, 1"),
        ("u/0 (2)", "u has no pair 0 (2); it has: 0, 1"),
    ],
)
def test_a_pair_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path, name: str, told: str) -> None:
    write_scores(tmp_path)
    with pytest.raises(InputError) as caught:
        show(tmp_path, name)
    assert told in str(caught.value) and caught.value.problems[0].text("zh")


def test_other_sentences_under_the_same_name_are_said(tmp_path: Path) -> None:
    write_scores(tmp_path)
    write_scores(tmp_path, name="other", pairs=Pairs((pair("u", 0, "丁", "戊"),)))
    assert str(show(tmp_path, "u/0").notes[0]) == "other was scored on other sentences under the name u/0"
