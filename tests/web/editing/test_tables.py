"""Tables are edited cell by cell, and the vocabulary in them is searched by features and by text."""

import sys
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.grammar import check_project
from bidui.web.editing.fitting import phrase_users, used_by, word_places
from bidui.web.editing.preview import OpenProject
from bidui.web.editing.tables import (
    add_column,
    add_rows,
    changed_rows,
    delete_rows,
    find,
    paste,
    pasted_cells,
    read_table,
    read_vocabulary,
    set_cell,
    suggest,
    word_at,
)
from bidui.web.editing.text import Edit, apply_edit, difference, inverse
from tests.web.editing.small import CLASSIFIER, GENDER, LEXICON, PHRASES

SMALL = "expression\tpos\tclass\n猫\tNN\tpet\n狗\tNN\n\n跑\tVV\t\n"


def after(text: str, edit: Edit) -> str:
    new = apply_edit(text, edit)
    assert apply_edit(new, inverse(text, edit)) == text
    return new


def test_every_row_of_a_full_table_keeps_all_its_cells() -> None:
    """A relation with a row that lacks a cell is broken, so an edit writes the blank ones, too."""
    table = read_table("a\tb\tc\nx\ty\nz\t\t\n", full=True)
    assert after(table.text, set_cell(table, line=2, column="b", value="Y")) == "a\tb\tc\nx\tY\t\nz\t\t\n"
    short = read_table("a\tb\tc\nx\n", full=True)
    assert after(short.text, set_cell(short, line=2, column="b", value="y")) == "a\tb\tc\nx\ty\t\n"
    assert after(table.text, add_rows(table, [["p"]], after=1)) == "a\tb\tc\np\t\t\nx\ty\nz\t\t\n"
    assert after(table.text, paste(table, "1\t2\t3\n4", line=3)) == "a\tb\tc\nx\ty\n1\t2\t3\n4\t\t\n"
    assert after(table.text, add_column(table, "d")) == "a\tb\tc\td\nx\ty\t\nz\t\t\t\n"


def test_rows_are_known_by_their_lines() -> None:
    table = read_table(SMALL)
    assert table.header == ("expression", "pos", "class")
    assert [(row.line, row.cells, row.cell(2)) for row in table.rows] == [
        (2, ("猫", "NN", "pet"), "pet"),
        (3, ("狗", "NN"), ""),
        (5, ("跑", "VV", ""), ""),
    ]
    assert all(SMALL[row.span.start : row.span.end] == "\t".join(row.cells) for row in table.rows)


def test_a_cell_of_a_large_table_takes_little_memory() -> None:
    """Lines and cells of all rows at once would take many times the memory of the text."""
    text = "expression\tpos\tclass\n" + "".join(f"词{n}\tNN\tclass{n % 200}\n" for n in range(20_000))
    tracemalloc.start()
    try:
        new = apply_edit(text, set_cell(read_table(text), line=9_000, column="class", value="pet"))
        rows = [*changed_rows(text, read_table(new))]
        edit = difference(text, new)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [(row.line, row.cells) for row in rows] == [(9_000, ("词8998", "NN", "pet"))]
    assert apply_edit(text, edit) == new
    assert most < 4 * sys.getsizeof(text)  # two of these are the new text and its pieces


@pytest.mark.parametrize(
    ("line", "column", "value", "old", "new"),
    [
        (2, "pos", "VV", "猫\tNN", "猫\tVV"),
        (3, "class", "pet", "狗\tNN\n", "狗\tNN\tpet\n"),
        (5, "class", "go", "跑\tVV\t", "跑\tVV\tgo"),
        (2, "class", "", "猫\tNN\tpet", "猫\tNN\t"),
        (3, "class", "", "", ""),
        (2, "expression", "小猫", "猫", "小猫"),
    ],
)
def test_a_cell_is_set(line: int, column: str, value: str, old: str, new: str) -> None:
    """A row that is too short grows as far as it must."""
    assert after(SMALL, set_cell(read_table(SMALL), line=line, column=column, value=value)) == SMALL.replace(old, new)


@pytest.mark.parametrize("value", ["a\tb", "a\nb", "a\rb", "\x07", "\ud800"])
def test_what_would_break_the_table_is_refused(value: str) -> None:
    with pytest.raises(InputError, match="a cell cannot contain"):
        set_cell(read_table(SMALL), line=2, column="pos", value=value)


@pytest.mark.parametrize(("line", "column"), [(1, "pos"), (4, "pos"), (99, "pos"), (2, "colour")])
def test_a_row_or_column_that_is_not_there_is_refused(line: int, column: str) -> None:
    with pytest.raises(InputError, match="no longer exists"):
        set_cell(read_table(SMALL), line=line, column=column, value="x")


def test_rows_are_added_and_deleted() -> None:
    table = read_table(SMALL)
    assert after(SMALL, add_rows(table, [["鸟", "NN", ""]])) == SMALL + "鸟\tNN\n"
    assert after(SMALL, add_rows(table, [["鸟", "NN"]], after=2)) == SMALL.replace("pet\n", "pet\n鸟\tNN\n")
    assert after(SMALL, add_rows(table, [["鸟"]], after=1)) == SMALL.replace("class\n", "class\n鸟\n")
    assert after(SMALL, delete_rows(table, [2, 5])) == "expression\tpos\tclass\n狗\tNN\n\n"


def test_a_table_without_a_last_line_break_keeps_its_form() -> None:
    text = "expression\tpos\n猫\tNN\n狗\tNN"
    assert after(text, add_rows(read_table(text), [["鸟", "NN"]])) == text + "\n鸟\tNN"
    assert after(text, delete_rows(read_table(text), [3])) == "expression\tpos\n猫\tNN"
    assert after(text, delete_rows(read_table(text), [2, 3])) == "expression\tpos\n"


def test_windows_line_breaks_stay() -> None:
    text = SMALL.replace("\n", "\r\n")
    table = read_table(text)
    assert table.row(2).cells == ("猫", "NN", "pet")
    assert after(text, add_rows(table, [["鸟", "NN"]])) == text + "鸟\tNN\r\n"
    assert after(text, delete_rows(table, [2])) == text.replace("猫\tNN\tpet\r\n", "")
    assert after(text, set_cell(table, line=3, column="class", value="x")) == text.replace("狗\tNN", "狗\tNN\tx")
    assert after(text, add_column(table, "new")) == text.replace("class\r", "class\tnew\r")


def test_a_column_is_added_to_the_header_alone() -> None:
    """Rows may be short, so that no other line has to change."""
    assert after(SMALL, add_column(read_table(SMALL), "gender")) == SMALL.replace("class\n", "class\tgender\n")
    with pytest.raises(InputError, match="already"):
        add_column(read_table(SMALL), "pos")


@pytest.mark.parametrize(
    ("block", "line", "column", "expected"),
    [
        ("VV\tx\nVV\ty", 2, "pos", "expression\tpos\tclass\n猫\tVV\tx\n狗\tVV\ty\n\n跑\tVV\t\n"),
        ("a\r\nb\r\nc\r\nd\r\n", 3, "expression", "expression\tpos\tclass\n猫\tNN\tpet\na\tNN\n\nb\tVV\t\nc\nd\n"),
        ("鸟\tNN", None, "", SMALL + "鸟\tNN\n"),
        ("class\texpression\npet\t鸟\n\t树\n", 2, "pos", SMALL + "鸟\t\tpet\n树\n"),
        ('"a ""b"""\n', 2, "class", 'expression\tpos\tclass\n猫\tNN\ta "b"\n狗\tNN\n\n跑\tVV\t\n'),
        (" 鸟 \t NN ", None, "", SMALL + "鸟\tNN\n"),
        ("", 2, "pos", SMALL),
    ],
    ids=["over cells", "past the end", "new row", "with a header", "quoted", "blanks", "nothing"],
)
def test_a_block_is_pasted_as_spreadsheets_copy_it(block: str, line: int | None, column: str, expected: str) -> None:
    assert after(SMALL, paste(read_table(SMALL), block, line=line, column=column)) == expected


@pytest.mark.parametrize(
    ("block", "says"),
    [("a\tb\tc\td", "the table has 3"), ('"a\tb"', "a cell cannot contain"), ("x\t" * 200_000, "more than")],
)
def test_a_block_that_does_not_fit_is_refused(block: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        paste(read_table(SMALL), block, line=2, column="expression")


@given(st.lists(st.lists(st.text(alphabet="ab中 \t\n\"'", max_size=5), min_size=1, max_size=3), max_size=4))
def test_any_block_is_pasted_or_refused(rows: list[list[str]]) -> None:
    block = "\n".join("\t".join(row) for row in rows)
    table = read_table(SMALL)
    try:
        cells = pasted_cells(block)
        new = read_table(after(SMALL, paste(table, block)))
    except InputError:
        return
    assert [row.cells for row in new.rows][:3] == [row.cells for row in table.rows]
    assert len([*new.rows]) <= 3 + len(cells)


@given(st.data())
def test_other_lines_stay_byte_for_byte(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([LEXICON, LEXICON.replace("\n", "\r\n"), LEXICON.rstrip("\n"), SMALL]))
    table = read_table(text)
    row = data.draw(st.sampled_from([*table.rows]))
    column = data.draw(st.sampled_from(table.header))
    value = data.draw(st.text(alphabet="ab中/ 𠀀", max_size=4))
    new = after(text, set_cell(table, line=row.line, column=column, value=value))
    lines = list(zip(text.split("\n"), new.split("\n"), strict=True))
    assert all(one == other for n, (one, other) in enumerate(lines, start=1) if n != row.line)
    assert read_table(new).row(row.line).cell(table.column(column)) == value if new.strip() else True


def test_every_cell_that_cannot_be_is_told() -> None:
    """A paste of two hundred rows is refused whole; whoever has to mend it should not do so one cell at a time."""
    block = "".join(f"a\x7f{number}\tgood\n" if number % 2 else "b\tc\n" for number in range(60))
    with pytest.raises(InputError) as caught:
        paste(read_table("expression\tpos\n"), block)
    found = [(problem.kind, problem.place.line) for problem in caught.value.problems]
    assert found == [("cell-characters", line) for line in range(2, 42, 2)]


FEATURES = "feature\tvalue\tparent\tmeans\nclass\tfood\t\tfood\nclass\tfruit\tfood\tfruit\npos\t*\t\tx\n"
FRUIT = "expression\tpos\tclass\n苹果\tNN\tfruit\n米饭\tNN\tfood\n书\tNN\n苹果\tNN\tfruit\n"


def forms(query: str, text: str = LEXICON, features: str | None = None) -> list[str]:
    vocabulary = read_vocabulary({"lexicon.tsv": text}, features=features)
    return [vocabulary.tables[file].row(line).cells[0] for file, line in find(vocabulary, query)]


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
    assert find(vocabulary, "书") == [("lexicon/a.tsv", 10), ("lexicon/b.tsv", 4)]
    assert [file for file, _ in find(vocabulary, "pos:NN")].count("lexicon/b.tsv") == 3
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
