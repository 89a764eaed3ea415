"""Files that are written are read back as the same values."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidui.errors import Place
from bidui.grammar.lexicon import Lexicon, Word, parse_lexicon
from bidui.grammar.paradigm import (
    EDITS,
    Line,
    Literal,
    Paradigm,
    PhraseAlternative,
    PhraseRule,
    Slot,
    Use,
    Variant,
    parse_line,
)
from bidui.grammar.paradigm_file import parse_paradigm, parse_phrases
from bidui.grammar.project import Settings, lexicon_text, paradigm_text, phrases_text, read_project, settings_text
from bidui.grammar.rules import (
    Alternative,
    Condition,
    Lexical,
    Match,
    Phrase,
    Property,
    Ref,
    RelationTerm,
    Rule,
    Words,
    parse_rule,
)

AWKWARD = "ab2名\\|:/\"<>()=#@ ,*!-'{[&%?。."
names = st.text(st.sampled_from("abz名字_-1"), min_size=1, max_size=4).filter(lambda s: not s.isdigit() and s != "head")
atoms = st.text(st.sampled_from(AWKWARD), min_size=1, max_size=5).filter(lambda s: s == s.strip())
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
refs = st.builds(Ref, names, st.lists(names, max_size=2).map(tuple))
some_weights = st.sampled_from([Fraction(1), Fraction(2), Fraction(1, 2), Fraction(1, 10**6), Fraction(999999)])


def some(strategy: st.SearchStrategy[object], most: int = 3) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(strategy, min_size=1, max_size=most).map(tuple)


features = atoms.filter(lambda s: s not in {"rel", "phrase"})
conditions = st.builds(Condition, features, st.sampled_from(["any", "not"]), some(atoms)) | st.builds(
    Condition, features, st.sampled_from(["has", "none"])
)
same = st.builds(Match, refs, some(st.builds(Property, features, features, st.just("") | features)))
mismatched = st.builds(Match, refs, some(st.builds(Property, features, features)), st.just(False))
relations = st.builds(RelationTerm, names, some(refs))
lexical = st.builds(
    Lexical,
    st.lists(conditions, max_size=3).map(tuple),
    st.lists(same | mismatched, max_size=2).map(tuple),
    st.lists(relations, max_size=1).map(tuple),
).filter(lambda rule: rule != Lexical())
words = st.builds(Words, st.lists(st.text(st.sampled_from(AWKWARD), min_size=1, max_size=5), max_size=3).map(tuple))
phrase_uses = st.builds(Phrase, atoms, st.lists(st.tuples(names, lexical), max_size=2).map(tuple))
rules = st.builds(Rule, some(st.builds(Alternative, lexical | words | phrase_uses, some_weights)))


@given(rules)
def test_a_rule_is_read_back_as_itself(rule: Rule) -> None:
    assert parse_rule(str(rule), Place()) == rule


@pytest.mark.parametrize(
    "text",
    [
        r"pos:NR gender:male/female subcat:!food prep:* refl:-",
        "pos:PN mPos:who.head mPro:gender/number=plural mmPos:3 mmPro:expression",
        "pos:M mPos:noun mPro:classifier#1 rel:fills(box, thing.head)",
        "phrase:CD+M+NN head:<animate:1 mPos:x mPro:f> -1:<pos:NN>",
        r"time:13\:30 a\|b:\!c/\-/\*/d\ e name:\<x\>",
        'he "13:30" "a b" "|" "say \\"hi\\"" "back\\\\slash"',
        '2* pos:NR | 0.5* 自己 | 0.000001* phrase:NP | 3* ""',
        '""',
    ],
)
def test_texts_people_write_keep_their_form(text: str) -> None:
    assert str(parse_rule(text, Place())) == text


literals = st.builds(Literal, texts.filter(bool) | st.sampled_from(["自己", "名字", "\u3000", '"', "\\", "the", "。"]))


@st.composite
def lines(draw: st.DrawFn, slots: list[str]) -> Line:
    refs = st.builds(Ref, st.sampled_from(slots), st.lists(names, max_size=1).map(tuple))
    uses = st.builds(Use, refs, st.sampled_from(["expression", "result", "形"]))
    return Line(tuple(draw(st.lists(literals | uses, min_size=1, max_size=6))))


@given(st.data())
def test_a_line_is_read_back_even_where_a_literal_is_the_name_of_a_slot(data: st.DataObject) -> None:
    slots = ["名字", "verb", *data.draw(st.lists(names, max_size=2))]
    line = data.draw(lines(slots))
    assert parse_line(line.written(slots), Place(), slots=slots) == line


def test_a_literal_is_quoted_only_where_it_must_be() -> None:
    line = Line((Use(Ref("名字")), Literal("名字"), Literal("自己"), Literal("the"), Literal("。")))
    assert str(line) == '名字 "名字" 自己 "the" 。'


def slots_of(draw: st.DrawFn, keys: list[str]) -> Mapping[str, Slot]:
    return {key: Slot(key, draw(rules)) for key in keys}


@st.composite
def variants(draw: st.DrawFn, name: str) -> Variant:
    keys = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    every = tuple(Use(Ref(key)) for key in keys)
    groups = st.lists(st.just(tuple(keys[:2])), max_size=2).map(tuple)
    return Variant(
        name=name,
        slots=slots_of(draw, keys),
        good=Line((*every, *draw(lines(keys)).items)),
        bad=Line((*every[::-1], Literal("。"), *draw(lines(keys)).items[:0])),
        weight=draw(st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(5, 2)])),
        linked=draw(groups),
        repeat=draw(groups),
        crossed=draw(st.booleans()),
    )


@st.composite
def paradigms(draw: st.DrawFn) -> Paradigm:
    labels = draw(st.sampled_from([[""], ["1", "2"], ["frame: a", "x", "3"], ["only"]]))
    excluded = draw(st.booleans())
    keys = st.sampled_from(["en", "zh", "- odd: key"])
    return Paradigm(
        uid=draw(st.sampled_from(["BA_inversion", "a.b+c", "123", "-x", "true"])),
        phenomenon=draw(st.sampled_from(["BA", "null", "量词"])),
        variants=tuple(draw(variants(label)) for label in labels),
        about=draw(st.dictionaries(keys, texts, max_size=2)),
        source=draw(texts),
        status="excluded" if excluded else "included",
        reason=draw(texts.filter(bool)) if excluded else draw(texts),
        edit=draw(st.sampled_from([(), EDITS, ("order",), ("deletion", "agreement")])),
        equal_length=draw(st.booleans()),
        separator=draw(st.sampled_from([None, "", " ", "\t", "|"])),
        seams=tuple(draw(st.lists(texts, max_size=3))),
        example=draw(st.dictionaries(keys, texts, max_size=2)),
    )


@pytest.mark.slow
@settings(max_examples=40)  # each has a dozen rules in it
@given(paradigms())
def test_a_paradigm_is_read_back_as_itself(paradigm: Paradigm) -> None:
    text = paradigm_text(paradigm)
    assert parse_paradigm(text, name="p.yaml") == (paradigm, [])
    assert paradigm_text(paradigm) == text


@st.composite
def phrase_alternatives(draw: st.DrawFn) -> PhraseAlternative:
    keys = draw(st.just(["word"]) | st.lists(names, min_size=1, max_size=3, unique=True))
    every: tuple[Literal | Use, ...] = tuple(Use(Ref(key)) for key in keys)
    items = draw(st.sampled_from([every, (*every, every[0]), (*every[::-1], Literal("的"))]))
    head = draw(st.sampled_from(["", *keys]))
    weight = draw(some_weights | st.just(Fraction(1, 3)))
    return PhraseAlternative(slots_of(draw, keys), Line(items), head, weight)


@pytest.mark.slow
@given(st.dictionaries(names, st.lists(phrase_alternatives(), min_size=1, max_size=3), max_size=3), st.data())
def test_phrases_are_read_back_as_themselves(
    alternatives: dict[str, list[PhraseAlternative]], data: st.DataObject
) -> None:
    depths = st.sampled_from([0, 2])
    phrases = {name: PhraseRule(name, tuple(found), data.draw(depths)) for name, found in alternatives.items()}
    assert parse_phrases(phrases_text(phrases), name="phrases.yaml") == (phrases, [])


@given(
    st.builds(
        Settings,
        name=texts,
        lang=st.sampled_from(["zh", "en", "de-AT", "ja", "ko"]),
        separator=st.sampled_from(["", " ", "-"]),
        capital=st.booleans(),
        seams=st.lists(texts, max_size=2).map(tuple),
        repeat=st.lists(conditions, max_size=2).map(tuple),
    )
)
def test_settings_are_read_back_as_themselves(given_settings: Settings) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "project.yaml").write_text(settings_text(given_settings), encoding="utf-8", newline="")
        (Path(folder) / "lexicon.tsv").write_text("expression\n", encoding="utf-8")
        project = read_project(folder)
    assert (project.settings, project.problems) == (given_settings, ())


cells = st.frozensets(st.text(st.sampled_from("ab,名 '\"\\"), min_size=1, max_size=3).filter(lambda s: s == s.strip()))


@given(st.lists(st.tuples(cells, cells), max_size=6))
def test_a_lexicon_is_read_back_as_itself(rows: list[tuple[frozenset[str], frozenset[str]]]) -> None:
    features = ("pos", "classifier")
    found = [
        Word(i, f"词{i}", {f: v for f, v in zip(features, row, strict=True) if v}, line=i + 2, file="lexicon.tsv")
        for i, row in enumerate(rows)
    ]
    lexicon = Lexicon(tuple(found), features)
    assert parse_lexicon(lexicon_text(lexicon), name="lexicon.tsv") == (lexicon, [])


def test_a_paradigm_file_reads_well() -> None:
    """Block style, nothing quoted that need not be: this is what people see in a diff."""
    slots = {
        name: Slot(name, parse_rule(text, Place()))
        for name, text in {
            "who": "phrase:Person | pos:NR",
            "self": "pos:PN mPos:who mPro:gender",
            "of": '"" | 的',
        }.items()
    }
    good = parse_line("who self of 自己 。", Place(), slots=slots)
    bad = parse_line("self who of 自己 。", Place(), slots=slots)
    paradigm = Paradigm("anaphor", "binding", (Variant("", slots, good, bad),), {"en": "A reflexive: agrees."})
    assert paradigm_text(paradigm) == (
        "format: 1\n"
        "uid: anaphor\n"
        "phenomenon: binding\n"
        "about:\n"
        "  en: 'A reflexive: agrees.'\n"
        "slots:\n"
        "  who: phrase:Person | pos:NR\n"
        "  self: pos:PN mPos:who mPro:gender\n"
        "  of: '\"\" | 的'\n"
        "good: who self of 自己 。\n"
        "bad: self who of 自己 。\n"
    )
