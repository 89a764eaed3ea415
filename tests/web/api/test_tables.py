"""Calls for tables: what a project has, one of them with its rows, changes that keep every row whole, and new ones."""

from typing import Any

from starlette.testclient import TestClient

from bidui.web.workbench import Workbench

from .asking import CLASSIFIER, SMALL, get, post, read, write

ACTS = "relations/acts.tsv"
FEATURES = "feature\tvalue\tparent\tmeans\nkind\tthing\t\ta thing\nkind\tkin\t\ta relative\n"


def only(answer: Any) -> Any:
    (table,) = answer["tables"]
    return table


def rows(client: TestClient, file: str = ACTS) -> list[list[Any]]:
    found: list[list[Any]] = get(client, f"tables/{file}")["files"][0]["rows"]
    return found


def text(client: TestClient, file: str = ACTS) -> str:
    found: str = read(client, file)["text"]
    return found


def test_a_list_says_what_a_table_holds_and_who_uses_it(client: TestClient) -> None:
    """The small project has one relation, which one of its two paradigms names."""
    table = only(get(client, "tables"))
    assert (table["name"], table["file"], table["source"]) == ("acts", ACTS, "relation")
    assert (table["columns"], table["rows"]) == (["verb", "thing@class"], 2)
    assert table["paradigms"] == [{"uid": "classifier", "file": CLASSIFIER}]
    assert (table["errors"], table["warnings"], table["problems"], table["draft"]) == (0, 0, [], False)


def test_a_relation_that_a_phrase_uses_is_used_by_the_paradigms_of_the_phrase(client: TestClient) -> None:
    """Somebody who is about to change a table must know all who depend on it."""
    phrases = read(client, "phrases.yaml")
    changed = phrases["text"].replace("kin: pos:NN kind:kin", "kin: pos:NN kind:kin rel:owners(whose, kin)")
    assert write(client, changed, base=phrases["revision"], file="phrases.yaml").json()["saved"]
    post(client, "tables", 201, name="owners", columns="whose, kin")
    users = {table["name"]: [use["uid"] for use in table["paradigms"]] for table in get(client, "tables")["tables"]}
    assert users == {"acts": ["classifier"], "owners": ["classifier"]}


def test_words_that_the_lexicon_lacks_are_problems_of_a_table(client: TestClient) -> None:
    """They stay in sight after an edit, which is saved all the same: the lexicon may get the word later."""
    base = read(client, ACTS)["revision"]
    ops = [{"do": "set", "line": 3, "column": "verb", "value": "喝/品"}]
    answer = post(client, f"tables/{ACTS}", base=base, ops=ops)
    assert answer["saved"]
    for problems in (answer["problems"], get(client, f"tables/{ACTS}")["problems"]):
        ((problem),) = problems
        assert (problem["kind"], problem["column"], problem["values"]["values"]) == ("relation-values", "verb", ["品"])
    table = only(get(client, "tables"))
    assert (table["errors"], table["warnings"]) == (0, 1)
    assert "品" in table["problems"][0]["text"]


def test_one_table_comes_with_its_rows_and_values_to_suggest(client: TestClient) -> None:
    """A column of a feature suggests what words have: two words of the lexicon read, two drink."""
    table = get(client, f"tables/{ACTS}")
    assert table["files"] == [
        {
            "file": ACTS,
            "revision": read(client, ACTS)["revision"],
            "columns": ["verb", "thing@class"],
            "rows": [[2, "看", "read"], [3, "喝", "drink"]],
        }
    ]
    assert table["features"] == [{"name": "thing@class", "values": [["drink", 2], ["read", 2]], "words": 4}]
    assert (table["words"], table["may_edit"], table["source"]) == (2, True, "relation")


def test_edits_keep_the_rows_of_a_relation_whole(client: TestClient) -> None:
    """A relation needs all cells in every row, blank or not; one that lacks some would be refused as broken."""
    base = read(client, ACTS)["revision"]
    answer = post(client, f"tables/{ACTS}", base=base, ops=[{"do": "column", "name": "place"}])
    assert answer["saved"] and text(client) == "verb\tthing@class\tplace\n看\tread\t\n喝\tdrink\t\n"
    ops = [{"do": "add", "rows": [["看"]], "after": 2}, {"do": "paste", "block": "喝\tread", "line": 4}]
    answer = post(client, f"tables/{ACTS}", base=answer["revision"], ops=ops)
    assert answer["saved"] and text(client) == "verb\tthing@class\tplace\n看\tread\t\n看\t\t\n喝\tread\t\n"
    assert rows(client) == [[2, "看", "read", ""], [3, "看", "", ""], [4, "喝", "read", ""]]


def test_a_row_twice_is_kept_as_a_draft(client: TestClient) -> None:
    """Nothing that was typed is lost, and the file stays one that pairs can be made from."""
    before = text(client)
    ops = [{"do": "add", "rows": [["看", "read"]]}]
    answer = post(client, f"tables/{ACTS}", base=read(client, ACTS)["revision"], tab="one", ops=ops)
    assert (answer["saved"], answer["draft"]) == (False, True)
    assert [problem["kind"] for problem in answer["problems"]] == ["relation-duplicate"]
    assert text(client) == before
    assert only(get(client, "tables"))["draft"]


def test_a_new_table_has_columns_and_can_be_filled_and_deleted(client: TestClient) -> None:
    """It is a relation like any other: rules can name it at once."""
    made = post(client, "tables", 201, name="meals", columns="who， verb、 what@class")
    assert made["file"] == "relations/meals.tsv"
    assert text(client, made["file"]) == "who\tverb\twhat@class\n"
    ops = [{"do": "add", "rows": [["妈妈", "喝", "drink"]]}]
    assert post(client, f"tables/{made['file']}", base=made["revision"], ops=ops)["saved"]
    assert rows(client, made["file"]) == [[2, "妈妈", "喝", "drink"]]
    assert get(client, "tables")["tables"][1]["paradigms"] == []
    latest = read(client, made["file"])["revision"]
    assert client.delete(f"{SMALL}/files/{made['file']}?base={latest}").status_code == 200
    assert only(get(client, "tables"))["name"] == "acts"


def test_a_table_needs_a_name_and_columns_of_its_own(client: TestClient) -> None:
    def kinds(status: int, name: str, columns: str) -> list[str]:
        return [each["kind"] for each in post(client, "tables", status, name=name, columns=columns)["problems"]]

    assert kinds(400, "../acts", "a b") == ["table-new-name"]
    assert kinds(400, "new", "a a") == ["relation-column"]
    assert kinds(400, "new", " , ") == ["relation-column"]
    assert kinds(409, "acts", "a b") == ["file-there"]


def test_features_and_tables_from_trees_are_tables_too(client: TestClient, bench: Workbench) -> None:
    """A table from trees is a file of the lexicon; here its one word fits the slot `who` of the first paradigm."""
    folder = bench.store.root / "small"
    (folder / "features.tsv").write_text(FEATURES, "utf-8")
    settings = "format: 1\nname: small\nlang: zh\ntrees: {files: ['*.mrg'], tables: {nouns: lexicon/nouns.tsv}}\n"
    (folder / "project.yaml").write_text(settings, "utf-8")
    (folder / "lexicon").mkdir()
    (folder / "lexicon.tsv").rename(folder / "lexicon" / "words.tsv")
    nouns = "expression\tpos\tclassifier\tsentence\tsource\n老周\tNR\t\t老周来了。\ta.mrg:1\n"
    (folder / "lexicon" / "nouns.tsv").write_text(nouns, "utf-8")
    listed = {table["file"]: table for table in get(client, "tables")["tables"]}
    assert {file: (table["source"], table["name"], table["rows"]) for file, table in listed.items()} == {
        "features.tsv": ("features", "", 2),
        "lexicon/nouns.tsv": ("trees", "nouns", 1),
        ACTS: ("relation", "acts", 2),
    }
    # `phrase:Person` of the second paradigm needs a gender, which 老周 has not.
    assert [use["uid"] for use in listed["lexicon/nouns.tsv"]["paradigms"]] == ["gender"]
    assert rows(client, "lexicon/nouns.tsv") == [[2, "老周", "NR", "", "老周来了。", "a.mrg:1"]]
    assert rows(client, "features.tsv")[0] == [2, "kind", "thing", "", "a thing"]
    ops = [{"do": "add", "rows": [["kind", "person", "", "a person"]]}]
    base = read(client, "features.tsv")["revision"]
    assert post(client, "tables/features.tsv", base=base, ops=ops)["saved"]


def test_other_files_are_no_tables(client: TestClient) -> None:
    assert get(client, "tables/project.yaml", 400)["problems"][0]["kind"] == "not-a-table"
    assert get(client, "tables/relations/none.tsv", 404)["problems"][0]["kind"] == "file-unknown"


def test_a_viewer_reads_tables_and_changes_none(team: dict[str, TestClient]) -> None:
    viewer = team["Viewer"]
    assert not get(viewer, "tables")["may_edit"] and not get(viewer, f"tables/{ACTS}")["may_edit"]
    base = read(viewer, ACTS)["revision"]
    assert viewer.post(f"{SMALL}/tables", json={"name": "x", "columns": "a b"}).status_code == 403
    edit = {"base": base, "ops": [{"do": "delete", "lines": [2]}]}
    assert viewer.post(f"{SMALL}/tables/{ACTS}", json=edit).status_code == 403
