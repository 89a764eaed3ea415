"""Tests for the lexicon, its files and the features that document it."""

from pathlib import Path

import pytest

from bidui.errors import InputError, Place
from bidui.grammar import read_lexicon
from bidui.grammar.lexicon import Lexicon, parse_features, parse_lexicon
from bidui.grammar.project import load_project, read_project
from bidui.grammar.rules import Condition, Lexical, parse_rule

from .small import lexicon_of, table

# The lexicon: words with sets of values, selected by conditions; a blank cell is no value.

WORDS = lexicon_of("""
expression pos gender   classifier
小明       NR  male
小红       NR  female
老师       NN  male/female 位/个
同学       NN  _        位/个
书         NN  _        本
红酒       NN  _        瓶/杯
位         M   _        位
工作       NN  _        份
工作       VV
""")


def forms(rule: str, lexicon: Lexicon = WORDS) -> list[str]:
    body = parse_rule(rule, Place()).alternatives[0].rule
    assert isinstance(body, Lexical)
    return [word.form for word in lexicon.select(body.conditions)]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("pos:NR", ["小明", "小红"]),
        ("pos:NR gender:female", ["小红"]),
        ("pos:NR/M", ["小明", "小红", "位"]),
        ("gender:male", ["小明", "老师"]),
        ("gender:male gender:female", ["老师"]),
        ("gender:male/female", ["小明", "小红", "老师"]),
        ("gender:!male", ["小红"]),
        ("gender:!male/female", []),
        ("gender:*", ["小明", "小红", "老师"]),
        ("pos:NN gender:-", ["同学", "书", "红酒", "工作"]),
        ("classifier:!位", ["书", "红酒", "工作"]),
        ("classifier:杯/瓶", ["红酒"]),
        ("expression:书/位", ["书", "位"]),
        ("expression:!书 pos:NN classifier:!位", ["红酒", "工作"]),
        ("expression:工作", ["工作", "工作"]),
        ("expression:工作 pos:VV", ["工作"]),
        ("expression:*", [word.form for word in WORDS.words]),
        ("expression:-", []),
    ],
)
def test_words_are_selected_by_and_any_of_not_has_one_and_has_none(rule: str, expected: list[str]) -> None:
    """`!` wants a value, and not this one: a word of unknown gender is not a word that is not male."""
    assert forms(rule) == expected


def test_no_condition_selects_every_word() -> None:
    assert len(WORDS.select(())) == 9


def test_the_values_of_a_feature_are_counted_by_words() -> None:
    """A word counts once for each of its values, and once in all: the published program made rows of them."""
    assert WORDS.counts("classifier") == {"位": 3, "个": 2, "本": 1, "杯": 1, "瓶": 1, "份": 1}
    assert list(WORDS.counts("pos").items()) == [("NN", 5), ("NR", 2), ("M", 1), ("VV", 1)]
    assert len(WORDS.words) == 9


def test_one_form_in_two_rows_is_two_words() -> None:
    noun, verb = WORDS.with_form("工作")
    assert (noun.get("pos"), verb.get("pos")) == ({"NN"}, {"VV"})
    assert (noun.get("classifier"), verb.get("classifier")) == ({"份"}, frozenset())
    assert noun.get("expression") == {"工作"}


def test_features_and_values_near_a_mistake_are_found() -> None:
    assert WORDS.nearest_feature("gendre") == ("gender",)
    assert WORDS.nearest("gender", "mael")[0] == "male"
    assert "红酒" in WORDS.nearest("expression", "酒")  # a part of it


def problems(text: str) -> list[tuple[str, str, Place]]:
    _, found = parse_lexicon(text, name="lexicon.tsv")
    return [(problem.kind, problem.severity, problem.place) for problem in found]


def test_all_problems_come_out_together_with_line_and_column() -> None:
    text = "expression\tpos\tclass\n 甲\tN\n乙\tN /M\n\n丙\tN\t\t\tx\n\tN\n丁\tN\n丁\tN\t\n"
    assert problems(text) == [
        ("lexicon-whitespace", "error", Place("lexicon.tsv", 2, 0, 'column "expression"')),
        ("lexicon-whitespace", "error", Place("lexicon.tsv", 3, 0, 'column "pos"')),
        ("lexicon-blank-line", "warning", Place("lexicon.tsv", 4)),
        ("lexicon-too-many-cells", "error", Place("lexicon.tsv", 5)),
        ("lexicon-empty-expression", "error", Place("lexicon.tsv", 6, 0, 'column "expression"')),
        ("lexicon-duplicate", "error", Place("lexicon.tsv", 8)),
    ]


def test_a_value_used_once_that_is_a_letter_off_is_a_misspelling() -> None:
    text = table("expression class\n甲 person\n乙 person\n丙 person\n丁 persom\n戊 perso\n己 food\n")
    lexicon, found = parse_lexicon(text, name="l.tsv")
    assert [(p.kind, p.severity, p.place.line) for p in found] == [("lexicon-misspelt", "warning", n) for n in (5, 6)]
    assert found[0].text() == "persom occurs only here, while 3 words have person; if this is a typo, write person"
    assert len(lexicon.words) == 6


@pytest.mark.parametrize(
    ("usual", "once"),
    [("person1", "person2"), ("male", "female"), ("male", "mate1"), ("NN", "NR"), ("朋友们", "朋友家"), ("abc", "abd")],
)
def test_what_differs_by_right_is_no_misspelling(usual: str, once: str) -> None:
    """Series, short tags and Chinese words differ by one character as a rule."""
    assert problems(table(f"expression f\n甲 {usual}\n乙 {usual}\n丙 {usual}\n丁 {once}\n")) == []


def test_a_near_value_used_twice_is_meant() -> None:
    assert problems(table("expression f\n甲 person\n乙 person\n丙 person\n丁 persom\n戊 persom\n")) == []


@pytest.mark.parametrize(
    ("cells", "column", "half"),
    [("甲 ＮＮ", "pos", "NN"), ("甲 N/ａ", "pos", "a"), ("Ａ大 N", "expression", "A大")],
)
def test_full_width_letters_are_warned_about(cells: str, column: str, half: str) -> None:
    _, (problem,) = parse_lexicon(table(f"expression pos\n{cells}\n"), name="l.tsv")
    assert (problem.kind, problem.severity) == ("lexicon-full-width", "warning")
    assert problem.place == Place("l.tsv", 2, 0, f'column "{column}"')
    assert problem.text().endswith(f"write {half}")


def test_chinese_punctuation_in_a_word_is_not_full_width() -> None:
    assert problems(table("expression pos\n，。？！ PU\n")) == []


def test_short_rows_are_blank_to_the_right() -> None:
    lexicon, found = parse_lexicon("expression\tpos\tgender\n甲\n乙\tN\n", name="l.tsv")
    assert found == []
    assert [word.values for word in lexicon.words] == [{}, {"pos": {"N"}}]


def test_words_read_before_are_shared() -> None:
    """A changed table takes little more memory than what changed; what is read is the same as without the old one."""
    rows = [f"{form}\tNN\t{n}\n" for n, form in enumerate("甲乙丙乙")]
    old, _ = parse_lexicon("expression\tpos\tn\n" + "".join(rows), name="a.tsv")
    cell = "expression\tpos\tn\n" + "".join([rows[0], "乙\tVV\t1\n", *rows[2:]])
    added = "expression\tpos\tn\n" + "".join(["丁\tNN\t0\n", *rows])
    new, _ = parse_lexicon(cell, name="a.tsv", known=old)
    assert [a is b for a, b in zip(old.words, new.words, strict=True)] == [True, False, True, True]
    assert new == parse_lexicon(cell, name="a.tsv")[0]
    new, _ = parse_lexicon(added, name="a.tsv", known=old)
    assert all(a.values is b.values for a, b in zip(old.words, new.words[1:], strict=True))
    assert new == parse_lexicon(added, name="a.tsv")[0]


def test_rows_are_duplicates_only_if_every_cell_is_equal() -> None:
    """Short and full rows are the same row; `a/b` and `b/a` are written differently, and both are kept."""
    assert [p[0] for p in problems("expression\tf\n甲\n甲\t\n甲\ta/b\n甲\tb/a\n")] == ["lexicon-duplicate"]


def test_the_column_of_words_may_stand_anywhere() -> None:
    lexicon, _ = parse_lexicon("pos\texpression\nN\t甲\n", name="l.tsv")
    assert (lexicon.words[0].form, lexicon.features) == ("甲", ("pos",))


def test_the_last_line_may_end_without_a_newline_and_with_blank_lines() -> None:
    assert len(parse_lexicon("expression\n甲\n乙", name="l.tsv")[0].words) == 2
    assert problems("expression\n甲\n\n") == [("lexicon-blank-line", "warning", Place("lexicon.tsv", 3))]


def test_reading_a_file_raises_with_all_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text("expression\tpos\n甲 \tN\n乙\tN \n丙\tN\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_lexicon(path)
    assert [problem.place.line for problem in caught.value.problems] == [2, 3]
    path.write_text("expression\tpos\n甲\tＮ\n", "utf-8")
    assert len(read_lexicon(path).words) == 1


# Features that are documented, and have ancestors; lexicons in several files.

FEATURES = """feature	value	parent	means
pos	NN		noun
class	thing		object
class	food	thing	to eat
class	fruit	food	fruit
class	gift	thing	to give
classifier	*		counts the noun
"""

PARADIGM = """format: 1
uid: one
phenomenon: p
edit: order
slots: {a: 'class:food'}
good: a 好 。
bad: 好 a 。
"""


def write(root: Path, **files: str) -> Path:
    texts = {"project.yaml": "format: 1\n", "paradigms/p/one.yaml": PARADIGM, "features.tsv": FEATURES}
    texts |= {name.replace("__", "/") + ".tsv": text for name, text in files.items()}
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def found(root: Path) -> list[tuple[str, str, int]]:
    return [(p.kind, p.place.file, p.place.line) for p in read_project(root).problems]


FOOD = "expression	pos	class	classifier\n苹果	NN	fruit/gift	个\n米饭	NN	food	碗\n"
HOME = "expression	pos	class\n桌子	NN	thing\n"


def test_files_of_a_folder_are_one_lexicon_and_values_have_their_ancestors(tmp_path: Path) -> None:
    project = load_project(write(tmp_path, lexicon__food=FOOD, lexicon__home=HOME))
    lexicon = project.lexicon
    assert [(w.form, w.file, w.line) for w in lexicon.words] == [
        ("苹果", "lexicon/food.tsv", 2),
        ("米饭", "lexicon/food.tsv", 3),
        ("桌子", "lexicon/home.tsv", 2),
    ]
    assert lexicon.words[0].get("class") == {"fruit", "food", "thing", "gift"}
    assert lexicon.words[2].get("classifier") == frozenset()
    assert [w.form for w in lexicon.select([Condition("class", "any", ("food",))])] == ["苹果", "米饭"]
    assert set(project.inputs) >= {"lexicon/food.tsv", "lexicon/home.tsv", "features.tsv"}
    assert not project.problems


def test_relations_in_their_folder_need_no_entry(tmp_path: Path) -> None:
    root = write(tmp_path, lexicon=FOOD, relations__eats="food\n苹果\n")
    assert load_project(root).relations["eats"].rows == ((frozenset({"苹果"}),),)


@pytest.mark.parametrize(
    ("row", "kind", "line"),
    [
        ("class	fruit		again", "features-twice", 8),
        ("class	dish	meal	a dish", "features-parent", 8),
        ("class	dish	food", "features-row", 8),
        ("class	 dish	food	a dish", "features-row", 8),
        ("class	dish	food	", "features-row", 8),
        ("class	a	b	x\nclass	b	a	y", "features-circle", 8),
    ],
)
def test_a_broken_table_of_features_is_an_error_at_its_line(tmp_path: Path, row: str, kind: str, line: int) -> None:
    root = write(tmp_path, lexicon=FOOD, features=FEATURES + row + "\n")
    assert (kind, "features.tsv", line) in found(root)
    with pytest.raises(InputError):
        load_project(root)


def test_a_wrong_header_is_an_error() -> None:
    features, problems = parse_features("feature	value\n", name="features.tsv")
    assert features is None
    assert [p.kind for p in problems] == ["features-header"]


def test_every_column_and_value_must_be_explained(tmp_path: Path) -> None:
    text = "expression	pos	class	classifier	colour\n苹果	NN	fruit	个	red\n桃	NN	furit	个	\n"
    problems = found(write(tmp_path, lexicon__food=text))
    assert ("features-missing", "features.tsv", 0) in problems
    assert ("features-value", "lexicon/food.tsv", 3) in problems
    assert ("features-unused", "features.tsv", 6) in problems  # gift


def test_a_word_in_two_files_with_equal_features_is_an_error(tmp_path: Path) -> None:
    other = "expression	pos	class	classifier\n米饭	NN	food	碗\n"
    problems = found(write(tmp_path, lexicon__food=FOOD, lexicon__more=other))
    assert ("lexicon-in-two-files", "lexicon/more.tsv", 2) in problems


def test_a_file_beside_the_folder_is_an_error(tmp_path: Path) -> None:
    assert ("lexicon-twice", "lexicon.tsv", 0) in found(write(tmp_path, lexicon=HOME, lexicon__food=FOOD))


def test_a_broken_relation_is_reported_once(tmp_path: Path) -> None:
    paradigm = PARADIGM.replace("class:food", "class:food rel:eats(a)")
    root = write(tmp_path, lexicon__food=FOOD, relations__eats="food	who\n苹果\n")
    (root / "paradigms/p/one.yaml").write_text(paradigm, encoding="utf-8")
    assert [kind for kind, *_ in found(root) if kind.startswith("relation")] == ["relation-cells"]


def test_a_row_that_ends_before_its_expression_is_said() -> None:
    """Nothing is dropped silently, wherever the column stands."""
    lexicon, problems = parse_lexicon("pos\texpression\nNN\t书\nNN\n", name="l.tsv")
    assert [(problem.kind, problem.place.line) for problem in problems] == [("lexicon-empty-expression", 3)]
    assert [word.form for word in lexicon.words] == ["书"]


def test_words_with_the_same_features_share_them() -> None:
    """A lexicon of a million cells has few different ones; a set for each would take gigabytes."""
    rows = "".join(f"{form}\tNN/NR\tx\n" for form in "甲乙丙") + "丁\tNN/NR\ty\n戊\tNN/NR\n己\tNN/NR\t\n"
    lexicon, problems = parse_lexicon("expression\tpos\tclass\n" + rows, name="l.tsv")
    assert not problems
    first, second, _, other, *short = lexicon.words
    assert first.values is second.values and first.values == {"pos": {"NN", "NR"}, "class": {"x"}}
    assert other.values["pos"] is first.values["pos"] and other.values["class"] == {"y"}
    assert [word.values for word in short] == [{"pos": {"NN", "NR"}}] * 2
