"""Paradigms go back into classic templates where these can say the same, and are refused where not."""

import json
from pathlib import Path

import pytest

from bidui.errors import InputError, Place
from bidui.grammar.classic import read_classic
from bidui.grammar.classic.write import classic_template, export_phrases
from bidui.grammar.paradigm import Paradigm
from bidui.grammar.paradigm_file import parse_paradigm, parse_phrases
from bidui.grammar.project import Project, Settings, lexicon_text, paradigm_text
from bidui.grammar.rules import Condition

# both have two slots whose strings are equal, moved or copied; the third is three templates
REFUSED = {"choice": "classic-same-text", "copy_of_two": "classic-same-text", "three_files": "classic-without"}


def imported(folder: Path) -> Project:
    phrases = folder / "phrases.json"
    return read_classic(folder / "templates", vocabulary=folder / "vocabulary.tsv", phrases=phrases)


def test_import_export_import_gives_the_same(published: Path, tmp_path: Path) -> None:
    read = imported(published)
    again = tmp_path / "templates"
    again.mkdir()
    for paradigm in read.paradigms:
        if paradigm.uid not in REFUSED:
            template = classic_template(paradigm, settings=read.settings, phrases=read.phrases)
            text = json.dumps(template, ensure_ascii=False)
            (again / f"{paradigm.uid}.json").write_text(text, encoding="utf-8")
    (tmp_path / "vocabulary.tsv").write_text(lexicon_text(read.lexicon), encoding="utf-8")
    (tmp_path / "phrases.json").write_text(json.dumps(export_phrases(read.phrases)), encoding="utf-8")
    back = imported(tmp_path)
    assert back.problems == ()
    assert back.paradigms == tuple(p for p in read.paradigms if p.uid not in REFUSED)
    assert len(back.paradigms) == 12
    assert back.phrases == read.phrases
    assert back.lexicon == read.lexicon
    assert back.settings == read.settings


@pytest.mark.parametrize("uid", REFUSED)
def test_slots_that_could_not_be_told_apart_are_refused(published: Path, uid: str) -> None:
    read = imported(published)
    paradigm = next(p for p in read.paradigms if p.uid == uid)
    with pytest.raises(InputError) as error:
        classic_template(paradigm, settings=read.settings, phrases=read.phrases)
    assert [problem.kind for problem in error.value.problems] == [REFUSED[uid]]


PHRASES, _ = parse_phrases("format: 1\nphrases:\n  P:\n    - pos:NR\n    - parts: {a: pos:CD, b: pos:NN}\n", name="p")


def paradigm(slots: str, good: str, bad: str, more: str = "") -> Paradigm:
    """A paradigm whose slots are `name rule; name rule`."""
    rules = "".join("  {}: '{}'\n".format(*slot.strip().split(" ", 1)) for slot in slots.split(";"))
    text = f"format: 1\nuid: x\nphenomenon: y\nslots:\n{rules}good: {good}\nbad: {bad}\n{more}"
    found, problems = parse_paradigm(text, name="x.yaml")
    assert found, problems
    return found


def exported(found: Paradigm, settings: Settings | None = None) -> tuple[object, object]:
    template = classic_template(found, settings=settings or Settings("s"), phrases=PHRASES)
    return template["good_rule"], template["bad_rule"]


def test_positions_are_indices_in_the_list_of_the_slots_own_side() -> None:
    found = paradigm("n pos:NN; m pos:M mPos:n mPro:c; x pos:M mmPos:n mmPro:c", "一 m n", "n 一 x")
    assert exported(found) == (["一", "pos:M mPos:2 mPro:c", "pos:NN"], ["pos:NN", "一", "pos:M mmPos:0 mmPro:c"])


def test_sides_of_unequal_length_are_filled_where_they_differ() -> None:
    found = paradigm("n pos:NN; v pos:VV mPos:n mPro:f", "n v 了", "n 也 没 v 了")
    assert exported(found) == (
        ["pos:NN", "", "", "pos:VV mPos:0 mPro:f", "了"],
        ["pos:NN", "也", "没", "pos:VV mPos:0 mPro:f", "了"],
    )


def test_a_slot_said_twice_is_a_copy() -> None:
    found = paradigm("v pos:VV; x pos:AD", "v 不 v", "x 不 x v")
    assert exported(found) == (
        ["", "", "", "pos:VV", "不", "pos:VV mPos:3 mPro:expression"],
        ["pos:AD", "不", "pos:AD mPos:0 mPro:expression", "pos:VV", "", ""],
    )


def test_equal_slots_are_told_apart_by_their_place_where_they_keep_it() -> None:
    found = paradigm("a pos:NR; b pos:NR", "a 和 b 来", "a 和 b 去")
    assert exported(found) == (["pos:NR", "和", "pos:NR", "来"], ["pos:NR", "和", "pos:NR", "去"])
    found = paradigm("a pos:NR; b pos:NR", "a 和 b", "也 a 和 b")  # a gap keeps them in their places
    assert exported(found) == (["", "pos:NR", "和", "pos:NR"], ["也", "pos:NR", "和", "pos:NR"])


@pytest.mark.parametrize(
    ("found", "kind", "said"),
    [
        (paradigm("a pos:!NR; b pos:VV", "a b", "b a"), "classic-without", "feature:!"),
        (paradigm("a pos:*; b pos:VV", "a b", "b a"), "classic-without", "feature:*"),
        (paradigm("a pos:-; b pos:VV", "a b", "b a"), "classic-without", "feature:-"),
        (paradigm("a 2* pos:NR | pos:PN; b pos:VV", "a b", "b a"), "classic-without", "2*"),
        (paradigm("a pos:NR mPos:b mPro:f=g; b pos:VV", "a b", "b a"), "classic-without", "f=g"),
        (paradigm("a pos:NR mPos:b mPro:f#1; b pos:VV", "a b", "b a"), "classic-without", "#"),
        (paradigm("a pos:NR rel:r(a, b); b pos:VV", "a b", "b a"), "classic-without", "rel:"),
        (paradigm("a pos:NR mPos:b.head mPro:f; b phrase:P", "a b", "b a"), "classic-without", "slot.part"),
        (paradigm("a phrase:P; b pos:VV", "a.b b", "b a.b"), "classic-without", "slot.part"),
        (paradigm("a pos:NR; b pos:VV", "a b@result", "b a"), "classic-without", "slot@column"),
        (paradigm("a phrase:P head:<mPos:b mPro:f>; b pos:VV", "a b", "b a"), "classic-without", "<mPos:>"),
        (paradigm("a 1 | 2; b 3 | 4", "a b", "b a", "link: [a, b]\n"), "classic-without", "link:"),
        (paradigm("a pos:NR; b pos:NR", "a b", "b a", "repeat: [a, b]\n"), "classic-without", "repeat:"),
        (paradigm("a pos:NR; b pos:PN", "a 来", "b 来", "crossed: true\n"), "classic-without", "crossed:"),
        (paradigm("a pos:NR; b pos:VV", "a b", "b a", "seams: [了了]\n"), "classic-without", "seams:"),
        (paradigm("a pos:NR; b pos:NR", "a 说 b", "b 说 a"), "classic-same-text", "pos:NR"),
        (paradigm("a pos:NR; b pos:NR", "a 来", "b 去"), "classic-same-text", "pos:NR"),
        (paradigm("a pos:NR mPos:b mPro:f; b pos:VV", "a 来", "a b"), "classic-across-sides", "b"),
        (paradigm("a phrase:P", "a 和 a", "和 a a"), "classic-no-copy", "phrase:P"),
        (paradigm('a "a b" c', "a 来", "来 a"), "classic-no-escape", "a b"),
        (paradigm("a pos:NR; b pos:VV", 'a "13:30" b', "b a"), "classic-no-escape", "13:30"),
        (paradigm("a phrase:P b:<pos:NN>; b pos:VV", "a b", "b a"), "classic-override-part", "b"),
    ],
)
def test_what_classic_templates_cannot_say_is_refused_by_name(found: Paradigm, kind: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        exported(found)
    (problem,) = error.value.problems
    assert problem.kind == kind
    assert said in problem.text("en") and said in problem.text("zh")


@pytest.mark.parametrize(
    "settings",
    [
        Settings("s", capital=True),
        Settings("s", seams=("了了",)),
        Settings("s", repeat=(Condition("pos", "any", ("M",)),)),
    ],
)
def test_settings_that_change_the_pairs_are_refused(settings: Settings) -> None:
    with pytest.raises(InputError, match="classic templates do not support"):
        exported(paradigm("a pos:NR; b pos:VV", "a b", "b a"), settings)


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("{depth: 1, alternatives: [pos:NR]}", "depth:"),
        ("[2* pos:NR]", "weight:"),
        ("[pos:!NR]", "feature:!"),
        ("[{parts: {a: phrase:Q}, line: a.head}]", "slot.part"),
    ],
)
def test_phrases_are_refused_likewise(phrase: str, said: str) -> None:
    phrases, problems = parse_phrases(f"format: 1\nphrases:\n  P: {phrase}\n", name="phrases.yaml")
    assert not problems
    with pytest.raises(InputError, match="classic templates do not support") as error:
        export_phrases(phrases)
    assert said in str(error.value)


def test_literals_in_the_line_of_a_phrase_are_words_of_their_own() -> None:
    text = "format: 1\nphrases:\n  P:\n    - parts: {a: pos:NR, b: pos:NN mPos:a mPro:f}\n      line: b 的 a\n"
    phrases, _ = parse_phrases(text, name="phrases.yaml")
    assert export_phrases(phrases) == {
        "P": [
            [
                {"type": "Matched", "rule": "pos:NN mPos:2 mPro:f"},
                {"type": "Direct", "rule": "的"},
                {"type": "Lexical", "rule": "pos:NR"},
            ]
        ]
    }


def test_the_error_has_the_place_of_the_slot() -> None:
    found = paradigm("a pos:NR; b pos:!VV", "a b", "b a")
    with pytest.raises(InputError) as error:
        exported(found)
    (problem,) = error.value.problems
    line = paradigm_text(found).split("\n").index("  b: pos:!VV") + 1
    assert problem.place == Place("x.yaml", line, 7, 'slot "b"')
