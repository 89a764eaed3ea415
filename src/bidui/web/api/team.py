"""Calls about the team: who has which role, in a project or in the whole workspace, and who is invited."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel

from bidui.errors import Place, fail
from bidui.web.identity import Access, Bench, head_owner, reader, signed_in
from bidui.web.problems import fails
from bidui.web.signing_in import check_team
from bidui.web.store import (
    Entry,
    Invitation,
    Role,
    User,
    check_role,
    close_account,
    invitations,
    invite,
    members,
    password_link,
    role_of,
    set_role,
    withdraw,
)
from bidui.web.store import entry as find_entry
from bidui.web.store import user as find_user
from bidui.web.workbench import Workbench

router = APIRouter(prefix="/api", tags=["team"])


class MemberShape(BaseModel):
    """Somebody's role; `everywhere` where it holds for the whole workspace."""

    id: int
    name: str
    role: Role
    everywhere: bool


class InvitationShape(BaseModel):
    """An invitation that nobody has taken yet; no project where it is for the whole workspace."""

    id: int
    role: Role
    project: str
    by: str
    expires: datetime


class Team(BaseModel):
    """Who has a role here; the invitations, for owners only."""

    members: list[MemberShape]
    invitations: list[InvitationShape]
    role: Role | None


class Invite(BaseModel):
    """The role that is offered; without a project, in the whole workspace."""

    role: Role
    project: str | None = None


class RoleChoice(BaseModel):
    """The role that somebody is to have, or none; without a project, in the whole workspace."""

    role: Role | None
    project: str | None = None


class Address(BaseModel):
    """An address with a token, which is shown this once."""

    address: str


@router.get("/team", responses=fails(400, 401, 403))
def workspace_team(bench: Bench, who: Annotated[User, Depends(signed_in)]) -> Team:
    """Who works in the workspace."""
    check_team(bench)
    check_role(bench.store, who, "viewer")
    return _team(bench, role_of(bench.store, who), None)


@router.get("/projects/{project}/team", responses=fails(400, 401, 404))
def project_team(access: Annotated[Access, Depends(reader)]) -> Team:
    """Who works on a project."""
    check_team(access.bench)
    return _team(access.bench, access.role, access.entry)


@router.post("/team/invitations", status_code=201, responses=fails(400, 401, 403, 404))
def make_invitation(
    wanted: Invite, request: Request, bench: Bench, who: Annotated[User, Depends(signed_in)]
) -> Address:
    """Invite one person; the answer is the address to send."""
    entry = _owned(bench, who, wanted.project)
    token = invite(bench.store, who=who, role=wanted.role, entry=entry)
    return Address(address=_address(request, bench, f"join/{token}"))


@router.delete("/team/invitations/{number}", status_code=204, responses=fails(400, 401, 403, 404))
def withdraw_invitation(number: int, bench: Bench, who: Annotated[User, Depends(signed_in)]) -> None:
    """Take an invitation back."""
    found = next((each for each in invitations(bench.store) if each.id == number), None)
    if found is None:
        raise fail("invitation-unknown", Place(), {"number": number})
    _owned(bench, who, found.project or None)
    withdraw(bench.store, number)


@router.put("/team/members/{number}", status_code=204, responses=fails(400, 401, 403, 404, 409))
def change_role(number: int, choice: RoleChoice, bench: Bench, who: Annotated[User, Depends(signed_in)]) -> None:
    """Give somebody a role, another one, or none."""
    entry = _owned(bench, who, choice.project)
    set_role(bench.store, _member(bench, number), choice.role, entry)


@router.delete("/team/members/{number}", status_code=204, responses=fails(400, 401, 403, 404, 409))
def close_member(number: int, bench: Bench, _: Annotated[User, Depends(head_owner)]) -> None:
    """Close an account: nobody gets in by it any more; what she did keeps her name."""
    check_team(bench)
    close_account(bench.store, _member(bench, number))


@router.post("/team/members/{number}/password", responses=fails(400, 401, 403, 404))
def make_password_link(number: int, request: Request, bench: Bench, _: Annotated[User, Depends(head_owner)]) -> Address:
    """A link by which somebody who has forgotten the password can choose another."""
    check_team(bench)
    token = password_link(bench.store, _member(bench, number))
    return Address(address=_address(request, bench, f"password/{token}"))


def _team(bench: Workbench, role: Role | None, entry: Entry | None) -> Team:
    open_now = invitations(bench.store) if role == "owner" else []
    mine = [each for each in open_now if each.project == (entry.name if entry else "")]
    return Team(
        members=[
            MemberShape(id=each.user, name=each.name, role=each.role, everywhere=each.everywhere)
            for each in members(bench.store, entry)
        ],
        invitations=[_invitation(each) for each in mine],
        role=role,
    )


def _invitation(each: Invitation) -> InvitationShape:
    return InvitationShape(id=each.id, role=each.role, project=each.project, by=each.inviter, expires=each.expires)


def _owned(bench: Workbench, who: User, project: str | None) -> Entry | None:
    """The project, or None for the workspace; an error where `who` does not own it."""
    check_team(bench)
    entry = find_entry(bench.store, project) if project is not None else None
    check_role(bench.store, who, "owner", entry)
    return entry


def _member(bench: Workbench, number: int) -> User:
    found = find_user(bench.store, number)
    if found.local or found.closed:
        raise fail("user-unknown", Place(), {"number": number})
    return found


def _address(request: Request, bench: Workbench, path: str) -> str:
    """An address of this server under the name by which it was asked."""
    scheme = "https" if bench.settings.secure else "http"
    return f"{scheme}://{request.headers['host']}/{path}"
