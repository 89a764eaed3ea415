"""What SLING needs is taken from trees, with the sentence, file and line it comes from."""

import os
from pathlib import Path

import pytest

from bidui.treebank.extract import Compound, Extraction, NounPhrase, VerbObject, extract_phrases
from bidui.treebank.trees import read_trees

from .small import CONLLU, GARDENER, TEACHER


def extracted(folder: Path, text: str, name: str = "a.mrg") -> Extraction:
    (folder / name).write_text(text, encoding="utf-8")
    return extract_phrases(read_trees(folder / name))


def test_bracketed_trees_give_phrases_objects_and_compounds(tmp_path: Path) -> None:
    found = extracted(tmp_path, GARDENER + TEACHER)
    file = str(tmp_path / "a.mrg")
    pruned, marked = "昨天园丁修剪了两排灌木，又喷洒肥料。", "这位钢琴老师批改作业。"
    assert found.noun_phrases == (
        NounPhrase("", "两", "排", "", "灌木", pruned, file, 1),
        NounPhrase("", "这", "位", "钢琴", "老师", marked, file, 9),
    )
    assert found.verb_objects == (
        VerbObject("修剪", "两排灌木", "灌木", "quantified", "两", pruned, file, 1),
        VerbObject("喷洒", "肥料", "肥料", "noun", "", pruned, file, 1),
        VerbObject("批改", "作业", "作业", "noun", "", marked, file, 9),
    )
    assert found.compounds == (Compound("钢琴", "老师", marked, file, 9),)
    assert found.classifiers == {"灌木": {"排": 1}, "老师": {"位": 1}}


def test_a_noun_has_all_its_classifiers(tmp_path: Path) -> None:
    phrase = "(NP (QP (CD 一) (CLP (M {}))) (NP (NN 画)))\n"
    found = extracted(tmp_path, "".join(phrase.format(m) for m in "幅张幅"))
    assert found.classifiers == {"画": {"幅": 2, "张": 1}}


@pytest.mark.parametrize(
    ("phrase", "parts"),
    [
        (
            "(NP (DNP (NP (NN 工厂)) (DEG 的)) (QP (CD 三) (CLP (M 台))) (ADJP (JJ 新)) (NP (NN 机器)))",
            ("工厂的", "三", "台", "新", "机器"),
        ),
        ("(NP (DP (DT 这) (QP (CD 三) (CLP (M 台)))) (NP (NN 机器)))", ("", "这三", "台", "", "机器")),
        ("(NP (QP (CD 三) (CLP (M 台))) (NP (NN 机器) (CC 和) (NN 零件)))", None),  # which noun is counted is open
        ("(NP (QP (CD 三)) (NP (NN 机器)))", None),  # no classifier
        ("(NP (QP (CD 三) (CLP (JJ 大) (M 批))) (NP (NN 机器)))", None),  # not numeral and classifier side by side
        ("(NP (QP (CD 三) (CLP (M 台))) (NP (NR 长城)))", None),  # a name
    ],
)
def test_the_parts_of_a_noun_phrase(tmp_path: Path, phrase: str, parts: tuple[str, ...] | None) -> None:
    found = extracted(tmp_path, f"(IP {phrase} (VP (VV 坏)))\n").noun_phrases
    fields = [(p.before, p.numeral, p.classifier, p.between, p.noun) for p in found]
    assert fields == ([] if parts is None else [parts])
    assert [p.text for p in found] == ([] if parts is None else ["".join(parts)])


@pytest.mark.parametrize(
    ("phrase", "parts"),
    [
        ("(VV 修) (NP-OBJ (ADJP (JJ 旧)) (NP (NN 家具)))", ("旧家具", "家具", "adjective")),
        ("(VV 修) (NP-OBJ (NN 木头) (NN 家具))", ("木头家具", "家具", "compound")),
        ("(VV 修) (NP-OBJ (DNP (NP (NN 邻居)) (DEG 的)) (NP (NN 家具)))", ("邻居的家具", "家具", "possessor")),
        ("(VV 修) (NP-OBJ (NN 桌子) (CC 和) (NN 椅子))", ("桌子和椅子", "椅子", "coordination")),
        ("(VV 修) (NP-OBJ (CP (IP (VP (VV 坏))) (DEC 的)) (NP (NN 椅子)))", ("坏的椅子", "椅子", "clause")),
        ("(VV 请) (NP-OBJ (NN 老师)) (IP (VP (VV 讲)))", None),  # the object is not all the verb has
        ("(VV 送) (NP-IO (PN 他)) (NP-OBJ (NN 书))", None),
        ("(VV 等) (NP-OBJ (PN 他))", None),  # a pronoun is no noun
        ("(VV 来) (NP-TMP (NT 昨天))", None),
    ],
)
def test_only_a_verb_with_a_nominal_object_is_one(
    tmp_path: Path, phrase: str, parts: tuple[str, str, str] | None
) -> None:
    """Phrases that are not verb and object were a fault of the published benchmark."""
    found = extracted(tmp_path, f"(IP (VP {phrase}))\n").verb_objects
    assert [(each.object, each.noun, each.shape) for each in found] == ([] if parts is None else [parts])


def test_dependency_trees_give_the_same(tmp_path: Path) -> None:
    found = extracted(tmp_path, CONLLU, "a.conllu")
    file = str(tmp_path / "a.conllu")
    assert found.noun_phrases == (NounPhrase("", "三", "台", "", "电脑", "他修了三台电脑。", file, 1),)
    sentence = "他修了三台电脑。"
    assert found.verb_objects == (VerbObject("修", "三台电脑", "电脑", "quantified", "三", sentence, file, 1),)


def test_real_dependency_trees_give_phrases() -> None:
    """By reading: GSD has 四个农业区划 (test, line 7087), PUD the compound 研究人員 (line 2231)."""
    shared = os.environ.get("BIDUI_SHARED")
    if not shared or not (Path(shared) / "data" / "treebank").is_dir():
        pytest.skip("BIDUI_SHARED does not name a folder with data/treebank")
    found = extract_phrases(read_trees(Path(shared) / "data" / "treebank"))
    assert any(p.line == 7087 and p.text == "四个农业区划" for p in found.noun_phrases)
    assert any(c.line == 2231 and (c.first, c.second) == ("研究", "人員") for c in found.compounds)
    assert "个" in found.classifiers["区划"]
