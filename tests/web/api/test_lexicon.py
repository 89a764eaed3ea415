"""The lexicon: all words in a grid, found by features, and the paradigms that could take each."""

from pathlib import Path

from starlette.testclient import TestClient

from ..editing.small import LEXICON
from .asking import CLASSIFIER, GENDER, SMALL, get, post, read, write


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
