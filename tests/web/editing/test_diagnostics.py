"""Problems stand under the characters that caused them, in both languages, whatever a text holds."""

import pytest

from bidui.web.editing.diagnostics import MAX_ROWS, MAX_SHOWN, Diagnostic, compile_text
from bidui.web.editing.edits import MAX_CHARACTERS
from bidui.web.editing.preview import OpenProject, preview_phrases
from tests.web.editing.small import CLASSIFIER, GENDER, PHRASES

RIGHT = "right: pos:PN mPos:who mPro:gender"


def problems(text: str, small: OpenProject) -> list[Diagnostic]:
    compilation = compile_text(text, name="x.yaml", compiler=small.compiler)
    return list(compilation.diagnostics(compilation.problems, language="en"))


def phrase_diagnostics(text: str, small: OpenProject) -> tuple[Diagnostic, ...]:
    return preview_phrases(text, name="phrases.yaml", compiler=small.compiler).diagnostics


@pytest.mark.parametrize("text", [GENDER, CLASSIFIER])
def test_a_paradigm_without_problems_has_none(text: str, small: OpenProject) -> None:
    assert problems(text, small) == []


@pytest.mark.parametrize(
    ("old", "new", "kind", "slot"),
    [
        # `«` and `»` stand around what must be marked
        (RIGHT, "right: pos:PN mPos:«whom» mPro:gender", "slot-unknown", "right"),
        (RIGHT, "right: pos:PN mPos:who mPro:«gendre»", "feature-unknown", "right"),
        (RIGHT, "right: pos:PN gender:«mael»/female", "value-unknown", "right"),
        (RIGHT, "right: «pso»:PN", "feature-unknown", "right"),
        (RIGHT, "right: phrase:«Preson»", "phrase-unknown", "right"),
        (RIGHT, "right: pos:PN rel:«acst»(right, who)", "relation-unknown", "right"),
        (RIGHT, "right: pos:PN «mPos:who»", "link-half", "right"),
        (RIGHT, "right: '«pos:»'", "value-missing", "right"),
        (RIGHT, "right: pos:PN «|»", "alternative-empty", "right"),
        (RIGHT, "right: pos:P«>»N", "bracket-stray", "right"),
        (RIGHT, "right: «0*» pos:PN", "weight-zero", "right"),
        (RIGHT, "right: 'it''s «\"open»'", "quote-open", "right"),
        (RIGHT, 'right: "\\"a\\" | pos:PN gender:«mael»"', "value-unknown", "right"),
        (RIGHT, "right: pos:PN\n    gender:«mael»", "value-unknown", "right"),
        (RIGHT, "right: «pos:PN class:read»", "no-word-fits", "right"),
        (RIGHT, "right: pos：PN gender：«mael»／female", "value-unknown", "right"),
        (RIGHT, "right: 自己 «他、她»", "literal-list", "right"),
        (RIGHT, "right: pos:PN | «PN»", "literal-name", "right"),
        (RIGHT, "«right»:", "slot-without-rule", "right"),
        (RIGHT, f"{RIGHT}\n  «more»: pos:PN", "slot-unused", "more"),
        ("good: who", "good: «whom» who", "line-unknown", ""),
        ("good: who", "good: who «who@colour»", "feature-unknown", ""),
        ("edit: agreement", "edit: «agrement»", "value-not-allowed", ""),
        ("edit: agreement", "«edti»: agreement", "key-unknown", ""),
        ("uid: gender", "uid: «a b»", "name-bad", ""),
        ("bad: who 总是责怪 wrong", "bad: «who 总是责怪 right 自己 。»", "sides-equal", ""),
    ],
)
def test_the_characters_that_caused_it_are_marked(old: str, new: str, kind: str, slot: str, small: OpenProject) -> None:
    """Quotes, escapes and folded lines do not shift the mark."""
    text = GENDER.replace(old, new)
    if kind == "sides-equal":
        text = text.partition("»")[0] + "»\n"
    before, _, rest = text.partition("«")
    inside, _, after = rest.partition("»")
    clean = before + inside + after
    found = [d for d in problems(clean, small) if d.kind == kind]
    assert found, [d.kind for d in problems(clean, small)]
    place = found[0].range
    assert place is not None
    assert clean[place.start : place.end] == inside
    assert place.start == len(before)
    assert (place.line, place.column) == (before.count("\n") + 1, len(before) - before.rfind("\n"))
    assert found[0].slot == slot


def test_a_problem_in_a_variant_says_in_which(small: OpenProject) -> None:
    text = CLASSIFIER.replace("phrase:Person", "phrase:Preson")
    (found,) = problems(text, small)
    assert (found.kind, found.slot, found.variant) == ("phrase-unknown", "who", 1)


def test_one_broken_rule_does_not_hide_the_others(small: OpenProject) -> None:
    """While a rule is half-typed, what is wrong elsewhere stays marked."""
    text = GENDER.replace("who: pos:NR", "who: 'pos:'").replace("right: pos:PN", "right: pos:PM")
    assert [(d.kind, d.slot) for d in problems(text, small)] == [("value-missing", "who"), ("value-unknown", "right")]


def test_problems_have_words_in_both_languages(small: OpenProject) -> None:
    (found,) = problems(GENDER.replace("pos:NR", "pos:NM"), small)
    assert found.text.startswith("no word has pos:NM; did you mean ")
    assert found.said("zh").text.startswith("没有词是 pos:NM；您是不是想写 ")
    assert found.values["feature"] == "pos"


def test_problems_of_another_file_are_told_by_its_name(small: OpenProject) -> None:
    """A phrase is broken in its own file; the paradigm that uses it can only say so."""
    text = CLASSIFIER.replace("who: phrase:Person", "who: phrase:Person head:<kind:thing>")
    assert {(d.kind, d.range, d.file) for d in problems(text, small)} == {("no-word-fits", None, "phrases.yaml")}


def test_too_many_problems_are_counted_and_not_listed(small: OpenProject) -> None:
    slots = "".join(f"  s{n}: pos:X\n" for n in range(300))
    found = problems(GENDER.replace("  who: pos:NR\n", slots), small)
    assert len(found) == MAX_SHOWN + 1
    assert found[-1].kind == "more-problems"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a: b\n" * MAX_CHARACTERS, "text-too-long"),
        ("uid: x\ud800", "not-utf8"),
        ("uid: \x07", "control-character"),
        (
            "format: 1\nuid: x\nphenomenon: p\nslots: {a: pos:NN}\nvariants:\n"
            + "".join(f"  - {{name: n{n}, good: a, bad: a a}}\n" for n in range(MAX_ROWS)),
            "too-many-rows",
        ),
    ],
)
def test_what_is_too_much_is_refused(text: str, kind: str, small: OpenProject) -> None:
    assert [found.kind for found in problems(text, small)] == [kind]


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("pos:NR gender:*", "pos:«NM»", "value-unknown"),
        ("head: kin", "head: «kni»", "slot-unknown"),
        ("kind:kin", "kind:kin mPos:«whom» mPro:gender", "slot-unknown"),
        ("- 2* pos:NR gender:*", "- phrase:«Preson»", "phrase-unknown"),
        ("whose: 我 你", "whose: «phrase:Person»", "phrase-cycle"),
    ],
)
def test_phrases_are_checked_by_themselves(old: str, new: str, kind: str, small: OpenProject) -> None:
    """A phrase can be written before any paradigm uses it."""
    text = PHRASES.replace(old, new)
    before, _, rest = text.partition("«")
    inside, _, after = rest.partition("»")
    clean = before + inside + after
    found = [d for d in phrase_diagnostics(clean, small) if d.kind == kind]
    assert found
    place = found[0].range
    assert place is not None
    if kind != "phrase-cycle":  # which is said of the phrase that goes in a circle
        assert clean[place.start : place.end] == inside
    assert phrase_diagnostics(PHRASES, small) == ()
