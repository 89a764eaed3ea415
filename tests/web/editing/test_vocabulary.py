"""The vocabulary is searched by features as rules are, and by text; each word knows where it could be used."""

import pytest

from bidui.grammar import check_project
from bidui.web.editing.fitting import phrase_users, used_by, word_places
from bidui.web.editing.preview import OpenProject
from bidui.web.editing.tables import find, read_vocabulary, suggest, word_at
from tests.web.editing.small import CLASSIFIER, GENDER, LEXICON, PHRASES

FEATURES = "feature\tvalue\tparent\tmeans\nclass\tfood\t\tfood\nclass\tfruit\tfood\tfruit\npos\t*\t\tx\n"
FRUIT = "expression\tpos\tclass\n苹果\tNN\tfruit\n米饭\tNN\tfood\n书\tNN\n苹果\tNN\tfruit\n"


def forms(query: str, text: str = LEXICON, features: str | None = None) -> list[str]:
    vocabulary = read_vocabulary({"lexicon.tsv": text}, features=features)
    return [hit.row.cells[0] for hit in find(vocabulary, query)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("pos:VV", ["看", "喝"]),
        ("pos:NN kind:!kin classifier:瓶/杯", ["红酒", "咖啡"]),
        ("gender:- pos:NR", ["小林"]),
        ("酒", ["红酒"]),
        ("pos:NN 酒", ["红酒"]),
        ("READ", ["书", "词典", "看"]),
        ("expression:看/喝", ["看", "喝"]),
        ("nothing:here", []),
        ('"male/fem"', ["张老师"]),
        ("", [line.split("\t")[0] for line in LEXICON.splitlines()[1:]]),
        ("pos:", [line.split("\t")[0] for line in LEXICON.splitlines()[1:]]),
        ("pos:VV takes:", ["看", "喝"]),
    ],
)
def test_rows_are_found_by_features_and_text(query: str, expected: list[str]) -> None:
    """A term that is not finished yet leaves everything in, so that the grid does not flicker."""
    assert forms(query) == expected


def test_a_value_is_found_by_what_it_is_a_kind_of() -> None:
    assert forms("class:food", FRUIT, FEATURES) == ["苹果", "米饭"]
    assert forms("class:fruit", FRUIT, FEATURES) == ["苹果"]


def test_rows_that_are_no_words_are_still_found_by_text() -> None:
    """A duplicate must be seen to be deleted."""
    assert forms("苹果", FRUIT) == ["苹果", "苹果"]


def test_several_files_are_one_vocabulary() -> None:
    vocabulary = read_vocabulary({"lexicon/a.tsv": LEXICON, "lexicon/b.tsv": FRUIT})
    found = find(vocabulary, "书")
    assert [(hit.file, hit.row.line) for hit in found] == [("lexicon/a.tsv", 10), ("lexicon/b.tsv", 4)]
    assert [hit.file for hit in find(vocabulary, "pos:NN", file="lexicon/b.tsv")] == ["lexicon/b.tsv"] * 3
    word = word_at(vocabulary, file="lexicon/b.tsv", line=3)
    assert word is not None and word.form == "米饭"
    assert word_at(vocabulary, file="lexicon/b.tsv", line=5) is None


def test_values_are_suggested_by_how_many_words_have_them() -> None:
    vocabulary = read_vocabulary({"lexicon.tsv": LEXICON})
    assert suggest(vocabulary, column="classifier", typed="") == (("本", 2), ("杯", 2), ("瓶", 1))
    assert suggest(vocabulary, column="classifier", typed="杯/") == (("本", 2), ("瓶", 1))
    assert suggest(vocabulary, column="kind", typed="in") == (("thing", 4), ("kin", 2))
    assert suggest(vocabulary, column="kind", typed="k") == (("kin", 2),)
    assert suggest(vocabulary, column="nothing", typed="") == ()


def test_problems_stand_at_their_cells() -> None:
    text = FRUIT + " 空格\tNN\n\n多\tNN\t\t余\n"
    vocabulary = read_vocabulary({"lexicon.tsv": text}, features=FEATURES.replace("*", "VV"))
    places: dict[str, list[tuple[int, str]]] = {}
    for problem in (each for each in vocabulary.problems if each.place.file == "lexicon.tsv"):
        assert problem.text("zh")
        places.setdefault(problem.kind, []).append((problem.place.line, problem.place.part))
    assert places["lexicon-duplicate"] == [(5, "")]
    assert places["lexicon-whitespace"] == [(6, 'column "expression"')]
    assert places["lexicon-blank-line"] == [(7, "")]
    assert places["lexicon-too-many-cells"] == [(8, "")]
    assert (2, 'column "pos"') in places["features-value"]


def test_a_word_knows_the_slots_that_could_take_it(small: OpenProject) -> None:
    project = small.project
    places = word_places(project.paradigms, phrases=project.phrases, relations=project.relations)

    def users(form: str) -> set[tuple[str, str, str]]:
        (word,) = project.lexicon.with_form(form)
        found = used_by(word, places=places, features=project.lexicon.features)
        return {(place.uid, place.variant, place.path) for place in found}

    assert users("王先生") == {("gender", "", "who"), ("classifier", "of somebody", "who.word")}
    assert users("小林") == {("gender", "", "who")}  # the phrase asks for a gender
    assert users("妈妈") == {("classifier", "of somebody", "who.kin")}
    assert users("红酒") == {("classifier", name, "thing") for name in ("plain", "of somebody")}
    assert users("看") == {("classifier", name, "verb") for name in ("plain", "of somebody")}


def test_what_no_slot_could_take_is_what_the_check_calls_unused(small: OpenProject) -> None:
    project = small.project
    places = word_places(project.paradigms, phrases=project.phrases, relations=project.relations)
    unused = [w.form for w in project.lexicon.words if not used_by(w, places=places, features=project.lexicon.features)]
    said = [p.values["words"] for p in check_project(project, seconds=0) if p.kind == "words-unused"]
    assert (said or [[]]) == [unused]


def test_the_files_that_use_a_phrase_are_named() -> None:
    """A comment that names it is no use of it; in a file that is not YAML nobody can tell."""
    texts = {"a": GENDER, "b": CLASSIFIER, "c": PHRASES, "d": "slots: {z: phrase:Personal}"}
    texts |= {"e": "slots: {z: 'phrase:Person'}", "f": "slots: {z: a}  # phrase:Person", "g": "slots: [phrase:Person"}
    texts["phrases.yaml"] = PHRASES + "  Two: [phrase:Person]\n"
    assert phrase_users(texts, phrase="Person") == ("b", "e", "g", "phrases.yaml")
