"""A made-up project in the papers' format that uses every form of their rule language."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

VOCABULARY = """\
expression	pos	subcat	gender	animate	classifier	number	tran_verb	transitivity
小明	NR	person	male	1		singular
小红	NR	person	female	1		singular
小刚	NR	person	male	1		singular
他	PN	person	male	1		singular
她	PN	person	female	1		singular
他们	PN	person	neutral	1		plural
老师	NN	person		1	位/个
狗	NN	animal		1	只/条
苹果	NN	food		0	个/颗		吃/买
红酒	NN	beverage		0	瓶/杯		喝/买
书	NN	obj		0	本		看/买
吃	VV						吃	tran
喝	VV						喝	tran
看	VV						看	tran
买	VV						买	tran
睡觉	VV	action						intran
工作	VV	action						intran
工作	NN	idea		0	份/个
个	M				个
瓶	M				瓶
杯	M				杯
本	M				本
位	M				位
只	M				只
三	CD
五	CD
这	DT	near,here
那	DT
也	AD
已经	AD
聪明	VA
喜欢	VV	mental						tran
"""

PHRASES: Mapping[str, object] = {
    "Person": [[{"type": "Lexical", "rule": "pos:NR"}], [{"type": "Lexical", "rule": "pos:PN number:singular"}]],
    "Det": [["这"], ["那"]],
    "NP": [
        [{"type": "Lexical", "rule": "pos:CD"}, {"type": "Matched", "rule": "pos:M mPos:2 mPro:classifier"}, "pos:NN"],
        [["Phrase", "phrase:Det"], {"type": "Matched", "value": "pos:M mPos:2 mPro:classifier"}, "pos:NN animate:1"],
    ],
    "ComplexPerson": [[{"type": "Phrase", "rule": "phrase:Person"}], ["phrase:Det", "位", "pos:NN subcat:person"]],
    "VnotV": [["pos:VV transitivity:intran", "不", "pos:VV mPos:0 mPro:expression"]],
}

# file -> uid, phenomenon, good, bad
TEMPLATES: Mapping[str, tuple[str, str, list[str], list[str]]] = {
    "a.json": (
        "order",
        "BA",
        ["phrase:Person", "把", "pos:NN subcat:obj/food", "pos:VV mPos:2 mPro:tran_verb", "了", "。"],
        ["把", "pos:NN subcat:obj/food", "phrase:Person", "pos:VV mPos:2 mPro:tran_verb", "了", "。"],
    ),
    "b.json": (
        "mismatch",
        "classifier",
        ["pos:NR", "pos:VV mPos:4 mPro:tran_verb", "三 五", "pos:M mPos:4 mPro:classifier", "pos:NN subcat:beverage"],
        ["pos:NR", "pos:VV mPos:4 mPro:tran_verb", "三 五", "pos:M mmPos:4 mmPro:classifier", "pos:NN subcat:beverage"],
    ),
    "c.json": (
        "long_keywords",
        "anaphor",
        ["pos:NR", "喜欢", "pos:PN matchedPosition:0 matchedProperties:gender/number", "自己", "。"],
        ["pos:NR", "喜欢", "pos:PN mismatchedPosition:0 mismatchedProperties:gender", "自己", "。"],
    ),
    "d.json": (
        "insertion",
        "verb_phrase",
        ["pos:NR", "", "pos:VV transitivity:intran", "了", ""],
        ["pos:NR", "也 已经", "pos:VV transitivity:intran", "", "。"],
    ),
    "e.json": (
        "copied_verb",
        "question",
        ["pos:NR", "pos:VV transitivity:intran", "不", "pos:VV mPos:1 mPro:expression", "？"],
        ["pos:NR", "不", "pos:VV transitivity:intran", "pos:VV transitivity:intran", "？"],
    ),
    "f.json": (
        "different_word",
        "verb_phrase",
        ["pos:NR", "喜欢", "pos:NR mmPos:0 mmPro:expression", "。"],
        ["喜欢", "pos:NR", "pos:NR mmPos:0 mmPro:expression", "。"],
    ),
    "g.json": (
        "choice",
        "topicalization",
        ["pos:NR", "喜欢", "pos:NR", "也", "聪明"],
        ["喜欢", "pos:NR", "也", "聪明", "pos:NR"],
    ),
    "h.json": (
        "copy_of_two",
        "topicalization",
        ["pos:NR", "pos:NR", "聪明", ""],
        ["pos:NR", "pos:NR", "聪明", "pos:NR"],
    ),
    "i.json": (
        "overrides",
        "BA",
        ["phrase:NP -1:<animate:1>", "phrase:ComplexPerson -1:<subcat:person>", "phrase:NP 1:<classifier:位>"],
        ["phrase:NP -1:<animate:1>", "也", "phrase:NP 1:<classifier:位>"],
    ),
    "j.json": (
        "literal_reference",
        "anaphor",
        ["他", "喜欢", "pos:NR mPos:0 mPro:gender", "。", ""],
        ["喜欢", "他", "pos:NR mmPos:1 mmPro:gender", "。", "pos:PN mPos:-4 mPro:expression"],
    ),
    "k.json": (
        "alternatives",
        "passive",
        ["pos:NR|phrase:Person | pos:PN number:plural", "受 被", "pos:AD | ", "聪明"],
        ["pos:NR|phrase:Person | pos:PN number:plural", "聪明", "pos:AD | ", "受 被"],
    ),
    "l.json": (
        "blanks",
        "question",
        ["pos:NR", "pos:VV  transitivity:intran", "不", "。"],
        ["pos:NR", "pos:VV transitivity:intran ", "也", "。"],
    ),
    "m.json": (
        "bad_list_counts",
        "classifier",
        ["pos:NN", "三", "pos:M mPos:0 mPro:classifier", "。"],
        ["三", "pos:M mmPos:2 mmPro:classifier", "pos:NN", "。"],
    ),
    "n.json": ("three_files", "raising", ["pos:NR", "睡觉"], ["睡觉", "pos:NR"]),
    "o.json": ("three_files", "raising", ["pos:PN", "工作"], ["工作", "pos:PN"]),
    "p.json": ("three_files", "", ["pos:NN animate:1", "工作"], ["工作", "pos:NN animate:1"]),
    "q.json": (
        "homograph",
        "",
        ["pos:NN", "，", "pos:VV mPos:0 mPro:expression", "。"],
        ["pos:VV mPos:2 mPro:expression", "，", "pos:NN", "。"],
    ),
}

Write = Callable[..., Path]


def template(uid: str, phenomenon: str, good: list[str], bad: list[str]) -> dict[str, object]:
    """A template with the keys of the published ones."""
    keys = {"user": "", "uid": uid, "phenomenon": phenomenon, "strict_MP": uid == "order", "sep": ""}
    return {**keys, "good_rule": good, "bad_rule": bad}


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """The folder of the whole project: `templates/`, `vocabulary.tsv`, `phrases.json`."""
    folder = tmp_path / "published"
    (folder / "templates").mkdir(parents=True)
    for file, fields in TEMPLATES.items():
        text = json.dumps(template(*fields), ensure_ascii=False, indent=4)
        (folder / "templates" / file).write_text(text, encoding="utf-8")
    (folder / "vocabulary.tsv").write_text(VOCABULARY, encoding="utf-8")
    (folder / "phrases.json").write_text(json.dumps(PHRASES, ensure_ascii=False), encoding="utf-8")
    return folder
