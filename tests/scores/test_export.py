"""Exported scores are the ones that were compared, a line a pair."""

import json
from pathlib import Path

import pytest

from bidui.scores.choices import file_of, published_lines
from bidui.scores.links import lp, mean_lp

from .small import table_of

# By `Counting`: 甲 is -1, 乙 -2, 丙 -3.
TABLE = table_of(("甲乙", "甲丙"), ("丙", "甲乙"), ("乙丙", "甲甲"))


def test_a_line_has_both_sentences_scores_and_lengths_and_the_choice() -> None:
    """-3 against -4 is right, -3 against -3 a tie, -5 against -2 wrong."""
    found = [json.loads(line) for line in published_lines(TABLE, lp()).decode().splitlines()]
    assert found[0] == {
        "sentence_good": "甲乙",
        "sentence_bad": "甲丙",
        "UID": "u",
        "phenomenon": "p",
        "pairID": "0",
        "score_good": -3.0,
        "score_bad": -4.0,
        "length_good": 2,
        "length_bad": 2,
        "correct": 1,
    }
    assert [line["correct"] for line in found] == [1, 0.5, 0]
    assert '"correct": 1}' in published_lines(TABLE, lp()).decode().splitlines()[0]


def test_link_and_unit_are_those_asked_for() -> None:
    """丙 against 甲乙: -3 / 1 and -3 / 2 by characters, -3 / 3 and -3 / 6 by bytes."""
    second = json.loads(published_lines(TABLE, mean_lp(), unit="characters").decode().splitlines()[1])
    assert (second["score_good"], second["score_bad"], second["correct"]) == (-3, -1.5, 0)
    second = json.loads(published_lines(TABLE, mean_lp(), unit="bytes").decode().splitlines()[1])
    assert (second["score_good"], second["length_bad"]) == (-1, 6)


@pytest.mark.parametrize(
    ("folder", "name"),
    [("r/pythia-1.4b", "pythia-1.4b.jsonl"), ("r/sweep/step-9", "sweep/step-9.jsonl"), ("r", "r.jsonl")],
)
def test_a_file_is_named_as_its_folder(folder: str, name: str) -> None:
    assert file_of(Path(folder), results=Path("r")) == name
