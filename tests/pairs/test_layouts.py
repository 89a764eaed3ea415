"""The layouts of released benchmarks, in small samples of our own: what is read, what is said, and what is left out."""

import json
from pathlib import Path

import polars as pl
import pytest

from bidui.errors import InputError, Place
from bidui.pairs import Pair, Region, read_pairs
from bidui.pairs.layouts import Comparison, comparisons_of


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def notes(path: Path, **columns: str) -> list[str]:
    """The notes on a path; their words are there in both languages."""
    found = read_pairs(path, **columns).notes
    assert all(note.text("zh") and note.severity == "warning" for note in found)
    return [note.text() for note in found]


def message(path: Path, **columns: str) -> str:
    with pytest.raises(InputError) as caught:
        read_pairs(path, **columns)
    assert all(problem.text("zh") for problem in caught.value.problems)
    return str(caught.value)


RUBLIMP = (
    "id,source,phenomenon,PID,subtype,source_sentence,target_sentence,source_word,words\n"
    "a-7,wiki,government,verb_acc,x,Он читает книгу.,Он читает книге.,книгу,книга\n"
    'b-9,wiki,government,verb_acc,x,"Она, кажется, видит дом.","Она, кажется, видит дому.",дом,дом\n'
)


def test_rublimp_has_the_good_sentence_as_the_source(tmp_path: Path) -> None:
    """Its ids are not numbers, and its words are not ours, so neither is read as such, but both are kept."""
    file = write(tmp_path / "verb_acc.csv", RUBLIMP)
    first = {"id": "a-7", "source": "wiki", "subtype": "x", "source_word": "книгу", "words_": "книга"}
    second = first | {"id": "b-9", "source_word": "дом", "words_": "дом"}
    assert list(read_pairs(file)) == [
        Pair("Он читает книгу.", "Он читает книге.", "verb_acc", "government", 0, columns=tuple(first.items())),
        Pair(
            "Она, кажется, видит дом.",
            "Она, кажется, видит дому.",
            "verb_acc",
            "government",
            1,
            columns=tuple(second.items()),
        ),
    ]
    assert notes(file) == [
        "1 file in the layout of RuBLiMP: `source_sentence` is read as the good sentence, `target_sentence` as the bad"
        " one, `PID` as the paradigm"
    ]


def test_multiblimp_has_one_folder_per_language(tmp_path: Path) -> None:
    """The phenomena are the same in all languages, so the language must be part of the paradigm's name."""
    head = "sen\twrong_sen\tphenomenon\tverb\n"
    write(tmp_path / "eng/data.tsv", head + "The cat sleeps.\tThe cat sleep.\tSV-#\tsleeps\n")
    write(tmp_path / "deu/data.tsv", head + "Er schläft.\tEr schlafe.\tSV-P\tschläft\n")
    assert list(read_pairs(tmp_path)) == [
        Pair("Er schläft.", "Er schlafe.", "deu_SV-P", "SV-P", 0, columns=(("verb", "schläft"),)),
        Pair("The cat sleeps.", "The cat sleep.", "eng_SV-#", "SV-#", 0, columns=(("verb", "sleeps"),)),
    ]
    [note] = read_pairs(tmp_path).notes
    assert str(note) == (
        f"{tmp_path}: 2 files in the layout of MultiBLiMP: `sen` is read as the good sentence, `wrong_sen` as the bad"
        " one, `phenomenon` as the paradigm"
    )
    column = write(tmp_path / "all.tsv", "language\t" + head + "eng\tHe sleeps.\tHe sleep.\tSV-#\tsleeps\n")
    assert list(read_pairs(column)) == [
        Pair("He sleeps.", "He sleep.", "eng_SV-#", "SV-#", 0, columns=(("verb", "sleeps"),))
    ]


def test_blimp_nl_and_turblimp_have_the_columns_of_blimp(tmp_path: Path) -> None:
    dutch = (
        "item,linguistic_phenomenon,paradigm,sentence_good,sentence_bad\n1,adverbs,order,Zij zingt nu.,Zij nu zingt.\n"
    )
    file = write(tmp_path / "nl.csv", dutch)
    assert list(read_pairs(file)) == [
        Pair("Zij zingt nu.", "Zij nu zingt.", "order", "adverbs", 0, columns=(("item", "1"),))
    ]
    assert "in the layout of BLiMP-NL" in notes(file)[0]
    # saved by a spreadsheet in a country where the comma is in numbers
    semicolons = write(tmp_path / "nl2.csv", dutch.replace(",", ";"))
    assert list(read_pairs(semicolons)) == list(read_pairs(file))
    turkish = write(tmp_path / "anaphor.csv", "sentence_good,sentence_bad,length\nKendimi gördüm.,Kendini gördüm.,2\n")
    assert list(read_pairs(turkish)) == [
        Pair("Kendimi gördüm.", "Kendini gördüm.", "anaphor", "", 0, columns=(("length", "2"),))
    ]


def test_parquet_and_json_have_the_same_layouts(tmp_path: Path) -> None:
    record = {"sen": "He sleeps.", "wrong_sen": "He sleep.", "phenomenon": "SV-#", "lang": "eng"}
    pair = [Pair("He sleeps.", "He sleep.", "eng_SV-#", "SV-#", 0)]
    pl.DataFrame([record]).write_parquet(tmp_path / "a.parquet")
    assert list(read_pairs(tmp_path / "a.parquet")) == pair
    for text in (
        json.dumps([record]),
        json.dumps({"version": 1, "data": [record]}, indent=2),
        json.dumps(record),
        f"{json.dumps(record)}\n",
    ):
        assert list(read_pairs(write(tmp_path / "a.json", text))) == pair
    lines = write(tmp_path / "b.json", f"{json.dumps(record)}\n{json.dumps(record)}\n")
    assert [one.pair_id for one in read_pairs(lines)] == [0, 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "a.json:1:2: not valid JSON"),
        ("3", "a.json: a line must be a JSON object"),
        ('["x"]', 'a.json record 1: a line must be a JSON object with sentence_good and sentence_bad, not "x"'),
        ('[{"sen": "a", "wrong_sen": "b"}, {"sen": 3, "wrong_sen": "b"}]', "a.json record 2: sen must be text, not 3"),
    ],
)
def test_json_that_is_not_pairs_is_located(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in message(write(tmp_path / "a.json", text))


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ('a\tb\n"Yes."\t"No."\n', '"Yes."', '"No."'),  # not quoted at all: the marks are the sentence's own
        ('a\tb\n"Yes," he said.\tNo.\n', '"Yes," he said.', "No."),
        ('a\tb\n"""Yes."""\tNo.\n', '"Yes."', "No."),  # quoted as pandas does where it must
        ('"a"\t"b"\n"Yes."\t"No."\n', "Yes.", "No."),  # quoted as R does, everywhere
        ("a\tb\r\nYes.\tNo.\r\n", "Yes.", "No."),
    ],
)
def test_quotation_marks_in_tsv_are_neither_lost_nor_added(tmp_path: Path, text: str, good: str, bad: str) -> None:
    file = write(tmp_path / "t.tsv", text)
    assert list(read_pairs(file, good="a", bad="b")) == [Pair(good, bad, "t", "", 0)]


def test_columns_are_named_where_no_layout_is_known(tmp_path: Path) -> None:
    file = write(tmp_path / "t.tsv", "ok\tstar\ttype\tarea\twords\nHe ran.\tHe run.\tverb\tsyntax\t{\n")
    told = message(file)
    assert "t.tsv:1: there is no field sentence_good; the fields are: ok, star, type, area, words" in told
    assert "`--good FIELD --bad FIELD`, and `--paradigm FIELD`" in told
    further = (("type", "verb"), ("area", "syntax"), ("words_", "{"))
    assert list(read_pairs(file, good="ok", bad="star")) == [Pair("He ran.", "He run.", "t", "", 0, columns=further)]
    named = {"good": "ok", "bad": "star", "paradigm": "type", "phenomenon": "area"}
    assert list(read_pairs(file, **named)) == [Pair("He ran.", "He run.", "verb", "syntax", 0, columns=further)]
    assert notes(file, **named) == ["bidui uses this name itself: words; the column is kept as words_"]
    assert "there is no column nope; the columns are: ok, star" in message(file, good="nope", bad="star")
    assert "names only one of the two sentences" in message(file, good="ok")
    twice = write(tmp_path / "u.csv", "ok,star,ok\na,b,c\n")
    assert "u.csv:1: the column ok occurs twice" in message(twice, good="ok", bad="star")


@pytest.mark.parametrize("name", ["pairID", "pair_id", "id"])
def test_whole_numbers_of_an_own_table_number_its_pairs(tmp_path: Path, name: str) -> None:
    """People look a pair up by the number it has in their file, not by its row; the column is then not kept twice."""
    rows = f"{name},ok,star,type\n11,a,b,x\n07,c,d,x\n11,e,f,y\n"
    pairs = read_pairs(write(tmp_path / "t.csv", rows), good="ok", bad="star", paradigm="type")
    assert [(pair.uid, pair.pair_id, dict(pair.columns)) for pair in pairs] == [
        ("x", 11, {"type": "x"}),
        ("x", 7, {"type": "x"}),
        ("y", 11, {"type": "y"}),
    ]
    assert pairs.notes == ()
    blimp = write(tmp_path / "b.csv", f"{name},sentence_good,sentence_bad\n5,a,b\n9,c,d\n")
    assert [(pair.pair_id, pair.columns) for pair in read_pairs(blimp)] == [(5, ()), (9, ())]


@pytest.mark.parametrize(
    ("name", "ids", "kept", "told"),
    [
        ("id", ("a-1", "a-2"), "id", []),  # names
        ("id", ("1", "1"), "id", []),  # items of an experiment, of which each has several pairs
        ("id", ("1", ""), "id", []),
        ("id", ("1", "9999999999"), "id", []),  # larger than a table of scores can store
        ("pairID", ("a-1", "a-2"), "id", ["bidui uses this name itself: pairID; the column is kept as id"]),
    ],
)
def test_other_ids_stay_a_column_and_rows_are_counted(
    tmp_path: Path, name: str, ids: tuple[str, str], kept: str, told: list[str]
) -> None:
    file = write(tmp_path / "t.csv", f"{name},ok,star\n{ids[0]},a,b\n{ids[1]},c,d\n")
    pairs = read_pairs(file, good="ok", bad="star")
    assert [(pair.pair_id, dict(pair.columns).get(kept, "")) for pair in pairs] == [*enumerate(ids)]
    assert notes(file, good="ok", bad="star") == told


def test_a_further_id_does_not_replace_the_number_that_blimp_gives(tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv", "pairID,id,sentence_good,sentence_bad\n3,8,a,b\n")
    assert [(pair.pair_id, pair.columns) for pair in read_pairs(file)] == [(3, (("id", "8"),))]


def test_spreadsheets_and_gbk_are_refused_with_what_to_do(tmp_path: Path) -> None:
    """GBK is not guessed: text in Latin-1 often passes for it, and would be scored as other sentences."""
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04")
    (tmp_path / "b.csv").write_bytes(b"PK\x03\x04")
    for name in ("a.xlsx", "b.csv"):
        assert "this is a spreadsheet" in message(tmp_path / name) and "CSV UTF-8" in message(tmp_path / name)
    (tmp_path / "c.csv").write_bytes("sentence_good,sentence_bad\n好,坏\n".encode("gbk"))
    assert "c.csv:2: byte 0xba is not valid UTF-8" in message(tmp_path / "c.csv")
    assert "iconv -f GB18030" in message(tmp_path / "c.csv")


def test_a_known_layout_can_be_read_by_another_column(tmp_path: Path) -> None:
    file = write(tmp_path / "verb_acc.csv", RUBLIMP)
    assert [pair.uid for pair in read_pairs(file, paradigm="source")] == ["wiki", "wiki"]


def test_rows_without_a_sentence_are_counted_and_named(tmp_path: Path) -> None:
    file = write(tmp_path / "a.csv", RUBLIMP + "c,wiki,government,verb_acc,x,Он спит., ,спит,\n")
    pairs = read_pairs(file)
    assert len(pairs) == 2
    assert notes(file)[1] == "1 row was left out, because one of the sentences is empty; line: 4"


def test_other_tables_beside_the_pairs_are_named_and_not_read(tmp_path: Path) -> None:
    """A release has its settings and human judgements in the same folder; a damaged file of pairs is no such table."""
    write(tmp_path / "eng/data.tsv", "sen\twrong_sen\tphenomenon\na\tb\tSV-#\n")
    write(tmp_path / "dataset_info.json", '{"config": "x"}')
    write(tmp_path / "human.tsv", "uid\tn\nx\t3\n")
    assert len(read_pairs(tmp_path)) == 1
    [left] = [note for note in notes(tmp_path) if "not read" in note]
    assert "2 files were not read, because nothing in them has the fields of a pair" in left
    assert "dataset_info.json" in left and "human.tsv" in left
    write(tmp_path / "deu/data.tsv", "sen\twrong_sen\tphenomenon\na\tb\n")
    assert "deu/data.tsv:2: the row has 2 fields" in message(tmp_path)
    (tmp_path / "deu/data.tsv").unlink()
    (tmp_path / "eng/data.tsv").unlink()
    assert "human.tsv:1: there is no field sentence_good" in message(tmp_path)


# SyntaxGym

SUITE = {
    "meta": {"name": "number_prep", "metric": "sum"},
    "region_meta": {"1": "subject", "2": "phrase", "3": "verb", "4": "end"},
    "predictions": [
        {"type": "formula", "formula": "(3;%sing%) < (3;%mismatch%)"},
        {"type": "formula", "formula": "[(3;%plur%) < (3;%mismatch%)] & [(3;%sing%) < (3;%mismatch%)]"},
        {"type": "formula", "formula": "((3;%sing%) - (3;%mismatch%)) < ((4;%plur%) - (3;%plur%))"},
    ],
    "items": [
        {
            "item_number": 1,
            "conditions": [
                {
                    "condition_name": name,
                    "regions": [
                        {"region_number": 1, "content": subject},
                        {"region_number": 2, "content": ""},
                        {"region_number": 3, "content": verb},
                        {"region_number": 4, "content": "."},
                    ],
                }
                for name, subject, verb in (
                    ("sing", "The boy", "runs"),
                    ("plur", "The boys", "run"),
                    ("mismatch", "The boy", "run"),
                )
            ],
        },
        {
            "item_number": 2,
            "conditions": [{"condition_name": "sing", "regions": [{"region_number": 3, "content": "She runs"}]}],
        },
    ],
}


def test_a_suite_of_syntaxgym_gives_a_pair_per_item_and_comparison(tmp_path: Path) -> None:
    """The compared region is marked: "The boy runs ." has runs at 8 to 12, "The boy run ." has run at 8 to 11."""
    file = write(tmp_path / "suite.json", json.dumps(SUITE))
    pairs = list(read_pairs(file))
    regions = (Region("good", 8, 12, "verb", "predict"), Region("bad", 8, 11, "verb", "predict"))
    assert pairs[0] == Pair(
        "The boy runs .",
        "The boy run .",
        "number_prep_1",
        "number_prep",
        0,
        variant="sing < mismatch",
        regions=regions,
    )
    assert [(pair.uid, pair.pair_id, pair.good, pair.variant) for pair in pairs[1:]] == [
        ("number_prep_2", 0, "The boys run .", "plur < mismatch"),
        ("number_prep_2", 1, "The boy runs .", "sing < mismatch"),
    ]
    told = notes(file)
    assert told[0].startswith("a suite of SyntaxGym: 3 pairs of whole sentences, from the conditions that its 3")
    assert told[1].endswith(f"left out: 3: {SUITE['predictions'][2]['formula']}")  # type: ignore[index]
    assert "3 comparisons were left out" in told[2]
    assert "2 (sing, mismatch)" in told[2] and "2 (plur, mismatch)" in told[2]


def test_regions_of_chinese_are_joined_without_blanks(tmp_path: Path) -> None:
    regions = [
        {"region_number": n, "content": text} for n, text in enumerate(("小王", "用", "Python", "写书", "。"), 1)
    ]
    conditions = [{"condition_name": "a", "regions": regions}, {"condition_name": "b", "regions": regions[::-1]}]
    suite = {"predictions": [{"formula": "(*;%a%) < (*;%b%)"}], "items": [{"item_number": 1, "conditions": conditions}]}
    [pair] = read_pairs(write(tmp_path / "zh.json", json.dumps(suite)))
    assert pair == Pair("小王用 Python 写书。", "。写书 Python 用小王", "zh", "zh", 0, variant="a < b")


@pytest.mark.parametrize("broken", [{"items": [{}], "predictions": []}, {"items": [], "predictions": [{}]}])
def test_a_broken_suite_is_told(tmp_path: Path, broken: dict[str, object]) -> None:
    assert "not a suite of SyntaxGym that can be read: KeyError" in message(
        write(tmp_path / "s.json", json.dumps(broken))
    )


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("(7;%a%) < (7;%b%)", [Comparison("a", "b", (7,), (7,))]),
        ("(7;%a%) > (7;%b%)", [Comparison("b", "a", (7,), (7,))]),
        ("((6;%a%) + (7;%a%)) < ((6;%b%) + (7;%b%))", [Comparison("a", "b", (6, 7), (6, 7))]),
        ("((6;%a%) - (6;%b%)) < 0", [Comparison("a", "b", (6,), (6,))]),
        ("0 < -(5;%a%) + (6;%b%)", [Comparison("a", "b", (5,), (6,))]),
        ("(*;%a%) < (*;%b%)", [Comparison("a", "b", (), ())]),
        (
            "[(6;%a%) < (6;%b%)] & ((6;%c%) > (6;%d%))",
            [Comparison("a", "b", (6,), (6,)), Comparison("d", "c", (6,), (6,))],
        ),
        # what is not a comparison of one condition with another
        ("((6;%a%) - (6;%b%)) < ((6;%c%) - (6;%d%))", []),
        ("((6;%a%) < (6;%b%)) | ((6;%c%) < (6;%d%))", []),
        ("((6;%a%) < (6;%b%)) & ((6;%a%) < 3)", []),
        ("(6;%a%) = (6;%b%)", []),
        ("(6;%a%) < (7;%a%)", []),
        ("(6;%a%) + (6;%a%) < (6;%b%)", []),
        ("(6;%a%)", []),
        ("(6;%a%) <", []),
        ("(6;%a%) < (6;%b%) )", []),
        ("(6;%a%) × (6;%b%)", []),
        ("", []),
    ],
)
def test_formulas_are_read_as_comparisons_or_not_at_all(formula: str, expected: list[Comparison]) -> None:
    """In a formula the side with the lower surprisal is the better one."""
    assert comparisons_of(formula) == expected


def test_the_place_of_a_record_is_written_in_both_languages() -> None:
    assert Place("a.json", part="record 2").text("zh") == "a.json 记录 2"
