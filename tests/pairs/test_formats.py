"""Every format writes what is documented, gives back equal pairs, and locates what is wrong."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.benchmarks import generate
from bidui.errors import InputError, Place
from bidui.pairs import Format, Pair, Pairs, Region, Side, pairs_to_bytes, read_pairs, write_pairs
from bidui.pairs.formats import from_csv, from_jsonl, from_parquet, to_csv, to_jsonl, to_parquet

PAIR = Pair(
    good="王奶奶佩服她自己。",
    bad="王奶奶佩服他自己。",
    uid="anaphor_gender",
    phenomenon="anaphor",
    pair_id=7,
    variant="plain",
    edit="agreement",
    regions=(Region("good", 5, 6, "right", "agree"), Region("bad", 5, 6, "wrong", "agree")),
    slots=(("who", "王奶奶"), ("right", "她")),
    words=("王奶奶", "她"),
)
JSONL = (
    '{"sentence_good": "王奶奶佩服她自己。", "sentence_bad": "王奶奶佩服他自己。", "UID": "anaphor_gender", '
    '"phenomenon": "anaphor", "pairID": "7", "variant": "plain", "edit": "agreement", '
    '"regions": [{"side": "good", "start": 5, "end": 6, "slot": "right", "edit": "agree"}, '
    '{"side": "bad", "start": 5, "end": 6, "slot": "wrong", "edit": "agree"}], '
    '"slots": [{"slot": "who", "form": "王奶奶"}, {"slot": "right", "form": "她"}], "words": ["王奶奶", "她"]}\n'
)
OLD = (  # what earlier versions wrote
    JSONL[: JSONL.index('"regions"')] + '"regions": {"good": [[5, 6, "right", "agree"]], '
    '"bad": [[5, 6, "wrong", "agree"]]}, "slots": {"who": "王奶奶", "right": "她"}, "words": ["王奶奶", "她"]}\n'
)
CSV = (
    "sentence_good,sentence_bad,UID,phenomenon,pairID,variant,edit,regions,slots,words\n"
    "王奶奶佩服她自己。,王奶奶佩服他自己。,anaphor_gender,anaphor,7,plain,agreement,"
    '"[{""side"": ""good"", ""start"": 5, ""end"": 6, ""slot"": ""right"", ""edit"": ""agree""}, '
    '{""side"": ""bad"", ""start"": 5, ""end"": 6, ""slot"": ""wrong"", ""edit"": ""agree""}]",'
    '"[{""slot"": ""who"", ""form"": ""王奶奶""}, {""slot"": ""right"", ""form"": ""她""}]","[""王奶奶"", ""她""]"\n'
)

# What breaks naive readers: separators of fields and lines (U+2028, U+0085), quotes, a byte order mark, nothing.
TEXTS = st.text(st.sampled_from(list(',"\n\r\t \\\u2028\x85\ufeff\x00{[|好坏𠀀a'))) | st.text()


@st.composite
def any_pair(draw: st.DrawFn) -> Pair:
    good, bad = draw(TEXTS), draw(TEXTS)
    regions = []
    sides: list[tuple[Side, str]] = [("good", good), ("bad", bad)]
    for side, sentence in sides:
        for _ in range(draw(st.integers(0, 2))):
            start, end = sorted(draw(st.tuples(*[st.integers(0, len(sentence))] * 2)))
            regions.append(Region(side, start, end, draw(TEXTS), draw(TEXTS)))
    texts = [draw(TEXTS) for _ in range(4)]
    slots = tuple(draw(st.dictionaries(TEXTS, TEXTS, max_size=3)).items())
    words = tuple(draw(st.lists(TEXTS, max_size=3)))
    number = draw(st.integers(0, 10**6))
    return Pair(good, bad, texts[0], texts[1], number, texts[2], texts[3], tuple(regions), slots, words)


@pytest.mark.slow
@given(st.lists(any_pair(), max_size=4))
def test_reading_gives_back_what_was_written(pairs: list[Pair]) -> None:
    whole = tuple(pairs)
    assert from_jsonl(to_jsonl(whole), file="f", uid="u").items == whole
    assert from_csv(to_csv(whole), file="f", uid="u").items == whole
    assert from_parquet(to_parquet(whole), file="f", uid="u").items == whole


def test_the_bytes_are_the_documented_ones() -> None:
    """Scripts of others read these fields, and manifests hash these bytes."""
    assert to_jsonl([PAIR]).decode() == JSONL
    assert to_csv([PAIR]).decode() == CSV


def test_regions_and_slots_of_earlier_versions_are_read() -> None:
    """Files that were published keep their use: lists by side, and one object of slots."""
    assert from_jsonl(OLD.encode(), file="f", uid="u").items == (PAIR,)
    fields = json.loads(OLD)
    row = [json.dumps(value) if isinstance(value, dict | list) else value for value in fields.values()]
    quoted = ",".join('"' + text.replace('"', '""') + '"' for text in row)
    assert from_csv(f"{','.join(fields)}\n{quoted}\n".encode(), file="f", uid="u").items == (PAIR,)


def test_arrow_reads_pairs_of_several_paradigms_as_one_table(tmp_path: Path) -> None:
    """pyarrow, `datasets` and Spark want one type for each field: no mixed lists, no keys that depend on the file."""
    arrow = pytest.importorskip("pyarrow.json", reason="pyarrow is not installed")
    other = replace(PAIR, uid="other", regions=PAIR.regions[:1], slots=(("verb.word", "佩服"),))
    (tmp_path / "both.jsonl").write_bytes(to_jsonl([PAIR, other]))
    table = arrow.read_json(tmp_path / "both.jsonl")
    region = "struct<side: string, start: int64, end: int64, slot: string, edit: string>"
    assert str(table.schema.field("regions").type) == f"list<item: {region}>"
    assert str(table.schema.field("slots").type) == "list<item: struct<slot: string, form: string>>"
    again = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist())
    assert from_jsonl(again.encode(), file="f", uid="u").items == (PAIR, other)


def test_every_list_and_object_in_a_line_has_one_type() -> None:
    """The same without pyarrow: lists hold values of one type, and objects have the keys that every other pair has."""
    other = json.loads(to_jsonl([replace(PAIR, slots=(("verb.word", "佩服"),))]))

    def shape(value: object) -> object:
        if isinstance(value, dict):
            return {key: shape(inner) for key, inner in value.items()}
        if isinstance(value, list):
            shapes = [shape(inner) for inner in value]
            assert all(inner == shapes[0] for inner in shapes)
            return shapes[:1]
        return type(value)

    assert shape(json.loads(to_jsonl([PAIR]))) == shape(other)


def test_no_pairs_are_an_empty_file() -> None:
    assert to_jsonl([]) == b""
    assert from_jsonl(b"", file="f", uid="u").items == ()
    assert from_csv(to_csv([]), file="f", uid="u").items == ()
    assert from_parquet(to_parquet([]), file="f", uid="u").items == ()


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_read_pairs_goes_by_the_suffix(tmp_path: Path, format: Format) -> None:
    path = tmp_path / f"x.{format}"
    path.write_bytes(pairs_to_bytes([PAIR], format=format))
    assert read_pairs(path) == read_pairs(str(path)) == Pairs((PAIR,))


def test_an_unknown_format_is_an_input_error() -> None:
    with pytest.raises(InputError, match="no format xlsx; available: jsonl, csv, parquet"):
        pairs_to_bytes([PAIR], format="xlsx")  # type: ignore[arg-type]


def test_blimps_layout_is_read(tmp_path: Path) -> None:
    """BLiMP has linguistics_term and no regions; SLING has pair_ID and names its files; others have next to nothing."""
    blimp = {"sentence_good": "Who left?", "sentence_bad": "Left who?", "linguistics_term": "island", "UID": "adj"}
    (tmp_path / "a.jsonl").write_text(json.dumps(blimp | {"pairID": "12", "one_prefix_method": False}))
    sling = {"sentence_good": "好", "sentence_bad": "坏", "phenomenon": "p", "paradigm": "cl", "pair_ID": 3}
    (tmp_path / "b.jsonl").write_text(json.dumps(sling) + "\r\n\r\n")
    bare = '{"sentence_good": "同", "sentence_bad": "同"}\n'
    (tmp_path / "c.jsonl").write_bytes(b"\xef\xbb\xbf" + (bare * 2).encode())
    (tmp_path / "d.csv").write_text("sentence_bad,sentence_good,pairID\n坏,好,\n", encoding="utf-8")
    assert list(read_pairs(tmp_path)) == [
        Pair("Who left?", "Left who?", "adj", "island", 12, columns=(("one_prefix_method", "false"),)),
        Pair("好", "坏", "b", "p", 3),
        Pair("同", "同", "c", "", 0),
        Pair("同", "同", "c", "", 1),
        Pair("好", "坏", "d", "", 0),
    ]


OK = '{"sentence_good": "好", "sentence_bad": "坏"'
REGION = '"start": 0, "end": 1, "slot": "s", "edit": "move"'


@pytest.mark.parametrize(
    ("line", "kind", "column"),
    [
        ("{nonsense", "bad-json", 2),
        ("[1, 2]", "pairs-not-object", 0),
        ("[" * 100_000, "bad-json", 0),
        ('{"sentence_bad": "坏"}', "pairs-field-missing", 0),
        ('{"sentence_good": 3, "sentence_bad": "坏"}', "pairs-field-text", 0),
        (OK + ', "UID": ["x"]}', "pairs-field-text", 0),
        (OK + ', "pairID": "1_0"}', "pairs-field-number", 0),
        (OK + ', "pairID": true}', "pairs-field-number", 0),
        (OK + ', "pairID": -1}', "pairs-field-number", 0),
        (OK + ', "regions": "01"}', "pairs-field-regions", 0),
        (OK + ', "regions": [[0, 1, "s", "move"]]}', "pairs-field-regions", 0),
        (OK + ', "regions": [{"side": "good", "start": 0, "end": 1, "slot": "s"}]}', "pairs-field-regions", 0),
        (OK + ', "regions": [{"side": "ugly", ' + REGION + "}]}", "pairs-field-regions", 0),
        (OK + ', "regions": [{"side": "good", "word": "", ' + REGION + "}]}", "pairs-field-regions", 0),
        (OK + ', "regions": {"good": [[0, 1, "s"]]}}', "pairs-field-regions", 0),
        (OK + ', "regions": {"good": [[0, 2, "s", "move"]]}}', "pairs-field-regions", 0),
        (OK + ', "regions": {"good": [[0, true, "s", "move"]]}}', "pairs-field-regions", 0),
        (OK + ', "regions": {"good": "01"}}', "pairs-field-regions", 0),
        (OK + ', "regions": {"ugly": []}}', "pairs-field-regions", 0),
        (OK + ', "slots": {"a": 1}}', "pairs-field-slots", 0),
        (OK + ', "slots": [{"slot": "a"}]}', "pairs-field-slots", 0),
        (OK + ', "slots": "a"}', "pairs-field-slots", 0),
        (OK + ', "words": "好"}', "pairs-field-words", 0),
        (OK + ', "variant": "\\ud800"}', "text-not-unicode", 0),
    ],
)
def test_problems_of_jsonl_are_located(line: str, kind: str, column: int) -> None:
    data = f"{OK}}}\n{line}\n".encode()
    with pytest.raises(InputError) as caught:
        from_jsonl(data, file="pairs/a.jsonl", uid="a")
    [problem] = caught.value.problems
    assert (problem.kind, problem.place) == (kind, Place("pairs/a.jsonl", 2, column))
    assert problem.text("en") and problem.text("zh")


def test_all_problems_of_a_folder_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f"{{\n{OK}}}\n{{}}\n", encoding="utf-8")
    (tmp_path / "b.jsonl").write_bytes(f"{OK}}}\n".encode("gb18030"))
    with pytest.raises(InputError) as caught:
        read_pairs(tmp_path)
    found = [(problem.kind, Path(problem.place.file).name, problem.place.line) for problem in caught.value.problems]
    assert found == [("bad-json", "a.jsonl", 1), ("pairs-field-missing", "a.jsonl", 3), ("not-utf8", "b.jsonl", 1)]


def test_a_damaged_file_does_not_flood_the_screen() -> None:
    with pytest.raises(InputError) as caught:
        from_jsonl(b"{}\n" * 1000, file="a.jsonl", uid="a")
    assert len(caught.value.problems) == 21
    assert str(caught.value.problems[-1]) == "a.jsonl:20: stopped reading here after 20 problems"


@pytest.mark.parametrize(
    ("rows", "kind", "place"),
    [
        ("", "pairs-field-missing", Place("f", 1)),
        ("a,b\n1,2\n", "pairs-field-missing", Place("f", 1)),
        ("sentence_good,x\n好,y\n", "pairs-field-missing", Place("f", 2)),
        ("sentence_good,sentence_bad\n好,坏,多\n", "pairs-row-width", Place("f", 2)),
        ('sentence_good,sentence_bad\n"好\n好",坏\n好\n', "pairs-row-width", Place("f", 4)),
        ('sentence_good,sentence_bad\n好,"坏', "pairs-bad-csv", Place("f", 2)),
        ("sentence_good,sentence_bad,slots\n好,坏,{\n", "bad-json", Place("f", 2, part="slots")),
    ],
)
def test_problems_of_csv_are_located(rows: str, kind: str, place: Place) -> None:
    with pytest.raises(InputError) as caught:
        from_csv(rows.encode(), file="f", uid="f")
    assert [(problem.kind, problem.place) for problem in caught.value.problems] == [(kind, place)]


def test_problems_of_parquet_are_located(tmp_path: Path) -> None:
    import polars

    (tmp_path / "a.parquet").write_bytes(b"PAR1 this is not")
    with pytest.raises(InputError, match=r"a\.parquet: not a Parquet file of pairs"):
        read_pairs(tmp_path / "a.parquet")
    rows = {"sentence_good": ["好", "好"], "sentence_bad": ["坏", None]}
    polars.DataFrame(rows).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"b\.parquet:2: there is no field sentence_bad"):
        read_pairs(tmp_path / "b.parquet")
    polars.DataFrame({"sentence_good": ["好"], "sentence_bad": ["坏"], "slots": [7]}).write_parquet(
        tmp_path / "c.parquet"
    )
    with pytest.raises(InputError, match=r"c\.parquet:1: slots must be a list of objects .*found 7"):
        read_pairs(tmp_path / "c.parquet")


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        read_pairs(tmp_path / "nowhere.jsonl")
    with pytest.raises(InputError, match="no pairs in this folder"):
        read_pairs(tmp_path)
    (tmp_path / "notes.md").write_text("x")
    with pytest.raises(InputError, match=r"must end in one of: \.jsonl, \.csv, \.parquet"):
        read_pairs(tmp_path / "notes.md")


def test_half_a_character_is_refused_on_writing() -> None:
    with pytest.raises(InputError, match=r"U\+D800 is only half a character"):
        to_jsonl([Pair("好\ud800", "坏", "u", "p", 0)])


_LOAD = """
import datasets
for format in ("jsonl", "parquet"):
    name = {"jsonl": "json"}.get(format, format)
    loaded = datasets.load_dataset(name, data_files=f"{format}/*.{format}", cache_dir="cache")["train"]
    assert set(loaded.features["regions"].feature) == {"side", "start", "end", "slot", "edit"}, loaded.features
    loaded.to_json(f"{format}.jsonl", force_ascii=False)
"""


def test_datasets_loads_a_folder_of_pairs_and_gives_them_back(tmp_path: Path) -> None:
    """A benchmark in Hugging Face `datasets`, every paradigm with slots of its own, keeps all its fields."""
    python = os.environ.get("BIDUI_DATASETS")
    if not python:
        pytest.skip("BIDUI_DATASETS does not name a Python with Hugging Face datasets")
    pairs = generate("zhoblimp", n=2, seed=0)
    write_pairs(pairs, tmp_path / "jsonl")
    write_pairs(pairs, tmp_path / "parquet", format="parquet")
    elsewhere = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    elsewhere |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    subprocess.run([python, "-c", _LOAD], cwd=tmp_path, env=elsewhere, check=True, capture_output=True)
    for format in ("jsonl", "parquet"):
        loaded = read_pairs(tmp_path / f"{format}.jsonl")
        assert loaded.by_uid() == pairs.by_uid()  # as a mapping: files are in the order of their names


# Further columns: the conditions of an experiment, and whatever else a table has

OWN = "ok,star,number,distance,words,variant\nThe cat sleeps.,The cat sleep.,sg,near,2,a\nThey run.,They runs.,pl,,,\n"


def test_further_columns_of_a_table_are_kept(tmp_path: Path) -> None:
    """They were dropped without a word, and with them the conditions of an experiment."""
    (tmp_path / "own.csv").write_text(OWN, encoding="utf-8")
    first, second = read_pairs(tmp_path / "own.csv", good="ok", bad="star")
    assert first.columns == (("number", "sg"), ("distance", "near"), ("words_", "2")) and first.variant == "a"
    assert second.columns == (("number", "pl"),) and second.variant == ""  # an empty cell is no value


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_further_columns_survive_every_format(tmp_path: Path, format: Format) -> None:
    """All records of a folder have the same fields, since others load it as one table; a missing value is empty."""
    pairs = Pairs(
        (
            Pair("a", "b", "u", "p", 0, columns=(("number", "sg"), ("note", 'with "quotes", and commas'))),
            Pair("c", "d", "u", "p", 1, variant="x"),
            Pair("e", "f", "v", "p", 0, columns=(("distance", "1"),)),
        )
    )
    write_pairs(pairs, tmp_path / "pairs", format=format)
    assert list(read_pairs(tmp_path / "pairs")) == list(pairs)
    if format == "jsonl":
        records = [json.loads(line) for line in (tmp_path / "pairs/v.jsonl").read_text().splitlines()]
        assert list(records[0])[-3:] == ["number", "note", "distance"] and records[0]["number"] == ""
    assert pairs.frame.select("number", "note", "distance").rows()[1:] == [("", "", ""), ("", "", "1")]


def test_no_column_is_lost_for_its_name(tmp_path: Path) -> None:
    """pandas writes a first column without a name, and two columns of one name would be one in a record."""
    (tmp_path / "a.csv").write_text(",sentence_good,sentence_bad,x,x,pair\n7,a,b,1,2,3\n", encoding="utf-8")
    pairs = read_pairs(tmp_path / "a.csv")
    assert pairs[0].columns == (("column_1", "7"), ("x", "1"), ("x_2", "2"), ("pair_", "3"))
    assert [note.kind for note in pairs.notes] == ["pairs-columns-renamed"]
    (tmp_path / "b.jsonl").write_text('{"sentence_good": "a", "sentence_bad": "b", "n": 3, "yes": true, "no": null}\n')
    assert read_pairs(tmp_path / "b.jsonl")[0].columns == (("n", "3"), ("yes", "true"))


def test_a_pair_takes_columns_as_a_mapping_and_refuses_our_own_names() -> None:
    assert Pair("a", "b", "u", "", 0, columns={"n": 1}).columns == (("n", "1"),)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cannot have them: correct; rename it"):
        Pair("a", "b", "u", "", 0, columns=(("correct", "1"),))
