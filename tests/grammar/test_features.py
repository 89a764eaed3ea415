"""Features that are documented, and have ancestors; lexicons in several files."""

from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.grammar.lexicon import parse_features
from bidui.grammar.project import load_project, read_project
from bidui.grammar.rules import Condition

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
