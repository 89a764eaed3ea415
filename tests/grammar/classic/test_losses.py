"""An import says how many pairs of the original our stricter mismatch and distinctness leave out."""

import json
from pathlib import Path

from bidui.errors import Problem
from bidui.grammar.classic import read_classic
from bidui.grammar.classic.read import losses
from bidui.grammar.project import load_project, write_project


def lost(folder: Path, vocabulary: str, good: list[str], bad: list[str]) -> list[Problem]:
    (folder / "t").mkdir()
    template = {"uid": "x", "phenomenon": "y", "strict_MP": False, "sep": "", "good_rule": good, "bad_rule": bad}
    (folder / "t" / "x.json").write_text(json.dumps(template, ensure_ascii=False), encoding="utf-8")
    (folder / "v.tsv").write_text(vocabulary, encoding="utf-8")
    write_project(read_classic(folder / "t", vocabulary=folder / "v.tsv"), folder / "project")
    return losses(load_project(folder / "project"))


def test_a_classifier_that_fits_after_all_is_left_out_and_counted(tmp_path: Path) -> None:
    """By hand: 红酒 (瓶 杯) has 2 right classifiers and 1 wrong one, 书 has 1 and 2: 4 pairs.

    The original also called 杯 wrong beside 瓶, and the other way round: 2 pairs more.
    """
    vocabulary = "expression\tpos\tclassifier\n红酒\tNN\t瓶/杯\n书\tNN\t本\n" + "".join(
        f"{m}\tM\t{m}\n" for m in "瓶杯本"
    )
    good = ["三", "pos:M mPos:2 mPro:classifier", "pos:NN"]
    bad = ["三", "pos:M mmPos:2 mmPro:classifier", "pos:NN"]
    (problem,) = lost(tmp_path, vocabulary, good, bad)
    assert problem.values == {"uid": "x", "lost": 2, "original": 6, "ours": 4}


def test_the_same_word_twice_is_left_out_and_counted(tmp_path: Path) -> None:
    """3 x 3 ways to name two people, of which 3 name one person twice."""
    vocabulary = "expression\tpos\n小明\tNR\n小红\tNR\n小刚\tNR\n看\tVV\n"
    (problem,) = lost(tmp_path, vocabulary, ["pos:NR", "pos:VV", "pos:NR ", ""], ["pos:NR", "pos:VV", "pos:NR ", "了"])
    assert problem.values == {"uid": "x", "lost": 3, "original": 9, "ours": 6}


def test_nothing_is_said_where_nothing_is_lost(tmp_path: Path) -> None:
    vocabulary = "expression\tpos\n小明\tNR\n看\tVV\n"
    assert lost(tmp_path, vocabulary, ["pos:NR", "pos:VV", ""], ["pos:NR", "pos:VV", "了"]) == []
