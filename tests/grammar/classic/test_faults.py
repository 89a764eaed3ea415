"""Faults of classic files are found, placed and put into words, all of them at once."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from bidui.errors import InputError, OutputRefused, Problem
from bidui.grammar.classic import read_classic, refusal
from bidui.grammar.project import Project, write_project

VOCABULARY = "expression\tpos\tgender\n他\tPN\tmale\n她\tPN\tfemale\n小明\tNR\tmale\n书\tNN\t\n看\tVV\t\n"
PHRASES: dict[str, object] = {
    "Person": [["pos:NR"], ["pos:PN"]],
    "Two": [["pos:PN", "pos:NN"], ["pos:NR", "的", "pos:NN"]],
}
WHOLE: dict[str, object] = {
    "uid": "x",
    "phenomenon": "y",
    "strict_MP": False,
    "sep": "",
    "good_rule": ["pos:NR", "看", "pos:NN"],
    "bad_rule": ["pos:NN", "看", "pos:NR"],
}


def imported(folder: Path, *templates: object, vocabulary: str = VOCABULARY, phrases: object = PHRASES) -> Project:
    """The import of a project with these templates; a text is written as it is."""
    (folder / "t").mkdir(parents=True, exist_ok=True)
    for number, template in enumerate(templates, start=1):
        text = template if isinstance(template, str) else json.dumps(template, ensure_ascii=False)
        (folder / "t" / f"{number}.json").write_text(text, encoding="utf-8")
    (folder / "v.tsv").write_text(vocabulary, encoding="utf-8")
    (folder / "p.json").write_text(json.dumps(phrases, ensure_ascii=False), encoding="utf-8")
    return read_classic(folder / "t", vocabulary=folder / "v.tsv", phrases=folder / "p.json")


def kinds(problems: Iterable[Problem]) -> list[tuple[str, str]]:
    """The kinds with their parts; every text must fill in, in both languages."""
    found = list(problems)
    for problem in found:
        assert problem.text("zh") != problem.text("en")
    return [(problem.kind, problem.place.part) for problem in found]


def good(*rules: str) -> dict[str, object]:
    """A template whose good side is `rules` and whose bad side differs by one literal."""
    return {**WHOLE, "good_rule": [*rules, "好"], "bad_rule": [*rules, "坏"]}


def without(key: str) -> dict[str, object]:
    return {name: value for name, value in WHOLE.items() if name != key}


@pytest.mark.parametrize(
    ("template", "kind", "part"),
    [
        ("{", "bad-json", ""),
        ("[]", "classic-not-object", ""),
        ('{"uid": "x", "uid": "y"}', "classic-key-twice", ""),
        (without("sep"), "classic-key-missing", ""),
        (without("good_rule"), "classic-key-missing", ""),
        ({**WHOLE, "good_rule": "pos:NR"}, "classic-not-list", "good_rule"),
        ({**WHOLE, "bad_rule": ["pos:NN", 3, None]}, "classic-not-text", "bad_rule[1]"),
        ({**WHOLE, "uid": 3}, "classic-not-text", "uid"),
        ({**WHOLE, "strict_MP": "yes"}, "classic-not-flag", "strict_MP"),
        ({**WHOLE, "bad_rule": ["pos:NN"]}, "classic-unequal", ""),
        ({**WHOLE, "uid": "a/b"}, "classic-uid-bad", ""),
        ({**WHOLE, "uid": ""}, "classic-uid-bad", ""),
        ({**WHOLE, "bad_rule": WHOLE["good_rule"]}, "classic-sides-equal", ""),
        ({**WHOLE, "bad_rule": ["", " ", ""]}, "classic-side-empty", ""),
        (good("pos: NN"), "value-missing", "good_rule[0]"),
        (good("pos:NN animal"), "words-among-features", "good_rule[0]"),
        (good("pos:NN mPos:1"), "link-half", "good_rule[0]"),
        (good("phrase:Person", "phrase:Man"), "phrase-unknown", "good_rule[1]"),
        (good("poss:NN"), "feature-unknown", "good_rule[0]"),
        (good("他说:好"), "feature-unknown", "good_rule[0]"),
        (good("pos:NX"), "classic-value-unknown", "good_rule[0]"),
        (good("phrase:Two -1:<pos:NX>"), "classic-value-unknown", "good_rule[0]"),
        (good("pos:NR", "pos:PN mPos:0 mPro:gendre"), "feature-unknown", "good_rule[1]"),
        (good("pos:NR", "pos:PN mPos:0+1 mPro:gender"), "classic-position-form", "good_rule[1]"),
        (good("pos:NR", "pos:PN mPos:__import__ mPro:gender"), "classic-position-form", "good_rule[1]"),
        (good("pos:NR", "pos:PN mPos:3 mPro:gender"), "classic-position-range", "good_rule[1]"),
        (good("pos:NR", "pos:PN mPos:1 mPro:gender"), "classic-position-self", "good_rule[1]"),
        (good("", "pos:PN mPos:0 mPro:gender"), "classic-position-empty", "good_rule[1]"),
        (good("phrase:Person", "pos:PN mPos:0 mPro:gender"), "classic-position-phrase", "good_rule[1]"),
        (
            good("pos:NR mPos:1 mPro:expression", "pos:NR mPos:0 mPro:expression"),
            "classic-position-self",
            "good_rule[1]",
        ),
        (good("phrase:Two 2:<pos:NN>"), "classic-override-range", "good_rule[0]"),
        (good("pos:!NN"), "classic-without", "good_rule[0]"),
        (good("2* pos:NN"), "classic-without", "good_rule[0]"),
        (good("pos:NR", "phrase:Two 0:<mPos:0 mPro:gender>"), "classic-without", "good_rule[1]"),
    ],
)
def test_a_fault_of_a_template_is_an_error_in_its_place(tmp_path: Path, template: object, kind: str, part: str) -> None:
    read = imported(tmp_path, template)
    found = kinds(read.errors)
    assert found[0] == (kind, part)
    assert {problem.place.file for problem in read.errors} == {"1.json"}
    assert read.paradigms == () or kind in {"feature-unknown", "classic-value-unknown", "phrase-unknown"}
    with pytest.raises(InputError):
        write_project(read, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_place_is_line_and_column_in_the_json_file(tmp_path: Path) -> None:
    text = json.dumps(good("pos:NR | 他 | pos:PN gendre:male"), ensure_ascii=False, indent=2)
    line = next(n for n, content in enumerate(text.split("\n"), start=1) if "gendre" in content)
    column = text.split("\n")[line - 1].index("gendre") + 1
    assert str(imported(tmp_path, text).errors[0]) == (
        f"1.json:{line}:{column} good_rule[0]: the lexicon has no column `gendre`; did you mean gender?"
    )


def test_half_a_character_is_an_error(tmp_path: Path) -> None:
    """It was found only in the project that had just been written, which stayed behind."""
    (error,) = imported(tmp_path, json.dumps(good("他\ud800"))).errors
    assert (error.kind, error.place.file) == ("text-not-unicode", "1.json")


@pytest.mark.parametrize("digits", [4_300, 4_301])
def test_a_number_of_thousands_of_digits_is_an_error(tmp_path: Path, digits: int) -> None:
    """Python converts no integer of more than 4,300 digits, and says so with an error that nothing expected."""
    number = "7" * digits
    text = json.dumps(WHOLE).replace('"x"', number).replace("false", number)
    read = imported(tmp_path, text, good(f"pos:NR mPos:{number} mPro:gender"))
    assert {problem.place.file for problem in read.errors} == {"1.json", "2.json"}
    assert all(problem.text("en") for problem in read.errors)


def test_every_fault_is_reported_at_once(tmp_path: Path) -> None:
    read = imported(tmp_path, "{", good("poss:NN", "pos:NX"), good("pos:NR", "pos:PN mPos:9 mPro:gender"), WHOLE)
    assert [problem.place.file for problem in read.errors] == ["1.json", "2.json", "2.json", "3.json"]


def test_one_value_that_no_word_has_is_a_warning_beside_one_that_words_have(tmp_path: Path) -> None:
    read = imported(tmp_path, good("pos:NN/NX"))
    assert [(p.kind, p.severity) for p in read.problems] == [("classic-value-unknown", "warning")]


def test_files_of_one_uid_that_differ_cannot_be_one_paradigm(tmp_path: Path) -> None:
    read = imported(tmp_path, WHOLE, {**WHOLE, "phenomenon": "z", "sep": " "})
    assert kinds(read.errors) == [("classic-uid-conflict", "")]
    assert str(read.errors[0]).endswith(
        "have the uid x but differ in phenomenon, sep: 1.json, 2.json;"
        " make these the same, or give each template its own uid"
    )


def test_files_of_one_uid_may_differ_in_strictness_as_the_published_ones_do(tmp_path: Path) -> None:
    read = imported(tmp_path, WHOLE, {**WHOLE, "strict_MP": True, "good_rule": ["pos:PN", "看", "pos:NN"]})
    assert kinds(read.problems) == [("classic-uid-merged", ""), ("classic-strict-mixed", "")]
    assert not read.paradigms[0].equal_length


def test_odd_names_and_keys_are_warnings(tmp_path: Path) -> None:
    read = imported(tmp_path, {**WHOLE, "phenomenon": "noun phrase/a", "note": 1})
    assert kinds(read.problems) == [("classic-key-unknown", ""), ("classic-phenomenon-changed", "")]
    assert read.paradigms[0].phenomenon == "noun_phrase_a"


@pytest.mark.parametrize(
    ("phrases", "kind", "part"),
    [
        ([], "classic-phrase-form", ""),
        ({"A": "pos:NN"}, "classic-phrase-form", "A"),
        ({"A": []}, "classic-phrase-form", "A"),
        ({"A": [[{"type": "Lexical"}]]}, "classic-phrase-form", "A[0][0]"),
        ({"A": [[{"pos": "NN", "gender": "male"}]]}, "classic-phrase-form", "A[0][0]"),
        ({"A": [["pos:NN", 3]]}, "classic-phrase-form", "A[0][1]"),
        ({"A": [["pos:NN", "pos:PN mPos:2 mPro:gender"]]}, "classic-position-range", "A[0][1]"),
        ({"A": [["phrase:B", "pos:PN mPos:0 mPro:gender"]], "B": [["pos:NR"]]}, "classic-position-phrase", "A[0][1]"),
        ({"A": [["pos:NN", "pos:NR mPos:0 mPro:expression"]]}, "classic-copy-in-phrase", "A[0][1]"),
        ({"A": [["phrase:B"]], "B": [["phrase:A"], ["pos:NN"]]}, "classic-phrase-cycle", "A"),
        ({"A": [["phrase:B 3:<pos:NN>"]], "B": [["pos:NN"]]}, "classic-override-range", "A[0][0]"),
    ],
)
def test_a_fault_of_a_phrase_is_an_error_in_its_place(tmp_path: Path, phrases: object, kind: str, part: str) -> None:
    found = kinds(imported(tmp_path, WHOLE, phrases=phrases).errors)
    assert found[0] == (kind, part)


def test_a_phrase_that_nobody_uses_is_only_warned_about(tmp_path: Path) -> None:
    phrases = {"Used": [["pos:NX"]], "Unused": [["pos:NY"]], "Inner": [["pos:NZ"]], "Outer": [["phrase:Inner"]]}
    read = imported(tmp_path, good("phrase:Used", "phrase:Outer"), phrases=phrases)
    found = {problem.values["value"]: problem.severity for problem in read.problems}
    assert found == {"NX": "error", "NY": "warning", "NZ": "error"}


def test_an_index_that_lies_in_different_depths_is_refused(tmp_path: Path) -> None:
    phrases = {"N": [["pos:PN", "pos:NN"]], "A": [["phrase:N"], ["pos:NR", "pos:NN"]]}
    read = imported(tmp_path, good("phrase:A -1:<pos:NN>"), phrases=phrases)
    assert kinds(read.errors) == [("classic-override-differs", "good_rule[0]")]


def test_the_vocabulary_is_cleaned_and_the_changes_counted(tmp_path: Path) -> None:
    text = (
        "expression\tpos \tgender\tclassifier\t\n"
        "他\tPN\tmale\n"
        "\tNN\t\t\t\n"
        " 她 \tPN\tfemale\t\t\n"
        "\n"
        "红酒\tNN\t\t瓶/ 杯/\n"
        "他\tPN\tmale\t\t\n"
        "小明\tNR\tmale\ta,b\n"
        "书\tNN\t\n"
        "看\tVV\t\n"
    )
    read = imported(tmp_path, WHOLE, vocabulary=text, phrases={})
    assert kinds(read.problems) == [
        ("classic-vocabulary-blank", ""),
        ("classic-vocabulary-trimmed", ""),
        ("classic-vocabulary-repeated", ""),
    ]
    assert [str(problem).partition(";")[0] for problem in read.problems] == [
        "v.tsv: 2 rows have no expression and were left out (lines 3, 5)",
        "v.tsv: 3 rows had extra blanks or slashes, which were removed (lines 1, 4, 6)",
        "v.tsv: 1 row is identical to another and was left out (line = first line): 他 (7 = 2)",
    ]
    assert [word.form for word in read.lexicon.words] == ["他", "她", "红酒", "小明", "书", "看"]
    assert read.lexicon.words[2].get("classifier") == {"瓶", "杯"}
    assert read.lexicon.words[3].get("classifier") == {"a,b"}
    assert [word.line for word in read.lexicon.words] == [2, 3, 4, 5, 6, 7]  # as it will be written


def test_a_vocabulary_that_cannot_be_read_is_placed_in_its_own_file(tmp_path: Path) -> None:
    read = imported(tmp_path, WHOLE, vocabulary="expression\tpos\n\n他\tPN\tx\n")
    assert [(p.kind, p.place.file, p.place.line) for p in read.errors][:1] == [("lexicon-too-many-cells", "v.tsv", 3)]


def test_files_that_are_not_there_are_errors(tmp_path: Path) -> None:
    read = read_classic(tmp_path / "no", vocabulary=tmp_path / "no.tsv", phrases=tmp_path / "no.json")
    assert [p.kind for p in read.errors] == ["file-unreadable", "file-unreadable", "classic-no-templates"]


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    read = imported(tmp_path, WHOLE)
    (tmp_path / "out").mkdir()
    write_project(read, tmp_path / "out")  # empty: taken
    with pytest.raises(OutputRefused, match=r"not empty: lexicon\.tsv, paradigms, phrases\.yaml, project\.yaml"):
        write_project(read, tmp_path / "out")
    with pytest.raises(OutputRefused, match="this is a file"):
        write_project(read, tmp_path / "v.tsv")
    write_project(replace(read, phrases={}), tmp_path / "deep" / "er")  # to a folder that is made
    assert (tmp_path / "deep" / "er" / "paradigms" / "y" / "x.yaml").is_file()


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ({"type": "Lexical", "rule": {"pos": ""}}, "classic-phrase-form"),
        ({"type": "Lexical", "rule": {}}, "classic-phrase-form"),
        ({"type": "Lexical", "rule": {"pos": {"a": 1}}}, "classic-phrase-form"),
        ({"type": "Lexical", "rule": {"pos": "N N"}}, "classic-no-escape"),
        ({"type": "Direct", "rule": ["13:30"]}, "classic-no-escape"),
        ({"type": "Direct", "rule": [3]}, "classic-phrase-form"),
        ({"type": "Phrase", "rule": {"phrase": "Two"}}, "classic-phrase-form"),
        ({"type": "Phrase", "rule": {"name": "Two", "-1": "x"}}, "classic-phrase-form"),
        ({"type": "Matched", "rule": {"pos": "NN", "matchedPosition": "0"}}, "link-half"),
        ({"type": "Other", "rule": {"pos": "NN"}}, "classic-phrase-form"),
    ],
)
def test_a_rule_object_that_says_nothing_clear_is_refused(rule: object, kind: str, tmp_path: Path) -> None:
    """A condition that is dropped would give more pairs than the authors meant."""
    result = imported(tmp_path, WHOLE, phrases={**PHRASES, "New": [["pos:NN", rule]]})
    assert kinds(result.errors) in ([(kind, "New[0][1]")], [(kind, "New[0][1].rule")])
    result = imported(tmp_path / "other", {**WHOLE, "good_rule": ["看", rule]})
    assert result.errors[0].kind == kind


def test_what_follows_from_a_broken_file_is_not_reported(tmp_path: Path) -> None:
    """A broken phrase made every template that uses it a mistake, and hid the one line to be changed."""
    uses = [good("phrase:Bad", "phrase:Two 0:<gender:male>") for _ in range(3)]
    result = imported(tmp_path, *uses, phrases={**PHRASES, "Bad": [[3]]})
    assert kinds(result.errors) == [("classic-phrase-form", "Bad[0][0]")]
    assert imported(tmp_path / "json", *uses, phrases=[]).errors[0].kind == "classic-phrase-form"
    assert "phrase-unknown" not in {p.kind for p in imported(tmp_path / "none", *uses, phrases=[]).errors}
    lost = imported(tmp_path / "words", WHOLE, good("pos:NN"), vocabulary="word\tpos\n他\tPN\n")
    assert [p.kind for p in lost.errors] == ["lexicon-no-expression"]


def test_a_refusal_has_a_headline_and_shows_each_kind_before_repeating_one(tmp_path: Path) -> None:
    result = imported(tmp_path, good("pos:NX"), good("pos:NX"), {**good("pos:NN"), "uid": 3})
    errors = refusal(result).problems
    assert errors[0].values == {"count": 3, "files": 3}
    assert [p.kind for p in errors] == [
        "classic-refused",
        "classic-not-text",
        "classic-value-unknown",
        "classic-value-unknown",
    ]
