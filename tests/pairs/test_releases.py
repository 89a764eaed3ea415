"""Published benchmarks are read as they were released: their fields, folders and faults."""

import json
import os
import tarfile
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.pairs import Pair, Pairs, read_pairs


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def lines(*records: dict[str, object]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def problems(path: Path) -> list[tuple[str, str, int]]:
    with pytest.raises(InputError) as caught:
        read_pairs(path)
    found = caught.value.problems
    assert all(problem.text("en") and problem.text("zh") for problem in found)
    return [(problem.kind, Path(problem.place.file).name, problem.place.line) for problem in found]


CLIMP = ",0,1,2,3\n0,binding,binding_gender,她看她自己,1\n1,binding,binding_gender,她看他自己,0\n"


def test_climp_has_a_sentence_a_row_and_one_file_without_header(tmp_path: Path) -> None:
    """ba_construction has Windows line ends, no line end at last, and nothing but sentences."""
    write(
        tmp_path / "CLiMP_corpus/binding_gender_1000.csv",
        CLIMP + "2,binding,binding_gender,他看他自己,1\n3,binding,binding_gender,他看她自己,0\n",
    )
    write(
        tmp_path / "CLiMP_corpus/ba_construction_1000.csv", "王鑫把车扔了\r\n王鑫被车扔了\r\n我把书卖了\r\n我被书卖了"
    )
    (tmp_path / "CLiMP_corpus/.DS_Store").write_bytes(b"\0\0\0\1Bud1")
    (tmp_path / "__MACOSX/CLiMP_corpus").mkdir(parents=True)
    (tmp_path / "__MACOSX/CLiMP_corpus/._ba_construction_1000.csv").write_bytes(b"\0\5\x16\7")
    assert list(read_pairs(tmp_path)) == [
        Pair("王鑫把车扔了", "王鑫被车扔了", "ba_construction_1000", "", 0),
        Pair("我把书卖了", "我被书卖了", "ba_construction_1000", "", 1),
        Pair("她看她自己", "她看他自己", "binding_gender", "binding", 0),
        Pair("他看他自己", "他看她自己", "binding_gender", "binding", 1),
    ]


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        (CLIMP.replace(",0\n", ",1\n"), "pairs-labels", 2),
        (CLIMP.replace("1,binding,binding_gender", "1,binding,binding_number"), "pairs-labels", 2),
        (CLIMP + "2,binding,binding_gender,她看她自己,1\n", "pairs-odd", 4),
        (CLIMP + "2,binding,她看她自己,1\n", "pairs-row-width", 4),
        ("我把书卖了\n我被书卖了\n我把车卖了\n", "pairs-odd", 3),
        ("word\n苹果\n自行车\n咖啡店\n", "pairs-unlike", 1),
        ("我把书卖了\n我被书卖了\n我,你\n", "pairs-row-width", 3),
        ("sentence_good\n我把书卖了\n", "pairs-field-missing", 2),
        ("good,bad\n我把书卖了,我被书卖了\n", "pairs-field-missing", 1),
        ("", "pairs-field-missing", 1),
    ],
)
def test_csv_that_cannot_be_pairs_is_an_error(tmp_path: Path, text: str, kind: str, line: int) -> None:
    """A word list must not be taken for pairs, and a lost line must not turn good and bad round."""
    assert problems(write(tmp_path / "a.csv", text))[0] == (kind, "a.csv", line)


FIELD = (("field", "syntax"),)


def sling(good: str, bad: str, number: int, paradigm: str) -> dict[str, object]:
    fields: dict[str, object] = {"phenomenon": "Anaphor", "paradigm": paradigm, "pair_ID": number, "field": "syntax"}
    return {"sentence_good": good, "sentence_bad": bad, **fields}


def test_files_of_sling_that_share_a_name_stay_apart(tmp_path: Path) -> None:
    """All twelve files in Plural call their paradigm Plural and number their pairs from 0: they are twelve paradigms.

    The later files write Paradigm and Phenomenon, and one of them has a second, wrong phenomenon.
    """
    anaphor = tmp_path / "SLING_Data" / "Anaphor"
    plural = write(anaphor / "Plural/menself_male.jsonl", lines(sling("他们", "他", 0, "Plural")))
    write(anaphor / "Plural/menself_female.jsonl", lines(sling("她们", "她", 0, "Plural")))
    write(anaphor / "self_male.jsonl", lines(sling("他", "她", 0, "self_male"), sling("他a", "她a", 1, "self_male")))
    late: dict[str, object] = {"Phenomenon": "Reflexive_auto", "Paradigm": "animacy_effect", "pair_ID": "0"}
    write(anaphor / "reflexive_auto/animacy.jsonl", lines({"sentence_good": "甲", "sentence_bad": "乙"} | late))
    both = {"sentence_good": "丙", "sentence_bad": "丁", "phenomenon": "animacy_as_subj"} | late
    write(anaphor / "reflexive_auto/animacy_baseline.jsonl", lines(both))
    write(tmp_path / "PhenomenonParadigmList.txt", "Anaphor\n")
    assert list(read_pairs(tmp_path)) == [
        Pair("他", "她", "self_male", "Anaphor", 0, columns=FIELD),
        Pair("他a", "她a", "self_male", "Anaphor", 1, columns=FIELD),
        Pair("她们", "她", "menself_female", "Anaphor", 0, columns=FIELD),
        Pair("他们", "他", "menself_male", "Anaphor", 0, columns=FIELD),
        Pair("甲", "乙", "animacy", "Reflexive_auto", 0),
        Pair("丙", "丁", "animacy_baseline", "Reflexive_auto", 0, columns=(("phenomenon_", "animacy_as_subj"),)),
    ]
    assert list(read_pairs(plural)) == [Pair("他们", "他", "menself_male", "Anaphor", 0, columns=FIELD)]


def test_texts_of_sling_have_a_pair_per_line(tmp_path: Path) -> None:
    """With the list of paradigms that lies beside them, whose lines are no pairs."""
    write(tmp_path / "sling" / "PhenomenonParadigmList.txt", "Aspect\n\tzai_guo.jsonl\n")
    write(
        tmp_path / "sling" / "Aspect" / "zai_guo.txt", "他们在修路。@@@他们在修过路。\r\n\n她在读书。 @@@ 她在读过书。"
    )
    pairs = read_pairs(tmp_path / "sling")
    assert [(pair.uid, pair.pair_id, pair.good, pair.bad) for pair in pairs] == [
        ("zai_guo", 0, "他们在修路。", "他们在修过路。"),
        ("zai_guo", 1, "她在读书。", "她在读过书。"),
    ]
    with zipfile.ZipFile(tmp_path / "sling.zip", "w") as archive:
        archive.write(tmp_path / "sling" / "Aspect" / "zai_guo.txt", "Aspect/zai_guo.txt")
    assert tuple(read_pairs(tmp_path / "sling.zip")) == tuple(pairs)
    broken = write(tmp_path / "broken.txt", "好。@@@坏。\n好。坏。\n")
    assert problems(broken) == [("pairs-text-line", "broken.txt", 2)]
    assert problems(tmp_path / "sling" / "PhenomenonParadigmList.txt") == [
        ("pairs-text", "PhenomenonParadigmList.txt", 0)
    ]


def test_several_paradigms_in_one_file_keep_their_names(tmp_path: Path) -> None:
    """Whoever has put SLING into one file has only the field to go by."""
    file = write(tmp_path / "sling.jsonl", lines(sling("甲", "乙", 0, "zai_le"), sling("丙", "丁", 0, "zai_guo")))
    assert [pair.uid for pair in read_pairs(file)] == ["zai_le", "zai_guo"]


JBLIMP: dict[str, object] = {
    **{"ID": 7, "good_sentence": "本を読んだ。", "bad_sentence": "本が読んだ。", "type": "acceptability"},
    **{"phenomenon": "control/raising", "phenomenon-2": None, "paradigm": "subject control"},
}
JBLIMP_CSV = (
    "ID,year,bad_sentence_raw,bad_sentence,good_sentence_raw,good_sentence,type,phenomenon,phenomenon-2,paradigm\r\n"
    "7,2006,本が,本が読んだ。,,本を読んだ。,acceptability,control/raising,,subject control\r\n"
)


def test_jblimp_is_read_once_though_it_is_there_in_two_formats(tmp_path: Path) -> None:
    write(tmp_path / "validated_minimal_pairs.jsonl", lines(JBLIMP))
    write(tmp_path / "raw_minimal_pairs.csv", JBLIMP_CSV)
    pair = Pair("本を読んだ。", "本が読んだ。", "subject control", "control/raising", 7)
    raw = (("year", "2006"), ("bad_sentence_raw", "本が"), ("type", "acceptability"))
    assert read_pairs(tmp_path) == Pairs((replace(pair, columns=raw),))
    for file, columns in (("validated_minimal_pairs.jsonl", raw[2:]), ("raw_minimal_pairs.csv", raw)):
        assert read_pairs(tmp_path / file) == Pairs((replace(pair, columns=columns),))


def test_other_pairs_of_the_same_uid_are_an_error(tmp_path: Path) -> None:
    """JBLiMP's raw pairs and the validated ones are under the same names: most would count twice."""
    write(tmp_path / "raw/pairs.csv", JBLIMP_CSV)
    write(tmp_path / "validated/pairs.csv", JBLIMP_CSV.replace("7,2006", "8,2006"))
    assert problems(tmp_path) == [("pairs-uid-shared", "pairs.csv", 0)]
    with pytest.raises(
        InputError, match=r"validated/pairs.csv: .*raw/pairs.csv has different pairs with the same uid, subj"
    ):
        read_pairs(tmp_path)


def test_one_name_in_two_folders_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "en/agreement.jsonl", lines({"sentence_good": "a", "sentence_bad": "b"}))
    write(tmp_path / "de/agreement.jsonl", lines({"sentence_good": "c", "sentence_bad": "d"}))
    assert problems(tmp_path) == [("pairs-uid-shared", "agreement.jsonl", 0)]


def test_a_paradigm_may_be_shared_out_among_files_of_a_folder(tmp_path: Path) -> None:
    for number in (0, 1):
        record: dict[str, object] = {"sentence_good": "好", "sentence_bad": "坏", "UID": "u", "pairID": str(number)}
        write(tmp_path / f"{number}.jsonl", lines(record))
    assert [pair.pair_id for pair in read_pairs(tmp_path)] == [0, 1]
    write(tmp_path / "2.jsonl", lines({"sentence_good": "另", "sentence_bad": "坏", "UID": "u", "pairID": "1"}))
    assert problems(tmp_path) == [("pairs-uid-shared", "2.jsonl", 0)]


def test_names_in_capitals_are_read_and_links_upwards_end(tmp_path: Path) -> None:
    write(tmp_path / "inner/A.CSV", "\ufeffsentence_good,sentence_bad\r\n好,坏\r\n")
    (tmp_path / "inner/up").symlink_to(tmp_path)
    assert list(read_pairs(tmp_path)) == [Pair("好", "坏", "A", "", 0)]


def test_an_archive_that_needs_another_program_is_to_be_unpacked(tmp_path: Path) -> None:
    write(tmp_path / "CLiMP_corpus.7z", "7z")
    assert problems(tmp_path) == problems(tmp_path / "CLiMP_corpus.7z") == [("pairs-archive", "CLiMP_corpus.7z", 0)]
    (tmp_path / "empty").mkdir()
    assert problems(tmp_path / "empty") == [("pairs-none", "empty", 0)]


@pytest.fixture(scope="module")
def data() -> Path:
    shared = os.environ.get("BIDUI_SHARED")
    if not shared:
        pytest.skip("BIDUI_SHARED does not name the folder of published data, so no release was read")
    return Path(shared) / "data"


def sizes(pairs: Pairs) -> Counter[int]:
    """How many paradigms there are of each size."""
    return Counter(len(own) for own in pairs.by_uid().values())


def test_the_release_of_climp(data: Path, tmp_path: Path) -> None:
    """16 paradigms of 1,000 pairs, 9 phenomena (Xiang et al. 2021); the file of ba_construction does not say which."""
    with zipfile.ZipFile(data / "climp" / "CLiMP_corpus.zip") as archive:
        archive.extractall(tmp_path)
    pairs = read_pairs(tmp_path)
    assert pairs == read_pairs(data / "climp") == read_pairs(data / "climp" / "CLiMP_corpus.zip")
    assert sizes(pairs) == {1000: 16}
    assert pairs == read_pairs(tmp_path / "CLiMP_corpus")
    assert sizes(read_pairs(tmp_path / "CLiMP_corpus" / "ba_construction_1000.csv")) == {1000: 1}
    assert len({pair.phenomenon for pair in pairs}) == 9
    assert {pair.uid for pair in pairs if not pair.phenomenon} == {"ba_construction_1000"}


def test_the_release_of_sling(data: Path, tmp_path: Path) -> None:
    """38 paradigms of 1,000 pairs (Song et al. 2022), two of them also as they were before; 14 of a later paper."""
    with tarfile.open(data / "sling" / "SLING_Data.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    pairs = read_pairs(tmp_path)
    assert pairs == read_pairs(data / "sling" / "SLING_Data.tar.xz")
    assert sizes(pairs) == {1000: 40, 40: 14}
    large = {uid: own for uid, own in pairs.by_uid().items() if len(own) == 1000}
    superseded = {uid.removesuffix("_v2") for uid in large if uid.endswith("_v2")}
    assert superseded == {"cl_comp_noun", "cl_adj_comp_noun"}
    assert len(large.keys() - superseded) == 38
    files = sorted(tmp_path.rglob("*.jsonl"))
    assert sorted(pairs.by_uid()) == sorted(file.stem for file in files)
    assert sizes(read_pairs(files[0])) == {1000: 1}


def test_the_release_of_jblimp(data: Path) -> None:
    """331 validated pairs in 11 phenomena, of 367 raw ones (Someya and Oseki 2023)."""
    validated = read_pairs(data / "jblimp" / "validated")
    assert (len(validated), len({pair.phenomenon for pair in validated})) == (331, 11)
    assert len(read_pairs(data / "jblimp" / "raw")) == 367
    for file in (data / "jblimp" / "validated").iterdir():
        # one of the files has a further column, `type`
        assert [replace(pair, columns=()) for pair in read_pairs(file)] == [
            replace(pair, columns=()) for pair in validated
        ]
    with pytest.raises(InputError, match="has different pairs with the same uid"):
        read_pairs(data / "jblimp")


def test_the_release_of_blimp(data: Path, tmp_path: Path) -> None:
    """17 of the 67 paradigms of 1,000 pairs (Warstadt et al. 2020)."""
    with tarfile.open(data / "blimp" / "blimp-16-paradigms.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    pairs = read_pairs(tmp_path)
    assert sizes(pairs) == {1000: 17}
    assert all(pair.phenomenon for pair in pairs)
