"""Who asks: sessions come from a link or a password, roles decide, and guessing is slow."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from bidui.web.problems import status_of
from bidui.web.store.accounts import local_user, role_of, session_user, start_session, start_token
from bidui.web.workbench import MOST_HASHES, Workbench

from .served import HOST, PASSWORD, SAME_SITE, app_of, browser_of, complete, kinds, local, member, served, stranger

SECONDS = 120  # for anything to happen, on a machine that is busy


@pytest.fixture
def laptop(tmp_path: Path, database: str | None) -> Iterator[Workbench]:
    with served(tmp_path, database) as bench:
        yield bench


def test_the_printed_address_opens_one_session(laptop: Workbench) -> None:
    """It stands in a terminal and perhaps in a browser's history: a second person must not get in by it."""
    token = start_token(laptop.store)
    first, second = stranger(laptop), stranger(laptop)
    answer = first.get(f"/start/{token}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Secure" not in cookie
    assert first.get("/api/me").json()["role"] == "owner"
    assert second.get(f"/start/{token}").status_code == 410
    assert second.get("/api/me").status_code == 401
    assert first.get(f"/start/{token}").status_code == 303  # whoever is in goes on


def test_the_cookie_is_secure_behind_https(tmp_path: Path) -> None:
    with served(tmp_path, None, secure=True) as bench:
        answer = stranger(bench).get(f"/start/{start_token(bench.store)}")
        assert "Secure" in answer.headers["set-cookie"]
        assert answer.headers["strict-transport-security"]


def test_guessed_tokens_open_nothing_and_keep_nobody_out(laptop: Workbench) -> None:
    """A foreign page with a hundred images of made-up addresses must not lock out whoever has the right one."""
    client = stranger(laptop)
    assert {client.get(f"/start/{number:043}").status_code for number in range(110)} == {410}
    assert stranger(laptop).get(f"/start/{start_token(laptop.store)}").status_code == 303
    client.cookies.set(laptop.settings.cookie, "guessed")
    assert client.get("/api/me").status_code == 401
    assert client.get("/api/me", headers={"Authorization": "Bearer guessed"}).status_code == 401


def test_a_session_counts_with_its_bearer_too(laptop: Workbench) -> None:
    """So that scripts can use the calls; no page of another site can know the token."""
    token = start_session(laptop.store, local_user(laptop.store))
    client = stranger(laptop, headers={"Authorization": f"Bearer {token}"})
    assert client.get("/api/me").status_code == 200
    assert client.post("/api/logout").status_code == 204
    assert client.get("/api/me").status_code == 401


def test_signing_out_ends_the_session_itself(laptop: Workbench) -> None:
    """A cookie that somebody copied is worth nothing afterwards."""
    client = local(laptop)
    token = client.cookies[laptop.settings.cookie]
    assert client.post("/api/logout").status_code == 204
    assert session_user(laptop.store, token) is None


def test_a_new_start_ends_the_sessions_of_the_last(laptop: Workbench) -> None:
    """A session must not travel with a copy of the folder, nor outlive the server by weeks."""
    client = local(laptop)
    assert client.get("/api/me").status_code == 200
    new = stranger(laptop)
    token = start_token(laptop.store)
    assert client.get("/api/me").status_code == 401
    assert new.get(f"/start/{token}").status_code == 303
    assert new.get("/api/me").status_code == 200


def test_a_page_of_a_laptop_can_be_signed_out_of(laptop: Workbench) -> None:
    client = local(laptop)
    assert 'action="/logout"' in client.get("/").text
    assert client.post("/logout").headers["location"] == "/"
    assert client.get("/").status_code == 401


def test_a_laptop_has_no_accounts_to_sign_in_to(laptop: Workbench) -> None:
    client = stranger(laptop)
    assert kinds(client.post("/api/login", json={"name": "x", "password": "y"})) == ["team-off"]
    assert kinds(client.post("/api/join", json={"token": "t", "name": "x", "password": PASSWORD})) == ["team-off"]
    assert kinds(local(laptop).post("/api/team/invitations", json={"role": "owner"})) == ["team-off"]


def test_name_and_password_open_a_session(team: Workbench) -> None:
    client = stranger(team)
    assert client.post("/api/login", json={"name": "Owner", "password": "wrong password"}).status_code == 401
    assert client.get("/api/me").status_code == 401
    assert client.post("/api/login", json={"name": "owner", "password": PASSWORD}).status_code == 204
    assert client.get("/api/me").json() == {
        "name": "Owner",
        "mode": "team",
        "role": "owner",
        "lang": "en",
        "alone": False,
    }


def test_a_password_can_be_tried_ten_times(team: Workbench) -> None:
    """Then even the right one is refused for a while: else a program could try thousands."""
    client = stranger(team)
    wrong = [client.post("/api/login", json={"name": "Owner", "password": "wrong"}).status_code for _ in range(11)]
    assert wrong == [401] * 10 + [429]
    assert client.post("/api/login", json={"name": "OWNER", "password": PASSWORD}).status_code == 429


def test_only_wrong_passwords_count(team: Workbench) -> None:
    """Somebody who signs in with a script, again and again, guesses nothing."""
    given = {"name": "Owner", "password": PASSWORD}
    assert {stranger(team).post("/api/login", json=given).status_code for _ in range(15)} == {204}


def test_one_stranger_locks_nobody_out(team: Workbench) -> None:
    """A refused try is not counted, so that an address adds ten to what is counted for a name from anywhere."""
    client, wrong = stranger(team, address="192.0.2.1"), {"name": "Owner", "password": "wrong"}
    tries = [client.post("/api/login", json=wrong).status_code for _ in range(120)]
    assert tries == [401] * 10 + [429] * 110
    right = {"name": "Owner", "password": PASSWORD}
    assert stranger(team, address="192.0.2.2").post("/api/login", json=right).status_code == 204


def test_the_addresses_of_one_household_count_as_one(team: Workbench) -> None:
    """An IPv6 line comes with 2**64 addresses; each of them must not have ten tries of its own."""
    wrong = {"name": "Owner", "password": "wrong"}
    tries = [stranger(team, address=f"2001:db8::{n:x}").post("/api/login", json=wrong).status_code for n in range(12)]
    assert tries == [401] * 10 + [429] * 2
    assert stranger(team, address="2001:db8:0:1::1").post("/api/login", json=wrong).status_code == 401


def test_many_who_sign_in_at_once_hold_up_nobody_else(team: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes wait in a short queue of their own; whoever does not fit into it is told so at once."""
    go = threading.Event()

    def slow(*_: object) -> None:
        assert go.wait(SECONDS)

    monkeypatch.setattr("bidui.web.store.accounts.log_in", slow)
    given = {"name": "Owner", "password": PASSWORD}

    async def ask() -> tuple[int, list[int]]:
        transport = httpx.ASGITransport(app_of(team))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}", headers=SAME_SITE) as client:
            waiting = {asyncio.ensure_future(client.post("/api/login", json=given)) for _ in range(MOST_HASHES + 60)}
            refused: set[asyncio.Future[httpx.Response]] = set()
            while len(refused) < 60:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED, timeout=SECONDS)
                assert done, "all of them wait"
                refused |= done
            me = await asyncio.wait_for(client.get("/api/me"), SECONDS)
            go.set()
            await asyncio.gather(*waiting)
            return me.status_code, [each.result().status_code for each in refused]

    assert complete(ask()) == (401, [503] * 60)


def test_the_session_of_the_machine_itself_is_nobody_in_a_team(team: Workbench) -> None:
    """The database may have served a laptop before; whoever kept that cookie is not the team's owner."""
    assert local(team).get("/api/me").status_code == 401
    assert stranger(team).get(f"/start/{start_token(team.store)}").status_code == 410


def test_the_database_alone_makes_no_session_in_a_team(team: Workbench) -> None:
    """A token that was not signed with the server's secret is refused, though the database knows it."""
    client = stranger(team)
    token = start_session(team.store, member(team, "Li", "editor"))
    client.cookies.set(team.settings.cookie, token)
    assert client.get("/api/me").status_code == 401


def test_an_invitation_gives_its_role_once(team: Workbench) -> None:
    owner = browser_of(team, member(team, "Second", "owner"))
    answer = owner.post("/api/team/invitations", json={"role": "editor", "project": "small"})
    assert answer.status_code == 201
    address = answer.json()["address"]
    assert address.startswith("http://testserver/join/")
    token = address.rpartition("/")[2]
    listed = owner.get("/api/projects/small/team").json()["invitations"]
    assert [(each["role"], each["project"], each["by"]) for each in listed] == [("editor", "small", "Second")]
    new = stranger(team)
    given = {"token": token, "name": "Wang", "password": PASSWORD}
    assert new.post("/api/join", json=given).status_code == 204
    assert new.get("/api/me").json()["role"] is None  # in the workspace
    assert new.get("/api/projects/small/team").json()["role"] == "editor"
    assert stranger(team).post("/api/join", json={**given, "name": "Zhao"}).status_code == 410


def test_somebody_with_an_account_joins_with_it(team: Workbench) -> None:
    owner, li = browser_of(team, member(team, "Second", "owner")), member(team, "Li", None)
    address = owner.post("/api/team/invitations", json={"role": "viewer"}).json()["address"]
    assert browser_of(team, li).post("/api/join", json={"token": address.rpartition("/")[2]}).status_code == 204
    assert role_of(team.store, li) == "viewer"


def test_an_invitation_can_be_taken_back(team: Workbench) -> None:
    owner = browser_of(team, member(team, "Second", "owner"))
    address = owner.post("/api/team/invitations", json={"role": "viewer"}).json()["address"]
    number = owner.get("/api/team").json()["invitations"][0]["id"]
    assert owner.delete(f"/api/team/invitations/{number}").status_code == 204
    assert kinds(owner.delete(f"/api/team/invitations/{number}")) == ["invitation-unknown"]
    assert stranger(team).get(f"/join/{address.rpartition('/')[2]}").status_code == 410


def test_a_password_link_sets_the_password_and_ends_other_sessions(team: Workbench) -> None:
    owner, li = browser_of(team, member(team, "Second", "owner")), member(team, "Li", "viewer")
    old = browser_of(team, li)
    address = owner.post(f"/api/team/members/{li.id}/password").json()["address"]
    new = stranger(team)
    given = {"token": address.rpartition("/")[2], "password": "another password"}
    assert new.post("/api/password", json=given).status_code == 204
    assert new.get("/api/me").json()["name"] == "Li"
    assert old.get("/api/me").status_code == 401
    assert stranger(team).post("/api/password", json=given).status_code == 410


def test_the_last_owner_cannot_go(team: Workbench) -> None:
    client = stranger(team)
    client.post("/api/login", json={"name": "Owner", "password": PASSWORD})
    number = client.get("/api/team").json()["members"][0]["id"]
    assert kinds(client.put(f"/api/team/members/{number}", json={"role": "viewer"})) == ["last-owner"]
    assert client.delete(f"/api/team/members/{number}").status_code == 409
    assert client.get("/api/me").json()["role"] == "owner"


def test_a_closed_account_lets_nobody_in(team: Workbench) -> None:
    owner, li = browser_of(team, member(team, "Second", "owner")), member(team, "Li", "editor")
    hers = browser_of(team, li)
    assert owner.delete(f"/api/team/members/{li.id}").status_code == 204
    assert hers.get("/api/me").status_code == 401
    answer = stranger(team).post("/api/login", json={"name": "Li", "password": PASSWORD})
    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("ask", "accept", "expected"),
    [
        ("?lang=zh", "en", "zh"),
        ("", "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("", "fr, en;q=0.5", "en"),
        ("", "fr", "en"),
        ("?lang=xx", "zh", "zh"),
    ],
)
def test_the_language_is_asked_for_or_preferred(tmp_path: Path, ask: str, accept: str, expected: str) -> None:
    with served(tmp_path, None) as bench:
        client = local(bench)
        assert client.get(f"/api/me{ask}", headers={"Accept-Language": accept}).json()["lang"] == expected


def test_the_chosen_language_is_remembered_and_messages_speak_it(tmp_path: Path) -> None:
    with served(tmp_path, None, lang="en") as bench:
        client = stranger(bench, headers={"Sec-Fetch-Site": "same-origin", "Accept-Language": "fr"})
        assert client.post("/api/language", json={"lang": "zh"}).status_code == 204
        assert client.get("/api/me").json()["problems"][0]["text"].startswith("您尚未登录")


def test_no_problem_is_without_a_status() -> None:
    assert status_of([]) == 400
