"""The lexicon: all words in a grid, found by features; tables changed cell by cell or in blocks, and merged."""

import gc
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from bidui.grammar.lexicon import Word

from ..editing.small import FILES, LEXICON
from ..served import kinds
from .asking import CLASSIFIER, GENDER, SMALL, applied, get, post, read, write


def test_the_whole_lexicon_travels_as_rows(client: TestClient) -> None:
    found = get(client, "lexicon")
    (table,) = found["files"]
    assert (table["file"], found["words"], found["may_edit"], found["problems"]) == ("lexicon.tsv", 18, True, [])
    assert table["columns"] == ["expression", "pos", "kind", "gender", "classifier", "class", "takes"]
    assert table["rows"][0] == [2, "王先生", "NR", "", "male"]
    assert table["rows"][-1] == [19, "喝", "VV", "", "", "", "", "drink"]
    assert table["revision"] == read(client, "lexicon.tsv")["revision"]


def test_features_say_how_many_words_have_each_value(client: TestClient) -> None:
    """张老师 is of either gender: it counts for both values and once as a word."""
    features = {feature["name"]: feature for feature in get(client, "lexicon")["features"]}
    assert features["pos"] == {
        "name": "pos",
        "values": [["NN", 6], ["M", 4], ["NR", 4], ["PN", 2], ["VV", 2]],
        "words": 18,
    }
    assert features["gender"] == {"name": "gender", "values": [["female", 4], ["male", 4]], "words": 7}


def test_problems_name_their_row_and_column(client: TestClient) -> None:
    text = LEXICON.replace("小林\tNR\n", "小林\tNR\t\tｍale\n")
    write(client, text, base=read(client, "lexicon.tsv")["revision"], file="lexicon.tsv")
    (problem,) = get(client, "lexicon")["problems"]
    place = {key: problem[key] for key in ("severity", "file", "line", "column")}
    assert place == {"severity": "warning", "file": "lexicon.tsv", "line": 5, "column": "gender"}


def test_words_are_found_by_features_and_by_text(client: TestClient) -> None:
    def lines(query: str) -> list[int]:
        found = get(client, "lexicon/find", query=query)
        assert found["total"] == len(found["hits"])
        return [line for _, line in found["hits"]]

    assert lines("pos:PN") == [8, 9]
    assert lines("pos:NN kind:thing 书") == [10]
    assert lines("gender:male/female") == [2, 3, 4, 6, 7, 8, 9]
    assert lines("杯") == [12, 13, 16]
    assert lines("pos:") == list(range(2, 20))
    assert lines("没有") == []


def test_values_are_suggested(client: TestClient) -> None:
    assert get(client, "lexicon/suggest", column="pos", typed="n") == {"values": [["NN", 6], ["NR", 4], ["PN", 2]]}
    assert get(client, "lexicon/suggest", column="gender", typed="male/") == {"values": [["female", 4]]}
    assert get(client, "lexicon/suggest", column="nothing", typed="") == {"values": []}


def test_a_word_says_which_paradigms_could_take_it(client: TestClient) -> None:
    """王先生 is a name with a gender: who of one paradigm, and the person of the phrase in the other."""
    found = get(client, "lexicon/uses", file="lexicon.tsv", line=2)
    assert found == {
        "paradigms": [
            {"file": GENDER, "uid": "gender", "slots": ["who"]},
            {"file": CLASSIFIER, "uid": "classifier", "slots": ["who.word"]},
        ],
        "total": 2,
    }
    book = get(client, "lexicon/uses", file="lexicon.tsv", line=10)
    assert [(use["uid"], use["slots"]) for use in book["paradigms"]] == [("classifier", ["thing"])]
    assert get(client, "lexicon/uses", 400, file="lexicon.tsv", line=99)["problems"][0]["kind"] == "row-missing"


def test_uses_follow_the_paradigms(client: TestClient) -> None:
    before = get(client, "lexicon/uses", file="lexicon.tsv", line=2)["total"]
    text = read(client)["text"].replace("who: pos:NR", "who: pos:NN")
    write(client, text, base=read(client)["revision"])
    assert (before, get(client, "lexicon/uses", file="lexicon.tsv", line=2)["total"]) == (2, 1)


def test_uses_follow_the_words(client: TestClient) -> None:
    """The places for words are known from before; what the word is by now decides which of them take it."""
    assert get(client, "lexicon/uses", file="lexicon.tsv", line=2)["total"] == 2
    change = {"do": "set", "line": 2, "column": "pos", "value": "VV"}
    assert post(client, "tables/lexicon.tsv", base=read(client, "lexicon.tsv")["revision"], ops=[change])["saved"]
    assert get(client, "lexicon/uses", file="lexicon.tsv", line=2)["total"] == 0


def test_a_phrase_says_who_names_it(client: TestClient) -> None:
    found = get(client, "phrases/uses", phrase="Person")
    assert found == {"files": [{"file": CLASSIFIER, "uid": "classifier"}], "total": 1}
    assert get(client, "phrases/uses", phrase="Nobody")["total"] == 0


def test_a_change_outside_shows_at_once(client: TestClient, tmp_path: Path) -> None:
    get(client, "lexicon")
    (tmp_path / "work/small/lexicon.tsv").write_text(LEXICON + "老陈\tNR\t\tmale\n", "utf-8", newline="")
    assert get(client, "lexicon")["words"] == 19
    assert get(client, "lexicon/find", query="老陈")["total"] == 1


def test_a_project_without_words_has_an_empty_table(client: TestClient, tmp_path: Path) -> None:
    """Somebody has to write the first word."""
    base = read(client, "lexicon.tsv")["revision"]
    client.delete(f"{SMALL}/files/lexicon.tsv", params={"base": base})
    found = get(client, "lexicon")
    assert found["files"] == [{"file": "lexicon.tsv", "revision": None, "columns": ["expression"], "rows": []}]
    steps = [{"do": "column", "name": "pos"}, {"do": "add", "rows": [["书", "NN"]]}]
    done = post(client, "tables/lexicon.tsv", base=None, ops=steps)
    assert done["saved"] and (tmp_path / "work/small/lexicon.tsv").read_text("utf-8") == "expression\tpos\n书\tNN\n"


def test_several_files_are_one_lexicon(client: TestClient) -> None:
    base = read(client, "lexicon.tsv")["revision"]
    client.delete(f"{SMALL}/files/lexicon.tsv", params={"base": base})
    for name, text in (("a", "expression\tpos\n书\tNN\n"), ("b", "expression\tpos\n看\tVV\n书\tNN\n")):
        assert write(client, text, base=None, file=f"lexicon/{name}.tsv").json()["saved"]
    found = get(client, "lexicon")
    assert [table["file"] for table in found["files"]] == ["lexicon/a.tsv", "lexicon/b.tsv"]
    assert [problem["kind"] for problem in found["problems"]] == ["lexicon-in-two-files"]
    assert get(client, "lexicon/find", query="pos:VV")["hits"] == [["lexicon/b.tsv", 2]]
    done = post(
        client,
        "tables/lexicon/b.tsv",
        base=found["files"][1]["revision"],
        ops=[{"do": "delete", "lines": [3]}],
    )
    assert (done["saved"], done["problems"]) == (True, [])


# Tables: cells are changed one by one or in blocks, taken back, and put together with what others changed


TABLE = "tables/lexicon.tsv"


def edit(client: TestClient, base: int | None, *ops: dict[str, Any], status: int = 200) -> Any:
    return post(client, TABLE, status, base=base, tab="grid", ops=list(ops))


def start(client: TestClient) -> int:
    revision: int = read(client, "lexicon.tsv")["revision"]
    return revision


def test_one_cell_changes_and_no_other_byte(client: TestClient, tmp_path: Path) -> None:
    done = edit(client, start(client), {"do": "set", "line": 5, "column": "gender", "value": "male"})
    assert (done["saved"], done["changed"], done["moved"], done["merged"]) == (True, True, False, False)
    assert done["rows_changed"] == [[5, "小林", "NR", "", "male"]]
    text = LEXICON.replace("小林\tNR\n", "小林\tNR\t\tmale\n")
    assert (tmp_path / "work/small/lexicon.tsv").read_text("utf-8") == text
    assert applied(LEXICON, done["changes"]) == text and applied(text, done["inverse"]) == LEXICON


def test_every_operation_can_be_taken_back(client: TestClient) -> None:
    """Undo is the inverse of what was done, valid on the revision that came of it; rare characters count twice."""
    operations: list[list[dict[str, Any]]] = [
        [{"do": "set", "line": 2, "column": "expression", "value": "𠮷先生"}],
        [{"do": "set", "line": line, "column": "kind", "value": "新"} for line in (3, 9, 17)],
        [
            {"do": "set", "line": 5, "column": "kind", "value": "x"},
            {"do": "set", "line": 5, "column": "takes", "value": "y"},
        ],
        [{"do": "add", "rows": [["𠮷", "NN"], ["山", "NN"]], "after": 2}],
        [{"do": "add", "rows": [["山", "NN"]]}],
        [{"do": "delete", "lines": [2, 9, 19]}],
        [{"do": "column", "name": "tone"}, {"do": "set", "line": 4, "column": "tone", "value": "3"}],
        [{"do": "paste", "block": "a\tNN\r\nb\tVV", "line": 18, "column": "expression"}],
        [{"do": "paste", "block": "expression\tpos\n甲\tNN\n乙\tNN"}],
    ]
    revision, text = start(client), LEXICON
    for ops in operations:
        done = edit(client, revision, *ops)
        assert done["saved"] and done["changed"], ops
        now = read(client, "lexicon.tsv")
        assert now["revision"] == done["revision"] and now["text"] == applied(text, done["changes"]) != text
        rows = next(iter(get(client, "lexicon")["files"]))["rows"]
        kept = [row for row in rows if row in done["rows_changed"]]
        assert kept == done["rows_changed"] and (not done["moved"] or kept == rows)
        back = edit(client, done["revision"], {"do": "changes", "changes": done["inverse"]})
        assert read(client, "lexicon.tsv")["text"] == text
        revision = back["revision"]


def test_operations_follow_one_another(client: TestClient) -> None:
    ops = [
        {"do": "add", "rows": [["山", "NN"]], "after": 1},
        {"do": "set", "line": 2, "column": "kind", "value": "thing"},
        {"do": "set", "line": 3, "column": "kind", "value": "person"},
    ]
    rows = edit(client, start(client), *ops)["rows_changed"]
    assert rows[:2] == [[2, "山", "NN", "thing"], [3, "王先生", "NR", "person", "male"]]
    assert len(rows) == 19


def test_rows_of_two_people_are_put_together(team: dict[str, TestClient]) -> None:
    base = start(team["Li"])
    edit(team["Li"], base, {"do": "set", "line": 2, "column": "kind", "value": "man"})
    done = edit(team["Wang"], base, {"do": "set", "line": 9, "column": "kind", "value": "short"})
    assert (done["saved"], done["merged"], done["moved"]) == (True, True, True)
    rows = {row[1]: row for row in done["rows_changed"]}
    assert (rows["王先生"][3], rows["她"][3], len(rows)) == ("man", "short", 18)
    assert read(team["Wang"], "lexicon.tsv")["drafts"] == []
    back = edit(team["Wang"], done["revision"], {"do": "changes", "changes": done["inverse"]})
    assert back["saved"] and "short" not in (text := read(team["Li"], "lexicon.tsv")["text"]) and "man" in text


def test_the_same_row_is_a_conflict_with_all_three_versions(team: dict[str, TestClient]) -> None:
    base = start(team["Li"])
    edit(team["Li"], base, {"do": "set", "line": 2, "column": "kind", "value": "man"})
    body = {"base": base, "tab": "grid", "ops": [{"do": "set", "line": 2, "column": "kind", "value": "sir"}]}
    answer = team["Wang"].post(f"{SMALL}/{TABLE}", json=body)
    assert (answer.status_code, kinds(answer)) == (409, ["revision-conflict"])
    conflict = answer.json()["conflict"]
    assert conflict["base"]["text"] == LEXICON
    assert "man" in conflict["theirs"]["text"] and "sir" in conflict["yours"]
    (draft,) = read(team["Wang"], "lexicon.tsv")["drafts"]
    assert draft["text"] == conflict["yours"]
    merged = post(team["Wang"], "merge/lexicon.tsv", base=base, mine=conflict["yours"], choose={"line 2": "mine"})
    assert merged["conflicts"] == [] and "sir" in merged["text"] and "man" not in merged["text"]


def test_a_table_with_errors_is_not_written(client: TestClient, tmp_path: Path) -> None:
    """The browser sends the operations again, with the next ones, until the table is whole."""
    base = start(client)
    half = {"do": "add", "rows": [["", "NN"]]}
    done = edit(client, base, half)
    assert (done["saved"], done["draft"], done["revision"]) == (False, True, base)
    assert [(p["kind"], p["line"], p["column"]) for p in done["problems"]] == [
        ("lexicon-empty-expression", 20, "expression")
    ]
    assert (tmp_path / "work/small/lexicon.tsv").read_text("utf-8") == LEXICON
    whole = edit(client, base, half, {"do": "set", "line": 20, "column": "expression", "value": "山"})
    assert whole["saved"] and whole["problems"] == []
    assert read(client, "lexicon.tsv")["drafts"] == []


def test_relations_are_tables_too(client: TestClient) -> None:
    file = "relations/acts.tsv"
    base = read(client, file)["revision"]
    done = post(client, f"tables/{file}", base=base, ops=[{"do": "add", "rows": [["读", "read"]]}])
    assert done["saved"] and done["rows_changed"][-1] == [4, "读", "read"]
    assert read(client, file)["text"] == FILES[file] + "读\tread\n"


def test_what_cannot_be_done_is_said_and_nothing_changes(client: TestClient) -> None:
    base = start(client)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"do": "set", "line": 99, "column": "pos", "value": "x"}, "row-missing"),
        ({"do": "set", "line": 2, "column": "nothing", "value": "x"}, "row-missing"),
        ({"do": "set", "line": 2, "column": "pos", "value": "a\tb"}, "cell-characters"),
        ({"do": "set", "line": 2, "column": "pos", "value": "a\x00"}, "cell-characters"),
        ({"do": "column", "name": "pos"}, "row-exists"),
        ({"do": "delete", "lines": [2, 77]}, "row-missing"),
        ({"do": "paste", "block": "a\t" * 20, "line": 2}, "paste-too-wide"),
        ({"do": "changes", "changes": [{"start": 5, "end": 2, "text": ""}]}, "changes-overlap"),
        (
            {"do": "changes", "changes": [{"start": 0, "end": 9, "text": ""}, {"start": 3, "end": 5, "text": ""}]},
            "changes-overlap",
        ),
    ]
    for step, kind in refused:
        assert edit(client, base, step, status=400)["problems"][0]["kind"] == kind, step
    edit(client, base, {"do": "set", "line": 0, "column": "pos", "value": "x"}, status=422)
    edit(client, base, status=422)
    assert post(client, "tables/phrases.yaml", 400, base=1, ops=[{"do": "column", "name": "x"}])
    assert edit(client, read(client)["revision"], {"do": "column", "name": "x"}, status=404)
    assert start(client) == base


def test_a_paradigm_saved_meanwhile_does_not_matter(client: TestClient) -> None:
    base = start(client)
    write(client, read(client)["text"] + "# more\n", base=read(client)["revision"])
    assert edit(client, base, {"do": "column", "name": "tone"})["merged"] is False


def emptied(client: TestClient, *ops: dict[str, Any]) -> dict[str, list[str]]:
    """The slots that no word fits any more after some operations on the lexicon, by uid."""
    base = read(client, "lexicon.tsv")["revision"]
    answer = post(client, "tables/lexicon.tsv", base=base, ops=list(ops))
    assert answer["saved"], answer
    return {use["uid"]: use["slots"] for use in answer["emptied"]}


def test_an_edit_names_the_paradigms_that_it_empties(client: TestClient) -> None:
    """A value that is renamed in the lexicon and not in the rules breaks them, and nobody looks there."""
    assert emptied(client, {"do": "set", "line": 8, "column": "pos", "value": "PRON"}) == {}  # the other is left
    slots = emptied(client, {"do": "set", "line": 9, "column": "pos", "value": "PRON"})
    assert slots == {"gender": ["right", "wrong"]}
    assert emptied(client, {"do": "set", "line": 9, "column": "gender", "value": "x"}) == {}  # it was empty before


def test_an_edit_that_leaves_no_partners_empties_both_slots(client: TestClient) -> None:
    """Every word fits by its conditions, but no classifier goes with any noun."""
    rows = get(client, "lexicon")["files"][0]["rows"]
    things = [row[0] for row in rows if "thing" in row]
    slots = emptied(client, *({"do": "set", "line": n, "column": "classifier", "value": "none"} for n in things))
    assert {uid: sorted(paths) for uid, paths in slots.items()} == {"classifier": ["right", "thing"]}


def test_changed_cells_do_not_copy_the_words(client: TestClient, tmp_path: Path) -> None:
    """Every state of a lexicon shares its words with the one before, and only the last state is kept."""
    rows = "".join(f"词{n}\tNN\tclass{n % 40}\tc{n}\n" for n in range(3_000))  # no two have the same features
    (tmp_path / "work/small/lexicon.tsv").write_text(f"expression\tpos\tclass\tconcept\n{rows}", "utf-8")
    base = get(client, "lexicon")["files"][0]["revision"]
    once = counted_words()
    for value in ("class1", "class2", "class3"):
        base = edit(client, base, {"do": "set", "line": 2, "column": "class", "value": value})["revision"]
    assert counted_words() <= once + 3


def counted_words() -> int:
    gc.collect()
    return sum(type(each) is Word for each in gc.get_objects())  # `isinstance` would ask torch's deprecated names
