"""A project takes tables of its lexicon from trees, from its own or from those of the user."""

from pathlib import Path

import pytest

from bidui.benchmarks import generate, open_project
from bidui.errors import InputError
from bidui.grammar.check import check_project
from bidui.grammar.project import read_project, settings_text
from bidui.treebank.tables import extract_tables

from .small import CONLLU, GARDENER, TEACHER

SETTINGS = """format: 1
trees:
  files: [trees/*.mrg]
  tables:
    verb_objects: lexicon/verb_objects.tsv
    nouns: lexicon/nouns.tsv
"""
PARADIGM = """format: 1
uid: progressive
phenomenon: aspect
edit: insertion
slots:
  vo: pos:VO shape:noun
good: 他们在 vo@verb vo@object 。
bad: 他们在 vo@verb 过 vo@object 。
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    files = {
        "project.yaml": SETTINGS,
        "trees/a.mrg": GARDENER + TEACHER,
        "paradigms/aspect/progressive.yaml": PARADIGM,
        "lexicon/people.tsv": "expression\tpos\n他们\tPN\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def good(project: object) -> set[str]:
    return {pair.good for pair in generate(project, n=9)}  # type: ignore[arg-type]


def test_the_tables_are_files_of_the_lexicon(project: Path) -> None:
    """By hand from the two trees; the workbench and people read these files like any other table."""
    tables = extract_tables(project)
    assert (project / "lexicon" / "verb_objects.tsv").read_text(encoding="utf-8").splitlines() == [
        "expression\tpos\tverb\tobject\tnoun\tshape\tnumeral\tsentence\tsource",
        "修剪两排灌木\tVO\t修剪\t两排灌木\t灌木\tquantified\t两\t昨天园丁修剪了两排灌木，又喷洒肥料。\ta.mrg:1",
        "喷洒肥料\tVO\t喷洒\t肥料\t肥料\tnoun\t\t昨天园丁修剪了两排灌木，又喷洒肥料。\ta.mrg:1",
        "批改作业\tVO\t批改\t作业\t作业\tnoun\t\t这位钢琴老师批改作业。\ta.mrg:9",
    ]
    assert [len(rows) for rows in tables.rows.values()] == [3, 2]
    assert good(project) == {"他们在喷洒肥料。", "他们在批改作业。"}


def test_other_trees_take_the_place_of_its_own_and_nothing_is_written(project: Path, tmp_path: Path) -> None:
    extract_tables(project)
    before = {path: path.read_bytes() for path in project.rglob("*.tsv")}
    mine = tmp_path / "mine.mrg"
    mine.write_text(GARDENER.replace("肥料", "农药") + "(IP (NN 断\n", encoding="utf-8")
    opened = open_project(project, trees=mine)
    assert good(opened) == {"他们在喷洒农药。"}
    assert [(problem.kind, problem.place.line) for problem in opened.problems] == [
        ("tree-unclosed", 9),
        ("trees-skipped", 0),
    ]
    assert {path: path.read_bytes() for path in project.rglob("*.tsv")} == before
    assert opened.inputs["lexicon/verb_objects.tsv"] != open_project(project).inputs["lexicon/verb_objects.tsv"]


def test_trees_without_an_extraction_are_named(project: Path, tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(CONLLU.replace("\tclf\t", "\tdep\t"), encoding="utf-8")
    opened = open_project(project, trees=[tmp_path / "a.conllu"])
    assert [(p.kind, p.values) for p in opened.problems] == [("trees-give-none", {"extraction": "nouns"})]


def test_a_sentence_may_hold_any_signs(project: Path) -> None:
    """Slashes and full-width signs are questionable in a feature, and ordinary in the sentence that shows its use."""
    (project / "trees" / "a.mrg").write_text(TEACHER.replace("(PU 。)", "(PU ／) (PU /) (PU ！)"), encoding="utf-8")
    extract_tables(project)
    opened = read_project(project)
    assert opened.problems == ()
    assert {value for word in opened.lexicon.words for value in word.get("sentence")} == {"这位钢琴老师批改作业／/！"}


def test_words_from_trees_need_not_fit_a_slot(project: Path) -> None:
    """The nouns are in no paradigm; that would be a warning about words somebody wrote."""
    extract_tables(project)
    kinds = [problem.values for problem in check_project(open_project(project)) if problem.kind == "words-unused"]
    assert kinds == [{"count": 1, "words": ["他们"]}]


def test_the_settings_are_written_as_they_were_read(project: Path) -> None:
    extract_tables(project)
    settings = open_project(project).settings
    (project / "project.yaml").write_text(settings_text(settings), encoding="utf-8")
    assert open_project(project).settings == settings


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("lexicon/nouns.tsv", "../nouns.tsv", "trees-table"),
        ("lexicon/nouns.tsv", "nouns.tsv", "trees-table"),
        ("nouns:", "noun:", "key-unknown"),
        ("trees/*.mrg", "../*.mrg", "path-outside"),
        ("trees/*.mrg", "/trees/*.mrg", "path-outside"),
        ("files:", "file:", "key-unknown"),
    ],
)
def test_wrong_settings_are_refused(project: Path, old: str, new: str, kind: str) -> None:
    (project / "project.yaml").write_text(SETTINGS.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as error:
        extract_tables(project)
    assert error.value.problems[0].kind == kind


def test_a_project_without_trees_says_so(project: Path, tmp_path: Path) -> None:
    (project / "project.yaml").write_text("format: 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="takes nothing from trees"):
        open_project(project, trees=project / "trees")
    (project / "project.yaml").write_text(SETTINGS.replace("  files: [trees/*.mrg]\n", ""), encoding="utf-8")
    with pytest.raises(InputError, match="does not say where its trees are"):
        extract_tables(project)
