"""Who is let in, and what each may do: tokens are guessed by nobody, used once, and kept by nobody but their owner."""

import contextlib
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from sqlalchemy import select

from bidui.errors import InputError
from bidui.web.store import accounts
from bidui.web.store.accounts import (
    Role,
    User,
    accept,
    add_user,
    check_role,
    close_account,
    count_failure,
    end_session,
    failures,
    forget_failures,
    invitation,
    invitations,
    invite,
    join,
    local_user,
    log_in,
    may,
    members,
    open_account,
    password_link,
    role_of,
    session_user,
    set_role,
    start_session,
    start_token,
    use_password_link,
    use_start_token,
    users,
    visible,
    withdraw,
)
from bidui.web.store.database import metadata, tokens
from bidui.web.store.disk import current as current_file
from bidui.web.store.projects import new_project
from bidui.web.store.revisions import history
from bidui.web.store.workspace import Store, entries

from .conftest import Clock
from .small import PARADIGM, saved, the_entry

PASSWORD = "correct horse"


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real ones take 64 MB and a tenth of a second each, which is their point."""
    weak = accounts.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(accounts, "PasswordHasher", lambda: weak)


def test_the_real_hashes_are_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """RFC 9106 asks for 64 MiB, three passes and four lanes where there is no more memory to spend."""
    monkeypatch.undo()
    secret = accounts.hash_password(PASSWORD)
    assert secret.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert accounts.password_matches(PASSWORD, secret)


def test_a_password_opens_the_account_and_nothing_else_does(store: Store) -> None:
    li = add_user(store, "李雷", PASSWORD)
    assert log_in(store, "李雷", PASSWORD) == li
    assert log_in(store, "李雷", PASSWORD + " ") is None
    assert log_in(store, "韩梅梅", PASSWORD) is None
    assert log_in(store, "local", PASSWORD) is None
    assert log_in(store, "", "") is None
    assert log_in(store, "李雷\x00", PASSWORD) is None
    assert log_in(store, "李雷", "x" * 10**6) is None


def test_the_same_password_typed_on_another_keyboard_is_the_same(store: Store) -> None:
    """é may be one character or two, and full-width letters come from a Chinese input method."""
    add_user(store, "Li", "passwo\u0301rd ａｂｃ")
    assert log_in(store, "ＬＩ", "passw\u00f3rd abc")


@pytest.mark.parametrize("name", ["", " ", "a\nb", "\x00", "x" * 61, "local", "LOCAL", "\ufdfa" * 60])
def test_what_is_no_name_is_refused(store: Store, name: str) -> None:
    with pytest.raises(InputError, match="cannot be a user name"):
        add_user(store, name, PASSWORD)


def test_a_name_is_taken_whatever_its_capitals(store: Store) -> None:
    add_user(store, "Li Lei", PASSWORD)
    with pytest.raises(InputError, match="the name LI LEI is already taken"):
        add_user(store, "LI LEI", PASSWORD)


def test_short_passwords_are_refused(store: Store) -> None:
    with pytest.raises(InputError, match="10 to 200"):
        add_user(store, "Li", "short")


@pytest.mark.parametrize(
    "password",
    (
        *("aaaaaaaaaa", "1234567890", "0987654321", "qwertyuiop", "abcabcabcabc", "Password123!", "passwordpassword"),
        *("admin-2024", "han meimei", "HanMeimei99", "lmnopqrstuv", "qwerty12345", "iloveyou!!"),
    ),
)
def test_passwords_that_everybody_tries_first_are_refused(store: Store, password: str) -> None:
    with pytest.raises(InputError, match="easy to guess"):
        add_user(store, "Han Meimei" if " " in password else "HanMeimei", password)


@pytest.mark.parametrize("password", ["correct horse", "tr0ub4dor&3", "春眠不觉晓处处闻啼鸟", "another password"])
def test_other_passwords_are_taken(store: Store, password: str) -> None:
    assert log_in(store, "Han", password) is None
    assert add_user(store, "Han", password) == log_in(store, "Han", password)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Owner", "\u041ewner"),
        ("paul", "p\u0430ul"),
        ("Li", "L1"),
        ("Bill", "BiIl"),
        ("Wang Wei", "WangWei"),
        ("Zoe", "Zo\u00eb"),
    ],
)
def test_a_name_that_looks_like_another_is_refused(store: Store, name: str, other: str) -> None:
    """Somebody who is invited must not pass for an owner in the history or the team."""
    add_user(store, name, PASSWORD)
    with pytest.raises(InputError, match="looks like"):
        add_user(store, other, PASSWORD)
    assert add_user(store, f"{name} Junior", PASSWORD)


def test_nothing_that_lets_somebody_in_can_be_read_from_the_database(store: Store) -> None:
    """Whoever gets a copy of it must not get in."""
    who = add_user(store, "Li", PASSWORD)
    secrets = [
        start_session(store, who),
        start_token(store),
        password_link(store, who),
        invite(store, who=who, role="editor"),
    ]
    with store.reading() as connection:
        everything = repr([connection.execute(select(table)).all() for table in metadata.sorted_tables])
    for secret in (*secrets, PASSWORD):
        assert secret not in everything
    assert all(len(secret) >= 43 for secret in secrets)  # 256 bits in base 64
    assert len({*secrets}) == len(secrets)


def test_a_session_lasts_until_it_ends_or_is_too_old(store: Store, clock: Clock) -> None:
    who = add_user(store, "Li", PASSWORD)
    one, two = start_session(store, who), start_session(store, who)
    assert session_user(store, one) == session_user(store, two) == who
    end_session(store, one)
    assert (session_user(store, one), session_user(store, two)) == (None, who)
    clock.ahead = timedelta(days=29)
    assert session_user(store, two) == who
    clock.ahead = timedelta(days=31)
    assert session_user(store, two) is None


def test_a_token_of_one_kind_is_none_of_another(store: Store) -> None:
    who = add_user(store, "Li", PASSWORD)
    offered = invite(store, who=who, role="owner")
    assert session_user(store, offered) is None
    assert session_user(store, "guess") is None
    with pytest.raises(InputError, match="ask for a new one"):
        use_start_token(store, offered)
    with pytest.raises(InputError, match="ask for a new one"):
        accept(store, start_session(store, who), name="Han", password=PASSWORD)


def test_the_address_that_is_printed_opens_one_session(store: Store, clock: Clock) -> None:
    """It stays in the history of the browser and of the terminal."""
    old, token = start_token(store), start_token(store)
    session = use_start_token(store, token)
    who = session_user(store, session)
    assert who == local_user(store) and who.local
    for used in (token, old):
        with pytest.raises(InputError, match="ask for a new one"):
            use_start_token(store, used)
    late = start_token(store)
    clock.ahead = timedelta(hours=13)
    with pytest.raises(InputError, match="ask for a new one"):
        use_start_token(store, late)


def test_an_invitation_makes_one_account_with_its_role(store: Store, clock: Clock) -> None:
    owner = local_user(store)
    token = invite(store, who=owner, role="editor", entry=the_entry(store))
    offer = invitation(store, token)
    assert (offer.role, offer.project, offer.by) == ("editor", "small", "local")
    han = accept(store, token, name="Han", password=PASSWORD)
    assert (role_of(store, han, the_entry(store)), role_of(store, han)) == ("editor", None)
    with pytest.raises(InputError, match="ask for a new one"):
        accept(store, token, name="Other", password=PASSWORD)
    assert [user.name for user in users(store)] == ["Han"]


def test_a_name_that_is_taken_does_not_use_the_invitation_up(store: Store) -> None:
    add_user(store, "Han", PASSWORD)
    token = invite(store, who=local_user(store), role="viewer")
    with pytest.raises(InputError, match="already"):
        accept(store, token, name="han", password=PASSWORD)
    assert accept(store, token, name="Han Meimei", password=PASSWORD).name == "Han Meimei"


def test_an_invitation_that_is_withdrawn_or_too_old_is_worth_nothing(store: Store, clock: Clock) -> None:
    owner = local_user(store)
    first, second = (invite(store, who=owner, role="viewer") for _ in range(2))
    assert len(invitations(store)) == 2
    withdraw(store, invitation(store, first).id)
    withdraw(store, 2**70)
    with pytest.raises(InputError, match="ask for a new one"):
        accept(store, first, name="Han", password=PASSWORD)
    clock.ahead = timedelta(days=8)
    with pytest.raises(InputError, match="ask for a new one"):
        invitation(store, second)


def test_of_many_who_use_one_invitation_at_once_one_gets_in(store: Store) -> None:
    token = invite(store, who=local_user(store), role="editor")
    gate = Barrier(6)
    got: list[User] = []

    def come(number: int) -> None:
        gate.wait()
        with contextlib.suppress(InputError):
            got.append(accept(store, token, name=f"guest {number}", password=PASSWORD))

    threads = [Thread(target=come, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 1
    assert [user.name for user in users(store)] == [got[0].name]


def test_joining_never_lowers_a_role(store: Store) -> None:
    li = add_user(store, "Li", PASSWORD)
    set_role(store, li, "owner", the_entry(store))
    join(store, invite(store, who=local_user(store), role="viewer", entry=the_entry(store)), who=li)
    assert role_of(store, li, the_entry(store)) == "owner"
    join(store, invite(store, who=local_user(store), role="editor"), who=li)
    assert role_of(store, li) == "editor"


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        (None, set()),
        ("viewer", {"viewer"}),
        ("editor", {"viewer", "editor"}),
        ("owner", {"viewer", "editor", "owner"}),
    ],
)
def test_each_role_may_do_what_those_below_it_may(role: Role | None, allowed: set[Role]) -> None:
    roles: list[Role] = ["viewer", "editor", "owner"]
    assert {needed for needed in roles if may(role, needed)} == allowed


def test_roles_hold_in_their_project_and_those_of_the_workspace_everywhere(store: Store) -> None:
    li, han = add_user(store, "Li", PASSWORD), add_user(store, "Han", PASSWORD)
    other = new_project(store, "other", lang="zh", who=local_user(store))
    small = the_entry(store)
    set_role(store, li, "viewer")
    set_role(store, li, "editor", small)
    set_role(store, han, "owner", other)
    assert (role_of(store, li, small), role_of(store, li, other), role_of(store, li)) == ("editor", "viewer", "viewer")
    assert (role_of(store, han, small), role_of(store, han, other), role_of(store, han)) == (None, "owner", None)
    assert [entry.name for entry in visible(store, li, entries(store))] == ["other", "small"]
    assert [entry.name for entry in visible(store, han, entries(store))] == ["other"]
    assert [(each.name, each.role, each.everywhere) for each in members(store, small)] == [
        ("Li", "viewer", True),
        ("Li", "editor", False),
    ]
    check_role(store, li, "editor", small)
    with pytest.raises(InputError, match="requires the role owner"):
        check_role(store, li, "owner", small)
    with pytest.raises(InputError, match="no project small"):  # she is not told that there is one
        check_role(store, han, "viewer", small)
    with pytest.raises(InputError, match="requires the role editor"):
        check_role(store, han, "editor")
    set_role(store, li, None)
    set_role(store, li, None, small)
    assert role_of(store, li, small) is None


def test_whoever_sits_at_the_machine_owns_everything(store: Store) -> None:
    me = local_user(store)
    assert (role_of(store, me), role_of(store, me, the_entry(store))) == ("owner", "owner")
    assert visible(store, me, entries(store)) == entries(store)


def test_somebody_always_owns_the_workspace(store: Store) -> None:
    li, han = add_user(store, "Li", PASSWORD), add_user(store, "Han", PASSWORD)
    set_role(store, li, "owner")
    for role in ("editor", None):
        with pytest.raises(InputError, match="needs an owner"):
            set_role(store, li, role)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="needs an owner"):
        close_account(store, li)
    set_role(store, han, "owner")
    close_account(store, han)
    with pytest.raises(InputError, match="needs an owner"):  # a closed account owns nothing
        set_role(store, li, "editor")
    open_account(store, han)
    set_role(store, li, "editor")
    assert role_of(store, li) == "editor"


def test_whoever_is_gone_invites_nobody(store: Store) -> None:
    li = add_user(store, "Li", PASSWORD)
    set_role(store, li, "owner", the_entry(store))
    token = invite(store, who=li, role="editor", entry=the_entry(store))
    close_account(store, li)
    with pytest.raises(InputError, match="ask for a new one"):
        accept(store, token, name="Han", password=PASSWORD)


def test_a_closed_account_has_no_role_no_session_and_keeps_its_name_on_what_it_did(store: Store) -> None:
    li = add_user(store, "Li", PASSWORD)
    set_role(store, li, "editor")
    session = start_session(store, li)
    saved(store, "a: b\n", base=current_file(the_entry(store), PARADIGM).revision.id, who=li)
    close_account(store, li)
    assert session_user(store, session) is None
    assert log_in(store, "Li", PASSWORD) is None
    closed = users(store)[0]
    assert (closed.closed, role_of(store, closed), visible(store, closed, entries(store))) == (True, None, [])
    assert history(the_entry(store), PARADIGM)[0].author == "Li"
    open_account(store, li)
    assert log_in(store, "Li", PASSWORD) == li
    assert session_user(store, session) is None


def test_a_new_password_ends_the_old_sessions(store: Store) -> None:
    li = add_user(store, "Li", PASSWORD)
    session = start_session(store, li)
    token = password_link(store, li)
    assert use_password_link(store, token, "another password") == li
    assert session_user(store, session) is None
    assert (log_in(store, "Li", PASSWORD), log_in(store, "Li", "another password")) == (None, li)
    with pytest.raises(InputError, match="ask for a new one"):
        use_password_link(store, token, "a third password")


def test_failures_are_counted_for_a_time_each_by_itself(store: Store, clock: Clock) -> None:
    minute, li = timedelta(minutes=1), {"login": "li", "login name": "li"}
    for _ in range(3):
        count_failure(store, li, within=minute)
    count_failure(store, {"login name": "li"}, within=minute)
    assert failures(store, li) == {"login": 3, "login name": 4}
    assert failures(store, {"login": "han", "login address": "li"}) == {"login": 0, "login address": 0}
    forget_failures(store, {"login": "li"})
    assert failures(store, li) == {"login": 0, "login name": 4}
    clock.ahead = timedelta(seconds=61)
    assert failures(store, li) == {"login": 0, "login name": 0}


def test_nothing_is_hashed_for_a_link_that_is_not_good(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash takes a tenth of a second and 64 MB: strangers must not get one for a made-up token."""
    monkeypatch.setattr("bidui.web.store.accounts.hash_password", lambda _: pytest.fail("hashed"))
    for use in (
        lambda: accept(store, "made up", name="Han", password=PASSWORD),
        lambda: use_password_link(store, "made up", PASSWORD),
    ):
        with pytest.raises(InputError, match="ask for a new one"):
            use()


def test_old_tokens_are_cleared_away(store: Store, clock: Clock) -> None:
    who = add_user(store, "Li", PASSWORD)
    start_session(store, who)
    clock.ahead = timedelta(days=100)
    start_session(store, who)
    with store.reading() as connection:
        assert len(connection.execute(select(tokens)).all()) == 1
