"""No text makes the editor fail: random edits of good files, and texts that were made to hurt."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidui.errors import InputError
from bidui.web.editing.completion import complete_line, complete_rule, complete_text
from bidui.web.editing.diagnostics import compile_text
from bidui.web.editing.fitting import slot_words
from bidui.web.editing.merging import merge_paradigms
from bidui.web.editing.paradigm import read_rows, set_rule
from bidui.web.editing.phrases import read_phrases
from bidui.web.editing.pieces import pieces_of
from bidui.web.editing.preview import OpenProject, preview_phrases
from tests.web.editing.small import CLASSIFIER, GENDER, PHRASES

HEAD = "format: 1\nuid: x\nphenomenon: p\n"
TYPED = [
    *("", ":", "|", "'", '"', "\n", "  ", "- ", "{", "}", "[", "<", ">", "(", "\\", "#", "*", "&", "!", "/", ",", "="),
    *("mPos:", "phrase:", "rel:", "pos:", "\t", "\r", "𠀀", "自", "？", "%", "@", "\x00", "\ud800", "\u2028"),
]
RULES = [*TYPED, "who", "pos:NR", "gender:male/x", "head:<", "2* ", "a.b"]


@st.composite
def half_typed(draw: st.DrawFn, texts: tuple[str, ...]) -> str:
    """A good text with some stretches replaced by what people type, paste or delete."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(st.sampled_from(TYPED)) + text[end:]
    return text


def everything(text: str, small: OpenProject, cursor: int) -> None:
    """All that the page asks about a paradigm's text."""
    compilation = compile_text(text, name="x", compiler=small.compiler)
    for found in compilation.diagnostics(compilation.problems, language="en"):
        assert found.text and found.said("zh").text
        assert found.range is None or 0 <= found.range.start <= found.range.end <= len(text)
    done = complete_text(text, cursor=cursor, fitting=small.fitting)
    assert 0 <= done.start <= done.end <= len(text)
    try:
        rows = read_rows(text)
    except InputError:
        return
    slot_words(rows, fitting=small.fitting)


@settings(max_examples=300)
@given(half_typed((GENDER, CLASSIFIER)), st.integers(0, 900))
def test_half_typed_paradigms_are_looked_at_without_failing(small: OpenProject, text: str, cursor: int) -> None:
    everything(text, small, cursor)


@settings(max_examples=100)
@given(half_typed((PHRASES,)), st.integers(0, 200))
def test_half_typed_phrases_are_looked_at_without_failing(small: OpenProject, text: str, cursor: int) -> None:
    for found in preview_phrases(text, name="phrases.yaml", compiler=small.compiler).diagnostics:
        assert found.range is None or 0 <= found.range.start <= found.range.end <= len(text)
    complete_text(text, cursor=cursor, fitting=small.fitting, phrases=True)
    try:
        read_phrases(text)
    except InputError:
        return


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from([*TYPED, "who", "pos:NR", "gender:male/x", "head:<", "2* ", "a.b"]), max_size=8), st.data()
)
def test_any_rule_can_be_completed_and_written(small: OpenProject, parts: list[str], data: st.DataObject) -> None:
    rule = "".join(parts)
    cursor = data.draw(st.integers(0, len(rule)))
    slots = {"who": rule, "other": "phrase:Person"}
    for done in (
        complete_rule(rule, cursor=cursor, fitting=small.fitting, slots=slots, slot="x"),
        complete_line(rule, cursor=cursor, fitting=small.fitting, slots=slots),
    ):
        assert 0 <= done.start <= cursor <= done.end <= len(rule)
    for piece in pieces_of(rule):
        assert 0 <= piece.token[0] <= piece.start <= piece.end <= piece.token[1] <= len(rule)
    try:
        set_rule(GENDER, slot="who", rule=rule)
    except InputError as refused:
        assert refused.problems[0].kind == "edit-form"  # what no file can hold


@settings(max_examples=150)
@given(half_typed((GENDER,)), half_typed((GENDER,)))
def test_any_two_versions_can_be_merged_or_not(mine: str, theirs: str) -> None:
    """Text that does not parse yet is merged by lines; nothing is lost without a word."""
    merged = merge_paradigms(GENDER, mine, theirs)
    if not merged.conflicts:
        for old, one, other in ((GENDER, mine, theirs), (GENDER, theirs, mine)):
            added = {line.strip() for line in one.splitlines()} - {line.strip() for line in old.splitlines()}
            gone = {line.strip() for line in old.splitlines()} - {line.strip() for line in other.splitlines()}
            kept = {line.strip() for line in merged.text.splitlines()}
            assert added - gone <= kept or mine == theirs


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "slots: " + "{a: " * 20_000,
        "- " * 40_000,
        HEAD + "slots:\n" + "".join(f"  s{n}: pos:N\n" for n in range(5_000)),
        HEAD + "".join(f"k{n}: v\n" for n in range(9_000)),
        HEAD + "slots:\n  a: '" + "a:<" * 3_000 + "'\ngood: a\nbad: a a\n",
        HEAD + "slots:\n  a: '" + "rel:a(" * 1_600 + "'\ngood: a\nbad: a a\n",
        HEAD + "slots:\n  a: " + " | ".join(["pos:NR"] * 1_200) + "\ngood: a\nbad: a a\n",
        HEAD + "slots:\n  a: pos:NR\ngood: " + "a " * 4_000 + "\nbad: a\n",
        HEAD + "slots:\n  a: '" + "x" * 90_000 + "'\ngood: a\nbad: a a\n",
        HEAD + 'slots:\n  a: "' + "\\n" * 4_000 + '"\ngood: a\nbad: a a\n',
        "a: &a [*a]\n",
        "a: !!python/object/apply:os.system [ls]\n",
        "\n" * 90_000,
        "'" * 90_001,
        "\ud800" * 1_000,
    ],
    ids=lambda text: repr(text[:40]),
)
def test_texts_made_to_hurt_are_answered(text: str, small: OpenProject) -> None:
    everything(text, small, len(text) // 2)
