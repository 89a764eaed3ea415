"""Revisions: contents come back byte for byte, in little room, and two versions are compared row by row."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, select, update

from bidui.errors import InputError
from bidui.web.store.database import contents, migrate, open_database, writing
from bidui.web.store.revisions import LONGEST_CHAIN, RowChange, content, keep, row_changes, unified


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    engine = open_database(Path(tmp_path_factory.mktemp("contents") / "x.sqlite"))
    migrate(engine)
    with writing(engine) as opened:
        yield opened
    engine.dispose()


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=40) | st.text("ab\n", max_size=40).map(str.encode), min_size=1, max_size=6))
def test_every_content_comes_back_whatever_it_was_made_from(connection: Connection, versions: list[bytes]) -> None:
    near = None
    for data in versions:
        near = keep(connection, data, near=near)
        assert content(connection, near) == data


def test_a_long_history_of_small_edits_stays_small_and_whole(connection: Connection) -> None:
    """5,000 words, saved a hundred times with one row changed: the whole would be a hundred lexicons."""
    rows = [f"词{number * 7919 % 10007}\tNN\t{number * 104729 % 99991}" for number in range(5000)]
    before = connection.scalar(select(func.sum(func.length(contents.c.packed)))) or 0
    near = None
    names = []
    for number in range(100):
        rows[number * 37] = f"新{number}\tVV\t"
        near = keep(connection, "\n".join(rows).encode(), near=near)
        names.append(near)
    assert content(connection, names[-1]) == "\n".join(rows).encode()
    assert content(connection, names[0]).decode().split("\n")[0] == "新0\tVV\t"
    whole = connection.scalar(select(func.max(func.length(contents.c.packed)))) or 0
    after = connection.scalar(select(func.sum(func.length(contents.c.packed)))) or 0
    assert after - before < 5 * whole  # 100 / 31 whole ones, and crumbs
    assert connection.scalar(select(func.max(contents.c.depth))) == LONGEST_CHAIN


def test_a_damaged_content_is_told_and_not_given_out(connection: Connection) -> None:
    name = keep(connection, b"something")
    other = keep(connection, b"else")
    packed = connection.scalar(select(contents.c.packed).where(contents.c.sha256 == other))
    connection.execute(update(contents).where(contents.c.sha256 == name).values(packed=packed))
    with pytest.raises(InputError, match="not what was stored"):
        content(connection, name)


# Two versions side by side: rows are the units, because people edit rows


LEXICON = "expression\tpos\n猫\tNN\n狗\tNN\n吃\tVV\n"


def test_a_unified_diff_is_as_git_has_it() -> None:
    assert unified("a\nb\nc\n", "a\nB\nc\n", name="x.yaml") == (
        "--- a/x.yaml\n+++ b/x.yaml\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    )


def test_a_changed_row_is_found_by_its_word_though_others_came_and_went_around_it() -> None:
    new = "expression\tpos\n鸟\tNN\n狗\tNR\n"
    assert row_changes(LEXICON, new, name="lexicon.tsv") == (
        RowChange("removed", 2, 0, ("猫", "NN"), ()),
        RowChange("removed", 4, 0, ("吃", "VV"), ()),
        RowChange("added", 0, 2, (), ("鸟", "NN")),
        RowChange("changed", 3, 3, ("狗", "NN"), ("狗", "NR")),
    )


def test_the_word_need_not_stand_in_the_first_column() -> None:
    old = "pos\texpression\nNN\t猫\nNN\t狗\n"
    new = "pos\texpression\nNR\t狗\nNN\t鱼\nVV\t吃\n"
    kinds = {(change.kind, change.old, change.new) for change in row_changes(old, new, name="lexicon.tsv")}
    assert ("changed", ("NN", "狗"), ("NR", "狗")) in kinds


def test_one_row_in_place_of_one_is_a_row_changed() -> None:
    """The word itself was corrected."""
    new = LEXICON.replace("狗\t", "犬\t")
    assert row_changes(LEXICON, new, name="lexicon.tsv") == (RowChange("changed", 3, 3, ("狗", "NN"), ("犬", "NN")),)


def test_the_rows_of_a_paradigm_are_its_slots_and_keys() -> None:
    old = "slots:\n  who: pos:NR\n  what: pos:NN\ngood: who what\n"
    new = "slots:\n  who: pos:NR gender:male\n  what: pos:NN\n  then: 了\ngood: who what then\n"
    assert row_changes(old, new, name="x.yaml") == (
        RowChange("changed", 2, 2, ("who", "pos:NR"), ("who", "pos:NR gender:male")),
        RowChange("added", 0, 4, (), ("then", "了")),
        RowChange("changed", 4, 5, ("good", "who what"), ("good", "who what then")),
    )


texts = st.lists(st.sampled_from("abcd"), max_size=8).map(lambda lines: "".join(f"{line}\n" for line in lines))


@given(texts, texts)
def test_row_changes_account_for_every_line(old: str, new: str) -> None:
    changes = row_changes(old, new, name="x.tsv")
    came = sum(change.kind == "added" for change in changes)
    went = sum(change.kind == "removed" for change in changes)
    assert new.count("\n") - old.count("\n") == came - went
    assert (old == new) <= (changes == ())
