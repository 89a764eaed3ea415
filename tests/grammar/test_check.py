"""What `bidui check` finds in paradigms that are well written and yet wrong."""

import itertools
import time
from pathlib import Path

import pytest

import bidui
from bidui.errors import Problem
from bidui.grammar.check import _literals, check_project
from bidui.grammar.project import read_project

LEXICON = """expression	pos	gender	classifier
王先生	NR	male	
李太太	NR	female	
他	PN	male	
她	PN	female	
书	NN		本
桌子	NN		张
本	M		本
张	M		张
喜欢	VV		
佩服	VV		
"""

META = "about: {en: a, zh: b}\nexample: {good: x, bad: y}\nclosed_class: a small lexicon\n"


def project(folder: Path, **paradigms: str) -> Path:
    """A project with these paradigms, all of the phenomenon `p`."""
    (folder / "paradigms" / "p").mkdir(parents=True)
    (folder / "project.yaml").write_text("format: 1\nname: t\n")
    (folder / "lexicon.tsv").write_text(LEXICON)
    for uid, body in paradigms.items():
        (folder / "paradigms" / "p" / f"{uid}.yaml").write_text(f"format: 1\nuid: {uid}\nphenomenon: p\n{META}{body}")
    return folder


def found(folder: Path, kind: str, *, seconds: float = 20) -> list[Problem]:
    return [problem for problem in check_project(read_project(folder), seconds=seconds) if problem.kind == kind]


REFLEXIVE = """edit: agreement
slots:
  who: pos:NR
  likes: pos:VV
  right: pos:PN mPos:who mPro:gender
  wrong: pos:PN mmPos:who mmPro:gender
good: who likes right 自己 。
bad: who likes wrong 自己 。
"""


def test_agreement_and_its_violation_share_no_sentence(tmp_path: Path) -> None:
    """As automata the two lines are equal; only the links tell them apart."""
    assert found(project(tmp_path, a=REFLEXIVE), "bad-is-good") == []
    assert found(tmp_path, "crossing-undecided") == []


def test_a_bad_sentence_that_another_good_grammar_derives_is_found_with_a_witness(tmp_path: Path) -> None:
    loose = "edit: deletion\nslots:\n  who: pos:NR\n  likes: pos:VV\n  him: pos:PN\n" + (
        "good: who likes him 自己 。\nbad: who likes 自己 。\n"
    )
    (problem,) = found(project(tmp_path, a=REFLEXIVE, b=loose), "bad-is-good")
    assert problem.place.file == "paradigms/p/a.yaml"
    assert problem.values["good"] == "b"
    good = {
        f"{who}{likes}{him}自己。" for who, him in (("王先生", "她"), ("李太太", "他")) for likes in ("喜欢", "佩服")
    }
    assert problem.values["sentence"] in good


def test_words_divided_otherwise_are_found_too(tmp_path: Path) -> None:
    """一 本 of one paradigm is 一本 of the other: the sentence is the same."""
    one = "edit: deletion\nslots:\n  n: 书\n  m: 本\ngood: 这 一 m n 。\nbad: 一 m n 。\n"
    other = "edit: insertion\nslots:\n  n: 书 桌子\ngood: 一本 n 。\nbad: 一本 的 n 。\n"
    (problem,) = found(project(tmp_path, a=one, b=other), "bad-is-good")
    assert (problem.values["sentence"], problem.values["good"]) == ("一本书。", "b")


def test_excluded_paradigms_are_exempt(tmp_path: Path) -> None:
    loose = "status: excluded\nreason: low agreement\nedit: deletion\nslots:\n  who: pos:NR\n  likes: pos:VV\n" + (
        "  him: pos:PN\ngood: who likes him 自己 。\nbad: who likes 自己 。\n"
    )
    assert found(project(tmp_path, a=REFLEXIVE, b=loose), "bad-is-good") == []


def test_a_linked_meeting_needs_words_that_the_line_does_not_show(tmp_path: Path) -> None:
    """The bad line of a prints only the noun; the noun must still have a classifier on the good side."""
    hidden = "edit: deletion\nslots:\n  m: pos:M mPos:n mPro:classifier\n  n: pos:NN\ngood: 一 m n 。\nbad: n 。\n"
    bare = "edit: insertion\nslots:\n  n: 书 喜欢\ngood: n 。\nbad: n 了 。\n"
    (problem,) = found(project(tmp_path, a=hidden, b=bare), "bad-is-good")
    assert problem.values["sentence"] == "书。"


def test_no_time_means_no_verdict_and_is_said(tmp_path: Path) -> None:
    project(tmp_path, a=REFLEXIVE)
    (problem,) = found(tmp_path, "crossing-undecided", seconds=1e-9)
    assert problem.severity == "warning"
    assert found(tmp_path, "crossing-undecided", seconds=0) == []


def test_phrases_that_share_a_numeral_are_compared_quickly(tmp_path: Path) -> None:
    """2,000 phrases begin with 一: two of them agree in everything they print, not in the numeral alone."""
    phrases = "edit: agreement\nslots:\n  np: pos:CN\n  right: pos:M mPos:np mPro:expression=m\n" + (
        "  wrong: pos:M mmPos:np mmPro:expression=m\n"
        "good: np@number right np@noun 。\nbad: np@number wrong np@noun 。\n"
    )
    rows = "".join(f"一{m}物{n}\tCN\t\t一\t{m}\t物{n}\n" for n in range(2_000) for m in ["本张"[n % 2]])
    head = "expression\tpos\tgender\tnumber\tm\tnoun\n"
    project(tmp_path, a=phrases)
    (tmp_path / "lexicon.tsv").write_text(head + rows + "本\tM\t\t\t\t\n张\tM\t\t\t\t\n")
    problems = check_project(read_project(tmp_path), seconds=0.2)  # 20,000 steps; all pairs of phrases are 4,000,000
    assert {problem.kind for problem in problems} & {"bad-is-good", "crossing-undecided"} == set()


def test_a_relation_tells_lines_apart_without_trying_every_word(tmp_path: Path) -> None:
    """No row has 擦 with the result 明白: whoever does it, to whatever, no sentence need be tried."""
    line = "edit: substitution\nslots:\n  who: pos:NR\n  object: pos:NN\n  verb: pos:VV\n  right: pos:VR\n" + (
        "  wrong: pos:VR rel:results(verb, object, right, wrong)\n"
        "good: who 把 object verb right 了 。\nbad: who 把 object verb wrong 了 。\n"
    )
    project(tmp_path, a=line)
    words = [(f"某{n}", "NR") for n in range(30)] + [(f"物{n}", "NN") for n in range(30)]
    words += [("擦", "VV"), ("讲", "VV"), ("干净", "VR"), ("明白", "VR")]
    (tmp_path / "lexicon.tsv").write_text("expression\tpos\n" + "".join("\t".join(word) + "\n" for word in words))
    (tmp_path / "relations").mkdir()
    objects = "/".join(f"物{n}" for n in range(30))
    rows = f"verb\tobject\tresult\twrong\n擦\t{objects}\t干净\t明白\n讲\t{objects}\t明白\t干净\n"
    (tmp_path / "relations" / "results.tsv").write_text(rows)
    problems = check_project(read_project(tmp_path), seconds=0.003)  # 300 steps for 30 x 30 x 2 sentences
    assert {problem.kind for problem in problems} & {"bad-is-good", "crossing-undecided"} == set()


def test_words_divided_otherwise_are_found_before_an_empty_slot(tmp_path: Path) -> None:
    """The bad line may end in nothing: it still says 一本书, as the other paradigm does."""
    one = "edit: deletion\nslots:\n  n: 书\n  m: 本\n  end: '\"\" | 了'\ngood: 这 一 m n end\nbad: 一 m n end\n"
    other = "edit: insertion\nslots:\n  n: 书 桌子\ngood: 一本 n\nbad: 一本 的 n\n"
    (problem,) = found(project(tmp_path, a=one, b=other), "bad-is-good")
    assert problem.values["sentence"] == "一本书"


def test_the_verdict_does_not_depend_on_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine takes longer, but must give the same answer: steps are counted, not seconds."""
    hours = itertools.count(step=3_600)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hours)))
    project(tmp_path, a=REFLEXIVE)
    assert found(tmp_path, "crossing-undecided", seconds=1) == []


def test_the_declared_edit_is_held_against_the_lines(tmp_path: Path) -> None:
    (problem,) = found(project(tmp_path, a=REFLEXIVE.replace("edit: agreement", "edit: order")), "edit-differs")
    assert problem.values == {"declared": "order", "derived": "agreement"}


def test_a_paradigm_with_few_pairs_says_how_many(tmp_path: Path) -> None:
    """2 names x 2 verbs; the pronouns follow."""
    project(tmp_path, a=REFLEXIVE)
    assert found(tmp_path, "few-pairs") == []  # closed_class says why
    path = tmp_path / "paradigms" / "p" / "a.yaml"
    path.write_text(path.read_text().replace("closed_class: a small lexicon\n", ""))
    (problem,) = found(tmp_path, "few-pairs")
    assert problem.values["count"] == 4


def test_words_that_mark_a_side_of_an_agreement_are_named(tmp_path: Path) -> None:
    """Only women as subjects: 她 is always right and 他 always wrong."""
    folder = project(tmp_path, a=REFLEXIVE.replace("who: pos:NR", "who: pos:NR gender:female"))
    lexicon = (folder / "lexicon.tsv").read_text()
    rows = "".join(f"张{title}{n}\tNR\tfemale\t\n" for title in ("太太", "女士") for n in "甲乙丙丁戊己")
    (folder / "lexicon.tsv").write_text(lexicon + rows)
    problems = found(folder, "one-sided-words")
    assert [(p.values["side"], p.values["words"]) for p in problems] == [("good", ["她"]), ("bad", ["他"])]


def test_words_that_fit_no_slot_are_listed(tmp_path: Path) -> None:
    (problem,) = found(project(tmp_path, a=REFLEXIVE), "words-unused")
    assert problem.values["words"] == ["书", "桌子", "本", "张"]


def test_the_same_pair_in_two_paradigms_is_an_error(tmp_path: Path) -> None:
    (problem,) = found(project(tmp_path, a=REFLEXIVE, b=REFLEXIVE), "pair-in-two")
    assert problem.values["other"] == "a"


@pytest.mark.parametrize("missing", ["about", "example"])
def test_what_a_reader_needs_is_asked_for(tmp_path: Path, missing: str) -> None:
    project(tmp_path, a=REFLEXIVE)
    path = tmp_path / "paradigms" / "p" / "a.yaml"
    lines = [line for line in path.read_text().splitlines() if not line.startswith(missing)]
    path.write_text("\n".join(lines) + "\n")
    (problem,) = found(tmp_path, "about-missing")
    assert any(missing in str(key) for key in problem.values["keys"])  # type: ignore[attr-defined]


def test_a_line_that_cannot_be_read_does_not_hide_what_is_wrong_in_the_rules(tmp_path: Path) -> None:
    """Who mends one mistake should not then be told of the next."""
    text = (
        "slots:\n  who: pos:NX\n  them: phrase:NP\n  him: pos:PN gendr:*\ngood: who them foo him 。\nbad: who him 。\n"
    )
    problems = check_project(read_project(project(tmp_path, a=text)))
    assert sorted((problem.kind, problem.place.line, problem.place.column) for problem in problems) == [
        ("feature-unknown", 10, 15),
        ("line-unknown", 11, 16),
        ("phrase-unknown", 9, 9),
        ("value-unknown", 8, 8),
    ]


def test_a_slot_in_no_line_and_a_phrase_that_is_not_there_hide_nothing(tmp_path: Path) -> None:
    text = "slots:\n  who: phrase:NP\n  idle: pos:NR\n  him: pos:PN gendr:*\ngood: who him 。\nbad: him who 。\n"
    problems = check_project(read_project(project(tmp_path, a=text)))
    assert sorted(problem.kind for problem in problems) == ["feature-unknown", "phrase-unknown", "slot-unused"]


def test_a_mistake_is_told_once(tmp_path: Path) -> None:
    """Rules are looked at by themselves where a paradigm fails; what its failure said is not said again."""
    text = "slots:\n  who: pos:NX\n  him: pos:PN mPos:whom mPro:gender\ngood: who him 。\nbad: him who 。\n"
    problems = check_project(read_project(project(tmp_path, a=text)))
    assert sorted(problem.kind for problem in problems) == ["slot-unknown", "value-unknown"]


def test_checking_says_how_far_it_is(tmp_path: Path) -> None:
    """Two paradigms are checked, and the bad side of each compared with the good side of both."""
    folder = project(tmp_path, a=REFLEXIVE, b=REFLEXIVE.replace("自己", "本人"))
    steps: list[tuple[str, int, int]] = []
    check_project(read_project(folder), on_progress=lambda *step: steps.append(step))
    assert steps == [("paradigms", 0, 2), ("paradigms", 1, 2), *(("comparisons", n, 4) for n in (1, 2, 3, 4))]


LITERALS = """slots:
  who: {rule}
good: who 来 了
bad: who 了 来
"""


@pytest.mark.parametrize(
    ("rule", "kind", "column"),
    [
        ("北京、上海", "literal-list", 1),
        ("北京/上海", "literal-list", 1),
        ("广州 北京／上海", "literal-list", 4),
        ("NN", "literal-name", 1),
        ("noun", "literal-name", 1),
        ("pos:NN | noun", "literal-name", 10),
        ("'*北京'", "literal-name", 1),
        ("北京 上海", "", 0),
        ("北京，", "", 0),
        ('\'"noun" "北京、上海"\'', "", 0),
    ],
)
def test_a_word_that_looks_like_a_list_or_a_rule_gets_a_warning(
    rule: str, kind: str, column: int, tmp_path: Path
) -> None:
    """It is printed as it stands, 北京、上海 in every sentence, and nothing else says so."""
    folder = project(tmp_path, a=LITERALS.format(rule=rule))
    (folder / "phrases.yaml").write_text(f"format: 1\nphrases:\n  P:\n    - {rule}\n")
    warnings = [p for k in ("literal-list", "literal-name") for p in found(folder, k)]
    assert {(p.kind, p.place.file, p.severity) for p in warnings} == (
        {(kind, file, "warning") for file in ("phrases.yaml", "paradigms/p/a.yaml")} if kind else set()
    )
    if kind and not rule.startswith("'"):
        assert sorted(p.place.column for p in warnings) == [column + 6, column + 7]  # rules begin in columns 7 and 8


def test_the_warning_names_the_feature_that_has_the_value(tmp_path: Path) -> None:
    (warning,) = found(project(tmp_path, a=LITERALS.format(rule="NN")), "literal-name")
    assert warning.values == {"word": "NN", "rule": "pos:NN"}


@pytest.mark.parametrize(("word", "expected"), [("yesterday", 0), ("NN", 1), ("and/or", 1)])
def test_a_latin_word_is_ordinary_where_sentences_have_blanks(word: str, expected: int, tmp_path: Path) -> None:
    folder = project(tmp_path, a=LITERALS.format(rule=word))
    (folder / "project.yaml").write_text("format: 1\nname: t\nlang: en\n")
    assert len(found(folder, "literal-list") + found(folder, "literal-name")) == expected


@pytest.mark.parametrize("name", ["benchmarks/zhoblimp", "grammar/starter_zh", "grammar/starter_en"])
def test_what_is_shipped_has_no_such_words(name: str) -> None:
    """The benchmark writes 952 words out, and each is meant."""
    shipped = read_project(Path(bidui.__file__).parent / name)
    assert list(_literals(shipped, ())) == []
