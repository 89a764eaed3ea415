"""A preview shows pairs of the text as it stands, how many there are, and why there are not more."""

from dataclasses import replace
from pathlib import Path

import pytest

from bidui.grammar.generate import count, enumerate_all
from bidui.grammar.paradigm_file import phrases_of
from bidui.web.editing import preview as previews
from bidui.web.editing.diagnostics import compile_text
from bidui.web.editing.edits import read_tree
from bidui.web.editing.preview import Counts, OpenProject, counts_of, preview, source_of
from tests.web.editing.small import CLASSIFIER, GENDER, PHRASES, open_small


def test_a_preview_is_drawn_from_the_pairs_that_there_are(small: OpenProject) -> None:
    every = {(pair.good, pair.bad) for pair in enumerate_all(small.project, "classifier")}
    shown = preview(small.compiled(CLASSIFIER, name="x"))
    assert len(shown.pairs) == 10
    assert {(pair.good, pair.bad) for pair in shown.pairs} <= every
    assert not shown.complete and shown.diagnostics == ()


def test_the_same_seed_shows_the_same_pairs_and_the_next_one_others(small: OpenProject) -> None:
    compiled = small.compiled(CLASSIFIER, name="x")
    first, again, other = (preview(compiled, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first.pairs != other.pairs


def test_all_pairs_are_shown_where_there_are_few(small: OpenProject) -> None:
    shown = preview(small.compiled(GENDER, name="x"))
    assert {(pair.good, pair.bad) for pair in shown.pairs} == {
        ("王先生总是责怪他自己。", "王先生总是责怪她自己。"),
        ("李太太总是责怪她自己。", "李太太总是责怪他自己。"),
    }
    assert shown.complete


def test_differing_regions_are_marked(small: OpenProject) -> None:
    (pair, _) = preview(small.compiled(GENDER, name="x")).pairs
    assert [(region.slot, region.edit) for region in pair.good_regions] == [("right", "agree")]
    assert [(region.slot, region.edit) for region in pair.bad_regions] == [("wrong", "agree")]
    assert [pair.good[region.start : region.end] for region in pair.good_regions] == [pair.good[7:8]]


def test_a_broken_text_has_diagnostics_and_no_pairs(small: OpenProject) -> None:
    text = GENDER.replace("pos:NR", "pos:NM")
    shown = preview(small.compiled(text, name="x"))
    assert shown.pairs == ()
    assert [found.kind for found in shown.diagnostics] == ["value-unknown"]


def test_an_edit_that_is_not_the_one_declared_is_said(small: OpenProject) -> None:
    text = GENDER.replace("edit: agreement", "edit: order")
    shown = preview(small.compiled(text, name="x"))
    assert [found.kind for found in shown.diagnostics] == ["edit-differs"]
    place = shown.diagnostics[0].range
    assert place is not None and text[place.start : place.end] == "order"
    assert len(shown.pairs) == 2


def test_the_number_of_pairs_is_exact(small: OpenProject) -> None:
    found = counts_of(small.compiled(CLASSIFIER, name="x"), enough=1)
    assert found == Counts(count(small.project, "classifier").value, True)


def test_few_pairs_have_a_reason_in_both_languages(small: OpenProject) -> None:
    """By hand: 4 names, 2 pronouns; without the mismatch 王先生/李太太/张老师 go with one or two good pronouns."""
    found = counts_of(small.compiled(GENDER, name="x"))
    assert (found.value, found.exact) == (2, True)
    kinds = [reason.kind for reason in found.reasons]
    assert "pairs-few" in kinds and "short-by-link" in kinds
    by_link = next(reason for reason in found.reasons if reason.kind == "short-by-link" and reason.slot == "wrong")
    assert by_link.range is not None
    assert GENDER[by_link.range.start : by_link.range.end] == "mmPos:who"
    assert "instead of 2" in by_link.text and "而不是 2 种" in by_link.said("zh").text


def test_reasons_name_the_variant_the_slot_and_the_phrase(small: OpenProject) -> None:
    """As the command line does: two variants often have slots of one name, and links also stand in phrases."""
    found = counts_of(small.compiled(CLASSIFIER, name="x"))
    places = {reason.where for reason in found.reasons if "`mPos:thing" in reason.text}
    assert places == {'variant "plain" slot "right"', 'variant "of somebody" slot "right"'}
    assert {reason.said("zh").where for reason in found.reasons} > {'变体 "plain" 槽位 "right"'}
    phrase = PHRASES.replace("whose: 我 你", "whose: pos:M").replace("kind:kin", "kind:kin mPos:whose mPro:gender")
    compiler = replace(small.compiler, phrases=phrases_of(read_tree(phrase, name="phrases.yaml"))[0])
    linked = counts_of(compile_text(CLASSIFIER, name="x", compiler=compiler))
    reasons = [reason for reason in linked.reasons if reason.kind == "link-shares-nothing"]
    assert [reason.where for reason in reasons] == ['phrases.yaml:7:30 phrase "Person" alternative 2 part "kin"']
    assert reasons[0].said("zh").where == 'phrases.yaml:7:30 短语 "Person" 备选项 2 成分 "kin"'


def test_no_pair_at_all_has_a_reason_too(small: OpenProject) -> None:
    text = GENDER.replace("who: pos:NR", "who: expression:张老师")
    found = counts_of(small.compiled(text, name="x"))
    assert found.value == 0
    assert "link-never-differs" in [reason.kind for reason in found.reasons]


def test_a_text_is_compiled_once_and_a_grown_compiler_is_dropped(small: OpenProject) -> None:
    small.forget()
    assert small.compiled(GENDER, name="x") is small.compiled(GENDER, name="x")
    before = small.compiler
    for number in range(6):
        small.compiled(GENDER + "\n" * number, name="x")
    assert len(small.recent) == 4 and small.compiler is before
    small.forget()
    assert small.compiler is not before and small.recent == {}


def test_a_source_changes_with_what_pairs_are_made_from_and_not_with_paradigms(tmp_path: Path) -> None:
    open_small(tmp_path)
    folder = tmp_path / "small"
    first = source_of(folder)
    (folder / "paradigms" / "anaphor" / "gender.yaml").write_text("other", "utf-8")
    (folder / "notes.txt").write_text("x", "utf-8")
    assert source_of(folder) == first
    for name in ("lexicon.tsv", "phrases.yaml", "relations/acts.tsv", "project.yaml"):
        path = folder / name
        path.write_text(path.read_text("utf-8") + "\n", "utf-8")
        assert source_of(folder) != first
        first = source_of(folder)


def test_files_that_have_not_changed_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every key asks for the source, and a lexicon has a megabyte."""
    open_small(tmp_path)
    folder, names = tmp_path / "small", []
    read = previews.read_bytes

    def counted(path: Path, *, name: str) -> bytes:
        names.append(name)
        return read(path, name=name)

    monkeypatch.setattr(previews, "read_bytes", counted)
    monkeypatch.setattr(previews, "_CLOCK", -(10**18))  # as if all files were old
    first = source_of(folder)
    assert "lexicon.tsv" in names
    names.clear()
    assert source_of(folder) == first and names == []
    (folder / "lexicon.tsv").write_text((folder / "lexicon.tsv").read_text("utf-8") + "\n", "utf-8")
    assert source_of(folder) != first and names == ["lexicon.tsv"]


def test_a_relation_with_a_file_of_its_own_is_part_of_the_source(tmp_path: Path) -> None:
    open_small(tmp_path)
    folder = tmp_path / "small"
    (folder / "project.yaml").write_text("format: 1\nrelations: {r: tables/r.tsv}\n", "utf-8")
    first = source_of(folder)
    (folder / "tables").mkdir()
    (folder / "tables" / "r.tsv").write_text("a\tb\n", "utf-8")
    assert source_of(folder) != first
