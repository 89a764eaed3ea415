"""Drafts: where there is something typed that is not saved, told without the texts themselves."""

from starlette.testclient import TestClient

from .asking import SMALL, get, post, read

TABLE = "tables/lexicon.tsv"


def test_a_table_that_is_held_back_is_among_the_drafts_until_it_is_saved(client: TestClient) -> None:
    """Who opens the lexicon at another machine learns that something is not in it yet."""
    base = read(client, "lexicon.tsv")["revision"]
    add = {"do": "add", "rows": [["", "NR"]], "after": 2}
    assert get(client, "drafts")["drafts"] == []
    assert not post(client, TABLE, base=base, tab="grid", ops=[add])["saved"]  # a row without a word
    (draft,) = get(client, "drafts")["drafts"]
    assert (draft["file"], draft["tab"], set(draft)) == ("lexicon.tsv", "grid", {"file", "time", "tab"})
    mended = {"do": "set", "line": 3, "column": "expression", "value": "老周"}
    assert post(client, TABLE, base=base, tab="grid", ops=[add, mended])["saved"]
    assert get(client, "drafts")["drafts"] == []


def test_a_draft_is_gone_when_its_tab_throws_it_away(client: TestClient) -> None:
    base = read(client, "lexicon.tsv")["revision"]
    post(client, TABLE, base=base, tab="grid", ops=[{"do": "add", "rows": [["", "NR"]], "after": 2}])
    assert client.delete(f"{SMALL}/drafts/lexicon.tsv?tab=grid").status_code == 204
    assert get(client, "drafts")["drafts"] == []
