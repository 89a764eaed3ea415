"""Classic templates are converted to what their authors meant."""

import json
import os
from pathlib import Path

import pytest

from bidui.grammar.classic import import_classic, read_classic
from bidui.grammar.generate import count_pairs
from bidui.grammar.network import Compiler
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.project import Project, load_project, write_project


def imported(folder: Path) -> Project:
    phrases = folder / "phrases.json"
    return read_classic(folder / "templates", vocabulary=folder / "vocabulary.tsv", phrases=phrases)


def shown(paradigm: Paradigm) -> list[tuple[str, str, dict[str, str]]]:
    """Each variant as its good line, bad line and slots."""
    return [
        (str(v.good), str(v.bad), {name: str(slot.rule) for name, slot in v.slots.items()}) for v in paradigm.variants
    ]


NR, INTRAN = "pos:NR", "pos:VV transitivity:intran"

# worked out by hand from the templates in conftest.py
EXPECTED: dict[str, tuple[str, str, dict[str, str]]] = {
    "order": (
        "person 把 noun verb 了 。",
        "把 noun person verb 了 。",
        {
            "person": "phrase:Person",
            "noun": "pos:NN subcat:obj/food",
            "verb": "pos:VV mPos:noun mPro:tran_verb",
        },
    ),
    "mismatch": (
        "name verb word classifier noun",
        "name verb word bad_classifier noun",
        {
            "name": NR,
            "verb": "pos:VV mPos:noun mPro:tran_verb",
            "word": "三 五",
            "classifier": "pos:M mPos:noun mPro:classifier",
            "noun": "pos:NN subcat:beverage",
            "bad_classifier": "pos:M mmPos:noun mmPro:classifier",
        },
    ),
    "long_keywords": (
        "name 喜欢 pronoun 自己 。",
        "name 喜欢 bad_pronoun 自己 。",
        {
            "name": NR,
            "pronoun": "pos:PN mPos:name mPro:gender/number",
            "bad_pronoun": "pos:PN mmPos:name mmPro:gender",
        },
    ),
    "insertion": (
        "name verb 了",
        "name bad_word verb 。",
        {"name": NR, "verb": INTRAN, "bad_word": "也 已经"},
    ),
    # mPro:expression is the same word again, so no slot of its own; on the bad side both come to the one verb
    "copied_verb": ("name verb 不 verb ？", "name 不 verb verb ？", {"name": NR, "verb": INTRAN}),
    "different_word": (
        "name1 喜欢 name2 。",
        "喜欢 name1 name2 。",
        {"name1": NR, "name2": "pos:NR mmPos:name1 mmPro:expression"},
    ),
    # neither stays in its place: the first of the bad side is the first of the good side
    "choice": ("name1 喜欢 name2 也 聪明", "喜欢 name1 也 聪明 name2", {"name1": NR, "name2": NR}),
    # both stay in their places, so the third is a copy, of the first
    "copy_of_two": ("name1 name2 聪明", "name1 name2 聪明 name1", {"name1": NR, "name2": NR}),
    # -1 of NP is p2 in both alternatives; of ComplexPerson it is another part in each
    "overrides": (
        "np1 complex_person np2",
        "np1 也 np2",
        {
            "np1": "phrase:NP p2:<animate:1>",
            "complex_person": "phrase:ComplexPerson -1:<subcat:person>",
            "np2": "phrase:NP p1:<classifier:位>",
        },
    ),
    # 他 is referred to and so a slot; position 1 of the bad side, and -4, is where 他 has moved to
    "literal_reference": (
        "word 喜欢 name 。",
        "喜欢 word bad_name 。 bad_pronoun",
        {
            "word": "他",
            "name": "pos:NR mPos:word mPro:gender",
            "bad_name": "pos:NR mmPos:word mmPro:gender",
            "bad_pronoun": "pos:PN mPos:word mPro:expression",
        },
    ),
    "alternatives": (
        "name word adverb 聪明",
        "name 聪明 adverb word",
        {"name": "pos:NR | phrase:Person | pos:PN number:plural", "word": "受 被", "adverb": 'pos:AD | ""'},
    ),
    "blanks": ("name verb 不 。", "name verb 也 。", {"name": NR, "verb": INTRAN}),
    "bad_list_counts": (
        "noun 三 classifier 。",
        "三 bad_classifier noun 。",
        {
            "noun": "pos:NN",
            "classifier": "pos:M mPos:noun mPro:classifier",
            "bad_classifier": "pos:M mmPos:noun mmPro:classifier",
        },
    ),
    # the noun 工作 and the verb 工作 are two rows: no plain copy, but one form
    "homograph": (
        "noun ， verb 。",
        "bad_verb ， noun 。",
        {
            "noun": "pos:NN",
            "verb": "pos:VV mPos:noun mPro:expression",
            "bad_verb": "pos:VV mPos:noun mPro:expression",
        },
    ),
}


@pytest.mark.parametrize("uid", EXPECTED)
def test_lines_and_slots_are_what_the_authors_meant(published: Path, uid: str) -> None:
    found = {paradigm.uid: paradigm for paradigm in imported(published).paradigms}
    assert shown(found[uid]) == [EXPECTED[uid]]


def test_files_with_one_uid_are_variants_of_one_paradigm(published: Path) -> None:
    """Three published templates shared a uid, and each run kept the output of one."""
    found = {paradigm.uid: paradigm for paradigm in imported(published).paradigms}
    assert found.keys() == {*EXPECTED, "three_files"}
    three = found["three_files"]
    assert three.phenomenon == "raising"
    assert [v.name for v in three.variants] == ["1", "2", "3"]
    assert shown(three) == [
        ("name 睡觉", "睡觉 name", {"name": "pos:NR"}),
        ("pronoun 工作", "工作 pronoun", {"pronoun": "pos:PN"}),
        ("noun 工作", "工作 noun", {"noun": "pos:NN animate:1"}),
    ]


def test_options_come_along(published: Path) -> None:
    found = {paradigm.uid: paradigm for paradigm in imported(published).paradigms}
    assert found["order"].equal_length
    assert not found["choice"].equal_length
    assert {paradigm.separator for paradigm in found.values()} == {None}  # the project's own, which is ""
    assert found["homograph"].phenomenon == "unnamed"
    # 工作 may stand twice there, by the author's wish; elsewhere words differ
    assert found["homograph"].variants[0].repeat == (("noun", "verb"), ("noun", "bad_verb"))
    assert found["literal_reference"].variants[0].repeat == (("word", "bad_pronoun"),)
    assert found["copied_verb"].variants[0].repeat == ()


def test_a_template_with_another_separator_keeps_it(published: Path) -> None:
    path = published / "templates" / "a.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), "sep": " "}), encoding="utf-8")
    read = imported(published)
    assert read.settings.separator == ""
    assert {p.uid for p in read.paradigms if p.separator == " "} == {"order"}


def test_phrases_have_parts_in_every_shape_of_the_file(published: Path) -> None:
    phrases = imported(published).phrases
    lines = {name: [str(alternative.line) for alternative in phrase.alternatives] for name, phrase in phrases.items()}
    assert lines == {
        "Person": ["word", "word"],
        "Det": ["word", "word"],
        "NP": ["p0 p1 p2", "p0 p1 p2"],
        "ComplexPerson": ["word", "p0 p1 p2"],
        "VnotV": ["p0 p1 p0"],  # the third copies the first
    }
    second = phrases["NP"].alternatives[1]
    assert {name: str(part.rule) for name, part in second.parts.items()} == {
        "p0": "phrase:Det",
        "p1": "pos:M mPos:p2 mPro:classifier",
        "p2": "pos:NN animate:1",
    }
    assert [a.head for a in phrases["ComplexPerson"].alternatives] == ["word", ""]


def test_everything_guessed_is_said(published: Path) -> None:
    read = imported(published)
    assert read.errors == ()
    assert sorted((p.kind, p.place.file, p.place.part) for p in read.problems) == [
        ("classic-blanks", "l.json", "bad_rule[1]"),
        ("classic-copy-choice", "h.json", "bad_rule[3]"),
        ("classic-move-choice", "g.json", "bad_rule[1]"),
        ("classic-phenomenon-empty", "p.json", ""),
        ("classic-phenomenon-empty", "q.json", ""),
        ("classic-uid-merged", "n.json", ""),
    ]
    choice = next(p for p in read.problems if p.kind == "classic-move-choice")
    assert str(choice) == (
        "g.json:16:10 bad_rule[1]: pos:NR occurs more than once in `good_rule`: this one was read as good_rule[0],"
        " but could be good_rule[2]; check the bad line, or distinguish the rules by a feature"
    )
    merged = next(p for p in read.problems if p.kind == "classic-uid-merged")
    assert "n.json, o.json, p.json" in str(merged)


def test_the_project_that_is_written_is_the_one_that_was_read(published: Path, tmp_path: Path) -> None:
    read = imported(published)
    write_project(read, tmp_path / "project")
    project = load_project(tmp_path / "project")
    assert project.settings == read.settings
    assert project.lexicon == read.lexicon
    assert project.phrases == read.phrases
    assert project.paradigms == read.paradigms
    assert project.problems == ()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_importing_twice_gives_the_same_bytes(published: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_project(imported(published), tmp_path / name)
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.*"))
    assert len(files) == 3 + len(EXPECTED) + 1
    assert all((tmp_path / "one" / f).read_bytes() == (tmp_path / "two" / f).read_bytes() for f in files if f.suffix)


def test_nested_phrases_are_counted_word_by_word(published: Path) -> None:
    """The index of an override counts the words of the phrases inside, which the original wrote out first."""
    phrases = {
        "N": [["pos:DT", "pos:NN"]],
        "Outer": [["也", "phrase:N"]],
        "Mixed": [["也", "phrase:N"], ["也", "已经", "pos:NN"]],
    }
    (published / "phrases.json").write_text(json.dumps(phrases), encoding="utf-8")
    for path in (published / "templates").iterdir():
        path.unlink()
    rules = ["phrase:Outer -1:<animate:1>", "phrase:Outer 1:<subcat:near,here>", "phrase:N 0:<pos:DT>"]
    template = {"uid": "x", "phenomenon": "y", "strict_MP": False, "sep": ""}
    text = json.dumps({**template, "good_rule": [*rules, "a"], "bad_rule": [*rules, "b"]})
    (published / "templates" / "x.json").write_text(text, encoding="utf-8")
    read = imported(published)
    assert read.errors == ()
    assert [str(slot.rule) for slot in read.paradigms[0].variants[0].slots.values()][:3] == [
        "phrase:Outer p1.p1:<animate:1>",
        r"phrase:Outer p1.p0:<subcat:near\,here>",
        "phrase:N p0:<pos:DT>",
    ]


def typed(kind: str, rule: object) -> dict[str, object]:
    """A rule as the authors' phrase file has it."""
    return {"type": kind, "rule": rule}


# what the strings in conftest.py say, by hand, in the shape of the authors' file
OBJECTS: dict[str, object] = {
    "Person": [[typed("Lexical", {"pos": "NR"})], [typed("Lexical", {"pos": "PN", "number": "singular"})]],
    "Det": [[typed("Direct", ["这"])], [typed("Direct", ["那"])]],
    "NP": [
        [
            typed("Lexical", {"pos": "CD"}),
            typed("Matched", {"pos": "M", "matchedPosition": "2", "matchedProperties": ["classifier"]}),
            typed("Lexical", {"pos": "NN", "matchedPosition": "", "matchedProperties": []}),
        ],
        [
            typed("Phrase", {"name": "Det"}),
            typed("Matched", {"pos": "M", "matchedPosition": 2, "matchedProperties": "classifier"}),
            typed("Lexical", {"pos": "NN", "animate": 1}),
        ],
    ],
    "ComplexPerson": [
        [typed("Phrase", {"name": "Person"})],
        [
            typed("Phrase", {"name": "Det"}),
            typed("Direct", ["位"]),
            typed("Lexical", {"pos": ["NN"], "subcat": "person"}),
        ],
    ],
    "VnotV": [
        [
            typed("Lexical", {"pos": "VV", "transitivity": "intran"}),
            typed("Direct", ["不"]),
            typed("Matched", {"pos": "VV", "matchedPosition": "0", "matchedProperties": ["expression"]}),
        ]
    ],
}


def test_phrases_with_rules_as_objects_are_those_with_strings(published: Path) -> None:
    """The authors' phrase file was refused with 200 lines."""
    expected = imported(published)
    (published / "phrases.json").write_text(json.dumps(OBJECTS, ensure_ascii=False), encoding="utf-8")
    result = imported(published)
    assert not result.errors
    assert result.phrases == expected.phrases
    assert result.paradigms == expected.paradigms


def test_templates_with_rules_as_objects_are_those_with_strings(published: Path) -> None:
    path = published / "templates" / "objects.json"
    strings = ["pos:NR", "三 五", "phrase:NP -1:<animate:1>", "pos:PN mmPos:0 mmPro:gender/number | 自己", "。"]
    template = {"uid": "objects", "phenomenon": "x", "strict_MP": False, "sep": ""}
    path.write_text(json.dumps({**template, "good_rule": strings, "bad_rule": [*strings[1:], strings[0]]}))
    # the bad list counts its own positions, so that its link means another slot
    expected = {p.uid: p for p in imported(published).paradigms}
    objects = [
        typed("Lexical", {"pos": "NR"}),
        typed("Direct", ["三", "五"]),
        typed("Phrase", {"name": "NP", "-1": {"animate": "1"}}),
        [
            typed("Matched", {"pos": "PN", "mismatchedPosition": "0", "mismatchedProperties": ["gender", "number"]}),
            typed("Direct", ["自己"]),
        ],
        "。",
    ]
    path.write_text(json.dumps({**template, "good_rule": objects, "bad_rule": [*objects[1:], objects[0]]}))
    assert expected["objects"].variants == {p.uid: p for p in imported(published).paradigms}["objects"].variants


def test_all_released_templates_are_imported_and_give_pairs(tmp_path: Path) -> None:
    """131 templates, a vocabulary and 23 phrases, whose rules are objects."""
    folder = Path(os.environ.get("BIDUI_SHARED", "")) / "data" / "zhoblimp"
    if not (folder / "templates").is_dir():
        pytest.skip("BIDUI_SHARED does not name a folder with the released templates in data/zhoblimp")
    (vocabulary,), (phrases,) = folder.glob("*.tsv"), folder.glob("*phrase*.json")
    project = import_classic(folder / "templates", vocabulary=vocabulary, phrases=phrases, out=tmp_path / "out")
    assert sum(len(paradigm.variants) for paradigm in project.paradigms) == 131
    compiler = Compiler.of(load_project(tmp_path / "out"))
    counts = {paradigm.uid: count_pairs(compiler.networks(paradigm), most=1) for paradigm in project.paradigms}
    assert [uid for uid, count in counts.items() if not count.value] == []
