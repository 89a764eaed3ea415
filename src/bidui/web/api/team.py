"""Calls about people: who is signed in, signing in and out, roles, and invitations."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from bidui.errors import Place, fail
from bidui.web import accounts
from bidui.web.accounts import Bench, HeadOwner, Reader, Someone, Spoken, Who
from bidui.web.problems import fails
from bidui.web.store import accounts as people
from bidui.web.store.accounts import Invitation, Member, Role, User, check_role, role_of
from bidui.web.store.workspace import Entry
from bidui.web.store.workspace import entry as find_entry
from bidui.web.workbench import Workbench
from bidui.words import Language

router = APIRouter(prefix="/api", tags=["team"])
Text = Annotated[str, Field(max_length=1000)]


@dataclass(frozen=True, slots=True)
class Me:
    """Who is signed in, with her role in the whole workspace; `alone` where that is one project."""

    name: str
    mode: Literal["laptop", "team"]
    role: Role | None
    lang: Language
    alone: bool


class LanguageChoice(BaseModel):
    """The language of the pages."""

    lang: Language


class Login(BaseModel):
    """A name and its password."""

    name: Text
    password: Text


class JoinRequest(BaseModel):
    """An invitation's token, with a name and a password; without them, for the account that is signed in."""

    token: Text
    name: Text | None = None
    password: Text | None = None


class NewPassword(BaseModel):
    """The token of a password link, and the password that is chosen."""

    token: Text
    password: Text


def me_of(bench: Workbench, who: User, language: Language) -> Me:
    """Return who is signed in, for a page or a call."""
    mode: Literal["laptop", "team"] = "team" if bench.settings.team else "laptop"
    return Me(who.name, mode, role_of(bench.store, who), language, bench.store.alone)


@router.get("/me", responses=fails(401))
def me(bench: Bench, who: Who, language: Spoken) -> Me:
    """Return who is signed in."""
    return me_of(bench, who, language)


@router.post("/language", status_code=204, responses=fails(403))
def choose_language(body: LanguageChoice, bench: Bench, response: Response) -> None:
    """Remember a language in a cookie."""
    accounts.set_language(response, body.lang, bench.settings)


@router.post("/login", status_code=204, responses=fails(400, 401, 403, 429))
async def login(body: Login, request: Request, bench: Bench, response: Response) -> None:
    """Sign in by name and password."""
    token = await accounts.sign_in(bench, body.name, body.password, address=accounts.address_of(request))
    accounts.set_session(response, token, bench.settings)


@router.post("/logout", status_code=204, responses=fails(403))
def logout(request: Request, bench: Bench, response: Response) -> None:
    """End the session."""
    if token := accounts.session_token(request, bench.settings):
        people.end_session(bench.store, token)
    accounts.drop_session(response, bench.settings)


@router.post("/join", status_code=204, responses=fails(400, 401, 403, 409, 410))
async def join(body: JoinRequest, bench: Bench, response: Response, who: Someone) -> None:
    """Take an invitation, with a new account or the one that is signed in."""
    if body.name is not None and body.password is not None:
        token = await accounts.take_invitation(bench, body.token, name=body.name, password=body.password)
        accounts.set_session(response, token, bench.settings)
    elif who is None:
        raise fail("not-signed-in", Place())
    else:
        await accounts.join_by_invitation(bench, body.token, who=who)


@router.post("/password", status_code=204, responses=fails(400, 403, 410))
async def choose_password(body: NewPassword, bench: Bench, response: Response) -> None:
    """Choose another password by a link; it signs in, and ends all other sessions."""
    token = await accounts.take_password(bench, body.token, password=body.password)
    accounts.set_session(response, token, bench.settings)


# Roles and invitations, in a project or in the whole workspace


@dataclass(frozen=True, slots=True)
class Team:
    """Who has a role here; the open invitations, for owners only, and the reader's own role."""

    members: list[Member]
    invitations: list[Invitation]
    role: Role | None


class Invite(BaseModel):
    """The role that is offered; without a project, in the whole workspace."""

    role: Role
    project: str | None = None


class RoleChoice(BaseModel):
    """The role that somebody is to have, or none; without a project, in the whole workspace."""

    role: Role | None
    project: str | None = None


@dataclass(frozen=True, slots=True)
class Address:
    """An address with a token, which is shown this once."""

    address: str


@router.get("/team", responses=fails(400, 401, 403))
def workspace_team(bench: Bench, who: Who) -> Team:
    """List who works in the workspace."""
    accounts.check_team(bench)
    return _team(bench, check_role(bench.store, who, "viewer"), None)


@router.get("/projects/{project}/team", responses=fails(400, 401, 404))
def project_team(access: Reader) -> Team:
    """List who works on a project."""
    accounts.check_team(access.bench)
    return _team(access.bench, access.role, access.entry)


@router.post("/team/invitations", status_code=201, responses=fails(400, 401, 403, 404))
def make_invitation(body: Invite, request: Request, bench: Bench, who: Who) -> Address:
    """Invite one person; the answer is the address to send."""
    entry = _owned(bench, who, body.project)
    token = people.invite(bench.store, who=who, role=body.role, entry=entry)
    return Address(_address(request, bench, f"join/{token}"))


@router.delete("/team/invitations/{number}", status_code=204, responses=fails(400, 401, 403, 404))
def withdraw_invitation(number: int, bench: Bench, who: Who) -> None:
    """Take an invitation back."""
    offer = next((each for each in people.invitations(bench.store) if each.id == number), None)
    if offer is None:
        raise fail("invitation-unknown", Place(), {"number": number})
    _owned(bench, who, offer.project or None)
    people.withdraw(bench.store, number)


@router.put("/team/members/{number}", status_code=204, responses=fails(400, 401, 403, 404, 409))
def change_role(number: int, body: RoleChoice, bench: Bench, who: Who) -> None:
    """Give somebody a role, another one, or none."""
    entry = _owned(bench, who, body.project)
    people.set_role(bench.store, _member(bench, number), body.role, entry)


@router.delete("/team/members/{number}", status_code=204, responses=fails(400, 401, 403, 404, 409))
def close_member(number: int, bench: Bench, _: HeadOwner) -> None:
    """Close an account: nobody gets in by it any more; what she did keeps her name."""
    accounts.check_team(bench)
    people.close_account(bench.store, _member(bench, number))


@router.post("/team/members/{number}/password", responses=fails(400, 401, 403, 404))
def make_password_link(number: int, request: Request, bench: Bench, _: HeadOwner) -> Address:
    """Make a link by which somebody who has forgotten the password can choose another."""
    accounts.check_team(bench)
    token = people.password_link(bench.store, _member(bench, number))
    return Address(_address(request, bench, f"password/{token}"))


def _team(bench: Workbench, role: Role | None, entry: Entry | None) -> Team:
    project = entry.name if entry else ""
    offers = [each for each in people.invitations(bench.store) if each.project == project] if role == "owner" else []
    return Team(people.members(bench.store, entry), offers, role)


def _owned(bench: Workbench, who: User, project: str | None) -> Entry | None:
    """Return the project, or None for the workspace; refuse whoever does not own it."""
    accounts.check_team(bench)
    entry = find_entry(bench.store, project) if project is not None else None
    check_role(bench.store, who, "owner", entry)
    return entry


def _member(bench: Workbench, number: int) -> User:
    user = people.user(bench.store, number)
    if user.local or user.closed:
        raise fail("user-unknown", Place(), {"number": number})
    return user


def _address(request: Request, bench: Workbench, path: str) -> str:
    """Return an address of this server under the name by which it was asked."""
    scheme = "https" if bench.settings.secure else "http"
    return f"{scheme}://{request.headers['host']}/{path}"
