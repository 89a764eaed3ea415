"""Participants: the same facts in every format, filled in but never overwritten, without ids of panels unless asked."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.people.design import QUESTIONS
from bidui.people.participants import (
    Participant,
    add_participants,
    parse_participants,
    participants_csv,
    participants_jsonl,
    read_participants,
)
from bidui.people.study import write_study

from .small import study

# whatever people write, except what no text file holds
TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=8)
FORMULA = st.sampled_from(["=1+1", "'=1", "''", "+a", "-1", "@x", "＝1", "a,b", 'say "hi"', "两\n行"])
WORDS = TEXT | FORMULA
PEOPLE = st.builds(
    Participant,
    WORDS,
    st.integers(0, 4),
    st.integers(0, 9),
    version=st.sampled_from(["", "0123456789ab"]),
    language=st.sampled_from(["", "en", "zh"]),
    started=st.sampled_from(["", "2026-11-16T20:00:00Z", "2026-11-16T20:00:00.123+00:00"]),
    background=st.dictionaries(st.sampled_from(QUESTIONS), WORDS),
    external=WORDS | st.just(""),
)
MADE = study()


@settings(max_examples=60, deadline=None)
@given(st.lists(PEOPLE, max_size=4, unique_by=lambda one: one.participant))
def test_participants_survive_both_formats(people: list[Participant]) -> None:
    for write, name in ((participants_csv, "p.csv"), (participants_jsonl, "p.jsonl")):
        assert parse_participants(write(people, external=True), MADE, file=name) == tuple(people)


def test_ids_of_panels_are_exported_only_on_request() -> None:
    somebody = Participant("p1", 1, 1, external="PANEL-7", background={"age": "=cmd()"})
    for write in (participants_csv, participants_jsonl):
        assert b"PANEL-7" not in write([somebody]) and b"external" not in write([somebody])
        assert b"PANEL-7" in write([somebody], external=True)
    assert b"'=cmd()" in participants_csv([somebody])


def test_facts_are_filled_in_and_never_overwritten(tmp_path: Path) -> None:
    write_study(MADE, tmp_path / "s")
    assert add_participants(tmp_path / "s", MADE, [Participant("p1", 1, 1, background={"age": "25–34"})]) == 1
    assert add_participants(tmp_path / "s", MADE, [Participant("p1", finished="2026-11-16T20:00:00Z")]) == 0
    expected = Participant("p1", 1, 1, finished="2026-11-16T20:00:00Z", background={"age": "25–34"})
    assert read_participants(tmp_path / "s", MADE) == (expected,)
    with pytest.raises(InputError, match="two rows about p1"):
        add_participants(tmp_path / "s", MADE, [Participant("p1", 2, 1)])
    assert read_participants(tmp_path / "s", MADE) == (expected,)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (b"participant,list\n,1\n", r'p.csv:2: participant cannot be ""'),
        (b"participant,list\np,9\n", "p.csv:2: list cannot be 9"),
        (b"participant,started\np,yesterday\n", "p.csv:2: started cannot be yesterday"),
        (b"participant,age\np,1\np,2\n", "p.csv:3: two rows about p"),
    ],
)
def test_rows_that_cannot_be_are_named(row: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_participants(row, MADE, file="p.csv")
