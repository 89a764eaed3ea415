"""Phrases as rows, and edits of them that leave the rest of the file alone."""

from collections.abc import Callable

import pytest

from bidui.errors import InputError
from bidui.web.editing.phrases import (
    Parts,
    add_alternative,
    add_part,
    add_phrase,
    delete_alternative,
    delete_part,
    delete_phrase,
    move_alternative,
    move_part,
    move_phrase,
    read_phrases,
    rename_part,
    set_alternative,
    set_depth,
    set_part,
)
from bidui.web.editing.text import Edit, apply_edit
from tests.web.editing.small import PHRASES

MORE = (
    PHRASES
    + """\
  Clause:
    depth: 2
    alternatives:
      - parts: {who: phrase:Person, verb: 来了}
        line: who verb 。
        head: verb
        weight: 0.5
      - 好
  Single: pos:NR
"""
)


def after(text: str, edit: Callable[[str], Edit]) -> str:
    return apply_edit(text, edit(text))


def test_phrases_and_their_alternatives_become_rows() -> None:
    person, clause, single = read_phrases(MORE)
    assert [row.rule for row in person.alternatives] == ["2* pos:NR gender:*", None]
    kin = person.alternatives[1]
    assert ([(part.name, part.rule) for part in kin.parts], kin.head) == (
        [("whose", "我 你"), ("kin", "pos:NN kind:kin")],
        "kin",
    )
    first = clause.alternatives[0]
    assert (clause.depth, first.line, first.head, first.weight) == ("2", "who verb 。", "verb", "0.5")
    assert [row.rule for row in single.alternatives] == ["pos:NR"]


def alternative(phrase: str, number: int, key: str, value: str) -> Callable[[str], Edit]:
    return lambda text: set_alternative(text, phrase=phrase, number=number, key=key, value=value)


CLAUSE = "{}: 来了}}\n        line: who {} 。\n        head: {}"


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (alternative("Person", 0, "rule", "pos:NR"), "2* pos:NR gender:*", "pos:NR"),
        (alternative("Person", 1, "weight", "2"), "- parts:\n", "- weight: 2\n      parts:\n"),
        (alternative("Clause", 0, "line", ""), "        line: who verb 。\n", ""),
        (alternative("Single", 0, "rule", "x"), "Single: pos:NR", "Single: x"),
        (lambda t: set_part(t, phrase="Clause", number=0, part="verb", rule="走了"), "来了", "走了"),
        (
            lambda t: add_part(t, phrase="Person", number=1, part="x", rule="的", at=1),
            "        kin: pos",
            "        x: 的\n        kin: pos",
        ),
        (lambda t: delete_part(t, phrase="Person", number=1, part="whose"), "        whose: 我 你\n", ""),
        (lambda t: delete_alternative(t, phrase="Person", number=0), "    - 2* pos:NR gender:*\n", ""),
        (lambda t: add_alternative(t, phrase="Clause", value="坏"), "      - 好\n", "      - 好\n      - 坏\n"),
        (lambda t: add_phrase(t, name="New", rule="pos:NT"), "pos:NR\n", "pos:NR\n  New: [pos:NT]\n"),
        (lambda t: delete_phrase(t, name="Single"), "  Single: pos:NR\n", ""),
        (lambda t: set_depth(t, name="Clause", depth="3"), "depth: 2", "depth: 3"),
        (lambda t: set_depth(t, name="Clause", depth=""), "    depth: 2\n", ""),
        (
            lambda t: rename_part(t, phrase="Clause", number=0, part="verb", name="v"),
            CLAUSE.format("verb", "verb", "verb"),
            CLAUSE.format("v", "v", "v"),
        ),
    ],
)
def test_a_phrase_is_edited_in_its_place(edit: Callable[[str], Edit], old: str, new: str) -> None:
    assert MORE.count(old) == 1
    assert after(MORE, edit) == MORE.replace(old, new)


def test_alternatives_parts_and_phrases_can_change_places() -> None:
    new = after(MORE, lambda text: move_alternative(text, phrase="Person", number=1, to=0))
    assert [row.rule for row in read_phrases(new)[0].alternatives] == [None, "2* pos:NR gender:*"]
    new = after(MORE, lambda text: move_part(text, phrase="Clause", number=0, part="verb", to=0))
    assert [part.name for part in read_phrases(new)[1].alternatives[0].parts] == ["verb", "who"]
    new = after(MORE, lambda text: move_phrase(text, name="Single", to=0))
    assert [phrase.name for phrase in read_phrases(new)] == ["Single", "Person", "Clause"]
    assert "  Person:  # somebody\n" in new


def test_a_phrase_that_gets_a_depth_keeps_its_alternatives() -> None:
    new = after(PHRASES, lambda text: set_depth(text, name="Person", depth="1"))
    (person,) = read_phrases(new)
    assert person.depth == "1"
    assert [row.rule for row in person.alternatives] == ["2* pos:NR gender:*", None]
    assert person.alternatives[1].head == "kin"


def test_a_depth_leaves_comments_where_they_are() -> None:
    text = "phrases:\n  # a\n  A: [x]  # one\n  # b\n  B:\n    - y\n    # other\n    - z\n  # c\n  C: w\n"
    deep = "  # b\n  B:\n    depth: 2\n    alternatives:\n      - y\n      # other\n      - z\n  # c\n"
    new = after(text, lambda text: set_depth(text, name="B", depth="2"))
    assert new == text.replace("  # b\n  B:\n    - y\n    # other\n    - z\n  # c\n", deep)
    new = after(text, lambda text: set_depth(text, name="A", depth="1"))
    assert new.startswith("phrases:\n  # a\n  A:  # one\n    depth: 1\n    alternatives: [x]\n  # b\n")
    margin = "phrases:\n  A:\n  - x\n"
    new = after(margin, lambda text: set_depth(text, name="A", depth="1"))
    assert new == "phrases:\n  A:\n    depth: 1\n    alternatives:\n      - x\n"


COMMENTED = "phrases:\n  # all of a\n  A: [x]\n\n  # b is\n  # about this\n  B:\n    - y\n    # and more\n  C: w\n"


@pytest.mark.parametrize(
    ("at", "before"), [(0, "  # all of a\n  A:"), (1, "\n  # b is\n"), (2, "  C: w"), (3, ""), (None, "")]
)
def test_a_new_phrase_never_stands_between_a_comment_and_its_phrase(at: int | None, before: str) -> None:
    new = after(COMMENTED, lambda text: add_phrase(text, name="New", rule="pos:NT", at=at))
    place = COMMENTED.index(before) if before else len(COMMENTED)
    assert new == COMMENTED[:place] + "  New: [pos:NT]\n" + COMMENTED[place:]


@pytest.mark.parametrize(
    ("text", "edit", "expected"),
    [
        ("  A: [x]\n", lambda t: add_phrase(t, name="New", rule=""), "  A: [x]\n  New:\n    -\n"),
        ("  A: [x]\n", lambda t: add_alternative(t, phrase="A", value=""), "  A:\n    - x\n    -\n"),
        ("  A: [x]  # c\n", lambda t: add_alternative(t, phrase="A", value="", at=0), "  A:  # c\n    -\n    - x\n"),
        ("  A: [x, 'y']\n", alternative("A", 0, "rule", ""), "  A:\n    -\n    - y\n"),
        ("  A:\n    - x  # c\n    - y\n", alternative("A", 0, "rule", ""), "  A:\n    -   # c\n    - y\n"),
        ("  A:\n    -\n    - y\n", alternative("A", 0, "rule", "x"), "  A:\n    - x\n    - y\n"),
        ("  A: 'x'\n", alternative("A", 0, "rule", ""), "  A: \n"),
        ("  A: x\n", lambda t: add_alternative(t, phrase="A", value=""), "  A:\n    - x\n    -\n"),
        ("  A: x\n", lambda t: add_alternative(t, phrase="A", value="y", at=0), "  A: [y, x]\n"),
        (
            "  A:\n    - x\n",
            lambda t: add_alternative(t, phrase="A", value=Parts({"word": ""}, head="word")),
            "  A:\n    - x\n    - parts:\n        word:\n      head: word\n",
        ),
        (
            "  A:\n    - parts: {a: x, b: 'y'}\n",
            lambda t: set_part(t, phrase="A", number=0, part="b", rule=""),
            "  A:\n    - parts: {a: x, b: }\n",
        ),
        (
            "  A:\n    - parts:\n        a: x\n",
            lambda t: add_part(t, phrase="A", number=0, part="b", rule=""),
            "  A:\n    - parts:\n        a: x\n        b:\n",
        ),
    ],
)
def test_a_rule_that_is_not_written_yet_is_no_rule(text: str, edit: Callable[[str], Edit], expected: str) -> None:
    """Quotes would say that nothing is to be printed; what is still missing must be seen as missing."""
    assert after(f"phrases:\n{text}", edit) == f"phrases:\n{expected}"


def test_a_list_in_brackets_with_comments_is_left_alone() -> None:
    with pytest.raises(InputError):
        set_alternative("phrases:\n  A: [x,  # one\n      y]\n", phrase="A", number=0, key="rule", value="")


def test_the_first_phrase_of_a_project_can_be_written() -> None:
    assert after("format: 1\n", lambda text: add_phrase(text, name="NP", rule="pos:NN")) == (
        "format: 1\nphrases:\n  NP: [pos:NN]\n"
    )


def test_names_that_cannot_be_parts_are_refused() -> None:
    """`head` already means the head."""
    for name in ("head", "a b", "1"):
        with pytest.raises(InputError, match="cannot name"):
            add_part(PHRASES, phrase="Person", number=1, part=name, rule="x")
    with pytest.raises(InputError, match="no longer exists"):
        set_part(PHRASES, phrase="Nobody", number=0, part="x", rule="x")
