"""Every form of the rule language is read as what it means, and printed so that it is read again as the same."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidui.errors import InputError, Place
from bidui.grammar.rules import (
    MAX_LENGTH,
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

HERE = Place("p.yaml", 7, 10, 'slot "s"')


def parsed(text: str) -> Lexical | Words | Phrase:
    """The only alternative of a rule."""
    (alternative,) = parse_rule(text, HERE).alternatives
    assert alternative.weight == 1
    return alternative.rule


def any_of(feature: str, *values: str) -> Condition:
    return Condition(feature, "any", values)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("pos:NN", any_of("pos", "NN")),
        ("gender:male/female", any_of("gender", "male", "female")),
        ("gender:!male", Condition("gender", "not", ("male",))),
        ("gender:!male/female", Condition("gender", "not", ("male", "female"))),
        ("gender:*", Condition("gender", "has")),
        ("gender:-", Condition("gender", "none")),
        (r"time:13\:30", any_of("time", "13:30")),
        (r"value:a\/b", any_of("value", "a/b")),
        (r"value:a\|b", any_of("value", "a|b")),
        (r"value:a\ b", any_of("value", "a b")),
        (r"value:\*", any_of("value", "*")),
        (r"value:\-", any_of("value", "-")),
        (r"value:\!x", any_of("value", "!x")),
        ("value:-x", any_of("value", "-x")),
        (r"value:\<x\>", any_of("value", "<x>")),
        (r"a\:b:c", any_of("a:b", "c")),
        ("类:人", any_of("类", "人")),
    ],
)
def test_a_condition_says_what_a_word_must_have(text: str, condition: Condition) -> None:
    assert parsed(text) == Lexical((condition,))


def test_conditions_beside_each_other_all_hold() -> None:
    assert parsed("  pos:NR \t gender:male  ") == Lexical((any_of("pos", "NR"), any_of("gender", "male")))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("mPos:who mPro:gender", Match(Ref("who"), (Property("gender", "gender"),))),
        ("mPro:gender mPos:who", Match(Ref("who"), (Property("gender", "gender"),))),
        ("mPos:0 mPro:gender", Match(Ref("0"), (Property("gender", "gender"),))),
        ("mPos:np.head mPro:f", Match(Ref("np", ("head",)), (Property("f", "f"),))),
        ("mPos:np.det.head mPro:f", Match(Ref("np", ("det", "head")), (Property("f", "f"),))),
        ("mPos:x mPro:f/g", Match(Ref("x"), (Property("f", "f"), Property("g", "g")))),
        ("mPos:x mPro:takes=class", Match(Ref("x"), (Property("takes", "class"),))),
        ("mPos:x mPro:classifier#1", Match(Ref("x"), (Property("classifier", "classifier", "1"),))),
        ("mPos:x mPro:f=g#1/h", Match(Ref("x"), (Property("f", "g", "1"), Property("h", "h")))),
        ("mmPos:x mmPro:gender", Match(Ref("x"), (Property("gender", "gender"),), same=False)),
        ("matchedPosition:x matchedProperties:f", Match(Ref("x"), (Property("f", "f"),))),
        ("mismatchedPosition:x mismatchedProperties:f", Match(Ref("x"), (Property("f", "f"),), same=False)),
    ],
)
def test_a_match_names_a_slot_and_properties(text: str, match: Match) -> None:
    assert parsed(text) == Lexical((), (match,))


def test_a_rule_may_have_several_links() -> None:
    rule = parsed("mPos:a mPro:f mPos:b mPro:g mmPos:c mmPro:h")
    assert isinstance(rule, Lexical)
    assert [(str(match.target), match.same) for match in rule.matches] == [("a", True), ("b", True), ("c", False)]


def test_a_relation_names_its_slots_in_the_order_of_its_columns() -> None:
    targets = (Ref("box"), Ref("np", ("head",)), Ref("verb"))
    assert parsed("rel:fills(box, np.head,verb)") == Lexical((), (), (RelationTerm("fills", targets),))


def test_a_phrase_may_get_conditions_and_links_for_its_parts() -> None:
    obj = Lexical((any_of("animate", "1"),), (Match(Ref("subj"), (Property("f", "f"),)),))
    rule = parsed("phrase:VP obj:<animate:1 mPos:subj mPro:f> -1:<pos:NN> obj.head:<pos:PN>")
    assert rule == Phrase(
        "VP", (("obj", obj), ("-1", Lexical((any_of("pos", "NN"),))), ("obj.head", Lexical((any_of("pos", "PN"),))))
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("自己", ("自己",)),
        ("他 她 它", ("他", "她", "它")),
        ('"the dog" cat', ("the dog", "cat")),
        ('"13:30" 出发', ("13:30", "出发")),
        (r"13\:30 出发", ("13:30", "出发")),
        (r"a\|b", ("a|b",)),
        (r"a\ b", ("a b",)),
        ('"say \\"hi\\""', ('say "hi"',)),
        ('"a\\\\b"', ("a\\b",)),
        ('"2* x"', ("2* x",)),
        ('""', ()),
        ("", ()),
        ("   ", ()),
        ("3.5", ("3.5",)),
        ("他/她", ("他/她",)),
    ],
)
def test_words_stand_for_themselves(text: str, words: tuple[str, ...]) -> None:
    assert parsed(text) == Words(words)


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("a | b", [1, 1]),
        ("2* a | b", [2, 1]),
        ("2*a|0.5*b", [2, Fraction(1, 2)]),
        ("0.000001* a | 999999* b", [Fraction(1, 10**6), 999999]),
        ('2* "" | a', [2, 1]),
        ("1.25* pos:NN | 3* phrase:NP", [Fraction(5, 4), 3]),
    ],
)
def test_a_star_after_a_number_is_the_weight_of_an_alternative(text: str, weights: list[Fraction]) -> None:
    assert [alternative.weight for alternative in parse_rule(text, HERE).alternatives] == weights


def test_rules_are_equal_whatever_blanks_they_were_written_with() -> None:
    """In the published benchmark a blank at the end of a rule made a shared slot a different one."""
    one, other = parse_rule("2* pos:NR gender:male |自己", HERE), parse_rule("2*pos:NR\tgender:male  |  自己 ", HERE)
    assert one == other
    assert hash(one) == hash(other)


def test_the_column_of_each_term_is_kept() -> None:
    rule = parsed("pos:NN   mPos:who mPro:f rel:r(a, b)")
    assert isinstance(rule, Lexical)
    assert (rule.conditions[0].column, rule.matches[0].column, rule.relations[0].column) == (0, 9, 25)
    phrase = parsed("phrase:NP head:<pos:NN>")
    assert isinstance(phrase, Phrase)
    assert phrase.overrides[0][1].conditions[0].column == 16


def test_the_longest_rule_is_read_and_one_longer_is_not() -> None:
    assert parse_rule("x" * MAX_LENGTH, HERE) == Rule((Alternative(Words(("x" * MAX_LENGTH,))),))
    with pytest.raises(InputError, match="10001 characters"):
        parse_rule("x" * (MAX_LENGTH + 1), HERE)


@pytest.mark.parametrize("text", ["2**", "2* | a", "1e3* a", ".5* a", "2,5* a", "1/2* a", "+2* a", "1.2.3* a"])
def test_what_looks_like_a_weight_and_is_none_is_not_taken_for_a_word(text: str) -> None:
    """`1/2* a` would otherwise print `1/2*` in a sentence."""
    try:
        rule = parse_rule(text, HERE)
    except InputError as error:
        assert error.problems[0].kind in {"weight-bad", "alternative-empty"}
    else:
        assert text == "2**" and rule.alternatives[0] == Alternative(Words(("*",)), Fraction(2))


PIECES = st.sampled_from(
    ["pos", ":", "NN", "/", "!", "*", "-", "|", '"', "\\", "<", ">", "(", ")", " ", "mPos:x", "mPro:f", "mmPos:", "#1",
     "=", "phrase:NP", "rel:r(a, b)", "head:<", "2*", "0*", "他", "。", "@", ",", ".", "¹", "\u3000"]
)  # fmt: skip


def check_any_text(text: str) -> None:
    try:
        rule = parse_rule(text, HERE)
    except InputError as error:
        (problem,) = error.problems
        assert problem.place.file == "p.yaml" and problem.place.line == 7
        assert 10 <= problem.place.column <= 10 + len(text)
        assert problem.text("en") and problem.text("zh")
    else:
        assert parse_rule(str(rule), HERE) == rule
        assert str(parse_rule(str(rule), HERE)) == str(rule)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_any_text_is_a_located_error_or_a_rule_that_prints_as_itself(text: str) -> None:
    check_any_text(text)


@given(st.text(max_size=30))
def test_so_is_any_string_of_characters(text: str) -> None:
    check_any_text(text)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("pos：NN kind：object", "pos:NN kind:object"),
        ("pos：NN\u3000kind：a／b", "pos:NN kind:a/b"),
        ("2＊ pos：NN ｜ 自己\u3000本人", "2* pos:NN | 自己 本人"),
        ("pos：PN mPos：who mPro：takes＝class＃1", "pos:PN mPos:who mPro:takes=class#1"),
        ("pos:NN rel：casts（who, what）", "pos:NN rel:casts(who, what)"),
        ("phrase：NP head：＜animate：1 pos：＊＞", "phrase:NP head:<animate:1 pos:*>"),
        ("pos：！NN rel：casts（who，what）", "pos:!NN rel:casts(who, what)"),
    ],
)
def test_marks_of_a_chinese_input_method_are_their_ascii_twins(typed: str, meant: str) -> None:
    """`pos：NN` was read as a word, saved, and printed in every sentence."""
    assert parse_rule(typed, HERE) == parse_rule(meant, HERE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"：" "（好）"', ("：", "（好）")),
        ("13\\：30", ("13：30",)),
        ("北京／上海", ("北京／上海",)),
        ('"a\\"：" \\｜', ('a"：', "｜")),
        ("好，好！ ！", ("好，好！", "！")),
    ],
)
def test_marks_in_quotes_after_a_backslash_and_in_words_stay(text: str, words: tuple[str, ...]) -> None:
    """They are printed; a rule is written so that it is read again as the same."""
    rule = parse_rule(text, HERE)
    assert rule.only == Words(words)
    assert parse_rule(str(rule), HERE) == rule


def test_a_value_with_a_chinese_mark_is_written_so_that_it_is_read_again() -> None:
    rule = Rule((Alternative(Lexical((any_of("a", "x：y／z", "\u3000"),))),))
    assert parse_rule(str(rule), HERE) == rule


def test_columns_of_errors_count_what_was_typed() -> None:
    with pytest.raises(InputError) as error:
        parse_rule("pos：NN 好）", HERE)
    assert error.value.problems[0].place.column == 10 + 8  # HERE begins at 10
