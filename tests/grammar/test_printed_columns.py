"""`slot@column` prints another column of the word's row: first syllables, separable verbs, results, events."""

from .small import all_pairs, kinds, number_of_pairs, problems_of, project_of, sentences

VERBS = project_of("""
expression pos first verb object result
喜欢       V   喜
讨厌       V   讨
跑步       S   _     跑   步
跳舞       S   _     跳   舞
吃         R   _     _    _      吃掉
喝         R   _     _    _      喝完
看         R
""")


def test_a_first_syllable_is_repeated() -> None:
    """喜不喜欢, not 喜欢不喜欢."""
    text = "slots: {v: pos:V}\ngood: v@first 不 v\nbad: v 不 v@first"
    assert sentences(VERBS, text) == {("喜不喜欢", "喜欢不喜"), ("讨不讨厌", "讨厌不讨")}


def test_a_separable_word_comes_apart() -> None:
    text = "slots: {v: pos:S}\ngood: v@verb 了 一小时 v@object\nbad: v 了 一小时"
    assert sentences(VERBS, text) == {("跑了一小时步", "跑步了一小时"), ("跳了一小时舞", "跳舞了一小时")}


def test_a_word_whose_cell_is_blank_does_not_fit() -> None:
    """看 has no result form, so it cannot stand where one is printed."""
    text = "slots: {v: pos:R}\ngood: 把 v@result 了\nbad: 把 v 了"
    assert sentences(VERBS, text) == {("把吃掉了", "把吃了"), ("把喝完了", "把喝了")}
    assert number_of_pairs(VERBS, text) == "2"


def test_a_cell_with_several_values_cannot_be_printed() -> None:
    project = project_of("expression pos form\n甲 N a/b\n")
    (problem,) = problems_of(project, "slots: {n: pos:N}\ngood: n@form 了\nbad: 了 n@form")
    assert problem.kind == "column-several"
    assert (problem.values["form"], problem.values["values"]) == ("甲", ["a", "b"])


def test_a_row_may_be_an_event_of_several_words() -> None:
    project = project_of("""
expression subj verb obj m
写信       老师 写   信  封
看书       学生 看   书  本
""")
    text = "slots: {e: 'verb:*'}\ngood: e@subj e@verb 一 e@m e@obj\nbad: e@subj 一 e@m e@verb e@obj"
    assert sentences(project, text) == {("老师写一封信", "老师一封写信"), ("学生看一本书", "学生一本看书")}


def test_links_hold_for_the_row_whatever_is_printed() -> None:
    project = project_of("expression pos f col\n甲 A 1 子\n乙 A 2 丑\n丙 B 1 寅\n丁 B 2 卯\n")
    text = "slots:\n  a: pos:A\n  b: pos:B mPos:a mPro:f\ngood: a@col b@col\nbad: b@col a@col"
    assert sentences(project, text) == {("子寅", "寅子"), ("丑卯", "卯丑")}


def test_two_words_with_one_printed_form_make_one_pair() -> None:
    """Only what can be told apart in print is counted."""
    project = project_of("expression pos col\n甲 A 子\n乙 A 子\n丙 A 丑\n")
    text = "slots: {a: pos:A}\ngood: a@col 了\nbad: 了 a@col"
    assert number_of_pairs(project, text) == "2"
    assert len(all_pairs(project, text)) == 2


def test_a_column_of_a_part_of_a_phrase() -> None:
    project = project_of(VERBS.lexicon, phrases="  VP:\n    - parts: {adv: 很, v: pos:V}\n      head: v\n")
    text = "slots: {p: phrase:VP}\ngood: p.v@first 不 p.head\nbad: p.head@first p"
    assert sentences(project, text) == {("喜不喜欢", "喜很喜欢"), ("讨不讨厌", "讨很讨厌")}


def test_a_line_inside_a_phrase_may_print_columns() -> None:
    project = project_of(VERBS.lexicon, phrases="  VP:\n    - parts: {v: pos:V}\n      line: v@first 不 v\n")
    assert sentences(project, "slots: {p: phrase:VP}\ngood: p 他\nbad: 他 p") == {
        *(("喜不喜欢他", "他喜不喜欢"), ("讨不讨厌他", "他讨不讨厌")),
    }


def test_columns_that_are_not_there_are_refused() -> None:
    (problem,) = problems_of(VERBS, "slots: {v: pos:V}\ngood: v@frist 不 v\nbad: v 不 v@frist")
    assert (problem.kind, problem.values["feature"]) == ("feature-unknown", "frist")
    assert problem.values["near"][0] == "first"  # type: ignore[index]
    assert (problem.place.line, problem.place.column, problem.place.part) == (5, 7, "good line")
    assert kinds(problems_of(VERBS, "slots: {v: pos:R first:*}\ngood: v@first 不\nbad: 不 v")) == ["no-word-fits"]
