"""Contents come back byte for byte, and a row changed in a long lexicon takes little room."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, select, update

from bidui.errors import InputError
from bidui.web.store.database import contents, migrate, open_database, writing
from bidui.web.store.revisions import LONGEST_CHAIN, content, keep


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
