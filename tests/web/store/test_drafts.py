"""A draft is its writer's alone, and stays until she has saved it or thrown it away."""

import pytest

from bidui.errors import InputError
from bidui.web.store import accounts
from bidui.web.store.accounts import add_user, local_user
from bidui.web.store.disk import current
from bidui.web.store.drafts import drafts, drop_draft, keep_draft
from bidui.web.store.projects import delete_project, new_project
from bidui.web.store.workspace import Store

from .small import PARADIGM, saved, the_entry


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = accounts.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(accounts, "PasswordHasher", lambda: weak)


def test_the_latest_text_of_a_tab_is_its_draft(store: Store) -> None:
    entry, who = the_entry(store), local_user(store)
    base = current(entry, PARADIGM).revision.id
    for text in ("u", "ui", "uid: 把"):
        keep_draft(entry, PARADIGM, text, base=base, who=who)
    (draft,) = drafts(store, who=who, entry=entry, file=PARADIGM)
    assert (draft.text, draft.base, draft.why) == ("uid: 把", base, "typing")


def test_drafts_are_listed_for_their_owner_the_latest_first(store: Store) -> None:
    """After a crash the first page shows what can be taken up again, in all projects."""
    li, han = add_user(store, "Li", "ink stone 1"), add_user(store, "Han", "ink stone 2")
    small, other = the_entry(store), new_project(store, "other", lang="zh", who=li)
    keep_draft(small, PARADIGM, "one", base=None, who=li)
    keep_draft(other, "paradigms/x/new.yaml", "two", base=None, who=li)
    keep_draft(small, PARADIGM, "hers", base=None, who=han)
    assert [(draft.project, draft.file, draft.text) for draft in drafts(store, who=li)] == [
        ("other", "paradigms/x/new.yaml", "two"),
        ("small", PARADIGM, "one"),
    ]
    assert [draft.text for draft in drafts(store, who=li, entry=small)] == ["one"]
    assert [draft.text for draft in drafts(store, who=han)] == ["hers"]
    delete_project(other, who=li)
    assert [draft.text for draft in drafts(store, who=li)] == ["one"]


def test_saving_is_no_end_to_the_draft_of_somebody_else(store: Store) -> None:
    li = add_user(store, "Li", "ink stone 1")
    base = current(the_entry(store), PARADIGM).revision.id
    keep_draft(the_entry(store), PARADIGM, "hers", base=base, who=li)
    saved(store, "mine\n", base=base)
    assert [draft.text for draft in drafts(store, who=li)] == ["hers"]


def test_a_draft_can_be_thrown_away(store: Store) -> None:
    entry, who = the_entry(store), local_user(store)
    keep_draft(entry, PARADIGM, "one", base=None, who=who, tab="a")
    drop_draft(entry, PARADIGM, who=who, tab="b")
    assert len(drafts(store, who=who)) == 1
    drop_draft(entry, PARADIGM, who=who, tab="a")
    assert drafts(store, who=who) == []


@pytest.mark.parametrize("tab", ["x" * 65, "\x00", "标签", "a\nb"])
def test_what_is_no_tab_is_refused(store: Store, tab: str) -> None:
    with pytest.raises(InputError, match="not a valid tab name"):
        keep_draft(the_entry(store), PARADIGM, "x", base=None, who=local_user(store), tab=tab)


def test_a_draft_that_no_file_could_be_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    entry, who = the_entry(store), local_user(store)
    with pytest.raises(InputError, match="not a project file"):
        keep_draft(entry, "../x.yaml", "x", base=None, who=who)
    monkeypatch.setattr("bidui.web.store.drafts.MAX_BYTES", 10)
    with pytest.raises(InputError, match="11"):
        keep_draft(entry, PARADIGM, "x" * 11, base=None, who=who)
