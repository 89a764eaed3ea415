"""Responses: stored as one row each, read back as they were, and left out only by rule."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.people.design import Rules
from bidui.people.lists import Trial
from bidui.people.responses import (
    CODEBOOK,
    add_responses,
    answer_trial,
    codebook,
    kept,
    parse_responses,
    ratings_of,
    read_responses,
    study_exclusions,
    to_csv,
    to_jsonl,
    unchecked,
)
from bidui.people.study import write_study

from .small import answers, study


def test_responses_survive_both_formats() -> None:
    made = study()
    rows = [replace(row, participant="=1+1") if row.participant == "p1.1" else row for row in answers(made)]
    assert parse_responses(to_jsonl(rows), made, file="r.jsonl") == tuple(rows)
    assert b"'=1+1" in to_csv(rows)
    assert parse_responses(to_csv(rows), made, file="r.csv") == tuple(rows)
    assert all(f"`{name}`" in codebook() for name in CODEBOOK)


TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=6)
MADE = study()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(MADE.trials),
            TEXT | st.sampled_from(["'", "''=1", "'=1", "=1", "-1", "+x", "@", "\t"]),
            st.integers(1, 2),
            st.none() | st.integers(0, 10**9),
        ),
        max_size=5,
        unique_by=lambda row: (row[0].item, row[1]),
    )
)
def test_any_pseudonym_survives_both_formats(rows: list[tuple[Trial, str, int, int | None]]) -> None:
    """Guards against formulas are taken off again, and nothing else is."""
    made = [answer_trial(MADE, trial, participant=who, answer=a, rt_ms=ms) for trial, who, a, ms in rows]
    assert parse_responses(to_jsonl(made), MADE, file="r.jsonl") == tuple(made)
    assert parse_responses(to_csv(made), MADE, file="r.csv") == tuple(made)


def test_a_skipped_catch_trial_counts_as_failed() -> None:
    """Also where nine in ten trials are enough; whoever is still answering has not skipped what comes later."""
    made = study(rules=Rules(catch_failures=0, least_share=0.9))
    rows = [row for row in answers(made) if (row.participant, row.item) != ("p1.1", "catch/1")]
    last = {row.participant: row.position for row in rows if row.kind == "catch"}  # of the last catch trial
    rows = [row for row in rows if row.participant != "p1.2" or row.position < last["p1.2"]]
    excluded = study_exclusions(made, rows)
    assert ("p1.1", "catch", "1", "0") in [(one.participant, one.rule, one.found, one.limit) for one in excluded]
    assert [one.rule for one in excluded if one.participant == "p1.2"] == ["unfinished"]
    assert {one.participant for one in excluded} == {"p1.1", "p1.2"}


def test_rules_that_need_what_was_not_recorded_are_named() -> None:
    """A table from elsewhere: no slots, sides or times. If anybody answered catch trials, others skipped them."""
    made = study(rules=Rules(floor_ms=300, side_bias=0.01))
    elsewhere = [
        replace(row, slot=0, position=0, shown="unrecorded", answer=1, rt_ms=None)
        for row in answers(made)
        if row.slot == 1 and row.list < 3 and row.kind in ("test", "catch")
    ]
    tests = [row for row in elsewhere if row.kind == "test"]
    assert unchecked(made, tests) == {"catch": 2, "fast": 2, "side": 2, "unfinished": 2}
    assert study_exclusions(made, tests) == ()
    half = [row for row in elsewhere if row.kind == "test" or row.participant == "p1.1"]
    assert [(one.participant, one.rule, one.found) for one in study_exclusions(made, half)] == [("p2.1", "catch", "2")]
    assert "catch" not in unchecked(made, half)


def test_a_row_that_contradicts_itself_is_refused() -> None:
    made = study()
    data = to_jsonl(answers(made)[:2]).replace(b'"chosen": "good"', b'"chosen": "bad"', 1)
    with pytest.raises(InputError, match=r"r.jsonl:1: chosen says bad"):
        parse_responses(data, made, file="r.jsonl")
    with pytest.raises(InputError, match="from 1 to 2, not 3"):
        answer_trial(made, made.trials[0], participant="p", answer=3)


def test_an_answer_is_counted_once(tmp_path: Path) -> None:
    made = study()
    write_study(made, tmp_path / "s")
    rows = answers(made)
    assert add_responses(tmp_path / "s", made, rows[:5]) == 5
    assert add_responses(tmp_path / "s", made, rows[:7]) == 2
    with pytest.raises(InputError, match="twice, and differently"):
        add_responses(tmp_path / "s", made, [replace(rows[0], answer=3 - rows[0].answer)])
    assert read_responses(tmp_path / "s", made) == tuple(rows[:7])


def test_people_and_answers_are_left_out_by_rule_with_the_reason() -> None:
    made = study(rules=Rules(catch_failures=0, floor_ms=500, fast_share=0.1, side_bias=0.001, least_share=1))
    rows = answers(made, wrong={("p1.1", "catch/1")})
    changed = []
    for row in rows:
        if row.participant == "p1.2":  # always the first sentence: 12 of 12, p = 2 / 4096
            row = replace(row, answer=1) if row.kind == "test" else row
        if row.participant == "p1.3" and row.kind == "test":
            row = replace(row, rt_ms=100)
        if row.participant == "p1.4" and row.position == 5:
            continue
        if row.participant == "p2.1" and row.kind == "test" and row.uid == "u0":
            row = replace(row, rt_ms=499)
        changed.append(row)
    excluded = study_exclusions(made, changed)
    assert {(one.participant, one.rule) for one in excluded} == {
        *{("p1.1", "catch"), ("p1.2", "side"), ("p1.3", "fast"), ("p1.4", "unfinished"), ("p2.1", "answer")}
    }
    assert "catch trials wrong or skipped: 1, 0 allowed" in [one.text() for one in excluded]
    left = kept(changed, excluded)
    assert {row.participant for row in left} == {f"p{a}.{b}" for a in (2, 3, 4) for b in (1, 2, 3, 4)}
    assert len([row for row in left if row.participant == "p2.1"]) == 11


def test_ratings_are_those_of_the_sentence_that_was_shown() -> None:
    made = study(lists=0, rating_lists=4)
    ratings = ratings_of(kept(answers(made), ()))
    assert len(ratings) == 4 * 4 * 12 and {one.value for one in ratings} == {4}
    assert {one.side for one in ratings} == {"good", "bad"}
