"""Responses: stored as one row each, read back as they were, and left out only by rule."""

from dataclasses import replace
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.people.design import Rules
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
    assert "1 wrong catch trials, 0 allowed" in [one.text() for one in excluded]
    left = kept(changed, excluded)
    assert {row.participant for row in left} == {f"p{a}.{b}" for a in (2, 3, 4) for b in (1, 2, 3, 4)}
    assert len([row for row in left if row.participant == "p2.1"]) == 11


def test_ratings_are_those_of_the_sentence_that_was_shown() -> None:
    made = study(lists=0, rating_lists=4)
    ratings = ratings_of(kept(answers(made), ()))
    assert len(ratings) == 4 * 4 * 12 and {one.value for one in ratings} == {4}
    assert {one.side for one in ratings} == {"good", "bad"}
