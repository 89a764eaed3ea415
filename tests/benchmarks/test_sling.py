"""The shipped SLING: complete, taken from its trees, checked, as varied as promised, and its card current."""

import re
from collections import Counter

import pytest

from bidui.analysis.significance import SLING_BASELINES
from bidui.benchmarks import open_project, shipped
from bidui.benchmarks.card import refresh_card
from bidui.grammar.check import check_project
from bidui.grammar.project import Project, read_settings
from bidui.pairs import Pairs
from bidui.people.agreement import human_agreement
from bidui.treebank.extract import extract_phrases
from bidui.treebank.tables import TreeTables, table_rows
from bidui.treebank.trees import read_trees

from .conftest import Generate

pytestmark = pytest.mark.slow

# as published: paradigms of each phenomenon, without the baselines
PHENOMENA = {
    "alternative_question": 1,
    "anaphor_gender": 4,
    "anaphor_number": 6,
    "aspect": 5,
    "classifier_noun": 5,
    "definiteness_effect": 2,
    "polarity_item": 3,
    "relative_clause": 2,
    "wh_fronting": 2,
}
FOLDER = shipped()["sling"]


@pytest.fixture(scope="module")
def project() -> Project:
    return open_project("sling")


@pytest.fixture(scope="module")
def pairs(project: Project, generated: Generate) -> Pairs:
    return generated(project, n=1000)


def card_number(card: str, what: str) -> int:
    """What the table of diversity on a card says about these pairs."""
    (number,) = re.findall(rf"^\| {re.escape(what)} \| ([\d,]+) \|", card, flags=re.MULTILINE)
    return int(number.replace(",", ""))


def test_all_paradigms_are_there_and_the_baselines_are_marked(project: Project) -> None:
    found = Counter(paradigm.phenomenon for paradigm in project.paradigms if paradigm.status == "included")
    assert found == PHENOMENA and sum(PHENOMENA.values()) == 30
    baselines = {paradigm.uid for paradigm in project.paradigms if paradigm.status == "baseline"}
    assert baselines == set(SLING_BASELINES.values()) and len(baselines) == 8
    assert SLING_BASELINES.keys() <= {paradigm.uid for paradigm in project.paradigms}
    for paradigm in project.paradigms:
        assert paradigm.about.keys() == {"en", "zh"} and paradigm.source and paradigm.edit, paradigm.uid
        assert paradigm.example.keys() == {"good", "bad", "gloss", "en"}, paradigm.uid


def test_the_tables_are_what_the_trees_give() -> None:
    """After a change of the trees: `bidui trees extract src/bidui/benchmarks/sling`."""
    trees = read_trees(str(FOLDER / "trees" / "*.mrg"))
    tables = read_settings(FOLDER).tables
    rows = table_rows(extract_phrases(trees), tables)
    assert trees.counts.broken == 0 and trees.counts.trees >= 1_500
    for name, text in TreeTables(tables, rows, trees.counts).texts().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, name


def test_the_check_is_clean(project: Project) -> None:
    assert [str(problem) for problem in check_project(project)] == []


def test_every_paradigm_gives_a_thousand_pairs_and_none_twice(pairs: Pairs) -> None:
    assert not pairs.short
    assert set(Counter(pair.uid for pair in pairs).values()) == {1000} and len(pairs.by_uid()) == 38
    assert len({(pair.good, pair.bad) for pair in pairs}) == len(pairs)
    assert all(pair.good != pair.bad for pair in pairs)


def test_the_words_are_as_varied_as_asked() -> None:
    """As the card says, whose numbers are computed again below."""
    card = (FOLDER / "card.md").read_text(encoding="utf-8")
    assert card_number(card, "character types") >= 2_500
    assert card_number(card, "word types (jieba)") >= 8_000


def test_a_wrong_classifier_is_none_that_the_noun_has(pairs: Pairs) -> None:
    """Read off the table itself: offering one that fits was a fault of the published benchmark."""
    rows = [line.split("\t") for line in (FOLDER / "lexicon" / "noun_phrases.tsv").read_text("utf-8").splitlines()[1:]]
    known: dict[str, set[str]] = {}
    for row in rows:
        known.setdefault(row[5], set()).update(row[7].split("/"))  # rest, classifiers
    for pair in pairs.by_uid()["cl_simple_noun"]:
        at = next(i for i, (good, bad) in enumerate(zip(pair.good, pair.bad, strict=True)) if good != bad)
        rest = pair.good[at + 1 : -1]
        assert pair.good[at] in known[rest] and pair.bad[at] not in known[rest], pair


def test_humans_judged_the_published_pairs(project: Project) -> None:
    """By hand from the paper's Table 8: haishi_ma 97.3, cl_comp_noun_v2 94.0."""
    human = {found.name: found for found in human_agreement(FOLDER)}
    assert human.keys() == {paradigm.uid for paradigm in project.paradigms if paradigm.status == "included"}
    assert (human["haishi_ma"].correct, human["haishi_ma"].judgements) == (214, 220)
    assert (human["cl_comp_noun_v2"].correct, human["cl_comp_noun_v2"].judgements) == (188, 200)


def test_the_numbers_of_the_card_are_current(project: Project, pairs: Pairs) -> None:
    """All but the table of paradigms, whose counts and classifiers take half a minute."""
    text = (FOLDER / "card.md").read_text(encoding="utf-8")
    quick = re.sub("<!-- numbers: paradigms -->.*?<!-- end -->", "", text, flags=re.DOTALL)
    assert quick != text
    assert refresh_card(quick, project=project, pairs=pairs, folder=FOLDER) == quick
