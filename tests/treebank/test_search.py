"""Patterns find what they describe, in both kinds of tree, and say where they are wrong."""

from pathlib import Path

import pytest

from bidui.errors import InputError
from bidui.treebank.search import head_of, parse_pattern, search_trees
from bidui.treebank.trees import Trees, read_trees

from .small import CONLLU, GARDENER, TEACHER


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Trees:
    path = tmp_path_factory.mktemp("trees") / "a.mrg"
    path.write_text(GARDENER + TEACHER, encoding="utf-8")
    return read_trees(path)


@pytest.fixture(scope="module")
def dependencies(tmp_path_factory: pytest.TempPathFactory) -> Trees:
    path = tmp_path_factory.mktemp("trees") / "a.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    return read_trees(path)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("M", ["排", "位"]),
        ("NN=老师/肥料", ["肥料", "老师"]),
        ("NP-OBJ", ["两排灌木", "肥料", "作业"]),
        ("*-TMP|*", None),  # a tag belongs to all the labels before it
        ("NP-SBJ(NN)", ["园丁"]),
        ("NP(..M)", ["两排灌木", "这位钢琴老师"]),
        ("NP(..M !QP)", ["这位钢琴老师"]),
        ("NP[NN NN]", ["钢琴老师"]),
        ("NP(NN NN)", ["钢琴老师"]),
        ("NP(^NN=老师)", ["这位钢琴老师", "钢琴老师"]),
        ("VP[VV NP-OBJ]", ["喷洒肥料", "批改作业"]),
        ("VP[VV AS? NP-OBJ]", ["修剪了两排灌木", "喷洒肥料", "批改作业"]),
        ("VP[... NP-OBJ(QP)]", ["修剪了两排灌木"]),
        ("QP|DP", ["两排", "这位"]),
        ("IP(NP VP(VP(AS)))", ["昨天园丁修剪了两排灌木，又喷洒肥料。"]),
        ("VP(NP VV)", []),  # the order counts
    ],
)
def test_a_pattern_finds_the_nodes_it_describes(trees: Trees, pattern: str, found: list[str] | None) -> None:
    if found is None:
        with pytest.raises(InputError):
            parse_pattern(pattern)
    else:
        assert [match.text for match in search_trees(trees, pattern)] == found


def test_named_parts_come_with_the_match(trees: Trees) -> None:
    matches = list(search_trees(trees, "VP[... verb:VV AS? object:NP-OBJ]"))
    assert [{name: node.text for name, node in match.parts.items()} for match in matches] == [
        {"verb": "修剪", "object": "两排灌木"},
        {"verb": "喷洒", "object": "肥料"},
        {"verb": "批改", "object": "作业"},
    ]
    assert (matches[2].place.line, matches[2].tree.text) == (9, "这位钢琴老师批改作业。")


def test_every_way_to_choose_the_parts_is_a_match(trees: Trees) -> None:
    """钢琴老师 has two nouns; without names there is nothing to choose, and the phrase is found once."""
    assert [m.parts["n"].word for m in search_trees(trees, "NP-SBJ(NP(n:NN))")] == ["钢琴", "老师"]
    assert len(list(search_trees(trees, "NP-SBJ(NP(NN))"))) == 1


def test_the_daughters_of_a_word_are_its_dependents(dependencies: Trees) -> None:
    (match,) = search_trees(dependencies, "VERB(who:PRON-nsubj thing:NOUN-obj(NUM(m:NOUN-clf)))")
    assert {name: node.text for name, node in match.parts.items()} == {"who": "他", "thing": "三台电脑", "m": "台"}


def test_a_relation_includes_its_subtypes(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(CONLLU.replace("\tobj\t", "\tobj:periph\t"), encoding="utf-8")
    assert len(list(search_trees(path, "NOUN-obj"))) == 1
    assert not list(search_trees([path], "NOUN-ob"))


def test_heads(trees: Trees) -> None:
    gardener, teacher = (tree.root for tree in trees)
    assert (head_of(gardener).word, head_of(teacher).word) == ("修剪", "批改")
    assert [head_of(child).word for child in teacher.children] == ["老师", "批改", "。"]


@pytest.mark.parametrize(
    ("pattern", "kind", "column"),
    [
        ("", "pattern-label", 1),
        ("NP(", "pattern-unclosed", 3),
        ("NP(QP]", "pattern-label", 6),
        ("NP NN", "pattern-rest", 3),
        ("!NP", "pattern-daughter", 1),
        ("VP(VV AS?)", "pattern-exact", 3),
        ("VP(x:!AS)", "pattern-label", 5),
        ("VP(!x:AS)", "pattern-name", 3),
        ("(NP)", "pattern-label", 1),
        ("A(" * 30 + "B" + ")" * 30, "pattern-deep", 43),
        ("NP" * 2000, "pattern-long", 0),
    ],
)
def test_a_wrong_pattern_is_refused_with_its_column(pattern: str, kind: str, column: int) -> None:
    with pytest.raises(InputError) as error:
        parse_pattern(pattern)
    (problem,) = error.value.problems
    assert (problem.kind, problem.place.column) == (kind, column)
