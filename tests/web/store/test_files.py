"""Every state of a file is kept, and what cannot become one is kept as a draft."""

import pytest

from bidui.errors import InputError, Place, Problem
from bidui.web.store import disk as disk_module
from bidui.web.store.accounts import local_user
from bidui.web.store.disk import current
from bidui.web.store.drafts import drafts
from bidui.web.store.files import Conflict, NewDraft, NewRevision, delete, rename, restore, save
from bidui.web.store.overview import file_problems
from bidui.web.store.revisions import deleted_files, history, revision
from bidui.web.store.workspace import Store, entries

from .small import PARADIGM, TEXTS, anything, kept, saved, the_entry

BROKEN = Problem("yaml-broken", Place(PARADIGM, 1), {"reason": "x"})


def disk(store: Store, file: str = PARADIGM) -> str:
    return (store.root / "small" / file).read_text("utf-8")


def base_of(store: Store, file: str = PARADIGM) -> int:
    return current(the_entry(store), file).revision.id


def test_what_lies_in_the_workspace_when_it_is_opened_is_the_first_revision(store: Store) -> None:
    assert [each.name for each in entries(store)] == ["small"]
    assert {each.file: (each.reason, each.author) for each in history(the_entry(store))} == {
        file: ("outside", "") for file in TEXTS
    }
    assert current(the_entry(store), PARADIGM).text == TEXTS[PARADIGM]


def test_a_saved_text_is_the_file_and_a_revision_that_says_who_and_why(store: Store) -> None:
    first = base_of(store)
    new = saved(store, "uid: 新\n", base=first)
    assert disk(store) == "uid: 新\n"
    (latest, before) = history(the_entry(store), PARADIGM)
    assert latest == new.revision
    assert (latest.author, latest.reason, latest.base, latest.size) == ("local", "edit", first, 9)
    assert before.id == first
    assert revision(the_entry(store), first).text == TEXTS[PARADIGM]


def test_saving_the_same_text_again_makes_no_revision(store: Store) -> None:
    """The page saves once a second; a history of nothing but repetitions would be of no use."""
    new = saved(store, "a: b\n", base=base_of(store))
    again = saved(store, "a: b\n", base=new.revision.base)
    assert (again.revision, again.changed) == (new.revision, False)
    assert len(history(the_entry(store), PARADIGM)) == 2


def test_a_text_with_errors_is_a_draft_and_the_file_stays(store: Store) -> None:
    first = base_of(store)
    done = kept(store, "uid: [half", base=first, problem=BROKEN)
    assert done.problems == (BROKEN,)
    assert disk(store) == TEXTS[PARADIGM]
    assert len(history(the_entry(store), PARADIGM)) == 1
    (draft,) = drafts(store, who=local_user(store))
    assert (draft.project, draft.file, draft.text) == ("small", PARADIGM, "uid: [half")
    assert (draft.base, draft.why) == (first, "unparsed")


def test_a_warning_does_not_keep_a_text_from_being_saved(store: Store) -> None:
    warning = Problem("about-missing", Place(PARADIGM), {"keys": ["edit"]}, "warning")
    who = local_user(store)
    done = save(the_entry(store), PARADIGM, "a: b\n", base=base_of(store), who=who, check=lambda _: [warning])
    assert isinstance(done, NewRevision)


def test_the_draft_of_a_tab_is_over_once_its_text_is_saved(store: Store) -> None:
    """Another tab may hold words that this one never saw: its draft stays."""
    first = base_of(store)
    kept(store, "uid: [one", base=first, problem=BROKEN, tab="one")
    kept(store, "uid: [two", base=first, problem=BROKEN, tab="two")
    saved(store, "uid: one\n", base=first, tab="one")
    assert [(draft.tab, draft.text) for draft in drafts(store, who=local_user(store))] == [("two", "uid: [two")]


def test_the_real_check_lets_a_good_file_pass_and_keeps_a_bad_one(store: Store) -> None:
    entry, who, first = the_entry(store), local_user(store), base_of(store)

    def check(text: str) -> list[Problem]:
        return file_problems(PARADIGM, text)

    bad = TEXTS[PARADIGM].replace("pos:NR", "pos:NR mPos:nobody")
    done = save(entry, PARADIGM, bad, base=first, who=who, check=check)
    assert isinstance(done, NewDraft)
    assert done.problems[0].place.line == 5
    good = TEXTS[PARADIGM].replace("喜欢", "讨厌")
    assert isinstance(save(entry, PARADIGM, good, base=first, who=who, check=check), NewRevision)


@pytest.mark.parametrize("text", ["uid: \x00\n", "uid: \ud83d\n"], ids=["control", "half a surrogate pair"])
def test_a_text_that_no_file_can_hold_is_a_draft(store: Store, text: str) -> None:
    """A browser sends half an emoji in the middle of a composition; it must come back as it was."""
    done = save(the_entry(store), PARADIGM, text, base=base_of(store), who=local_user(store), check=anything)
    assert isinstance(done, NewDraft)
    assert [draft.text for draft in drafts(store, who=local_user(store))] == [text]


def test_a_text_made_from_an_old_revision_is_a_conflict_with_all_three_versions(store: Store) -> None:
    first = base_of(store)
    saved(store, "theirs\n", base=first)
    with pytest.raises(Conflict) as caught:
        saved(store, "yours\n", base=first, tab="mine")
    conflict = caught.value
    assert conflict.base is not None
    assert (conflict.base.text, conflict.theirs.text, conflict.yours) == (TEXTS[PARADIGM], "theirs\n", b"yours\n")
    assert "local has changed this file in the meantime" in str(conflict)
    assert disk(store) == "theirs\n"
    (draft,) = drafts(store, who=local_user(store))
    assert (draft.text, draft.base, draft.why, draft.tab) == ("yours\n", first, "conflict", "mine")


def test_a_change_made_outside_is_a_conflict_too_and_is_kept(store: Store) -> None:
    first = base_of(store)
    (store.root / "small" / PARADIGM).write_text("by an editor\n", "utf-8")
    with pytest.raises(Conflict, match="outside the workbench") as caught:
        saved(store, "yours\n", base=first)
    assert caught.value.theirs.text == disk(store) == "by an editor\n"
    assert caught.value.theirs.revision.reason == "outside"


def test_a_new_file_needs_no_base_and_an_old_one_does(store: Store) -> None:
    file = "paradigms/BA/new.yaml"
    saved(store, "a: b\n", base=None, file=file)
    assert disk(store, file) == "a: b\n"
    with pytest.raises(Conflict):
        saved(store, "c: d\n", base=None, file=file)


@pytest.mark.parametrize("base", [-1, 0, 10**6, 2**31, 2**80])
def test_a_base_that_is_none_is_an_error_and_changes_nothing(store: Store, base: int) -> None:
    with pytest.raises(InputError, match="no revision"):
        saved(store, "a: b\n", base=base)
    assert disk(store) == TEXTS[PARADIGM]


def test_a_revision_of_another_file_is_no_base(store: Store) -> None:
    with pytest.raises(InputError, match="no revision"):
        saved(store, "a: b\n", base=base_of(store, "lexicon.tsv"))


def test_a_deleted_file_can_be_brought_back(store: Store) -> None:
    entry, who, first = the_entry(store), local_user(store), base_of(store)
    gone = delete(entry, PARADIGM, base=first, who=who)
    assert (gone.revision.deleted, gone.revision.reason) == (True, "delete")
    assert not (store.root / "small" / PARADIGM).exists()
    (listed,) = deleted_files(entry)
    assert (listed.file, listed.base) == (PARADIGM, first)
    with pytest.raises(InputError, match="no file"):
        current(entry, PARADIGM)
    back = restore(entry, first, base=gone.revision.id, who=who, check=anything)
    assert isinstance(back, NewRevision)
    assert (back.revision.reason, back.revision.origin) == ("restore", first)
    assert disk(store) == TEXTS[PARADIGM]
    assert deleted_files(entry) == []


def test_deleting_what_somebody_has_changed_meanwhile_is_a_conflict(store: Store) -> None:
    first = base_of(store)
    saved(store, "theirs\n", base=first)
    with pytest.raises(Conflict) as caught:
        delete(the_entry(store), PARADIGM, base=first, who=local_user(store))
    assert caught.value.yours is None
    assert disk(store) == "theirs\n"


def test_changing_what_somebody_has_deleted_meanwhile_is_a_conflict(store: Store) -> None:
    first = base_of(store)
    delete(the_entry(store), PARADIGM, base=first, who=local_user(store))
    with pytest.raises(Conflict) as caught:
        saved(store, "yours\n", base=first)
    assert caught.value.theirs.revision.deleted


def test_restoring_is_a_new_revision_on_top(store: Store) -> None:
    entry, who, first = the_entry(store), local_user(store), base_of(store)
    second = saved(store, "two\n", base=first).revision.id
    done = restore(entry, first, base=second, who=who, check=anything)
    assert isinstance(done, NewRevision)
    assert [each.id for each in history(entry, PARADIGM)] == [done.revision.id, second, first]
    assert disk(store) == TEXTS[PARADIGM]


def test_an_old_revision_that_does_not_parse_comes_back_as_a_draft(store: Store) -> None:
    """It came from outside; the file on disk must go on parsing."""
    (store.root / "small" / PARADIGM).write_text("uid: [half", "utf-8")
    outside = base_of(store)
    new = saved(store, TEXTS[PARADIGM], base=outside).revision.id
    done = restore(
        the_entry(store), outside, base=new, who=local_user(store), check=lambda t: file_problems(PARADIGM, t)
    )
    assert isinstance(done, NewDraft)
    assert done.draft.text == "uid: [half"
    assert disk(store) == TEXTS[PARADIGM]


def test_a_deletion_cannot_be_restored(store: Store) -> None:
    entry, who = the_entry(store), local_user(store)
    gone = delete(entry, PARADIGM, base=base_of(store), who=who).revision.id
    with pytest.raises(InputError, match="restore the one before it"):
        restore(entry, gone, base=gone, who=who, check=anything)


def test_a_renamed_file_leads_back_to_its_old_name(store: Store) -> None:
    entry, who, first = the_entry(store), local_user(store), base_of(store)
    done = rename(entry, PARADIGM, "paradigms/anaphor/sex.yaml", "uid: sex\n", base=first, who=who, check=anything)
    assert isinstance(done, NewRevision)
    assert (done.revision.file, done.revision.origin) == ("paradigms/anaphor/sex.yaml", first)
    assert disk(store, "paradigms/anaphor/sex.yaml") == "uid: sex\n"
    assert deleted_files(entry) == []  # it is not gone


def test_a_new_spelling_of_a_name_is_no_clash_with_the_old_one(store: Store) -> None:
    """On Windows and macOS the two are one file, and removing the old would remove the new."""
    entry, who = the_entry(store), local_user(store)
    file = "paradigms/anaphor/Gender.yaml"
    rename(entry, PARADIGM, file, "uid: Gender\n", base=base_of(store), who=who, check=anything)
    assert disk(store, file) == "uid: Gender\n"


@pytest.mark.parametrize(
    ("file", "order"),
    [
        ("paradigms/anaphor/Gender.yaml", ["remove", "write"]),  # where these are one file, to remove comes first
        ("paradigms/anaphor/other.yaml", ["write", "remove"]),
    ],
)
def test_a_text_is_never_nowhere_when_it_is_renamed(
    store: Store, monkeypatch: pytest.MonkeyPatch, file: str, order: list[str]
) -> None:
    done: list[str] = []
    write, remove = disk_module.write_file, disk_module.remove_file
    monkeypatch.setattr(disk_module, "write_file", lambda path, data: (done.append("write"), write(path, data)))
    monkeypatch.setattr(disk_module, "remove_file", lambda path: (done.append("remove"), remove(path)))
    entry, who = the_entry(store), local_user(store)
    rename(entry, PARADIGM, file, "uid: x\n", base=base_of(store), who=who, check=anything)
    assert done == order


def test_a_rename_that_cannot_be_written_leaves_the_old_file(store: Store) -> None:
    entry, who, base = the_entry(store), local_user(store), base_of(store)
    (store.root / "small" / "paradigms" / "BA").write_text("in the way", "utf-8")
    with pytest.raises(InputError, match=r"Not a directory|File exists"):
        rename(entry, PARADIGM, "paradigms/BA/x.yaml", "uid: x\n", base=base, who=who, check=anything)
    assert disk(store) == TEXTS[PARADIGM]
    assert len(history(entry, PARADIGM)) == 1
    assert {draft.text for draft in drafts(store, who=who)} == {"uid: x\n"}


def test_two_files_whose_names_differ_in_case_alone_are_refused(store: Store) -> None:
    with pytest.raises(InputError, match=r"paradigms/anaphor/gender\.yaml already exists"):
        saved(store, "a: b\n", base=None, file="paradigms/anaphor/GENDER.yaml")
    assert [draft.why for draft in drafts(store, who=local_user(store))] == ["unwritten"]


def test_a_rename_to_a_name_that_is_taken_is_refused_and_nothing_goes(store: Store) -> None:
    """There is nothing to merge and no text to keep: only another name to be chosen."""
    entry, who = the_entry(store), local_user(store)
    file = "paradigms/BA/other.yaml"
    saved(store, "other\n", base=None, file=file)
    for to in (file, "paradigms/BA/OTHER.yaml"):
        with pytest.raises(InputError, match=r"paradigms/BA/other\.yaml already exists"):
            rename(entry, PARADIGM, to, "mine\n", base=base_of(store), who=who, check=anything)
    assert (disk(store), disk(store, file)) == (TEXTS[PARADIGM], "other\n")
    assert drafts(store, who=who) == []


def test_a_project_keeps_its_settings(store: Store) -> None:
    entry, who, base = the_entry(store), local_user(store), base_of(store, "project.yaml")
    with pytest.raises(InputError, match=r"needs its project\.yaml"):
        delete(entry, "project.yaml", base=base, who=who)
    with pytest.raises(InputError, match=r"needs its project\.yaml"):
        rename(entry, "project.yaml", "a.md", "", base=base, who=who, check=anything)


def test_a_history_comes_in_pages(store: Store) -> None:
    base = base_of(store)
    numbers = [base]
    for number in range(5):
        numbers.append(saved(store, f"{number}\n", base=numbers[-1]).revision.id)
    first = history(the_entry(store), PARADIGM, most=4)
    rest = history(the_entry(store), PARADIGM, most=4, before=first[-1].id)
    assert [each.id for each in first + rest] == numbers[::-1]
